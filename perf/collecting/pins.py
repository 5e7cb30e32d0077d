"""What does watching virtual threads cost a program while it runs, if none of them is pinned?

One process does equal blocks of work in virtual threads, with parks in between, and every other block is
watched with the settings that buto gives Flight Recorder. So both kinds have the same JVM, the same compiled
code and about the same load of the machine; the median of many short pairs bears what that changes. The cost
of starting the recorder is not part of it: it is once for a run, and stands beside.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, floor, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

from buto import jars
from buto.measure.opener import open_collector
from buto.measure.virtual_threads import SETTINGS
from perf.collecting.jdks import javas
from perf.collecting.napping import HERE, measured, target
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "Watching virtual threads"
ADDED_PERCENT = 0.5
FIRST_JAVA = 21
PAIRS, ROUNDS = 60, 6
PROGRAM = HERE / "programs" / "java21" / "Watched.java"
EMPTY = ("buto.testprograms.virtualthreads.VirtualThreads", "--pins", "nowhere", "--threads", "1")


def measure(repeats: int) -> Iterator[BenchmarkFigure]:
    for version, java in sorted(javas().items()):
        if version >= FIRST_JAVA:
            added = [share for _ in range(repeats) for share in _added(java)]
            name = f"Java {version}: processor time added while it runs, in pairs"
            low, high = _interval(added)
            reason = f"the machine lets the median be known no better than as {low:.2f} to {high:.2f} %"
            yield at_most(name, added, ADDED_PERCENT, "%", 2, reason)
            started = _started((java, "-cp", str(jars.path(jars.TESTPROGRAMS)), *EMPTY), repeats)
            yield figure_of(f"Java {version}: processor time added once, by the recorder", started, "ms", 0)


def _added(java: str) -> list[float]:
    """Return by how much each watched block of one process needs more than its neighbour, percent."""
    with TemporaryDirectory(prefix="buto-perf-") as directory:
        settings = Path(directory, "settings.jfc")
        settings.write_text(SETTINGS)
        command = (java, str(PROGRAM), str(settings), str(PAIRS), str(ROUNDS))
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    return [100 * (watched / alone - 1) for watched, alone in pairs]


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Return what contains the median of the population, with a confidence of 95 %."""
    ordered, half = sorted(values), 0.98 * sqrt(len(values))
    middle = len(values) / 2
    return ordered[max(0, floor(middle - half))], ordered[min(len(values) - 1, ceil(middle + half))]


def _started(command: Sequence[str], repeats: int) -> list[float]:
    """Return what a launch of a program that does nothing needs more, milliseconds, in pairs."""
    plain = target(command)
    with (
        open_collector(plain) as without,
        open_collector(replace(plain, counts_virtual_threads=True)) as watching,
    ):
        pairs = [(measured(without).cpu_s, measured(watching).cpu_s) for _ in range(repeats)]
    return [1e3 * (more - less) for less, more in pairs]


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
