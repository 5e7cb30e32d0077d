"""Do pauses between the runs of a check help where the machine is slower for some seconds?

A program that computes is launched many times in a row, and then one that computes 5 % more, while a process
on each core computes for some seconds and then sleeps for some. Ten runs train: in a row, or every third one.
Three later runs are judged: in a row, every third one, or every tenth one. To leave runs out is to pause as
long as they took, or to launch other tests in between. Only p-values count, so load by others makes no check
inconclusive.
"""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from buto.actions.collecting import LaunchPlan, collect
from buto.actions.events import ignore
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import N_CHECKED
from buto.run.model import IntArray, Run, RunSet
from buto.run.store import RunStore
from buto_replications.judging.checks import N_TRAINING, CachingJudge, SimulatedCheck, rate
from perf.collecting.napping import compiled, java, target
from perf.figures import BenchmarkFigure, benchmark, conclude

TITLE = "Pauses between the runs of a check"
UNITS, MORE_UNITS = 4200, 4410
BURNER = """\
import random, sys, time
source = random.Random(1)
while True:
    end_s = time.monotonic() + source.uniform(3, 8)
    while time.monotonic() < end_s:
        sum(range(10000))
    time.sleep(source.uniform(3, 8))
"""
ALPHAS = (0.01, 0.05)
EVERYTHING = CALIBRATED.with_value("minimum-effect", "0")
"""5 % more work is less than what matters."""
BASE, CHANGED = "base", "changed"
TRAININGS = {"training in a row": 1, "training of every third run": 3}
STEPS = {"a check in a row": 1, "a check of every third run": 3, "a check of every tenth run": 10}
REACH = {
    BASE: N_TRAINING * max(TRAININGS.values()),
    CHANGED: (N_CHECKED - 1) * max(STEPS.values()),
}
"""Runs that the widest training and the widest check span."""

BLOCK = 20
"""So many first runs in a row are one observation, because a phase meets several of them.

Neighbouring observations share runs, so errors are too small.
"""

FEWEST_BLOCKS = 5
"""Of fewer observations no error is estimated."""


@contextmanager
def phases() -> Iterator[None]:
    """Slow all cores down at the same times."""
    burners = [subprocess.Popen([sys.executable, "-c", BURNER]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@dataclass(frozen=True, eq=False, slots=True)
class PauseDivision:
    """Places of runs, those of the changed program after those of the other one."""

    training: IntArray
    checked: IntArray


def recorded(store: RunStore, amounts: dict[str, int]) -> dict[str, RunSet]:
    """Return usable runs of both programs, recorded one after the other, unless the store has them."""
    units = {BASE: UNITS, CHANGED: MORE_UNITS}
    missing = {name: n for name, n in amounts.items() if not store.has_runs(name)}
    if missing:
        with compiled() as classes, phases():
            for name, n_runs in missing.items():
                plan = LaunchPlan(name, target(java(classes, "Work", "compute", str(units[name]))), n_runs)
                collect([plan], store, ignore, seed=1, purpose="record")
    return {name: store.load_set(name).valid() for name in amounts}


def unchanged(n_base: int, spread: int, step: int) -> Iterator[PauseDivision]:
    """Yield divisions of the base's runs: those under test directly follow those that train."""
    for first in range(REACH[BASE], n_base - REACH[CHANGED]):
        training = first - spread * np.arange(N_TRAINING, 0, -1)
        yield PauseDivision(training, first + step * np.arange(N_CHECKED))


def changed(n_base: int, n_changed: int, spread: int, step: int) -> Iterator[PauseDivision]:
    """Yield divisions that check runs of the changed program, with trainings all over the base's runs."""
    firsts = np.arange(n_changed - REACH[CHANGED])
    starts = np.linspace(0, n_base - REACH[BASE], len(firsts)).astype(np.int64)
    for first, start in zip(firsts, starts, strict=True):
        training = start + spread * np.arange(N_TRAINING)
        yield PauseDivision(training, n_base + first + step * np.arange(N_CHECKED))


def figures(runs: dict[str, RunSet]) -> Iterator[BenchmarkFigure]:
    n_base, n_changed = (len(runs[name]) for name in (BASE, CHANGED))
    everything = [replace(run, test=BASE) for name in (BASE, CHANGED) for run in runs[name]]
    for (training, spread), (way, step) in product(TRAININGS.items(), STEPS.items()):
        of_kind = {
            "equal programs": unchanged(n_base, spread, step),
            "5 % more work": changed(n_base, n_changed, spread, step),
        }
        for what, divisions in of_kind.items():
            checks = [_check(everything, division) for division in divisions]
            shares = "; ".join(f"at {alpha:g}: {_share(checks, alpha)} %" for alpha in ALPHAS)
            yield BenchmarkFigure(f"{training}, {way}: {what} that fail, without turns", shares)


def _check(runs: Sequence[Run], division: PauseDivision) -> SimulatedCheck:
    training, three = ([runs[place] for place in places] for places in (division.training, division.checked))
    return CachingJudge.by(training, EVERYTHING).check(three)


def _share(checks: Sequence[SimulatedCheck], alpha: float) -> str:
    share = rate((str(number // BLOCK), check.fails_alone(alpha)) for number, check in enumerate(checks))
    error = f" ± {100 * share.error:.1f}" if share.n_runs >= FEWEST_BLOCKS else ""
    return f"{100 * share.value:.1f}{error}"


def _find_spread(name: str, values: Sequence[float], unit: str) -> BenchmarkFigure:
    low, middle, high = np.percentile(values, [5, 50, 95])
    return BenchmarkFigure(name, f"{middle:.2f} {unit}", f"{low:.2f} to {high:.2f} (5 % to 95 %)")


def measure(options: Namespace) -> Iterator[BenchmarkFigure]:
    with ExitStack() as stack:
        place = options.store or Path(stack.enter_context(TemporaryDirectory(prefix="buto-perf-")))
        runs = recorded(RunStore(place), {BASE: options.runs, CHANGED: options.changed})
        yield BenchmarkFigure(
            "runs of the program, and of the changed one", f"{len(runs[BASE])}, {len(runs[CHANGED])}"
        )
        yield _find_spread("duration of a run", [run.outcome.duration_s for run in runs[BASE]], "s")
        loads = [100 * run.quality.foreign_load for run in runs[BASE]]
        yield _find_spread("share of the cores that others used during a run", loads, "%")
        yield from figures(runs)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--runs", type=int, default=220, help="of the unchanged program")
    parser.add_argument("--changed", type=int, default=60, help="runs of the changed program")
    parser.add_argument("--store", type=Path, help="keep the runs here, and judge those that are here")
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options)), options)


if __name__ == "__main__":
    sys.exit(main())
