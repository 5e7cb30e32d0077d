"""From a run to intervals of equal length with one value of each counter: the paper's normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from buto.judging.features import sampling_interval, series_of, significant
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind, Property
from buto_replications.detectors.machines.numbers import Work

MOST_INTERVALS = 720
"""Largest number of intervals of a training run: an hour of five seconds each, as in the paper."""

COLUMNS_AT_ONCE = 256

JITTER = 0.1
"""A sample that is early by at most this share of an interval belongs to the next one."""


def interval_for(runs: RunSet) -> float:
    """Return the length of an interval in seconds for these runs: the time between two samples, or longer if
    that gives more than :data:`MOST_INTERVALS`; 1 if no run has two samples.
    """
    series = [series_of(run, ()) for run in runs]
    longest = max((float(run_series.times_s[-1]) for run_series in series if len(run_series)), default=0.0)
    interval = max(sampling_interval(series), longest / MOST_INTERVALS)
    return float(f"{interval:.4g}") if np.isfinite(interval) and interval > 0 else 1.0


def intervals_of(
    run: Run, properties: Sequence[Property], interval_s: float, work: Work | None = None
) -> FloatArray:
    """Return the values of a run in intervals, shape (n_intervals, n_properties).

    Of gauges the median of the samples in the interval, of counters the growth during it. NaN if nothing
    could be read. A run without samples has no intervals. Values have six digits.

    Args:
        work: if given, growth is what the usual amount of work would cause; NaN in intervals without work.
    """
    # A long run is too large to be read at once.
    starts = range(0, max(1, len(properties)), COLUMNS_AT_ONCE)
    parts = [properties[start : start + COLUMNS_AT_ONCE] for start in starts]
    values = np.hstack([_intervals(run, part, interval_s) for part in parts])
    if work is not None:
        counters = [column for column, prop in enumerate(properties) if prop.kind is Kind.COUNTER]
        edges_s: FloatArray = np.arange(len(values) + 1, dtype=float) * interval_s
        values[:, counters] *= work.scale(run, edges_s)[:, None]
    return significant(values)


def _intervals(run: Run, properties: Sequence[Property], interval_s: float) -> FloatArray:
    series = series_of(run, properties)
    if not len(series):
        return np.empty((0, len(properties)))
    n_intervals = max(1, round(float(series.times_s[-1]) / interval_s))
    place = np.clip(np.floor(series.times_s / interval_s + JITTER).astype(int), 0, n_intervals - 1)
    values = np.full((n_intervals, len(properties)), np.nan)
    gauges = [column for column, prop in enumerate(properties) if prop.kind is not Kind.COUNTER]
    for number, rows in _groups(place):
        values[number, gauges] = _median(series.values[rows][:, gauges])
    edges: FloatArray = np.arange(n_intervals + 1, dtype=float) * interval_s
    for column, prop in enumerate(properties):
        if prop.kind is Kind.COUNTER:
            values[:, column] = _growth(series.times_s, series.values[:, column], edges)
    return values


def _groups(place: np.ndarray) -> list[tuple[int, slice]]:
    """Return each number in ``place``, which does not decrease, with the rows that have it."""
    numbers, starts = np.unique(place, return_index=True)
    ends = [*starts[1:], len(place)]
    return [
        (int(number), slice(start, end)) for number, start, end in zip(numbers, starts, ends, strict=True)
    ]


def _median(values: FloatArray) -> FloatArray:
    if len(values) == 1:
        only: FloatArray = values[0]
        return only
    read = ~np.isnan(values).all(axis=0)
    medians = np.full(values.shape[1], np.nan)
    medians[read] = np.nanmedian(values[:, read], axis=0)
    return medians


def _growth(times_s: FloatArray, values: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the growth between edges; NaN where no sample was read between or beside them."""
    read = ~np.isnan(values)
    if not read.any():
        return np.full(len(edges) - 1, np.nan)
    growth: FloatArray = np.diff(np.interp(edges, times_s[read], values[read]))
    return growth


IntArray = npt.NDArray[np.int64]

UNREAD = -1
"""The bin of a value that could not be read."""

