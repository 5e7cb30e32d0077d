"""Is a program of 0 or 300 ms always measured from start to end, and what does that cost at start and exit?

Measured and unmeasured launches alternate. A launch is whole if its first sample lies before ``main``,
its last one within 5 ms of the program's end, and its exit code is the program's own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from buto.measure.opener import open_collector
from perf.collecting.napping import RecordedLaunch, compiled, java, measured, target, unmeasured
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "First sample, last sample and exit"
FIRST_SAMPLE_MS = 150.0
LAST_SAMPLE_MS = 5.0
EXIT_DELAY_MS = 20.0
EXIT_CODE = 7


def last_ms(launch: RecordedLaunch) -> float:
    """Return the time from the program's last instruction to the last sample."""
    return (launch.at_ns(-1) - launch.printed("end")) * 1e-6


def is_whole(launch: RecordedLaunch) -> bool:
    begins_before = launch.at_ns(0) < launch.printed("begin")
    return begins_before and last_ms(launch) <= LAST_SAMPLE_MS and launch.run.outcome.exit_code == EXIT_CODE


def measure(n_launches: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes:
        for millis in (0, 300):
            yield from program(classes, millis, n_launches)


def program(classes: Path, millis: int, n_launches: int) -> Iterator[BenchmarkFigure]:
    command = java(classes, "Nap", str(millis), str(EXIT_CODE))
    ours, plain = [], []
    with open_collector(target(command, code=EXIT_CODE)) as collector:
        for _ in range(n_launches):
            plain.append(unmeasured(command))
            ours.append(measured(collector))
    of = f"program of {millis} ms:"
    n_whole = sum(map(is_whole, ours))
    yield BenchmarkFigure(f"{of} launches measured whole", f"{n_whole} of {n_launches}")
    first_ms = [(launch.at_ns(0) - launch.started_ns) * 1e-6 for launch in ours]
    yield at_most(f"{of} spawn to first sample", first_ms, FIRST_SAMPLE_MS, "ms")
    main_ms = [(process.printed("begin") - process.started_ns) * 1e-6 for process in plain]
    yield figure_of(f"{of} spawn to `main` without monitoring", main_ms, "ms")
    begin_ms = [(launch.printed("begin") - launch.at_ns(0)) * 1e-6 for launch in ours]
    yield figure_of(f"{of} first sample before `main`", begin_ms, "ms")
    yield at_most(f"{of} end to last sample", list(map(last_ms, ours)), LAST_SAMPLE_MS, "ms")
    delays = [launch.exit_ms - other.exit_ms for launch, other in zip(ours, plain, strict=True)]
    yield at_most(f"{of} exit delay, in pairs", delays, EXIT_DELAY_MS, "ms")


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--launches", type=int, default=40)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.launches)), options)


if __name__ == "__main__":
    sys.exit(main())
