"""``buto experiments run history``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isnan

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show, write
from buto_replications.history.histories import LabelledHistory, histories
from buto_replications.history.series import (
    KINDS,
    STATUSES,
    WalkStep,
    recorded_series,
    walk_tasks,
    walked,
)
from buto_replications.history.tables import ROWS, MeasuredTrial, TableTrial
from buto_replications.report.content import TextTable, csv_text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's tables and the same on other histories, and write them to a file."""
    tasks = walk_tasks(recorded_series(checkout.recorded(request.data, DATA)))
    show([_publish()], console)
    rows = []
    for history in histories(request.data, request.seed):
        trials = [(history, trial, request.seed) for trial in history.trials]
        measured_trials = done(_measure, trials, history.name, request, console)
        rows += [(history.name, trial) for trial in measured_trials]
        show([_table(str(history), measured_trials)], console)
    steps = done(walked, tasks, "series", request, console)
    show([_steps(steps)], console)
    write(request.out, {"history.csv": _csv(rows), "series.csv": _series_csv(steps)}, console)
    return EXIT_PASS


def _measure(task: tuple[LabelledHistory, TableTrial, int]) -> list[MeasuredTrial]:
    history, trial, seed = task
    return [history.measured(trial, seed)]


def _publish() -> TextTable:
    return TextTable(
        "The paper: tables 4 to 8, and what follows from their errors",
        ("table", "classifier", "printed", "balanced accuracy", "false alarms", "missed"),
        tuple(
            (
                str(row.table),
                row.classifier,
                f"{row.printed:.2f}",
                f"{row.errors.balanced_accuracy:.4f}",
                f"{row.errors.alarms:.1%}",
                f"{row.errors.missed:.1%}",
            )
            for row in ROWS
        ),
        left=2,
    )


def _table(caption: str, trials: Sequence[MeasuredTrial]) -> TextTable:
    return TextTable(
        caption,
        ("table", "classifier", "balanced accuracy", "± by group", "false alarms", "missed", "seconds"),
        tuple(
            (
                trial.trial.table,
                trial.trial.classifier,
                f"{trial.errors.balanced_accuracy:.3f}",
                "" if isnan(trial.error) else f"{trial.error:.3f}",
                f"{trial.errors.alarms:.2%}",
                f"{trial.errors.missed:.1%}",
                f"{trial.seconds:.0f}",
            )
            for trial in trials
        ),
        left=2,
    )


def _steps(steps: Sequence[WalkStep]) -> TextTable:
    counts = Counter((step.kind, step.status) for step in steps)
    return TextTable(
        "Series of releases in their order, judged by the method history",
        ("release", *(status.value for status in STATUSES)),
        tuple((kind, *(str(counts[kind, status]) for status in STATUSES)) for kind in KINDS),
        left=1,
    )


def _series_csv(steps: Iterable[WalkStep]) -> str:
    rows = [(step.series, step.release, step.kind, step.status.value) for step in steps]
    return csv_text(("test", "release", "is", "status"), rows)


def _csv(measured: Iterable[tuple[str, MeasuredTrial]]) -> str:
    errors = ("normal", "abnormal", "false_positives", "false_negatives")
    rows = [
        (
            name,
            trial.trial.table,
            trial.trial.classifier,
            *(getattr(trial.errors, count) for count in errors),
            f"{trial.errors.balanced_accuracy:.6f}",
            f"{trial.seconds:.1f}",
        )
        for name, trial in measured
    ]
    return csv_text(("history", "table", "classifier", *errors, "balanced_accuracy", "seconds"), rows)
