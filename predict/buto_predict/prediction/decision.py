"""From uncertain responses to a status for each endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np

from buto.units import format_percent
from buto.verdicts import Status
from buto_predict.deviations import size_of
from buto_predict.prediction.model import Interval, Settings
from buto_predict.prediction.responses import FEWEST_SIMULATED, Responses
from buto_predict.prediction.saturation import too_high_load
from buto_predict.prediction.versions import Versions

MOST_RATIO = 1.5
"""New mean over old one from which delta is not negligible if demands vary by up to their mean. Where they
vary more, single long requests decide the mean, and delta hardly sees a change."""


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
