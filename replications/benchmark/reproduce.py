"""Whether a pair shows what was reported: both releases in turns, by what the program counts of itself."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TextIO

from benchmark.launch import SIDES, Side, build, use
from benchmark.pairs import HERE, Measure, Pair

COUNTED = HERE / "counted"
"""The counts of each pair when it was made, one file each."""

LEAST_RUNS = 3
LEAST_RATIO = 1.1
LEAST_EXACT_RATIO = 1.02
RUNS = 5


@dataclass(frozen=True, slots=True)
class Counts:
    """What one run of a program printed of its use."""

    java: str
    side: Side
    turn: int
    used: Mapping[Measure, float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One measure of the runs of both releases.

    Attributes:
        exact: whether equal work gives nearly equal counts.
    """

    old: Sequence[float]
    new: Sequence[float]
    exact: bool = False

    @property
    def ratio(self) -> float:
        """The median of the new release over that of the old one; infinite if the old one used none."""
        old, new = median(self.old), median(self.new)
        return new / old if old else (float("inf") if new else 1.0)

    @property
    def reproduced(self) -> bool:
        """Return whether each new run used more than all old ones, and the median a tenth more.

        Of an exact count, a fiftieth more is enough. For equal releases the first happens by chance in 1 of
        20 tries with 3 runs each, 1 of 252 with 5. Fewer runs than :data:`LEAST_RUNS` of either release
        reproduce nothing.
        """
        enough = min(len(self.old), len(self.new)) >= LEAST_RUNS
        least = LEAST_EXACT_RATIO if self.exact else LEAST_RATIO
        return enough and min(self.new) > max(self.old) and self.ratio >= least


def count(pair: Pair, java: str, name: str, runs: int = RUNS) -> Iterator[Counts]:
    """Run both releases in turns, each second turn the new one first, and yield what each run used.

    Args:
        java: the command of the JVM.
        name: of the JVM, as in a table.

    Raises:
        BedError: a file cannot be fetched, or the program failed.
    """
    classes = build(pair)
    for turn in range(runs):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            yield Counts(name, side, turn, use(pair, side, classes, java))


def outcome(counted: Iterable[Counts], measure: Measure) -> Outcome:
    """Return one measure of runs with one JVM."""
    runs = list(counted)
    old, new = ([run.used[measure] for run in runs if run.side == side] for side in SIDES)
    return Outcome(old, new, measure.exact)


def write(counted: Iterable[Counts], out: TextIO) -> None:
    """Write counts as CSV, a row for each run."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("java", "side", "turn", *Measure))
    for counts in counted:
        rows.writerow(
            (counts.java, counts.side, counts.turn, *(f"{counts.used[measure]:g}" for measure in Measure))
        )


def read(path: Path) -> list[Counts]:
    """Return the counts of a file that :func:`write` wrote."""
    with path.open(encoding="utf-8", newline="") as content:
        return [
            Counts(
                row.pop("java"),
                "new" if row.pop("side") == "new" else "old",
                int(row.pop("turn")),
                {Measure(name): float(value) for name, value in row.items()},
            )
            for row in csv.DictReader(content)
        ]
