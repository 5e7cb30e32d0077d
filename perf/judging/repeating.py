"""How long do the thesis's thirteen experiments take on the recorded data, and are they the same again?

Both runs are whole commands with as many workers as there are cores; the files that they write are compared.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from perf import ROOT
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "All experiments of the thesis on the recorded runs"

GOAL_S = 600.0
GOAL_GIB = 2.0


def repeated(out: Path) -> float:
    """Run all of them; seconds. CalledProcessError if that fails."""
    command = [sys.executable, "-m", "buto", "experiments", "run", "all", "--quiet", "--out", str(out)]
    began = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def measure() -> Iterator[BenchmarkFigure]:
    with TemporaryDirectory(prefix="buto-perf-") as place:
        first, second = Path(place, "first"), Path(place, "second")
        yield at_most("'experiments run all'", [repeated(first), repeated(second)], GOAL_S, "s", 0)
        largest_gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        workers = len(os.sched_getaffinity(0))
        # The process that shares the work out is no larger than one that does it.
        yield at_most(
            f"memory of {workers} workers and of the command, at most",
            [(workers + 1) * largest_gib],
            GOAL_GIB,
            "GiB",
            2,
        )
        names = sorted(path.name for path in first.iterdir())
        same = [(first / name).read_bytes() == (second / name).read_bytes() for name in names]
        yield BenchmarkFigure(
            "files that the second run wrote alike", f"{sum(same)} of {len(same)}", goal="all", met=all(same)
        )


def main() -> int:
    options = benchmark(__doc__).parse_args()
    return conclude(TITLE, tuple(measure()), options)


if __name__ == "__main__":
    sys.exit(main())
