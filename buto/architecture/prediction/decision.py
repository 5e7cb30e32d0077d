"""From uncertain responses to a status for each endpoint, and to the measurements that could decide it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isnan, log

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from buto.architecture.deviations import fewest, size_of
from buto.architecture.prediction.evidence import Evidence
from buto.architecture.prediction.model import Interval, MoreNeeded, Settings
from buto.architecture.prediction.responses import Responses
from buto.architecture.prediction.versions import Versions
from buto.units import format_percent
from buto.verdicts import Status

_MOST_MORE = 10_000
"""More repetitions than anybody would wait for."""

_LARGEST_RATIO = 1e3


@dataclass(frozen=True, slots=True)
class Decision:
    """The status of one endpoint, with delta's interval and the reasons in words."""

    status: Status
    delta_interval: Interval
    reasons: tuple[str, ...] = ()


def decide(versions: Versions, responses: Responses, endpoint: int, settings: Settings) -> Decision:
    """Judge one endpoint.

    It is a regression if all of delta's interval is at least the negligible size and something is known to
    have changed, a pass if all of it is below, and inconclusive between.
    """
    low, high = responses.interval(endpoint, settings.alpha)
    saturated = [not np.isfinite(one[endpoint]) for one in (responses.old_s, responses.new_s)]
    if saturated[0]:
        reason = "it is saturated before the change, so no response times can be compared"
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    delta = float(responses.delta[endpoint])
    if isnan(delta):
        if not saturated[1] and responses.single[1] is not None:
            return Decision(Status.PASS, (np.nan, np.nan), ("its load is 0",))
        reason = "a saturated station prevents a simulation of its response times"
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    simulating = float(norm.ppf(1 - settings.alpha / 2) * responses.delta_error[endpoint])
    interval = tuple(
        delta + side * float(np.hypot(responses.delta_if(endpoint, ratio) - delta, simulating))
        for side, ratio in ((-1, low), (1, high))
    )
    bounded = (max(interval[0], -1.0), min(interval[1], 1.0))
    unknown = float(np.isnan(responses.ratios[:, endpoint]).mean())
    if unknown > settings.alpha / 2:
        often = f"in {format_percent(unknown)} of the replicates"
        reason = f"it is saturated before the change {often}, because the model is too uncertain"
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if saturated[1] and versions.differ:
        share = float(np.isinf(responses.ratios[:, endpoint]).mean())
        if share >= 1 - settings.alpha / 2:
            return Decision(Status.REGRESSION, (1.0, 1.0), ("it is saturated after the change",))
        reason = f"it is saturated after the change in {format_percent(share)} of the replicates"
        return Decision(Status.INCONCLUSIVE, (bounded[0], 1.0), (reason,))
    if bounded[0] >= settings.negligible and versions.differ:
        reason = f"response times increase, {size_of(delta).value} effect"
        return Decision(Status.REGRESSION, bounded, (reason,))
    if bounded[1] < settings.negligible:
        return Decision(Status.PASS, bounded)
    known = f"delta is between {bounded[0]:.2f} and {bounded[1]:.2f}"
    reason = f"{known}; a regression begins at {settings.negligible}"
    return Decision(Status.INCONCLUSIVE, bounded, (reason,))


def undecided_tests(evidence: Evidence, settings: Settings) -> tuple[str, ...]:
    """Return why component tests allow no pass: slower tests of unknown components, too few replicates."""
    needed = fewest(settings.alpha)
    reasons = []
    for test in evidence.tests:
        known = test.deviation
        sides = f"{known.n_old} old and {known.n_new} new"
        if not known.n_old or not known.n_new:
            continue
        if not known.enough:
            reasons.append(
                f"{test.name} has {sides} {test.replicate}s, too few for any deviation to be significant; "
                f"it needs {needed} on each side"
            )
        elif test.component is None and known.significant and known.delta > 0:
            reasons.append(
                f"{test.name} became slower ({format_percent(known.change)}), but the model has no "
                "component for it"
            )
    return tuple(reasons)


def more_needed(
    versions: Versions, responses: Responses, endpoint: int, name: str, settings: Settings
) -> MoreNeeded:
    """Return how many more replicates of which component tests would decide an endpoint.

    The error of the log ratio of means must be smaller than its distance from the point where delta is just
    negligible. Its variance is divided among the tests by a linear regression over the replicates; a test's
    part shrinks with more replicates. If the test with the largest part is not enough alone, all are
    repeated.
    """
    everything = tuple(test for one in versions.used for test in one.tests)
    replicate = versions.used[0].replicate if versions.used else "run"
    none = MoreNeeded(name, everything, replicate, None)
    ratios = responses.ratios[:, endpoint]
    finite = np.isfinite(ratios) & (ratios > 0)
    predicted = np.array([responses.old_s[endpoint], responses.new_s[endpoint]])
    if not versions.used or finite.sum() < len(ratios) / 2 or not np.isfinite(predicted).all():
        return none
    if isnan(responses.delta[endpoint]):
        return none
    at_point = predicted[1] / predicted[0]
    distance = abs(log(_deciding_ratio(responses, endpoint, settings.negligible) / at_point))
    allowed = (distance / float(norm.ppf(1 - settings.alpha / 2))) ** 2
    parts, rest = _variances(versions, np.log(ratios[finite]), finite)
    top = int(np.argmax(parts))
    count = _repetitions(parts[top], rest + parts.sum() - parts[top], allowed, _size(versions, top))
    if count is not None:
        return MoreNeeded(name, versions.used[top].tests, versions.used[top].replicate, count)
    fewest_of_all = min(_size(versions, position) for position in range(len(parts)))
    return MoreNeeded(name, everything, replicate, _repetitions(parts.sum(), rest, allowed, fewest_of_all))


def _variances(versions: Versions, logs: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
    """Return how much each test adds to the variance of the log ratio, and how much the model's self times
    add.
    """
    drawn = versions.replicates
    causes = np.hstack([drawn.changes[kept], drawn.model[kept]])
    causes = causes - causes.mean(axis=0)
    slopes = np.linalg.lstsq(causes, logs - logs.mean(), rcond=None)[0]
    parts = (slopes * causes.std(axis=0)) ** 2
    n_tests = drawn.changes.shape[1]
    return parts[:n_tests], float(parts[n_tests:].sum())


def _repetitions(part: float, rest: float, allowed: float, size: int) -> int | None:
    if rest >= allowed:
        return None
    more = size * (part / (allowed - rest) - 1)
    return None if more > _MOST_MORE else max(1, ceil(more))


def _size(versions: Versions, position: int) -> int:
    one = versions.used[position]
    return min(len(one.old), len(one.new))


def _deciding_ratio(responses: Responses, endpoint: int, negligible: float) -> float:
    """Return the ratio of means at which delta is just negligible."""

    def above(ratio: float) -> float:
        return responses.delta_if(endpoint, ratio) - negligible

    if above(_LARGEST_RATIO) < 0:
        return inf
    return float(brentq(above, 1 / _LARGEST_RATIO, _LARGEST_RATIO, xtol=1e-6))
