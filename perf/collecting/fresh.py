"""How much processor time does measuring add to a fresh program of four seconds?

Two programs of a fixed amount of work, one that computes and one that allocates, each run without
monitoring and with buto's agent at 100 ms, in pairs whose order alternates; polling over JMX stands beside
them. The work is chosen so that the program takes about four seconds of processor time on this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from buto.measure.opener import open_collector
from perf.collecting.napping import compiled, java, measured, target, unmeasured
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "Fresh programs of four seconds"
ADDED_PERCENT = 3.0
WANTED_S = 4.0
KINDS = {"compute": "CPU-bound", "allocate": "allocation-heavy"}


def units_for(classes: Path, kind: str) -> int:
    """Return the work that takes as long as wanted: guessed, tried and corrected, twice, because code warms
    up.
    """
    units = 2000
    for _ in range(3):
        units = round(units * WANTED_S / unmeasured(java(classes, "Work", kind, str(units))).cpu_s)
    return units


def measure(pairs: int, polled: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes:
        for kind, name in KINDS.items():
            yield from program(classes, kind, name, pairs, polled)


def program(classes: Path, kind: str, name: str, pairs: int, polled: int) -> Iterator[BenchmarkFigure]:
    command = java(classes, "Work", kind, str(units_for(classes, kind)))
    plain, ours, theirs = [], [], []
    with ExitStack() as held:
        agent = held.enter_context(open_collector(target(command)))
        jmx = held.enter_context(open_collector(target(command, collector="jmx")))
        for number in range(pairs):
            if number % 2:
                ours.append(measured(agent).cpu_s)
            plain.append(unmeasured(command).cpu_s)
            if not number % 2:
                ours.append(measured(agent).cpu_s)
            if number < polled:
                theirs.append(measured(jmx).cpu_s)
            print(f"   {name}: {plain[-1]:.3f} s, with the agent {ours[-1]:.3f} s", flush=True)
    yield figure_of(f"{name}: processor time unmeasured", plain, "s", 2)
    yield at_most(f"{name}: added by the agent, in pairs", added(ours, plain), ADDED_PERCENT, "%")
    if theirs:
        yield figure_of(f"{name}: added by polling over JMX, in pairs", added(theirs, plain), "%")


def added(measured_s: list[float], plain_s: list[float]) -> list[float]:
    return [100 * (with_buto / other - 1) for with_buto, other in zip(measured_s, plain_s, strict=False)]


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--polled", type=int, default=2, help="how many times over JMX too")
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.pairs, options.polled)), options)


if __name__ == "__main__":
    sys.exit(main())