MOST_BINS = 60


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """The bins of each counter: 0 is below all prior tests, 1 to ``counts`` inside, the next one above.

    Attributes:
        low, high: shape (n_counters,), limits of what prior tests had.
        counts: shape (n_counters,), number of inner bins, at least 1.
    """

    low: FloatArray
    high: FloatArray
    counts: IntArray

    def limits(self, counter: int, number: int) -> tuple[float, float]:
        """Return the lower and upper limit of a bin; infinite for the open side of an outer bin."""
        low, high, count = float(self.low[counter]), float(self.high[counter]), int(self.counts[counter])
        width = (high - low) / count
        lower = -np.inf if number < 1 else high if number > count else low + (number - 1) * width
        upper = low if number < 1 else np.inf if number > count else low + number * width
        return float(lower), float(upper)


def number_of_bins(n_unique: int) -> int:
    """Return the paper's number of bins for so many different values: max(1, 2 ln u), rounded."""
    return min(MOST_BINS, max(1, round(2 * float(np.log(max(1, n_unique))))))


def learn_bins(tests: Sequence[FloatArray], resolution: float, apart: FloatArray | float = 0.0) -> Bins:
    """Return the bins of the values of all prior tests together.

    Args:
        tests: each of shape (n_intervals, n_counters); NaN where nothing was read. Each counter has a value.
        resolution: no bin is narrower than this share of the counter's largest magnitude, and a value must
            lie further outside than this share to be in an outer bin; 0 for no limit.
    """
    values = np.vstack(tests)
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    counts = np.ones(values.shape[1], dtype=np.int64)
    for counter, column in enumerate(values.T):
        counts[counter] = number_of_bins(len(np.unique(column[~np.isnan(column)])))
    narrowest = margin(low, high, resolution, apart)
    some = narrowest > 0
    wide_enough = np.floor((high - low)[some] / narrowest[some]).astype(np.int64)
    counts[some] = np.clip(counts[some], 1, np.maximum(1, wide_enough))
    return Bins(*widened(low, high, resolution, apart), counts)


def margin(
    low: FloatArray, high: FloatArray, resolution: float, apart: FloatArray | float = 0.0
) -> FloatArray:
    """Return the smallest difference of each counter that means something, same shape."""
    return np.maximum(resolution * np.maximum(np.abs(low), np.abs(high)), apart)


