"""From uncertain responses to a status for each endpoint, and the measurements that would decide it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, copysign, inf, isnan, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto.run.units import format_percent, format_rate
from buto_predict.deviations import size_of
from buto_predict.network import Network
from buto_predict.prediction.model import Interval, MoreNeeded, Settings
from buto_predict.prediction.responses import FEWEST_SIMULATED, Responses
from buto_predict.prediction.versions import Versions

MOST_RATIO = 1.5
"""New mean over old one from which delta is not negligible if demands vary by up to their mean. Where they
vary more, single long requests decide the mean, and delta hardly sees a change."""

_MOST_MORE = 10_000
"""More repetitions than anybody would wait for."""

_LARGEST_RATIO = 1e3


def too_high_load(versions: Versions, rates: FloatArray) -> str:
    """Return the reason with the next step; a station must be saturated before or after the change."""
    before, after = (
        network.saturation(self_s, rates) * float(rates.sum())
        for network, self_s in ((versions.old, versions.old_s), (versions.new, versions.new_s))
    )
    if before <= rates.sum():
        limit = format_rate(before)
        return f"the load is above saturation ({limit}) already before the change; try --load below {limit}"
    station = _saturated(versions.new, versions.new_s, rates)
    return f"not judged, because {station} after the change; try --load below {format_rate(after)}"


def _saturated(network: Network, self_s: FloatArray, rates: FloatArray) -> str:
    busy = network.utilisations(self_s, rates).tolist()
    names = [station.name for station, share in zip(network.stations, busy, strict=True) if share >= 1]
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} saturated"


@dataclass(frozen=True, slots=True)
class Decision:
    """The status of one endpoint, with delta's interval and the reasons in words."""

    status: Status
    delta_interval: Interval
    reasons: tuple[str, ...] = ()


def decide(versions: Versions, responses: Responses, endpoint: int, settings: Settings) -> Decision:
    """Judge one endpoint.

    It is a regression if all of delta's interval is at least the negligible size and something is known to
    have changed, a pass if all of it is below and the mean is not much larger, and else inconclusive.
    """
    if not responses.rates[endpoint] > 0:
        demands = (versions.old.demands(versions.old_s), versions.new.demands(versions.new_s))
        if np.allclose(demands[0][endpoint], demands[1][endpoint], rtol=1e-9, atol=0):
            return Decision(Status.PASS, (np.nan, np.nan), ("its load is 0",))
        reason = "its demand changes, but its load is 0; give it a load, or leave it out of the model"
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    low, high = responses.interval(endpoint, settings.alpha)
    saturated = [not np.isfinite(one[endpoint]) for one in (responses.old_s, responses.new_s)]
    delta = float(responses.delta[endpoint])
    if saturated[0] or isnan(delta):
        reason = (
            too_high_load(versions, responses.rates)
            if None in responses.single
            else "it is so rare that the simulation has none of its requests"
        )
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    simulating = responses.simulation_error(endpoint, settings.alpha)
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
    if bounded[0] >= settings.negligible and responses.n_simulated(endpoint) < FEWEST_SIMULATED:
        count = responses.n_simulated(endpoint)
        reason = f"it is so rare that the simulation has only {count} of its requests"
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if bounded[0] >= settings.negligible and versions.differ:
        reason = f"response times increase, {size_of(delta).value} effect"
        return Decision(Status.REGRESSION, bounded, (reason,))
    if bounded[1] < settings.negligible and high >= MOST_RATIO and versions.differ:
        reason = (
            f"the mean may increase by {format_percent(high - 1)}, although delta is negligible, because "
            "requests vary so much; is the variation (cv) of the model right?"
        )
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if bounded[1] < settings.negligible:
        return Decision(Status.PASS, bounded)
    known = f"delta is between {bounded[0]:.2f} and {bounded[1]:.2f}"
    reason = f"{known}; a regression begins at {settings.negligible}"
    return Decision(Status.INCONCLUSIVE, bounded, (reason,))


def more_needed(
    versions: Versions,
    responses: Responses,
    endpoint: int,
    name: str,
    settings: Settings,
    *,
    only_mean: bool = False,
) -> MoreNeeded:
    """Return how many more replicates of which component tests would decide an endpoint.

    The error of the log ratio of means must be smaller than its distance from the point where delta is just
    negligible, less what the simulation errs. Its variance is divided among the tests by a linear regression
    over the replicates; a test's part shrinks with more replicates. If the test with the largest part is not
    enough alone, all are repeated.

    Args:
        only_mean: delta is negligible, and the mean is what is undecided.
    """
    everything = tuple(test for one in versions.used for test in one.tests)
    replicate = versions.used[0].replicate if versions.used else "run"
    none = MoreNeeded(name, everything, replicate, None)
    ratios = responses.ratios[:, endpoint]
    finite = np.isfinite(ratios) & (ratios > 0)
    predicted = np.array([responses.old_s[endpoint], responses.new_s[endpoint]])
    if not versions.used or finite.sum() < len(ratios) / 2 or not np.isfinite(predicted).all():
        return none
    delta = float(responses.delta[endpoint])
    if isnan(delta) or responses.n_simulated(endpoint) < FEWEST_SIMULATED:
        return none
    # As in the decision, the errors of measurements and of the simulation are added as squares.
    away = settings.negligible - delta
    left = away**2 - responses.simulation_error(endpoint, settings.alpha) ** 2
    if left <= 0:
        return none
    at_point = predicted[1] / predicted[0]
    if only_mean:
        if at_point >= MOST_RATIO:
            return none
        deciding = MOST_RATIO
    else:
        deciding = _deciding_ratio(responses, endpoint, delta + copysign(sqrt(left), away))
    distance = abs(log(deciding / at_point))
    allowed = (distance / float(norm.ppf(1 - settings.alpha / 2))) ** 2
    parts, rest = _variances(versions, np.log(ratios[finite]), finite)
    top = int(np.argmax(parts))
    count = _repetitions(parts[top], rest + parts.sum() - parts[top], allowed, _size(versions, top))
    if count is not None:
        return MoreNeeded(name, versions.used[top].tests, versions.used[top].replicate, count)
    fewest_of_all = min(_size(versions, position) for position in range(len(parts)))
    return MoreNeeded(name, everything, replicate, _repetitions(parts.sum(), rest, allowed, fewest_of_all))


def _variances(versions: Versions, logs: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
    """Return how much each test adds to the variance of the log ratio, and how much else there is, mostly of
    the model's self times.
    """
    causes = versions.replicates.changes[kept]
    causes = causes - causes.mean(axis=0)
    centred = logs - logs.mean()
    slopes = np.linalg.lstsq(causes, centred, rcond=None)[0]
    return (slopes * causes.std(axis=0)) ** 2, float(np.var(centred - causes @ slopes))


def _repetitions(part: float, rest: float, allowed: float, size: int) -> int | None:
    if rest >= allowed:
        return None
    more = size * (part / (allowed - rest) - 1)
    return None if more > _MOST_MORE else max(1, ceil(more))


def _size(versions: Versions, position: int) -> int:
    one = versions.used[position]
    return min(len(one.old), len(one.new))


def _deciding_ratio(responses: Responses, endpoint: int, delta: float) -> float:
    """Return the ratio of means at which delta is this large."""

    def above(ratio: float) -> float:
        return responses.delta_if(endpoint, ratio) - delta

    if above(_LARGEST_RATIO) < 0:
        return inf
    return float(brentq(above, 1 / _LARGEST_RATIO, _LARGEST_RATIO, xtol=1e-6))
