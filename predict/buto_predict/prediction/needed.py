"""The measurements that could decide an endpoint."""

from __future__ import annotations

from math import ceil, copysign, inf, isnan, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from buto_predict.prediction.decision import MOST_RATIO
from buto_predict.prediction.model import MoreNeeded, Settings
from buto_predict.prediction.responses import FEWEST_SIMULATED, Responses
from buto_predict.prediction.versions import Versions

_MOST_MORE = 10_000
"""More repetitions than anybody would wait for."""

_LARGEST_RATIO = 1e3


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
