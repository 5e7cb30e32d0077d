"""Response times over a range of loads: from which load the change matters, and each version's knee."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from buto.runs import FloatArray
from buto_predict.prediction.model import CurvePoint, Limits, Settings
from buto_predict.prediction.responses import respond
from buto_predict.prediction.versions import Versions
from buto_predict.queueing.network import Network

POINTS = 10
_KNEE = 2.0
"""At the knee, a request takes this many times as long as in an idle system."""


def usual_grid(versions: Versions, rates: FloatArray) -> FloatArray:
    """Return loads of all endpoints in 1/s, from a tenth of the load that saturates the old version to nearly
    all of it.
    """
    limit = versions.old.saturation(versions.old_s, rates) * rates.sum()
    if not np.isfinite(limit):
        limit = 2 * rates.sum()
    return np.asarray(np.linspace(0.1, 0.95, POINTS) * limit)


def curve(
    versions: Versions, rates: FloatArray, loads: Sequence[float], settings: Settings
) -> tuple[CurvePoint, ...]:
    """Return response times at each load, divided among the endpoints as in ``rates``."""
    points = []
    for load in sorted(loads):
        found = respond(versions, rates * (load / rates.sum()), seed=settings.seed)
        bounds = [found.interval(endpoint, settings.alpha) for endpoint in range(len(rates))]
        low_s, high_s = (_times(found.old_s, np.array(side)) for side in zip(*bounds, strict=True))
        points.append(
            CurvePoint(
                float(load),
                tuple(found.old_s.tolist()),
                tuple(found.new_s.tolist()),
                tuple(low_s.tolist()),
                tuple(high_s.tolist()),
                tuple(found.delta.tolist()),
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
    settings: Settings,
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
