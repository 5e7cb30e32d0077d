"""From a check to findings: which clusters differ, by which counters, since when, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from buto.detectors.calibrated.load.errors import errors_of, ks_statistics
from buto.detectors.calibrated.load.evidence import Ranked
from buto.detectors.calibrated.load.judged import Judged
from buto.detectors.calibrated.settings import NAME
from buto.properties import Better, Kind
from buto.runs import FloatArray, RunSet
from buto.units import format_count, format_percent, format_quantity
from buto.verdicts import Direction, Effect, Finding

SMALLEST = 3.0
"""Smaller deviations are no findings."""

MOST_CLUSTERS = 10
NAMED = 3
"""So many other counters of a cluster are named."""

EXPLAINS = 0.1
"""If the load explains a smaller share of a counter's variance, it has no model."""

MANY_TIMES = 10.0
"""From here on, a change is said as a ratio."""

STAYS = 0.75
"""A change has begun at the first stretch from which so many of the rest are on its side."""


def misjudged(check: Judged, ranked: Ranked) -> list[int]:
    """Return the columns whose deviations are larger than in all choices of other units, largest first.

    The largest of all if none is.
    """
    found = np.abs(ranked.deviation)
    if not found.any():
        return []
    beyond = np.flatnonzero((found >= SMALLEST) & (found > ranked.usual))
    places = beyond if len(beyond) else np.array([found.argmax()])
    return [int(place) for place in places[np.argsort(-found[places], kind="stable")]]


def findings(check: Judged, ranked: Ranked, runs: RunSet, starts_s: Sequence[float]) -> tuple[Finding, ...]:
    """Return a finding for each cluster with misjudged counters, worst first.

    Args:
        ranked: which differences count, of the evidence.
        runs: that were checked.
        starts_s: when the first sample of each was, in seconds from the start of its program.
    """
    columns = misjudged(check, ranked)
    if not columns:
        return ()
    statistics = dict(zip(columns, _ks(check, columns).tolist(), strict=True))
    number = {column: place for place, some in enumerate(check.clusters) for column in some}
    of_cluster: dict[int, list[int]] = {}
    for column in columns:
        of_cluster.setdefault(number[column], []).append(column)
    found = [
        _finding(check, ranked, check.clusters[place], some, statistics, runs, starts_s)
        for place, some in of_cluster.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.severity, one.subject))[:MOST_CLUSTERS])