def widened(
    low: FloatArray, high: FloatArray, resolution: float, apart: FloatArray | float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Return limits that are further out by the :func:`margin`, with few digits; the same ones without it."""
    beyond = margin(low, high, resolution, apart)
    lower, upper = significant(low - beyond), significant(high + beyond)
    return np.where(beyond > 0, lower, low), np.where(beyond > 0, upper, high)


def discretise(values: FloatArray, bins: Bins) -> IntArray:
    """Return the number of the bin of each value, same shape; :data:`UNREAD` for NaN."""
    span = bins.high - bins.low
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = np.floor((values - bins.low) / np.where(span > 0, span, 1.0) * bins.counts)
    numbers = np.clip(np.nan_to_num(inside), 0, bins.counts - 1).astype(np.int64) + 1
    numbers = np.where(values < bins.low, 0, np.where(values > bins.high, bins.counts + 1, numbers))
    return np.where(np.isnan(values), UNREAD, numbers)


STRIDE = 64
"""An item is a counter in a bin, as one number: ``counter * STRIDE + bin``."""

NONE = -1
"""No item in a place of a premise."""

MOST_PAIRED = 16
"""Number of items, those of largest confidence, of which a consequent's premises of two are made."""

_CONSEQUENTS_AT_ONCE = 256
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Which rules are kept.

    Attributes:
        support: smallest share of intervals in which premise and consequent hold.
        confidence: smallest share of the intervals with the premise in which the consequent holds.
        constant: an item in this share of intervals or more is never part of a premise.
        most: largest number of rules of one counter's bin: those of fewest items, then of largest
            confidence, then support.
        fewest: smallest number of intervals in which premise and consequent hold.
    """

    support: float = 0.3
    confidence: float = 0.9
    constant: float = 0.95
    most: int = 5
    fewest: int = 1


@dataclass(frozen=True, eq=False, slots=True)
class Rules:
    """The rules of one test, sorted by consequent, then by premise.

    Attributes:
        premises: shape (n, 2), items in increasing order, :data:`NONE` where there are fewer than two.
        consequents: shape (n,), items.
        confidences: shape (n,).
    """

    premises: IntArray
    consequents: IntArray
    confidences: FloatArray

    def __len__(self) -> int:
        return len(self.consequents)


Holds = npt.NDArray[np.float32]
"""Single precision counts exactly up to 16 million intervals, and takes half the memory."""

Found = tuple[int, float, float, tuple[int, int]]
"""Size of the premise, negative confidence and support, premise: sorting puts the best rule first."""


def mine(bins: IntArray, wanted: Thresholds) -> Rules:
    """Return the rules of one test.

    Args:
        bins: shape (n_intervals, n_counters), numbers of bins below :data:`STRIDE`.
    """
    wanted = replace(wanted, support=max(wanted.support, wanted.fewest / max(1, len(bins))))
    items, holds = _frequent(bins, wanted.support)
    support = holds.mean(axis=0) if len(items) else np.empty(0)
    rules: list[tuple[int, Found]] = [
        (int(item), (0, -float(share), -float(share), (NONE, NONE)))
        for item, share in zip(items, support, strict=True)
        if share >= wanted.confidence
    ]
    premises = np.flatnonzero(support < wanted.constant)
    consequents = np.flatnonzero(support < wanted.confidence)
    for start in range(0, len(consequents), _CONSEQUENTS_AT_ONCE):
        block = consequents[start : start + _CONSEQUENTS_AT_ONCE]
        both = holds[:, block].T @ holds[:, premises] / len(bins)
        both[items[block][:, None] // STRIDE == items[premises] // STRIDE] = 0.0
        for row, consequent in zip(both, block, strict=True):
            best = _rules_of(row, consequent, premises, items, holds, support, wanted)
            rules += [(int(items[consequent]), rule) for rule in sorted(best)[: wanted.most]]
    return _as_rules(rules)


def _frequent(bins: IntArray, support: float) -> tuple[IntArray, Holds]:
    """Return the items that hold often enough, and where: shape (n_intervals, n_items), 1.0 or 0.0."""
    counters = np.arange(bins.shape[1])
    codes = counters * STRIDE + bins
    numbers, counts = np.unique(codes[bins != UNREAD], return_counts=True)
    items: IntArray = numbers[counts >= support * len(bins) - 1e-9]
    holds = bins[:, items // STRIDE] == items % STRIDE
    return items, holds.astype(np.float32)


def _rules_of(
    both: Holds,
    consequent: int,
    premises: IntArray,
    items: IntArray,
    holds: Holds,
    support: FloatArray,
    wanted: Thresholds,
) -> list[Found]:
    frequent = np.flatnonzero(both >= wanted.support - _ROUNDING)
    confidence = both[frequent] / support[premises[frequent]]
    sure = confidence >= wanted.confidence - _ROUNDING
    best = _best(confidence[sure], both[frequent[sure]], wanted.most)
    rules: list[Found] = [
        (1, -float(confidence[sure][place]), -float(both[number]), (int(items[premises[number]]), NONE))
        for place, number in zip(best, frequent[sure][best], strict=True)
    ]
    rest, unsure = frequent[~sure], confidence[~sure]
    chosen = np.sort(premises[rest[_best(unsure, both[rest], MOST_PAIRED)]])
    if len(rules) >= wanted.most or len(chosen) < 2:
        return rules
    columns = holds[:, chosen]
    together = columns.T @ columns / len(holds)
    shares = columns.T @ (columns * holds[:, [consequent]]) / len(holds)
    enough = (shares >= wanted.support - _ROUNDING) & (shares >= (wanted.confidence - _ROUNDING) * together)
    for left, right in np.argwhere(np.triu(enough, 1)):
        pair = (int(items[chosen[left]]), int(items[chosen[right]]))
        share = float(shares[left, right])
        rules.append((2, -share / float(together[left, right]), -share, pair))
    return rules


def _best(confidence: FloatArray, support: Holds, most: int) -> IntArray:
    """Return the places of the largest confidences, then supports; the earlier one of equals."""
    order: IntArray = np.lexsort((-support, -confidence))[:most]
    return order


def _as_rules(rules: list[tuple[int, Found]]) -> Rules:
    rules.sort(key=lambda pair: (pair[0], pair[1][-1]))
    return Rules(
        np.array([premise for _, (_, _, _, premise) in rules], dtype=np.int64).reshape(-1, 2),
        np.array([consequent for consequent, _ in rules], dtype=np.int64),
        np.array([round(-confidence, 6) for _, (_, confidence, _, _) in rules]),
    )
