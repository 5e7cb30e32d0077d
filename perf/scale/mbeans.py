"""What does a program with thousands of MBeans pay for a snapshot, and is each in every sample?

The agent reads them inside the program and sends each snapshot in one message; the other collector asks
bean by bean over JMX, one call for all three attributes of each. Runs of the two alternate. Only the second
half of a run counts, when the beans are registered and what reads them is compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from buto.measure.opener import open_collector
from buto.measure.target import MBeanSpec, Target
from buto.run.model import FloatArray, Run
from perf.collecting.napping import compiled
from perf.figures import BenchmarkFigure, at_least, at_most, benchmark, conclude, figure_of

TITLE = "Thousands of MBeans"

SNAPSHOT_MS = 5.0
TIMES_FASTER = 50.0
N_ATTRIBUTES = 3

INTERVAL_S = {"agent": 0.1, "jmx": 1.0}
"""Over JMX a snapshot takes longer than the agent's interval."""


def record(collector_name: str, classes: Path, n_beans: int, last_s: float) -> Run:
    command = ("java", "-cp", str(classes), "ManyBeans", str(n_beans), str(round(last_s * 1e3)))
    target = Target(
        command,
        timeout_s=60.0 + 2 * last_s,
        interval_s=INTERVAL_S[collector_name],
        mbeans=(MBeanSpec("library:*"),),
        collector=collector_name,
    )
    with open_collector(target) as collector:
        return collector.record("shelves")


def snapshot_ms(run: Run) -> FloatArray:
    """Return how long each snapshot of the second half took."""
    return run.series("buto.snapshot.time")[len(run.times_s) // 2 :] * 1e3


def values_lacking(run: Run, n_beans: int) -> int:
    """Return how many attributes and ticks are missing, from the first sample on that has any bean's last
    one.
    """
    columns = [column for name, column in run.column_of.items() if name.startswith("mbean[library:")]
    there = ~np.isnan(run.values[:, columns])
    registered = int(there.all(axis=1).argmax())
    absent = N_ATTRIBUTES * n_beans - len(columns) + int((~there[registered:]).sum())
    return absent + int(run.series("buto.missed.ticks")[-1])


def measure(n_beans: int, repeats: int, last_s: float) -> Iterator[BenchmarkFigure]:
    pushed: list[Run] = []
    polled: list[Run] = []
    with compiled() as classes:
        for _ in range(repeats):
            pushed.append(record("agent", classes, n_beans, last_s))
            polled.append(record("jmx", classes, n_beans, last_s))
    ours, theirs = medians(pushed), medians(polled)
    beans = f"{n_beans:,} MBeans of {N_ATTRIBUTES} numbers"
    yield at_most(f"{beans} at 100 ms: snapshot inside the program, median", ours, SNAPSHOT_MS, "ms", 2)
    tails = [float(np.percentile(snapshot_ms(run), 99)) for run in pushed]
    yield figure_of("the same, 99th percentile", tails, "ms", 2)
    yield figure_of("the same by one call a bean over JMX", theirs, "ms", 2)
    ratios = [slow / fast for slow, fast in zip(theirs, ours, strict=True)]
    yield at_least("times as fast as one call a bean", ratios, TIMES_FASTER, "", 0)
    lacking = sum(values_lacking(run, n_beans) for run in pushed)
    n_samples = sum(len(run.times_s) for run in pushed)
    yield BenchmarkFigure(
        "values and samples that are not there, once all beans are registered",
        f"{lacking} in {n_samples} samples",
        goal="0",
        met=lacking == 0,
    )


def medians(runs: Sequence[Run]) -> list[float]:
    return [float(np.median(snapshot_ms(run))) for run in runs]


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--beans", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="that the program lasts")
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.beans, options.repeats, options.seconds)), options)


if __name__ == "__main__":
    sys.exit(main())
