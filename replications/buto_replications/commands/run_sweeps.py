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
from buto_replications.history.sweeps import FOLDS, Point, Sweep, point, sweeps
from buto_replications.report.content import Columns


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print all points in one table."""
    require_learners()
    examples = synthetic_history(PAPER_SIZE, request.seed)
    tasks = [(examples, number, request.seed) for number in range(len(list(sweeps(request.seed))))]
    show([table(done(_measured, tasks, "sweeps", request, console))], console)
    return EXIT_PASS


def _measured(task: tuple[Examples, int, int]) -> list[Point]:
    examples, number, seed = task
    one: Sweep = list(sweeps(seed))[number]
    return [point(examples, one, seed)]


def table(found: Sequence[Point]) -> Columns:
    return Columns(
        f"What is varied, on the made-up history of the paper's size, {FOLDS} folds",
        ("shows", "classifier", "setting", "balanced accuracy", "false alarms", "missed", "seconds"),
        tuple(
            (
                one.sweep.shows,
                one.sweep.classifier,
                one.sweep.setting,
                f"{one.errors.balanced_accuracy:.3f} ± {one.error:.3f}",
                f"{one.errors.alarms:.2%}",
                f"{one.errors.missed:.1%}",
                f"{one.seconds:.0f}",
            )
            for one in found
        ),
        left=3,
        notes=("±: clustered by group",),
    )
