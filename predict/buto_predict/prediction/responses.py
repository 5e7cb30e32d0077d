"""Response times of both versions under one load, with intervals, and over a range of loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t

from buto.run.model import FloatArray
from buto_predict.deviations import cliffs_delta
from buto_predict.network import Network
from buto_predict.prediction.model import CurvePoint, Limits, PredictionSettings
from buto_predict.prediction.versions import Versions
from buto_predict.simulation import Simulated

_BATCHES = 10

FEWEST_SIMULATED = 30
"""Requests of an endpoint without which delta says nothing. Both versions have the same luck, so that of very
few requests each takes a little longer, and delta is large, however small the change is."""


POINTS = 10

_KNEE = 2.0
"""At the knee, a request takes this many times as long as in an idle system."""


@dataclass(frozen=True, eq=False)
class Responses:
    """All endpoints under one load; arrays have shape (n_endpoints,) unless stated otherwise.

    Attributes:
        rates: arrivals in 1/s.
        old_s, new_s: mean response times, infinite where saturated.
        ratios: new over old mean of each replicate, shape (n_replicates, n_endpoints); infinite where only
            the new one is saturated, NaN where both are.
        single: response times of single requests, old and new; None for a version that is saturated.
        delta: Cliff's delta, 1 where only the new version is saturated, NaN where both are or nothing
            arrives.
        delta_error: its standard error that comes from simulating a finite time.
    """

    rates: FloatArray
    old_s: FloatArray
    new_s: FloatArray
    ratios: FloatArray
    single: tuple[Simulated | None, Simulated | None]
    delta: FloatArray
    delta_error: FloatArray

    def n_simulated(self, endpoint: int) -> int:
        """Return how many requests of an endpoint delta compares; 0 if a version is saturated."""
        return min(
            0 if simulated is None else len(simulated.responses[endpoint]) for simulated in self.single
        )

    def simulation_error(self, endpoint: int, alpha: float) -> float:
        """Return half of the interval of delta that comes from simulating a finite time."""
        return float(t.ppf(1 - alpha / 2, _BATCHES - 1) * self.delta_error[endpoint])

    def delta_if(self, endpoint: int, ratio: float) -> float:
        """Return delta if the new mean were ``ratio`` times the old one.

        The distribution of the new response times is assumed to keep its form, which holds for the small
        differences between the prediction and the bounds of its interval.
        """
        old, new = self.single
        if np.isinf(ratio):
            return 1.0
        if old is None or new is None or not len(old.responses[endpoint]) or np.isnan(ratio):
            return float(self.delta[endpoint])
        scale = ratio / (self.new_s[endpoint] / self.old_s[endpoint])
        return cliffs_delta(old.responses[endpoint], new.responses[endpoint] * scale)

    def interval(self, endpoint: int, alpha: float) -> tuple[float, float]:
        """Return quantiles of the ratio of means, NaN if both versions are saturated in every replicate.

        They are not interpolated, because some may be infinite.
        """
        ratios = self.ratios[:, endpoint]
        ratios = ratios[~np.isnan(ratios)]
        if not len(ratios):
            return np.nan, np.nan
        low, high = np.quantile(ratios, [alpha / 2, 1 - alpha / 2], method="inverted_cdf")
        return float(low), float(high)


def respond(versions: Versions, rates: FloatArray, *, seed: int) -> Responses:
    """Predict both versions under a load, arrivals in 1/s, shape (n_endpoints,)."""
    old, new, drawn = versions.old, versions.new, versions.replicates
    single = _simulate(((old, versions.old_s), (new, versions.new_s)), rates, seed)
    means = [
        _means(network, self_s, rates, simulated)
        for network, self_s, simulated in zip(
            (old, new), (versions.old_s, versions.new_s), single, strict=True
        )
    ]
    ratios = _ratio(new.mean_responses(drawn.new_s, rates), old.mean_responses(drawn.old_s, rates))
    # The closed forms may be approximations; only how they move between replicates is taken from them.
    formula = _ratio(new.mean_responses(versions.new_s, rates), old.mean_responses(versions.old_s, rates))
    correction = np.divide(
        _ratio(means[1], means[0]),
        formula,
        out=np.ones_like(formula),
        where=np.isfinite(formula) & (formula > 0),
    )
    deltas = [_delta(single, means, endpoint) for endpoint in range(len(rates))]
    return Responses(
        rates,
        means[0],
        means[1],
        ratios * correction,
        single,
        np.array([delta for delta, _ in deltas]),
        np.array([error for _, error in deltas]),
    )


def _simulate(
    sides: tuple[tuple[Network, FloatArray], tuple[Network, FloatArray]], rates: FloatArray, seed: int
) -> tuple[Simulated | None, Simulated | None]:
    """Return both sides, None for a saturated one, with the same requests, so that only changes differ."""
    able = [network.utilisations(self_s, rates).max() < 1 for network, self_s in sides]
    counts = [network.enough_requests(self_s, rates) for network, self_s in sides]
    n_requests = max((count for count, endpoint in zip(counts, able, strict=True) if endpoint), default=0)
    old, new = (
        network.simulate(self_s, rates, seed=seed, n_requests=n_requests) if endpoint else None
        for (network, self_s), endpoint in zip(sides, able, strict=True)
    )
    return old, new


def _means(
    network: Network, self_s: FloatArray, rates: FloatArray, simulated: Simulated | None
) -> FloatArray:
    formula = network.mean_responses(self_s, rates)
    if network.exact or simulated is None:
        return formula
    # NaN if no request arrived, and 0 if all demands were too small to be told from 0.
    return np.where(simulated.means > 0, simulated.means, formula)


def _ratio(new_s: FloatArray, old_s: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(new_s / old_s)


def _delta(
    single: tuple[Simulated | None, Simulated | None], means: list[FloatArray], endpoint: int
) -> tuple[float, float]:
    """Return Cliff's delta and its standard error, by dividing the simulated time into batches."""
    old, new = single
    if old is None or new is None:
        ended = [bool(np.isfinite(means_s[endpoint])) for means_s in means]
        return (1.0 if ended == [True, False] else -1.0 if ended == [False, True] else np.nan), 0.0
    before, after = old.responses[endpoint], new.responses[endpoint]
    if not len(before) or not len(after):
        return np.nan, 0.0
    batches = [
        cliffs_delta(a, b)
        for a, b in zip(np.array_split(before, _BATCHES), np.array_split(after, _BATCHES), strict=True)
        if len(a) and len(b)
    ]
    error = float(np.std(batches, ddof=1) / np.sqrt(len(batches))) if len(batches) > 1 else 0.0
    return cliffs_delta(before, after), error


