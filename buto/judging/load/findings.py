"""What is said and drawn of a check under a load that varies: which clusters differ, by which counters, since
when, and by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from buto.judging.judge_settings import NAME
from buto.judging.load.check import UnderLoad
from buto.judging.load.evidence import RankedCounters
from buto.judging.load.observed import FEWEST_SAMPLES, REACH
from buto.judging.protocol import Reasoning
from buto.judging.readable import readable
from buto.judging.verdict import Difference, Direction, Finding, Numbers, Verdict, effect_of
from buto.judging.views import ClusterView, RunsView
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind, Property
from buto.run.units import format_count, format_list, format_percent, format_quantity


def ks_statistics(old: FloatArray, new: FloatArray) -> FloatArray:
    """Return the largest distance of the two distributions of each counter, shape (n_counters,).

    Kolmogorov's and Smirnov's statistic for two samples. All counters have equally many observations, so the
    largest statistic has the smallest p-value.

    Args:
        old, new: shapes (n_old, n_counters) and (n_new, n_counters), each with a row at least.
    """
    result = np.empty(old.shape[1])
    for column in range(old.shape[1]):
        before, after = np.sort(old[:, column]), np.sort(new[:, column])
        both = np.concatenate([before, after])
        shares = [np.searchsorted(sample, both, side="right") / len(sample) for sample in (before, after)]
        result[column] = np.abs(shares[0] - shares[1]).max()
    return result


class Errors(Struct, frozen=True):
    """Relative errors of predictions over some observations.

    Attributes:
        signed: mean of (prediction - value) / value; of no error where both are 0.
        absolute: mean of its magnitude.
        undefined: share of observations that are 0 where another value was predicted. They are not in the
            means; where there are no others, the means are infinite.
    """

    signed: float
    absolute: float
    undefined: float

    def by(self, measure: str) -> float:
        """Return the error by which a cluster is judged: ``absolute``, or the magnitude of ``signed``."""
        return self.absolute if measure == "absolute" else abs(self.signed)


def errors_of(predicted: FloatArray, measured: FloatArray) -> Errors:
    """Return the errors of predictions.

    Args:
        predicted, measured: shape (n_observations,), at least one.
    """
    grain = 1e-9 * max(float(np.abs(measured).max()), float(np.abs(predicted).max()))
    distance = predicted - measured
    equal = np.abs(distance) <= grain
    defined = equal | (measured != 0)
    if not defined.any():
        return Errors(float(np.sign(distance.sum())) * np.inf, np.inf, 1.0)
    shares = np.zeros(len(measured))
    np.divide(distance, measured, out=shares, where=defined & ~equal)
    shares = shares[defined]
    return Errors(float(shares.mean()), float(np.abs(shares).mean()), float(1 - defined.mean()))


SMALLEST = 3.0
"""Smaller deviations are no findings."""

MOST_CLUSTERS = 10
EXPLAINS = 0.1
"""If the load explains a smaller share of a counter's variance, it has no model."""

MANY_TIMES = 10.0
"""From here on, a change is said as a ratio."""

STAYS = 0.75
"""A change has begun at the first stretch from which so many of the rest are on its side."""


def find_misjudged(check: UnderLoad, ranked: RankedCounters) -> list[int]:
    """Return the columns whose deviations are larger than in all choices of other units, largest first.

    The largest of all if none is.
    """
    size = np.abs(ranked.deviation)
    if not size.any():
        return []
    beyond = np.flatnonzero((size >= SMALLEST) & (size > ranked.usual))
    places = beyond if len(beyond) else np.array([size.argmax()])
    return [int(place) for place in places[np.argsort(-size[places], kind="stable")]]


