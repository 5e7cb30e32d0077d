"""``buto experiments run sweeps``: what is varied in the paper behind ``history``, on the made-up history."""

from __future__ import annotations

from collections.abc import Sequence

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.learners import require_learners
from buto_replications.history.replay import PAPER_SIZE, synthetic_history
from buto_replications.history.sweeps import FOLDS, Sweep, SweepPoint, point, sweeps
from buto_replications.report.content import TextTable


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print all points in one table."""
    require_learners()
    examples = synthetic_history(PAPER_SIZE, request.seed)
    tasks = [(examples, number, request.seed) for number in range(len(list(sweeps(request.seed))))]
    show([table(done(_measure, tasks, "sweeps", request, console))], console)
    return EXIT_PASS


def _measure(task: tuple[Examples, int, int]) -> list[SweepPoint]:
    examples, number, seed = task
    sweep: Sweep = list(sweeps(seed))[number]
    return [point(examples, sweep, seed)]


def table(points: Sequence[SweepPoint]) -> TextTable:
    return TextTable(
        f"What is varied, on the made-up history of the paper's size, {FOLDS} folds",
        ("shows", "classifier", "setting", "balanced accuracy", "false alarms", "missed", "seconds"),
        tuple(
            (
                sweep_point.sweep.shows,
                sweep_point.sweep.classifier,
                sweep_point.sweep.setting,
                f"{sweep_point.errors.balanced_accuracy:.3f} ± {sweep_point.error:.3f}",
                f"{sweep_point.errors.alarms:.2%}",
                f"{sweep_point.errors.missed:.1%}",
                f"{sweep_point.seconds:.0f}",
            )
            for sweep_point in points
        ),
        left=3,
        notes=("±: clustered by group",),
    )