def usual_grid(versions: Versions, rates: FloatArray) -> FloatArray:
    """Return loads of all endpoints in 1/s, from a tenth of the load that saturates the old version to nearly
    all of it.
    """
    limit = versions.old.saturation(versions.old_s, rates) * rates.sum()
    if not np.isfinite(limit):
        limit = 2 * rates.sum()
    return np.asarray(np.linspace(0.1, 0.95, POINTS) * limit)


def curve(
    versions: Versions, rates: FloatArray, loads: Sequence[float], settings: PredictionSettings
) -> tuple[CurvePoint, ...]:
    """Return response times at each load, divided among the endpoints as in ``rates``."""
    points = []
    for load in sorted(loads):
        response = respond(versions, rates * (load / rates.sum()), seed=settings.seed)
        bounds = [response.interval(endpoint, settings.alpha) for endpoint in range(len(rates))]
        low_s, high_s = (_times(response.old_s, np.array(side)) for side in zip(*bounds, strict=True))
        points.append(
            CurvePoint(
                float(load),
                tuple(response.old_s.tolist()),
                tuple(response.new_s.tolist()),
                tuple(low_s.tolist()),
                tuple(high_s.tolist()),
                tuple(response.delta.tolist()),
            )
        )
    return tuple(points)


def _times(old_s: FloatArray, ratios: FloatArray) -> FloatArray:
    """Return new times; NaN where the old version is saturated, so that there is no ratio to it."""
    known = np.isfinite(old_s)
    return np.where(known, np.where(known, old_s, 0.0) * np.where(known, ratios, 0.0), np.nan)


def limits(
    versions: Versions,
    names: Sequence[str],
    rates: FloatArray,
    points: Sequence[CurvePoint],
    settings: PredictionSettings,
) -> tuple[Limits, ...]:
    """Return the loads that matter, one entry for each endpoint."""
    saturated = versions.new.saturation(versions.new_s, rates) * float(rates.sum())
    return tuple(
        Limits(
            name,
            _matters_from(points, endpoint, settings.negligible, saturated) if versions.differ else None,
            _knee(versions.old, versions.old_s, rates, endpoint),
            _knee(versions.new, versions.new_s, rates, endpoint),
        )
        for endpoint, name in enumerate(names)
    )


def _matters_from(
    points: Sequence[CurvePoint], endpoint: int, negligible: float, saturated: float
) -> float | None:
    """Return the load from which the change matters; between two loads of the grid, delta is interpolated.

    Args:
        saturated: the load that saturates the new version, where any change matters.
    """
    previous: tuple[float, float] | None = None
    for point in points:
        delta = point.delta[endpoint]
        if delta >= negligible:
            if previous is None:
                return point.load
            share = (negligible - previous[1]) / (delta - previous[1])
            between = previous[0] + share * (point.load - previous[0])
            ends = np.isinf(point.new_s[endpoint])
            return max(min(between, saturated), previous[0]) if ends else between
        if not np.isnan(delta):
            previous = (point.load, delta)
    return None


def _knee(network: Network, self_s: FloatArray, rates: FloatArray, endpoint: int) -> float | None:
    limit = network.saturation(self_s, rates)
    if not np.isfinite(limit):
        return None
    idle = network.mean_responses(self_s, rates * 0)[endpoint]

    def above(factor: float) -> float:
        return float(network.mean_responses(self_s, rates * factor)[endpoint] / idle - _KNEE)

    highest = limit * (1 - 1e-9)
    # An endpoint that hardly uses the saturated station has no knee before saturation.
    if idle <= 0 or above(highest) < 0:
        return None
    return float(brentq(above, 0.0, highest) * rates.sum())