def findings(check: UnderLoad, ranked: RankedCounters, runs: RunSet) -> tuple[Finding, ...]:
    """Return a finding for each cluster with misjudged counters, worst first.

    Args:
        ranked: which differences count, of the evidence.
        runs: that were checked.
    """
    columns = find_misjudged(check, ranked)
    if not columns:
        return ()
    starts_s = [float(run.times_s[0]) for run in runs]
    statistics = dict(zip(columns, _ks(check, columns).tolist(), strict=True))
    number = {column: place for place, some in enumerate(check.clusters) for column in some}
    of_cluster: dict[int, list[int]] = {}
    for column in columns:
        of_cluster.setdefault(number[column], []).append(column)
    of_clusters = [
        _finding(check, ranked, check.clusters[place], some, statistics, runs, starts_s)
        for place, some in of_cluster.items()
    ]
    return tuple(
        sorted(of_clusters, key=lambda finding: (-finding.severity, finding.subject))[:MOST_CLUSTERS]
    )


def _finding(
    check: UnderLoad,
    ranked: RankedCounters,
    cluster: Sequence[int],
    columns: Sequence[int],
    statistics: Mapping[int, float],
    runs: RunSet,
    starts_s: Sequence[float],
) -> Finding:
    """Return the finding of one cluster; its target is the misjudged counter that changed most."""
    column = _target(check, ranked, columns, statistics)
    target = check.properties[column]
    measured, expected = _means(check, column)
    residual = check.evidence.residual[column]
    direction = Direction.MORE if residual > 0 else Direction.LESS
    worst, since_s, end_s = _when(check, column, starts_s, len(runs))
    return Difference(
        NAME,
        target.name,
        runs.runs[worst].id,
        direction,
        effect_of(target.better, direction),
        unit=target.unit,
        observed=measured,
        expected=expected,
        window_s=(since_s, end_s),
        severity=float(abs(ranked.deviation[column])),
        measure=measure_of(check, column),
        text=_text(check, cluster, columns, column, since_s > starts_s[worst]),
        numbers=_numbers(check, column, expected),
    )


def _numbers(check: UnderLoad, column: int, expected: float) -> Numbers:
    """Return the mean of each unit as it would be under the load of the checked ones."""
    means = tuple(
        expected + float((value[:, column] - model[:, column]).mean())
        for value, model in zip(check.values, check.predicted, strict=True)
    )
    return Numbers(means[: check.first_checked], means[check.first_checked :])


def _target(
    check: UnderLoad, ranked: RankedCounters, columns: Sequence[int], statistics: Mapping[int, float]
) -> int:
    """Return the counter whose residuals changed most; of equal ones the largest deviation, then by name."""
    size = np.abs(ranked.deviation)
    return min(
        columns,
        key=lambda column: (
            -round(statistics[column], 12),
            -float(size[column]),
            check.properties[column].name,
        ),
    )


def _text(check: UnderLoad, cluster: Sequence[int], columns: Sequence[int], column: int, later: bool) -> str:
    measured = np.concatenate([run_values[:, column] for run_values in check.values[check.first_checked :]])
    predicted = np.concatenate(
        [prediction[:, column] for prediction in check.predicted[check.first_checked :]]
    )
    errors = errors_of(predicted, measured)
    parts = [f"under the same load {change_text(*_means(check, column))}{_each(check, column)}"]
    if later:
        parts.append("not from the beginning")
    if np.isfinite(errors.absolute):
        parts.append(
            f"the model is off by {format_percent(errors.absolute)} (signed {format_percent(errors.signed)})"
        )
    share = check.share_explained(column)
    parts.append(
        f"the load explains {format_percent(share)} of it in training"
        if share >= EXPLAINS
        else "the load does not explain it in training, so the model is little more than its mean"
    )
    if len(cluster) > 1:
        parts.append(f"it rises and falls with {format_count(len(cluster) - 1, 'other property')}")
    others = [counter for counter in columns if counter != column]
    if others:
        named = [f"{name_of(check, other)} ({change_text(*_means(check, other))})" for other in others]
        parts.append(f"also misjudged: {format_list(named)}")
    return "; ".join(parts)


def name_of(check: UnderLoad, column: int) -> str:
    """Return what a column is, for people."""
    name = check.properties[column].name
    return f"growth of {name}" if check.grows(column) else name


