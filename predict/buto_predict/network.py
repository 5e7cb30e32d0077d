"""An architecture as a queueing network, which answers for any self times and any load.

A request has a plan: the stations that it visits, and the forks of its parallel calls. Arrivals are Poisson.
With processor sharing and delays the mean response times are exact for any distribution of the demand (BCMP
networks). FIFO stations take the formula of Allen and Cunneen, which is Pollaczek and Khinchine's for one
server; a fork takes its slowest branch. Both are approximations within a network, and :func:`is_exact` says
so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.errors import JudgeError
from buto.run.model import FloatArray
from buto_predict.calls import Calls, calls_of
from buto_predict.model import Architecture, Discipline, Station
from buto_predict.plans import Plan, Visit, demand_weights, plans, visits_of
from buto_predict.simulation import Simulated, simulate

STAYS = 16_000
"""Stays at stations in one simulation, over all its requests: some 0.1 s."""

_FEWEST, _MOST = 2_000, 20_000
"""Requests in one simulation, whatever the number of stays."""

_FEWEST_OF_A_KIND = 300
"""Requests of the rarest endpoint, as far as that takes no more than _MOST of all."""


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
        [np.inf if station.discipline is Discipline.DELAY else station.servers for station in stations],
        dtype=np.float64,
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
                demand > 0,
                demand * np.where(demand > 0, own, 1.0) + step.share(self_s) * wait[..., step.station],
                0.0,
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


@dataclass(frozen=True, eq=False)
class Network:
    """The parts of an architecture that do not depend on self times and load.

    Attributes:
        plans: of each endpoint.
        weights: calls per request, shape (n_endpoints, n_stations, n_components).
        cv: of each component's self time, shape (n_components,).
        plan_cv: of each endpoint's demands, shape (n_endpoints,); NaN: that of its calls.
    """

    stations: tuple[Station, ...]
    plans: tuple[Plan, ...]
    calls: Calls
    weights: FloatArray
    cv: FloatArray
    plan_cv: FloatArray

    @property
    def exact(self) -> bool:
        return is_exact(self.plans, self.stations)

    def demands(self, self_s: FloatArray) -> FloatArray:
        """Return service demands in seconds, (..., n_components) to (..., n_endpoints, n_stations)."""
        made: FloatArray = np.einsum("esc,...c->...es", self.weights, self_s)
        return made

    def utilisations(self, self_s: FloatArray, rates: FloatArray) -> FloatArray:
        """Return the busy share of each station, (..., n_components) to (..., n_stations); from 1 on, it is
        saturated.
        """
        return utilisations(self.stations, self.demands(self_s), rates)

    def mean_responses(self, self_s: FloatArray, rates: FloatArray) -> FloatArray:
        """Return mean response times in seconds by closed forms, (..., n_components) to (..., n_endpoints).

        Infinite for endpoints that use a saturated station.
        """
        demands = self.demands(self_s)
        stretch, wait = stretch_and_wait(self.stations, demands, self._demand_cv(self_s), rates)
        return np.stack([mean_response(plan, self_s, stretch, wait) for plan in self.plans], axis=-1)

    def throughputs(self, self_s: FloatArray, rates: FloatArray) -> FloatArray:
        """Return the completed requests of each endpoint in 1/s, shape (n_endpoints,).

        Below saturation these are the arrivals; beyond, the endpoint's worst station lets through its share.
        """
        busy = self.utilisations(self_s, rates)
        used = self.demands(self_s) > 0
        worst = np.where(used, busy[np.newaxis, :], 0.0).max(axis=1)
        return np.asarray(rates / np.maximum(worst, 1.0))

    def saturation(self, self_s: FloatArray, rates: FloatArray) -> float:
        """Return the factor on all rates at which the first station is saturated."""
        busiest = float(self.utilisations(self_s, rates).max())
        return np.inf if busiest <= 0 else 1 / busiest

    def enough_requests(self, self_s: FloatArray, rates: FloatArray, stays: int = STAYS) -> int:
        """Return how many requests to simulate, so that they stay about ``stays`` times at a station."""
        of_each = np.array([_stays(plan, self_s) for plan in self.plans])
        per_request = float(rates @ of_each) / rates.sum()
        rarest = float(rates[rates > 0].min() / rates.sum())
        wanted = max(stays / max(per_request, 1), min(_FEWEST_OF_A_KIND / rarest, _MOST))
        return int(np.clip(wanted, _FEWEST, max(_MOST, stays)))

    def simulate(
        self, self_s: FloatArray, rates: FloatArray, *, seed: int, n_requests: int | None = None
    ) -> Simulated:
        """Return response times of single requests; no station may be saturated.

        Args:
            n_requests: :meth:`enough_requests` if None. What is compared needs equally many.
        """
        if n_requests is None:
            n_requests = self.enough_requests(self_s, rates)
        return simulate(
            self.stations,
            self.plans,
            self_s,
            self.cv,
            rates,
            plan_cv=self.plan_cv,
            n_requests=n_requests,
            seed=seed,
        )

    def _demand_cv(self, self_s: FloatArray) -> FloatArray:
        demands = self.demands(self_s)
        variance = np.zeros_like(demands)
        for endpoint, plan in enumerate(self.plans):
            for visit in visits_of(plan):
                variance[..., endpoint, visit.station] += visit.variance(self_s, self.cv)
        own = np.sqrt(np.divide(variance, demands**2, out=np.zeros_like(demands), where=demands > 0))
        measured = np.broadcast_to(self.plan_cv[:, np.newaxis], own.shape)
        return np.where(np.isnan(measured), own, measured)


def _stays(plan: Plan, self_s: FloatArray) -> int:
    """Return how often a request stays at a station, in all branches."""
    return sum(
        int(part.calls @ self_s > 0)
        if isinstance(part, Visit)
        else sum(_stays(branch, self_s) for branch in part.branches)
        for part in plan
    )


def network_of(architecture: Architecture) -> Network:
    """Return the network of an architecture.

    Raises:
        JudgeError: an endpoint has no demand, no requests arrive, or calls never end.
    """
    made = plans(architecture)
    network = Network(
        architecture.stations,
        made,
        calls_of(architecture),
        demand_weights(architecture, made),
        architecture.cv,
        np.array(
            [np.nan if endpoint.cv is None else endpoint.cv for endpoint in architecture.endpoints],
            dtype=np.float64,
        ),
    )
    for endpoint, demand in zip(architecture.endpoints, network.demands(architecture.self_s), strict=True):
        if not demand.sum() > 0:
            raise JudgeError(
                f"the endpoint {endpoint.name!r} has no demand: all that it calls takes 0 s",
                advice="give its components their self times, or take it out of the model",
            )
    if not architecture.rates.sum() > 0:
        raise JudgeError(
            "no requests arrive: the load of every endpoint is 0",
            advice="give a load in the model, as load: 20/s, or with --load",
        )
    return network
