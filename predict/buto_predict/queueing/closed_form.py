"""Mean response times without a simulation.

Arrivals are Poisson. With processor sharing and delays the means are exact for any distribution of the demand
(BCMP networks). FIFO stations take the formula of Allen and Cunneen, which is Pollaczek and Khinchine's for
one server; a fork takes its slowest branch. Both are approximations within a network, and :func:`is_exact`
says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.runs import FloatArray
from buto_predict.model import Discipline, Station
from buto_predict.plans import Plan, Visit


def erlang_c(servers: int, offered: FloatArray) -> FloatArray:
    """Return the probability that a request finds all servers busy.

    Args:
        offered: offered load in servers, below ``servers``; any shape.
    """
    blocked = np.ones_like(offered)
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    waiting: FloatArray = servers * blocked / (servers - offered * (1 - blocked))
    return waiting


def utilisations(stations: Sequence[Station], demands: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the busy share of each station's servers, by the utilisation law; from 1 on, it is saturated.

    A delay has no utilisation and gets 0.

    Args:
        demands: seconds, shape (..., n_endpoints, n_stations).
        rates: 1/s, shape (n_endpoints,).

    Returns:
        Shape (..., n_stations).
    """
    servers = np.array(
        [np.inf if one.discipline is Discipline.DELAY else one.servers for one in stations], dtype=np.float64
    )
    busy: FloatArray = np.einsum("...es,e->...s", demands, rates) / servers
    return busy


def stretch_and_wait(
    stations: Sequence[Station], demands: FloatArray, cv: FloatArray, rates: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the stretch and the wait of a stay at each station, which takes demand x stretch + wait;
    infinite if the station is saturated.

    Args:
        demands, cv: seconds and their coefficient of variation, shape (..., n_endpoints, n_stations).
        rates: 1/s, shape (n_endpoints,).

    Returns:
        Two arrays of shape (..., n_stations).
    """
    busy = utilisations(stations, demands, rates)
    stretch, wait = np.ones_like(busy), np.zeros_like(busy)
    for position, station in enumerate(stations):
        if station.discipline is Discipline.DELAY:
            continue
        rho = busy[..., position]
        stable = np.minimum(rho, 1 - 1e-12)
        queueing = erlang_c(station.servers, stable * station.servers) / (station.servers * (1 - stable))
        if station.discipline is Discipline.PROCESSOR_SHARING:
            stretch[..., position] = np.where(rho < 1, 1 + queueing, np.inf)
        else:
            mean = _residual(demands[..., position], cv[..., position], rates)
            wait[..., position] = np.where(rho < 1, queueing * mean, np.inf)
    return stretch, wait


def mean_response(plan: Plan, self_s: FloatArray, stretch: FloatArray, wait: FloatArray) -> FloatArray:
    """Return the mean response time of one endpoint in seconds.

    Args:
        self_s: self times, shape (..., n_components).
        stretch, wait: of :func:`stretch_and_wait`, shape (..., n_stations).

    Returns:
        Shape (...).
    """
    total: FloatArray = np.zeros(self_s.shape[:-1])
    for step in plan:
        if isinstance(step, Visit):
            demand = self_s @ step.calls
            own = stretch[..., step.station]
            # No work at a saturated station takes no time, but 0 x infinity would be NaN.
            spent = np.where(
                demand > 0, demand * np.where(demand > 0, own, 1.0) + wait[..., step.station], 0.0
            )
            total = total + spent
        else:
            branches = [mean_response(branch, self_s, stretch, wait) for branch in step.branches]
            total = total + np.max(branches, axis=0)
    return total


def is_exact(plans: Sequence[Plan], stations: Sequence[Station]) -> bool:
    """Return whether the means hold without approximation: no fork, and no FIFO station in use."""
    steps = [step for plan in plans for step in plan]
    return all(
        isinstance(step, Visit) and stations[step.station].discipline is not Discipline.FIFO for step in steps
    )


def _residual(demands: FloatArray, cv: FloatArray, rates: FloatArray) -> FloatArray:
    """Return E[S^2] / 2 E[S] over all requests at a FIFO station: the mean remaining time of the one in
    service.
    """
    share = rates * (demands > 0)
    first = (share * demands).sum(axis=-1)
    second = (share * demands**2 * (1 + cv**2)).sum(axis=-1)
    residual: FloatArray = np.divide(second, 2 * first, out=np.zeros_like(first), where=first > 0)
    return residual
