"""Which side of the boundary a measured change is on, with an error over runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

import numpy as np
from scipy.stats import t

from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto_predict.deviations import NEGLIGIBLE, cliffs_delta
from buto_predict.prediction.model import Interval
from buto_replications.report.content import TextTable
from buto_replications.store.measured import MeasuredChange

CONFIDENCE = 0.95


class Side(Enum):
    """Of the boundary of 0.147, by the interval of a measured delta."""

    REGRESSION = "regression"
    NONE = "none"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, interval: Interval) -> Side:
        low, high = interval
        if low >= NEGLIGIBLE:
            return cls.REGRESSION
        return cls.NONE if high < NEGLIGIBLE else cls.UNDECIDED


def over_runs(old: Sequence[FloatArray], new: Sequence[FloatArray]) -> Interval:
    """Return the 95 % interval of Cliff's delta between two sets of runs.

    Response times of one run are alike, so runs are the independent cases. The variance is that of a
    U-statistic of two samples: each pair of an old and a new run has a delta, and the means over the old and
    over the new runs vary. The quantile is that of Student's t with Welch's degrees of freedom.

    Args:
        old: response times of each run in seconds, at least two runs.
        new: the same of the new version.

    Returns:
        Lower and upper end; they are infinite for fewer than two runs of a version.
    """
    if min(len(old), len(new)) < 2:
        return -np.inf, np.inf
    pairs = np.array([[cliffs_delta(before, after) for after in new] for before in old])
    parts = np.array([pairs.mean(axis=1 - side).var(ddof=1) / pairs.shape[side] for side in (0, 1)])
    variance = parts.sum()
    if variance == 0:
        return float(pairs.mean()), float(pairs.mean())
    freedom = variance**2 / (parts**2 / (np.array(pairs.shape) - 1)).sum()
    half = t.ppf((1 + CONFIDENCE) / 2, freedom) * np.sqrt(variance)
    return float(pairs.mean() - half), float(pairs.mean() + half)


@dataclass(frozen=True, slots=True)
class _Decided:
    """A version under one load, at the endpoint with the largest predicted delta: no measurement chose it."""

    change: MeasuredChange
    side: Side

    @property
    def right(self) -> bool:
        """Whether the verdict is that of the measurement; it never is if either is undecided."""
        expected = {Side.REGRESSION: Status.REGRESSION, Side.NONE: Status.PASS}
        return self.change.status is expected.get(self.side)

    @property
    def right_by_delta(self) -> bool:
        return self.side is Side.of((self.change.predicted_delta,) * 2)


def near_table(changes: Iterable[MeasuredChange], versions: Iterable[str]) -> TextTable:
    """Return the predicted delta beside the measured one, of each changed version under each load."""
    names = set(versions)
    decided = [
        _Decided(change, Side.of(change.over_runs))
        for change in _largest(change for change in changes if change.version in names)
    ]
    return TextTable(
        "Cliff's delta at the endpoint of the largest predicted one, measured with 95 % intervals over runs",
        ("version", "load", "endpoint", "measured", "interval", "truth", "predicted", "status"),
        tuple(_row(verdict) for verdict in decided),
        left=3,
        notes=tuple(_notes(decided)),
    )


def _largest(changes: Iterable[MeasuredChange]) -> Iterator[MeasuredChange]:
    for _, some in groupby(changes, key=lambda change: (change.version, change.load)):
        yield max(some, key=lambda change: np.nan_to_num(change.predicted_delta, nan=-1.0))


def _row(decided: _Decided) -> tuple[str, ...]:
    change = decided.change
    low, high = change.over_runs
    return (
        change.version,
        change.load,
        change.endpoint,
        f"{change.measured_delta:.3f}",
        f"{low:.3f} to {high:.3f}" if np.isfinite(high) else "",
        decided.side.value,
        f"{change.predicted_delta:.3f}",
        change.status.value,
    )


def _notes(decided: Sequence[_Decided]) -> Iterator[str]:
    """Yield how many verdicts are right, for each side that measurements decide."""
    of = Counter(verdict.side for verdict in decided)
    for side in Side:
        some = [verdict for verdict in decided if verdict.side is side]
        if side is Side.UNDECIDED:
            yield f"measurements leave {of[side]} of {len(decided)} undecided"
            continue
        undecided = sum(verdict.change.status is Status.INCONCLUSIVE for verdict in some)
        yield (
            f"{side.value}: {sum(verdict.right for verdict in some)} of {of[side]} right, "
            f"{undecided} inconclusive; "
            f"by predicted delta alone {sum(verdict.right_by_delta for verdict in some)} right"
        )
