"""A model of the architecture from traces, with demands by the utilisation law where utilisation is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from buto.errors import UsageError
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.queueing.network import network_of
from buto_predict.traces.calibration import Known, by_utilisation, share, with_responses
from buto_predict.traces.facts import check_names
from buto_predict.traces.summary import Summary
from buto_predict.traces.tree import NETWORK


def learn(summary: Summary, name: str, known: Known) -> Architecture:
    """Create a model from traces.

    Self times are means. Wall-clock times include waiting in queues; if a station's utilisation is known,
    they are scaled so that the utilisation law holds: utilisation = sum of rate x demand / servers. Processor
    times do not; if the station was busier than its spans, the rest becomes a component of its own, and
    delays are set so that the model has the mean response times of the traces.

    Raises:
        UsageError: a station is unknown or shared twice, or the load cannot be derived.
    """
    found = summary.placed
    stations = tuple(_station(station, known) for station in sorted(set(found.values())))
    check_names([station.name for station in stations], known)
    architecture = Architecture(
        name,
        stations,
        tuple(_component(summary, component, station) for component, station in sorted(found.items())),
        tuple(_endpoint(summary, endpoint, known.load) for endpoint in sorted(summary.responses)),
    )
    busy = by_utilisation(architecture, summary.timed, known.utilisations)
    placed = share(busy, known.shared, known.servers)
    return with_responses(placed, summary) if summary.timed and known.utilisations else placed


def _station(name: str, known: Known) -> Station:
    discipline = Discipline.DELAY if name == NETWORK else Discipline.PROCESSOR_SHARING
    return Station(name, known.servers.get(name, 1), discipline)


def _component(summary: Summary, name: str, station: str) -> Component:
    moments = summary.self_s[name]
    calls = tuple(
        Call(callee, edge.calls / moments.count, parallel=edge.parallel > edge.calls / 2)
        for (caller, callee), edge in sorted(summary.edges.items())
        if caller == name
    )
    cv = 1.0 if isnan(moments.cv) else moments.cv
    return Component(name, station, moments.mean, calls, cv, moments.count)


def _endpoint(summary: Summary, name: str, load: float | None) -> Endpoint:
    count = summary.responses[name].count
    rate = summary.rate(name) if load is None else load * count / summary.requests
    if isnan(rate):
        raise UsageError("the load is unknown: all requests came at the same time", advice="--load 20/s")
    return Endpoint(name, (Call(name, 1.0),), rate, _cv(summary, name))


def _cv(summary: Summary, endpoint: str) -> float | None:
    """Return the variation of a request's demand at a station: the mean over stations, weighted by their
    demand.
    """
    moments = [one for (name, _), one in summary.demands.items() if name == endpoint and not isnan(one.cv)]
    total = sum(one.mean for one in moments)
    return sum(one.cv * one.mean for one in moments) / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class Compared:
    """A number of a model and the measured one.

    Attributes:
        what: the endpoint or the station.
        predicted, measured: mean response times in seconds, or utilisations.
    """

    what: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """As a share of the measured number; infinite if only that is 0."""
        if self.measured:
            return self.predicted / self.measured - 1
        return inf if self.predicted else 0.0


def errors_of(
    architecture: Architecture, summary: Summary, known: Known
) -> tuple[list[Compared], list[Compared]]:
    """Compare predicted with measured response times of endpoints, and utilisations of stations if they are
    known.

    The load is that of the traces.

    Raises:
        UsageError: an endpoint of the traces is not in the model, or a known station.
    """
    measured = {name: moments.mean for name, moments in summary.responses.items()}
    endpoints = [endpoint.name for endpoint in architecture.endpoints]
    _refuse_unknown("the requests of the traces must be endpoints of the model", measured, endpoints)
    _refuse_unknown(
        "a utilisation must be of a station of the model", known.utilisations, architecture.station_index
    )
    rates = {
        name: _endpoint(summary, name, known.load).rate if name in measured else 0.0 for name in endpoints
    }
    loaded = architecture.with_rates(rates)
    network = network_of(loaded)
    responses = network.mean_responses(loaded.self_s, loaded.rates)
    busy = network.utilisations(loaded.self_s, loaded.rates)
    if not network.exact and (busy < 1).all():
        simulated = network.simulate(loaded.self_s, loaded.rates, seed=0).means
        responses = np.where(np.isnan(simulated), responses, simulated)
    return (
        [
            Compared(name, float(responses[position]), measured[name])
            for position, name in enumerate(endpoints)
            if name in measured
        ],
        [
            Compared(station.name, float(busy[position]), known.utilisations[station.name])
            for position, station in enumerate(loaded.stations)
            if station.name in known.utilisations
        ],
    )


def _refuse_unknown(what: str, names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"{what}, got {', '.join(sorted(unknown))}", advice=f"the model has {', '.join(sorted(known))}"
        )
