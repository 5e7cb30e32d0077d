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
    Step,
    recorded_series,
    walk_tasks,
    walked,
)
from buto_replications.history.tables import ROWS, Measured, Trial
from buto_replications.report.content import Columns, csv_text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's tables and the same on other histories, and write them to a file."""
    tasks = walk_tasks(recorded_series(checkout.recorded(request.data, DATA)))
    show([_published()], console)
    rows = []
    for history in histories(request.data, request.seed):
        trials = [(history, trial, request.seed) for trial in history.trials]
        found = done(_measured, trials, history.name, request, console)
        rows += [(history.name, one) for one in found]
        show([_table(str(history), found)], console)
    steps = done(walked, tasks, "series", request, console)
    show([_steps(steps)], console)
    write(request.out, {"history.csv": _csv(rows), "series.csv": _series_csv(steps)}, console)
    return EXIT_PASS


def _measured(task: tuple[LabelledHistory, Trial, int]) -> list[Measured]:
    history, trial, seed = task
    return [history.measured(trial, seed)]


def _published() -> Columns:
    return Columns(
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


def _table(caption: str, found: Sequence[Measured]) -> Columns:
    return Columns(
        caption,
        ("table", "classifier", "balanced accuracy", "± by group", "false alarms", "missed", "seconds"),
        tuple(
            (
                one.trial.table,
                one.trial.classifier,
                f"{one.errors.balanced_accuracy:.3f}",
                "" if isnan(one.error) else f"{one.error:.3f}",
                f"{one.errors.alarms:.2%}",
                f"{one.errors.missed:.1%}",
                f"{one.seconds:.0f}",
            )
            for one in found
        ),
        left=2,
    )


def _steps(steps: Sequence[Step]) -> Columns:
    counts = Counter((one.kind, one.status) for one in steps)
    return Columns(
        "Series of releases in their order, judged by the method history",
        ("release", *(status.value for status in STATUSES)),
        tuple((kind, *(str(counts[kind, status]) for status in STATUSES)) for kind in KINDS),
        left=1,
    )


def _series_csv(steps: Iterable[Step]) -> str:
    rows = [(one.series, one.release, one.kind, one.status.value) for one in steps]
    return csv_text(("test", "release", "is", "status"), rows)


def _csv(measured: Iterable[tuple[str, Measured]]) -> str:
    errors = ("normal", "abnormal", "false_positives", "false_negatives")
    rows = [
        (
            name,
            one.trial.table,
            one.trial.classifier,
            *(getattr(one.errors, count) for count in errors),
            f"{one.errors.balanced_accuracy:.6f}",
            f"{one.seconds:.1f}",
        )
        for name, one in measured
    ]
    return csv_text(("history", "table", "classifier", *errors, "balanced_accuracy", "seconds"), rows)
