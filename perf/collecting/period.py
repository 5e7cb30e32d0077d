"""How evenly spaced are samples at 10 ms while the program keeps a core busy?

Either program and collector share one core, which the program never leaves idle, or there is a second core,
as on nearly every machine. The times are those of the samples: the program's clock for buto's
agent, the collector's for polling. Periods in which a garbage collection ended are left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np

from buto.measure.opener import open_collector
from buto.run.model import FloatArray, Run
from perf.collecting.napping import compiled, java, measured, target
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "Samples at 10 ms beside a core that is never idle"
INTERVAL_S = 0.01
ERROR_MS = 0.5
SETTLED_S = 0.5
REASON = "one sample in fifty waits for the scheduler's next tick, up to 4 ms"


def errors_ms(run: Run) -> FloatArray:
    """Return how far each period was from the interval; one with missed ticks counts as long as it was."""
    collected = sum(run.series(name) for name in run.column_of if name.startswith("jvm.gc.time["))
    calm = np.diff(np.asarray(collected)) == 0
    settled = run.times_s[:-1] >= SETTLED_S
    errors: FloatArray = np.abs(np.diff(run.times_s) - INTERVAL_S)[calm & settled][:-1] * 1e3
    return errors


def measure(repeats: int, seconds: float) -> Iterator[BenchmarkFigure]:
    allowed = os.sched_getaffinity(0)
    places = {"one core for all": {min(allowed)}}
    if len(allowed) > 1:
        places["a core to spare"] = set(allowed)
    by_place: dict[tuple[str, str], list[FloatArray]] = {}
    try:
        with compiled() as classes:
            command = java(classes, "Work", "spin", str(round(seconds * 1e3)))
            for _ in range(repeats):
                for place, cores in places.items():
                    os.sched_setaffinity(0, cores)
                    for name in ("agent", "jmx"):
                        with open_collector(target(command, INTERVAL_S, name)) as collector:
                            errors = errors_ms(measured(collector).run)
                        by_place.setdefault((place, name), []).append(errors)
    finally:
        os.sched_setaffinity(0, allowed)
    for place in places:
        medians = [float(np.median(errors)) for errors in by_place[place, "agent"]]
        yield figure_of(f"{place}, agent: error of the period, median", medians, "ms", 3)
        tail = [float(np.percentile(errors, 99)) for errors in by_place[place, "agent"]]
        yield at_most(
            f"{place}, agent: error of the period, 99th percentile", tail, ERROR_MS, "ms", 2, REASON
        )
        polling = [float(np.percentile(errors, 99)) for errors in by_place[place, "jmx"]]
        yield figure_of(f"{place}, polling over JMX: the same", polling, "ms", 2)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6.0)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats, options.seconds)), options)


if __name__ == "__main__":
    sys.exit(main())