def measure_of(check: UnderLoad, column: int) -> str:
    """Return what a finding of a column measures; it tells a level from its growth."""
    if check.grows(column):
        return "growth per second"
    return "rate per second" if check.properties[column].kind is Kind.COUNTER else "mean"


def _each(check: UnderLoad, column: int) -> str:
    """Return what a request uses or keeps, if that is known: a counter or a growth under known rates."""
    target = check.properties[column]
    per_s = float(check.loads[check.first_checked :].sum(axis=1).mean())
    if not (per_s > 0 and (check.grows(column) or target.kind is Kind.COUNTER)):
        return ""
    measured, expected = (format_quantity(mean / per_s, target.unit) for mean in _means(check, column))
    return f" ({measured} per request, {expected} expected)"


def change_text(measured: float, expected: float) -> str:
    """Return by how much more or less than expected was measured."""
    if measured == expected:
        return "as much as expected"
    grain = 1e-6 * max(abs(measured), abs(expected))
    is_none = abs(measured) <= grain
    if abs(expected) <= grain or measured * expected < 0 or (is_none and expected < 0):
        return "more, where about none was expected" if measured > expected else "below zero"
    if is_none:
        return "none, where some was expected"
    ratio = measured / expected
    if ratio >= MANY_TIMES and measured > expected:
        return f"{ratio:.3g} times as much"
    return f"{format_percent(abs(ratio - 1))} {'more' if measured > expected else 'less'}"


def _means(check: UnderLoad, column: int) -> tuple[float, float]:
    """Return the mean of a property over the checked units, and what the model expects."""
    checked = range(check.first_checked, len(check.values))
    measured = float(np.mean([check.values[unit][:, column].mean() for unit in checked]))
    return measured, float(np.mean([check.predicted[unit][:, column].mean() for unit in checked]))


def _ks(check: UnderLoad, columns: Sequence[int]) -> FloatArray:
    """Return how far apart the residuals of checked and training stretches are, shape (n_columns,)."""
    some = list(columns)
    rest = [
        value[:, some] - expected[:, some]
        for value, expected in zip(check.values, check.predicted, strict=True)
    ]
    return ks_statistics(np.vstack(rest[: check.first_checked]), np.vstack(rest[check.first_checked :]))


def _when(check: UnderLoad, column: int, starts_s: Sequence[float], n_runs: int) -> tuple[int, float, float]:
    """Return the run with the largest mean residual, and from when to when it differs, in seconds."""
    edges = np.linspace(check.first_checked, len(check.values), n_runs + 1).round().astype(int)
    rest = [_residuals(check, column, range(first, last)) for first, last in pairwise(edges.tolist())]
    sign = float(np.sign(check.evidence.residual[column])) or 1.0
    usual = float(np.sqrt(np.mean(_residuals(check, column, range(check.first_checked)) ** 2)))
    worst = int(np.argmax([sign * residuals.mean() for residuals in rest]))
    stretch_s = check.stretch_s[int(edges[worst])]
    since = _since(sign * rest[worst], usual)
    start = starts_s[worst]
    return worst, start + since * stretch_s, start + len(rest[worst]) * stretch_s


def _residuals(check: UnderLoad, column: int, units: Sequence[int]) -> FloatArray:
    return np.concatenate(
        [check.values[unit][:, column] - check.predicted[unit][:, column] for unit in units]
    )


