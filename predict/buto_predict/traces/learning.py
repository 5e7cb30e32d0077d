"""A model of the architecture from traces, and from what is known of the system besides.

Where a station's utilisation is known, demands follow from the utilisation law: utilisation = sum of rate x
demand / servers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan

import numpy as np

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.network import network_of
from buto_predict.traces.summary import Summary
from buto_predict.traces.tree import NETWORK

UNTRACED = "untraced"
"""Last word of a component that stands for the processor time outside of all spans."""


@dataclass(frozen=True)
class KnownFacts:
    """Facts that traces do not contain.

    Attributes:
        servers: of stations, by name; 1 for stations that are missing here.
        utilisations: busy share of stations while the traces were recorded.
        load: requests of all endpoints in 1/s at that time; None for the number of traces.
        shared: stations whose services use the same servers, by the name of the station that they become.
    """

    servers: Mapping[str, int] = field(default_factory=dict)
    utilisations: Mapping[str, float] = field(default_factory=dict)
    load: float | None = None
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def by_utilisation(
    architecture: Architecture, timed: Collection[str], utilisations: Mapping[str, float]
) -> Architecture:
    """Return the system with the demands of the utilisation law.

    Args:
        timed: components whose self times are processor times.
        utilisations: busy share of stations by name; others keep their self times.
    """
    if not utilisations:
        return architecture
    predicted = network_of(architecture).utilisations(architecture.self_s, architecture.rates)
    of_processors = {component.station for component in architecture.components if component.name in timed}
    factors: dict[str, float] = {}
    surplus: dict[str, float] = {}
    for station, busy in zip(architecture.stations, predicted.tolist(), strict=True):
        known = utilisations.get(station.name)
        if known is None or busy <= 0:
            continue
        if station.name in of_processors and known > busy:
            surplus[station.name] = (known - busy) * station.servers
        else:
            factors[station.name] = known / busy
    components = tuple(
        replace(component, self_s=component.self_s * factors.get(component.station, 1.0))
        for component in architecture.components
    )
    return _with_untraced(replace(architecture, components=components), surplus)


def _with_untraced(architecture: Architecture, surplus: Mapping[str, float]) -> Architecture:
    """Add what a service does outside of spans, such as reading requests: once for each request it answers.

    Args:
        surplus: busy servers by station.
    """
    calls_per_s = _calls_per_s(architecture)
    components = list(architecture.components)
    for station, busy in surplus.items():
        entries = _entries(architecture, station)
        visits_per_s = sum(calls_per_s[entry] for entry in entries)
        untraced = Component(f"{station}/{UNTRACED}", station, busy / visits_per_s)
        for entry in entries:
            components[entry] = replace(
                components[entry], calls=(*components[entry].calls, Call(untraced.name, 1.0))
            )
        components.append(untraced)
    return replace(architecture, components=tuple(components))


def _calls_per_s(architecture: Architecture) -> FloatArray:
    """Return how often each component is called, in 1/s, shape (n_components,)."""
    calls: FloatArray = architecture.rates @ network_of(architecture).weights.sum(axis=1)
    return calls


def _entries(architecture: Architecture, station: str) -> list[int]:
    """Return the components of a station that an endpoint or a component of another station calls."""
    names = {component.name for component in architecture.components if component.station == station}
    outside: list[Iterable[Call]] = [endpoint.calls for endpoint in architecture.endpoints]
    outside += [component.calls for component in architecture.components if component.station != station]
    called = {call.to for calls in outside for call in calls} & names
    return sorted(architecture.component_index[name] for name in called)


def share(
    architecture: Architecture, shared: Mapping[str, tuple[str, ...]], servers: Mapping[str, int]
) -> Architecture:
    """Return the system with one station in place of those whose services run on the same machine."""
    becomes = {member: name for name, members in shared.items() for member in members}
    kept = [station for station in architecture.stations if station.name not in becomes]
    made = [Station(name, servers.get(name, 1)) for name in shared]
    components = tuple(
        replace(component, station=becomes.get(component.station, component.station))
        for component in architecture.components
    )
    stations = tuple(sorted([*kept, *made], key=lambda station: station.name))
    return replace(architecture, stations=stations, components=components)


def with_responses(architecture: Architecture, summary: Summary) -> Architecture:
    """Return the system with delays of the network by which it responds as the traces did, on average.

    Between services, traces show only how long a client waited, which includes waiting for processors. A
    delay that several endpoints have is set to the mean of what each needs.
    """
    network = network_of(architecture)
    self_s, rates = architecture.self_s, architecture.rates
    if NETWORK not in architecture.station_index or network.saturation(self_s, rates) <= 1:
        return architecture
    position = architecture.station_index[NETWORK]
    delays = network.demands(self_s)[:, position]
    measured = np.array([summary.responses[endpoint.name].mean for endpoint in architecture.endpoints])
    lacking = measured - network.mean_responses(self_s, rates)
    factors = np.maximum(1 + np.divide(lacking, delays, out=np.zeros_like(delays), where=delays > 0), 0.0)
    calls = rates[:, np.newaxis] * network.weights[:, position, :]
    total = calls.sum(axis=0)
    mean = np.divide(factors @ calls, total, out=np.ones_like(total), where=total > 0)
    components = tuple(
        replace(component, self_s=component.self_s * float(factor))
        if component.station == NETWORK
        else component
        for component, factor in zip(architecture.components, mean, strict=True)
    )
    return replace(architecture, components=components)


def check_names(stations: Sequence[str], known: KnownFacts) -> None:
    """Check that facts are about stations that exist, and that have what is said of them.

    Raises:
        UsageError: a station is unknown, shared twice, or has the name of what others become; servers are
            given for a part of a shared station, or a utilisation for the whole of it.
    """
    members = [name for group in known.shared.values() for name in group]
    for name, group in known.shared.items():
        _check_shared(name, group, stations, known)
    for option, names, allowed in (
        ("servers", known.servers, {*stations, *known.shared}),
        ("utilisation", known.utilisations, {*stations}),
        ("share", members, {*stations}),
    ):
        unknown = set(names) - allowed
        if unknown:
            raise UsageError(
                f"--{option} must name a station of the traces, got {', '.join(sorted(unknown))}",
                advice=f"stations are {', '.join(sorted(stations))}",
            )
    taken = {name for name, group in known.shared.items() if name in stations and name not in group}
    if taken:
        raise UsageError(
            f"--share must give a new name, or that of a station it joins, got {', '.join(sorted(taken))}",
            advice=f"stations are {', '.join(sorted(stations))}",
        )
    twice = {name for name in members if members.count(name) > 1}
    if twice:
        raise UsageError(f"a station must be shared once, got {', '.join(sorted(twice))} more often")


def _check_shared(name: str, group: Sequence[str], stations: Sequence[str], known: KnownFacts) -> None:
    """Check that a shared station has the servers, and its services the utilisations."""
    for member in group:
        if member != name and member in known.servers:
            raise UsageError(
                f"{member} is part of {name}, whose servers it uses",
                advice=f"--servers {name}={known.servers[member]}",
            )
    if name in known.utilisations and name not in stations:
        raise UsageError(
            f"{name} is shared: a utilisation must be of one of its services, {', '.join(group)}",
            advice=f"--utilisation {group[0]}=0.7 (the number of servers that it kept busy)",
        )


def without_utilisation(summary: Summary, known: KnownFacts) -> list[str]:
    """Return the stations, by name, whose times include waiting, because nothing tells it from work."""
    waited_for = {
        station
        for component, station in summary.placed.items()
        if station != NETWORK and component not in summary.timed
    }
    return sorted(waited_for - set(known.utilisations))


def learn(summary: Summary, name: str, known: KnownFacts) -> Architecture:
    """Create a model from traces.

    Self times are means. Wall-clock times include waiting in queues; if a station's utilisation is known,
    they are scaled so that the utilisation law holds: utilisation = sum of rate x demand / servers. Processor
    times do not; if the station was busier than its spans, the rest becomes a component of its own, and
    delays are set so that the model has the mean response times of the traces.

    Raises:
        UsageError: a station is unknown or shared twice, or the load cannot be derived.
    """
    station_of = summary.placed
    stations = tuple(_station(station, known) for station in sorted(set(station_of.values())))
    check_names([station.name for station in stations], known)
    architecture = Architecture(
        name,
        stations,
        tuple(_component(summary, component, station) for component, station in sorted(station_of.items())),
        tuple(_endpoint(summary, endpoint, known) for endpoint in sorted(summary.responses)),
    )
    busy = by_utilisation(architecture, summary.timed, known.utilisations)
    placed = share(busy, known.shared, known.servers)
    return with_responses(placed, summary) if summary.timed and known.utilisations else placed


def _station(name: str, known: KnownFacts) -> Station:
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


def _endpoint(summary: Summary, name: str, known: KnownFacts) -> Endpoint:
    return Endpoint(name, (Call(name, 1.0),), rate_of(summary, name, known), _cv(summary, name))


def rate_of(summary: Summary, endpoint: str, known: KnownFacts) -> float:
    """Return the requests of an endpoint in 1/s while the traces were recorded.

    Raises:
        UsageError: neither the traces nor a known load say it.
    """
    count = summary.responses[endpoint].count
    rate = summary.rate(endpoint) if known.load is None else known.load * count / summary.requests
    if isnan(rate):
        raise UsageError("the load is unknown: all requests came at the same time", advice="--load 20/s")
    return rate


def _cv(summary: Summary, endpoint: str) -> float | None:
    """Return the variation of a request's demand at a station: the mean over stations, weighted by their
    demand.
    """
    moments = [
        moment for (name, _), moment in summary.demands.items() if name == endpoint and not isnan(moment.cv)
    ]
    total = sum(moment.mean for moment in moments)
    return sum(moment.cv * moment.mean for moment in moments) / total if total > 0 else None
