"""``buto experiments run history``."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_thesis import WorkProgress
from buto_replications.history.histories import LabelledHistory, histories
from buto_replications.history.series import (
    KINDS,
    STATUSES,
    Step,
    WalkTask,
    recorded_series,
    walk_tasks,
    walked,
)
from buto_replications.history.tables import ROWS, Measured, Trial
from buto_replications.report.content import Columns, lines
from buto_replications.workers import in_parallel


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's tables and the same on other histories, and write them to a file."""
    tasks = walk_tasks(recorded_series(checkout.recorded(request.data, DATA)))
    _print(_published(), console)
    rows = []
    for history in histories(request.data, request.seed):
        found = _measured(history, request, console)
        rows += [(history.name, one) for one in found]
        _print(_table(str(history), found), console)
    steps = _walked(tasks, request, console)
    _print(_steps(steps), console)
    for name, content in (("history.csv", _csv(rows)), ("series.csv", _series_csv(steps))):
        path = request.out / name
        write_file(path, content.encode(), "--out")
        console.info(f"wrote {path}")
    return EXIT_PASS


def _walked(tasks: Sequence[WalkTask], request: ExperimentsRequest, console: Console) -> list[Step]:
    progress, found = WorkProgress(console, "series"), []
    try:
        for done, steps in enumerate(in_parallel(walked, tasks, request.workers), start=1):
            found += steps
            progress(done, len(tasks))
    finally:
        progress.clear()
    return found


def _measured(history: LabelledHistory, request: ExperimentsRequest, console: Console) -> list[Measured]:
    tasks = [(history, trial, request.seed) for trial in history.trials]
    progress, found = WorkProgress(console, history.name), []
    try:
        for done, one in enumerate(in_parallel(_measure, tasks, request.workers), start=1):
            found.append(one)
            progress(done, len(tasks))
    finally:
        progress.clear()
    return found


def _measure(task: tuple[LabelledHistory, Trial, int]) -> Measured:
    history, trial, seed = task
    return history.measured(trial, seed)


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
        ("table", "classifier", "balanced accuracy", "false alarms", "missed", "seconds"),
        tuple(
            (
                one.trial.table,
                one.trial.classifier,
                f"{one.errors.balanced_accuracy:.3f}",
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
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("test", "release", "is", "status"))
    writer.writerows((one.series, one.release, one.kind, one.status.value) for one in steps)
    return out.getvalue()


def _print(table: Columns, console: Console) -> None:
    for line in lines(table):
        console.result(line)
    console.result("")


def _csv(rows: Iterable[tuple[str, Measured]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        (
            "history",
            "table",
            "classifier",
            "normal",
            "abnormal",
            "false_positives",
            "false_negatives",
            "balanced_accuracy",
            "seconds",
        )
    )
    for name, one in rows:
        errors = one.errors
        counts = (errors.normal, errors.abnormal, errors.false_positives, errors.false_negatives)
        accuracy = f"{errors.balanced_accuracy:.6f}"
        writer.writerow(
            (name, one.trial.table, one.trial.classifier, *counts, accuracy, f"{one.seconds:.1f}")
        )
    return out.getvalue()
