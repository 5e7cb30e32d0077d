"""What is known of a system besides its traces: how busy it was, and which services share a machine."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from buto.runs import FloatArray
from buto_predict.model import Architecture, Call, Component, Station
from buto_predict.queueing.network import network_of
from buto_predict.traces.summary import Summary
from buto_predict.traces.tree import NETWORK

UNTRACED = "untraced"
"""Last word of a component that stands for the processor time outside of all spans."""


@dataclass(frozen=True)
class Known:
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
    of_processors = {one.station for one in architecture.components if one.name in timed}
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
        replace(one, self_s=one.self_s * factors.get(one.station, 1.0)) for one in architecture.components
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
        visits_per_s = sum(calls_per_s[one] for one in entries)
        untraced = Component(f"{station}/{UNTRACED}", station, busy / visits_per_s)
        for one in entries:
            components[one] = replace(
                components[one], calls=(*components[one].calls, Call(untraced.name, 1.0))
            )
        components.append(untraced)
    return replace(architecture, components=tuple(components))


def _calls_per_s(architecture: Architecture) -> FloatArray:
    """Return how often each component is called, in 1/s, shape (n_components,)."""
    calls: FloatArray = architecture.rates @ network_of(architecture).weights.sum(axis=1)
    return calls


def _entries(architecture: Architecture, station: str) -> list[int]:
    """Return the components of a station that an endpoint or a component of another station calls."""
    names = {one.name for one in architecture.components if one.station == station}
    outside: list[Iterable[Call]] = [endpoint.calls for endpoint in architecture.endpoints]
    outside += [one.calls for one in architecture.components if one.station != station]
    called = {call.to for calls in outside for call in calls} & names
    return sorted(architecture.component_index[name] for name in called)


def share(
    architecture: Architecture, shared: Mapping[str, tuple[str, ...]], servers: Mapping[str, int]
) -> Architecture:
    """Return the system with one station in place of those whose services run on the same machine."""
    becomes = {member: name for name, members in shared.items() for member in members}
    kept = [one for one in architecture.stations if one.name not in becomes]
    made = [Station(name, servers.get(name, 1)) for name in shared]
    components = tuple(
        replace(one, station=becomes.get(one.station, one.station)) for one in architecture.components
    )
    stations = tuple(sorted([*kept, *made], key=lambda one: one.name))
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
    measured = np.array([summary.responses[one.name].mean for one in architecture.endpoints])
    lacking = measured - network.mean_responses(self_s, rates)
    factors = np.maximum(1 + np.divide(lacking, delays, out=np.zeros_like(delays), where=delays > 0), 0.0)
    calls = rates[:, np.newaxis] * network.weights[:, position, :]
    total = calls.sum(axis=0)
    mean = np.divide(factors @ calls, total, out=np.ones_like(total), where=total > 0)
    components = tuple(
        replace(one, self_s=one.self_s * float(factor)) if one.station == NETWORK else one
        for one, factor in zip(architecture.components, mean, strict=True)
    )
    return replace(architecture, components=components)
