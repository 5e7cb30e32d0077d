"""What helps where the machine is slower for some seconds: both programs at once, or a fixed loop?

A program that computes and one that computes 5 % more are compared, eight runs of each, in turns and at the
same time on disjoint cores (``buto compare --duet``); as the machine is, and with phases made on purpose by a
process on each core that computes for some seconds and then sleeps for some. So is the program with itself.
Before and after each launch in turns, a fixed loop is timed: whether it tells how fast the run was.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import numpy as np

from buto.actions.collecting import Collected, Plan, collect
from buto.actions.duet import collect_pairs
from buto.actions.events import ignore
from buto.engine.launching import LocalEngine
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.comparison import compare, comparing
from buto.judging.verdict import Status
from buto.measure.collector import Collector
from buto.measure.host import two_halves
from buto.measure.opener import open_collector
from buto.measure.target import Target
from buto.run.model import FloatArray, Run
from buto.run.store import RunStore
from perf.collecting.napping import compiled, java, target
from perf.figures import Figure, benchmark, conclude, figure_of

TITLE = "A machine that is slower for some seconds"
N_RUNS = 8
UNITS, MORE_UNITS = 4200, 4410
LOOP = bytes(2**16)
LOOPS = 800
"""Of 64 KiB to be hashed: some 30 ms."""

BURNER = """\
import random, sys, time
source = random.Random(1)
while True:
    end_s = time.monotonic() + source.uniform(3, 8)
    while time.monotonic() < end_s:
        sum(range(10000))
    time.sleep(source.uniform(3, 8))
"""


@contextmanager
def phases(on_purpose: bool) -> Iterator[None]:
    """Slow all cores down at the same times."""
    n_burners = len(os.sched_getaffinity(0)) if on_purpose else 0
    burners = [subprocess.Popen([sys.executable, "-c", BURNER]) for _ in range(n_burners)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def loop_s() -> tuple[float, float]:
    """Return the time and the processor time of the fixed loop."""
    began_s, used_s = time.perf_counter(), time.thread_time()
    digest = hashlib.sha256()
    for _ in range(LOOPS):
        digest.update(LOOP)
    return time.perf_counter() - began_s, time.thread_time() - used_s


@dataclass
class Loops:
    """Times of the loop before and after each launch, by the run's id, shape (2, 2)."""

    of_run: dict[str, FloatArray] = field(default_factory=dict)

    def collector(self, wanted: Target) -> Collector:
        return _Surrounded(open_collector(wanted), self)


class _Surrounded:
    def __init__(self, inner: Collector, loops: Loops) -> None:
        self._inner, self._loops = inner, loops

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)

    def record(self, *arguments: object, **named: object) -> Run:
        before = loop_s()
        run: Run = self._inner.record(*arguments, **named)  # type: ignore[arg-type]
        self._loops.of_run[run.id] = np.array([before, loop_s()])
        return run


def times(runs: Sequence[Run]) -> FloatArray:
    """Return the logarithms of duration and processor time, shape (n_runs, 2)."""
    return np.log([[run.outcome.duration_s, run.series("jvm.cpu.time")[-1]] for run in runs])


def recorded(classes: Path, units: tuple[int, int], loops: Loops | None) -> dict[str, Collected]:
    """Return the runs of two programs: in turns with the loop, or at the same time without."""
    one, other = (
        Plan(name, target(java(classes, "Work", "compute", str(amount))), N_RUNS)
        for name, amount in zip(("old", "new"), units, strict=True)
    )
    seed = random.randrange(2**32)
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        store = RunStore(Path(directory))
        if loops is None:
            return collect_pairs(
                (one, other), store, ignore, seed=seed, purpose="compare", cores=two_halves()
            )
        engine = partial(LocalEngine, collector_for=loops.collector)
        return collect((one, other), store, ignore, seed=seed, purpose="compare", engine_for=engine)


def found(sides: dict[str, Collected]) -> bool:
    """Return whether a comparison fails."""
    first, second = (one.valid() for one in sides.values())
    return compare(first, second, comparing(CALIBRATED)).status is Status.REGRESSION


def explained(y: FloatArray, x: FloatArray) -> float:
    """Return the share of the deviation of ``y`` that remains after a regression on ``x``, each run left out
    in turn.
    """
    design = np.column_stack([np.ones_like(x), x])
    hat = design @ np.linalg.pinv(design)
    left = (y - hat @ y) / (1 - np.diag(hat))
    return float(np.sqrt((left**2).mean()) / y.std(ddof=1))


def measure(n_comparisons: int) -> Iterator[Figure]:
    with compiled() as classes:
        for on_purpose in (False, True):
            where = "with phases on purpose" if on_purpose else "as the machine is"
            loops = Loops()
            ratios: dict[str, list[FloatArray]] = {"in turns": [], "at once": []}
            alone: list[Run] = []
            hits = {(way, change): 0 for way in ratios for change in (False, True)}
            with phases(on_purpose):
                for number in range(2 * n_comparisons):
                    change = number % 2 == 1
                    for way in ratios:
                        units = (UNITS, MORE_UNITS if change else UNITS)
                        sides = recorded(classes, units, loops if way == "in turns" else None)
                        hits[way, change] += found(sides)
                        if not change:
                            old, new = (one.valid().runs[:N_RUNS] for one in sides.values())
                            ratios[way].append(times(new) - times(old))
                            alone += [*old, *new] if way == "in turns" else []
            for way in ratios:
                spread = 100 * np.concatenate(ratios[way]).std(axis=0, ddof=1)
                for name, value in zip(("duration", "processor time"), spread, strict=True):
                    yield figure_of(f"{where}, {way}: deviation of the ratio of {name}", [value], "%")
                for change, what in ((False, "equal programs"), (True, "5 % more work")):
                    share = f"{hits[way, change]} of {n_comparisons}"
                    yield Figure(f"{where}, {way}: comparisons of {what} that fail", share)
            logs = np.log([loops.of_run[run.id] for run in alone]).mean(axis=1)
            waits = np.array([float(run.metadata["host.load.run_queue"] or 0.0) for run in alone])
            for place, name in enumerate(("duration", "processor time")):
                y = times(alone)[:, place]
                yield figure_of(
                    f"{where}: deviation of {name} left after the loop's",
                    [100 * explained(y, logs[:, place])],
                    "%",
                    0,
                )
                yield figure_of(
                    f"{where}: deviation of {name} left after the run's own wait for a core",
                    [100 * explained(y, waits)],
                    "%",
                    0,
                )


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--comparisons", type=int, default=10, help="of each kind")
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.comparisons)), options)


if __name__ == "__main__":
    sys.exit(main())
