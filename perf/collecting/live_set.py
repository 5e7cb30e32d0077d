"""What does counting the live objects at a program's end cost, by the size of the heap and its collector?

A program keeps so many MiB in objects of 128 bytes and ends. The pause is the forced collection and the walk
over all objects, as the agent measures it; the exit is how much longer the process lives after the program's
last instruction than without the count. What the count changes in the run itself is the difference of the
last sample, which is taken before it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from buto.measure.opener import open_collector
from buto.measure.target import LiveSet
from perf.collecting.napping import RecordedLaunch, compiled, java, measured, target
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "The live set at a program's end"
COLLECTORS = ("Serial", "Parallel", "G1")
SIZES_MIB = (16, 128, 512)
SAME = ("jvm.gc.count", "jvm.class.loaded")
"""What a collection or a class that is loaded too early would change."""


def measure(repeats: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes:
        for name in COLLECTORS:
            for size in SIZES_MIB:
                options = [f"-XX:+Use{name}GC", "-Xms1536m", "-Xmx1536m"]
                plain = target(java(classes, "Keeps", str(size), options=options))
                with (
                    open_collector(plain) as without,
                    open_collector(replace(plain, live_set=LiveSet())) as at,
                ):
                    pairs = [(measured(without), measured(at)) for _ in range(repeats)]
                pauses = [1e3 * launch.run.series("buto.live_set.time")[-1] for _, launch in pairs]
                later = [launch.exit_ms - other.exit_ms for other, launch in pairs]
                where = f"{name}, {size} MiB live:"
                yield figure_of(f"{where} pause", pauses, "ms", 0)
                yield figure_of(f"{where} the exit comes later by", later, "ms", 0)
                changed = [abs(_last(launch) - _last(other)) for other, launch in pairs]
                yield at_most(
                    f"{where} collections and classes that it adds to the last sample", changed, 0, "", 0
                )


def _last(launch: RecordedLaunch) -> float:
    run = launch.run
    names = [prop.name for prop in run.properties if prop.name.startswith(SAME)]
    return float(np.sum([run.series(name)[-1] for name in names]))


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