def _finding(
    check: Judged,
    ranked: Ranked,
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
    return Finding(
        NAME,
        target.name,
        runs.runs[worst].id,
        direction,
        effect_of(target.better, direction),
        target.unit,
        measured,
        expected=expected,
        window_s=(since_s, end_s),
        severity=float(abs(ranked.deviation[column])),
        measure=measure_of(check, column),
        text=_text(check, cluster, columns, column, since_s > starts_s[worst]),
    )


def _target(check: Judged, ranked: Ranked, columns: Sequence[int], statistics: Mapping[int, float]) -> int:
    """Return the counter whose residuals changed most; of equal ones the largest deviation, then by name."""
    size = np.abs(ranked.deviation)
    return min(
        columns,
        key=lambda one: (-round(statistics[one], 12), -float(size[one]), check.properties[one].name),
    )


def _text(check: Judged, cluster: Sequence[int], columns: Sequence[int], column: int, later: bool) -> str:
    measured = np.concatenate([one[:, column] for one in check.values[check.first_checked :]])
    predicted = np.concatenate([one[:, column] for one in check.predicted[check.first_checked :]])
    errors = errors_of(predicted, measured)
    parts = [f"under the same load {change_text(*_means(check, column))}{_each(check, column)}"]
    if later:
        parts.append("not from the beginning")
    if np.isfinite(errors.absolute):
        parts.append(
            f"the model is off by {format_percent(errors.absolute)} (signed {format_percent(errors.signed)})"
        )
    share = check.explained(column)
    parts.append(
        f"the load explains {format_percent(share)} of it in training"
        if share >= EXPLAINS
        else "the load does not explain it in training, so the model is little more than its mean"
    )
    if len(cluster) > 1:
        parts.append(f"it rises and falls with {format_count(len(cluster) - 1, 'other property')}")
    others = [one for one in columns if one != column]
    if others:
        named = ", ".join(
            f"{name_of(check, one)} ({change_text(*_means(check, one))})" for one in others[:NAMED]
        )
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        parts.append(f"also misjudged: {named}{more}")
    return "; ".join(parts)


def name_of(check: Judged, column: int) -> str:
    """Return what a column is, for people."""
    name = check.properties[column].name
    return f"growth of {name}" if check.grows(column) else name


def measure_of(check: Judged, column: int) -> str:
    """Return what a finding of a column measures; it tells a level from its growth."""
    if check.grows(column):
        return "growth per second"
    return "rate per second" if check.properties[column].kind is Kind.COUNTER else "mean"


def _each(check: Judged, column: int) -> str:
    """Return what a request uses or keeps, if that is known: a counter or a growth under known rates."""
    target = check.properties[column]
    per_s = float(check.loads[check.first_checked :].sum(axis=1).mean())
    if not (per_s > 0 and (check.grows(column) or target.kind is Kind.COUNTER)):
        return ""
    measured, expected = (format_quantity(one / per_s, target.unit) for one in _means(check, column))
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


def _means(check: Judged, column: int) -> tuple[float, float]:
    """Return the mean of a property over the checked units, and what the model expects."""
    checked = range(check.first_checked, len(check.values))
    measured = float(np.mean([check.values[unit][:, column].mean() for unit in checked]))
    return measured, float(np.mean([check.predicted[unit][:, column].mean() for unit in checked]))


def _ks(check: Judged, columns: Sequence[int]) -> FloatArray:
    """Return how far apart the residuals of checked and training stretches are, shape (n_columns,)."""
    some = list(columns)
    rest = [
        value[:, some] - expected[:, some]
        for value, expected in zip(check.values, check.predicted, strict=True)
    ]
    return ks_statistics(np.vstack(rest[: check.first_checked]), np.vstack(rest[check.first_checked :]))


def _when(check: Judged, column: int, starts_s: Sequence[float], n_runs: int) -> tuple[int, float, float]:
    """Return the run with the largest mean residual, and from when to when it differs, in seconds."""
    edges = np.linspace(check.first_checked, len(check.values), n_runs + 1).round().astype(int)
    rest = [_residuals(check, column, range(first, last)) for first, last in pairwise(edges.tolist())]
    sign = float(np.sign(check.evidence.residual[column])) or 1.0
    usual = float(np.sqrt(np.mean(_residuals(check, column, range(check.first_checked)) ** 2)))
    worst = int(np.argmax([sign * one.mean() for one in rest]))
    stretch_s = check.stretch_s[int(edges[worst])]
    since = _since(sign * rest[worst], usual)
    start = starts_s[worst]
    return worst, start + since * stretch_s, start + len(rest[worst]) * stretch_s


def _residuals(check: Judged, column: int, units: Sequence[int]) -> FloatArray:
    return np.concatenate(
        [check.values[unit][:, column] - check.predicted[unit][:, column] for unit in units]
    )


def _since(residual: FloatArray, usual: float) -> int:
    """Return the stretch from which most residuals are twice the usual, or half of those at the end."""
    late = residual[-max(1, len(residual) // 3) :].mean()
    beyond = residual >= min(late / 2, 2 * usual)
    from_here = beyond[::-1].cumsum()[::-1] / np.arange(len(beyond), 0, -1)
    found = np.flatnonzero((from_here >= STAYS) & beyond)
    return int(found[0]) if len(found) else 0


def effect_of(better: Better, direction: Direction) -> Effect:
    """Return whether a property's user welcomes this direction."""
    if better is Better.UNKNOWN:
        return Effect.UNKNOWN
    return Effect.BETTER if (direction is Direction.LESS) == (better is Better.LOWER) else Effect.WORSE