def _since(residual: FloatArray, usual: float) -> int:
    """Return the stretch from which most residuals are twice the usual, or half of those at the end."""
    late = residual[-max(1, len(residual) // 3) :].mean()
    beyond = residual >= min(late / 2, 2 * usual)
    from_here = beyond[::-1].cumsum()[::-1] / np.arange(len(beyond), 0, -1)
    places = np.flatnonzero((from_here >= STAYS) & beyond)
    return int(places[0]) if len(places) else 0


def explain(verdict: Verdict, n_properties: int, rates: Sequence[str]) -> Reasoning:
    """Return what was learned, and by which rule it decides.

    Args:
        rates: names of the properties that are the load.
    """
    known_runs = format_count(verdict.n_training, f"{verdict.roles.known} run")
    properties = format_count(n_properties, "property")
    return Reasoning(
        f"{known_runs} showed how {properties} depend on the load. The load is {format_list(rates)}.",
        "A run's deviation is the mean difference between what was measured and what the models of the "
        "other runs expect under its load, or the part of the difference that grows with the prediction, if "
        "that is larger; both in deviations of the other runs. Of what requests may keep, its growth has a "
        "deviation, too. A difference smaller than the size that matters counts in no choice. The score is "
        "the larger of two parts, each compared with its usual scatter: the mean logarithm of the largest "
        "deviations, of a tenth of the quantities and at most of five; and the largest increase of a cost or "
        "of a growth. The p-value is the share of choices of as many runs whose score is as high. Nothing is "
        f"decided if the variance of the predictions is more than {REACH:g} times that of a run, or if the "
        f"mean rate is outside the range of training by more than {REACH:g} times its width.",
    )


MOST_NAMED = 24
"""So many properties are in the picture of a cluster, the largest deviations first."""

MOST_DRAWN = 4


class ByLoadView(RunsView):
    """The judged properties of the runs, their deviations, and the clusters that were misjudged.

    Args:
        judge: gives the numbers of a check of some runs.
    """

    reach_of = "of the largest deviation of unchanged runs"
    bands_decide = False

    def __init__(
        self, runs: Sequence[Run], judged: Sequence[Property], judge: Callable[[Sequence[Run]], UnderLoad]
    ) -> None:
        super().__init__(runs)
        self.properties, self._judge = tuple(judged), judge

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return each property's deviation as a share of the largest of unchanged runs, NaN of constants and
        if the runs cannot be judged.
        """
        if not self._can_be_judged(runs):
            return np.full(len(self.properties), np.nan)
        check = self._judge(runs)
        usual = np.maximum(check.evidence.any.usual, SMALLEST)
        shares = np.minimum(np.abs(check.evidence.any.deviation) / usual, 1.0)
        of_name: dict[str, float] = {}
        for prop, share in zip(check.properties, shares.tolist(), strict=True):
            of_name[prop.name] = max(share, of_name.get(prop.name, 0.0))
        return np.array([of_name.get(prop.name, np.nan) for prop in self.properties])

    def clusters(self, runs: Sequence[Run], findings: Sequence[Finding]) -> tuple[ClusterView, ...]:
        """Return the clusters whose targets these findings name, in their order."""
        if not self._can_be_judged(runs) or not findings:
            return ()
        check = self._judge(runs)
        column_of = {
            (prop.name, measure_of(check, column)): column for column, prop in enumerate(check.properties)
        }
        wanted = [
            (finding.subject, finding.measure) for finding in findings if isinstance(finding, Difference)
        ]
        targets = [column_of[column] for column in wanted if column in column_of]
        return tuple(_cluster(check, target) for target in targets[:MOST_DRAWN])

    def _can_be_judged(self, runs: Sequence[Run]) -> bool:
        """Return whether all runs have enough samples, and some property was read in all of them."""
        if not runs or any(run.n_samples < FEWEST_SAMPLES for run in runs):
            return False
        return bool(readable(runs, self.properties).any())


def _cluster(check: UnderLoad, target: int) -> ClusterView:
    members = next(cluster for cluster in check.clusters if target in cluster)
    size = np.abs(check.evidence.any.deviation)
    ranked = sorted(members, key=lambda column: (column != target, -float(size[column])))[:MOST_NAMED]
    misjudged = set(find_misjudged(check, check.evidence.any))
    points = [
        np.column_stack([expected[:, target], measured[:, target]])
        for expected, measured in zip(check.predicted, check.values, strict=True)
    ]
    return ClusterView(
        check.properties[target],
        check.grows(target) or check.properties[target].kind is Kind.COUNTER,
        tuple(name_of(check, column) for column in ranked),
        len(members),
        frozenset(place for place, column in enumerate(ranked) if column in misjudged),
        np.vstack(points[: check.first_checked]),
        np.vstack(points[check.first_checked :]),
    )
