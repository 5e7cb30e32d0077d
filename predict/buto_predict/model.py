"""The model of a system: stations where requests queue, components that use them, endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

import numpy as np

from buto.errors import UsageError
from buto.run.model import FloatArray


class Discipline(Enum):
    """How a station shares its servers among its requests."""

    PROCESSOR_SHARING = "processor-sharing"
    """All at the same time, each at most at the speed of one server: a processor."""
    FIFO = "fifo"
    """One after the other, in the order of arrival: a disk, a pool of connections."""
    DELAY = "delay"
    """No request waits for another: a network, a remote service."""


class Measures(Enum):
    """What a component test measures the time of."""

    INCLUSIVE = "inclusive"
    """The component with everything that it calls."""
    SELF = "self"
    """The component alone; what it calls is mocked."""


@dataclass(frozen=True, slots=True)
class Station:
    """Something that requests queue for.

    Attributes:
        servers: number of parallel servers, such as the cores of a service; a delay ignores it.
    """

    name: str
    servers: int = 1
    discipline: Discipline = Discipline.PROCESSOR_SHARING


@dataclass(frozen=True, slots=True)
class Call:
    """One component calling another.

    Attributes:
        times: mean number of calls for one call of the caller, may be a fraction.
        parallel: whether it runs at the same time as the caller's other parallel calls.
    """

    to: str
    times: float
    parallel: bool = False


@dataclass(frozen=True, slots=True)
class Component:
    """Something that can be tested on its own.

    Attributes:
        station: name of the station whose servers it uses.
        self_s: mean time of one call in seconds, without what it calls and without waiting in queues.
        cv: coefficient of variation of that time; 1 for an exponential distribution.
        n_samples: how many calls ``self_s`` is the mean of; None for a number that counts as exact.
    """

    name: str
    station: str
    self_s: float
    calls: tuple[Call, ...] = ()
    cv: float = 1.0
    n_samples: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One kind of request.

    Attributes:
        calls: the components that the request itself calls.
        rate: arrivals in 1/s; they are assumed to be a Poisson process.
        cv: coefficient of variation of the request's whole demand at a station, where it was measured; None
            if it follows from the components, whose calls then vary independently.
    """

    name: str
    calls: tuple[Call, ...]
    rate: float
    cv: float | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The component that a component test is about, if its name does not say it."""

    component: str
    measures: Measures = Measures.INCLUSIVE


@dataclass(frozen=True)
class Architecture:
    """A whole system.

    Attributes:
        benchmarks: by the name of the component test.
    """

    name: str
    stations: tuple[Station, ...]
    components: tuple[Component, ...]
    endpoints: tuple[Endpoint, ...]
    benchmarks: Mapping[str, Benchmark] = field(default_factory=dict)

    @cached_property
    def component_index(self) -> Mapping[str, int]:
        return {component.name: position for position, component in enumerate(self.components)}

    @cached_property
    def station_index(self) -> Mapping[str, int]:
        return {station.name: position for position, station in enumerate(self.stations)}

    @property
    def self_s(self) -> FloatArray:
        """Self time of each component in seconds, shape (n_components,)."""
        return np.array([component.self_s for component in self.components], dtype=np.float64)

    @property
    def cv(self) -> FloatArray:
        """Coefficient of variation of each component's self time, shape (n_components,)."""
        return np.array([component.cv for component in self.components], dtype=np.float64)

    @property
    def rates(self) -> FloatArray:
        """Arrival rate of each endpoint in 1/s, shape (n_endpoints,)."""
        return np.array([endpoint.rate for endpoint in self.endpoints], dtype=np.float64)

    def with_rates(self, rates: Mapping[str, float]) -> Architecture:
        """Return the same system under another load.

        Raises:
            UsageError: a name is not an endpoint.
        """
        known = [endpoint.name for endpoint in self.endpoints]
        for name in rates:
            if name not in known:
                raise UsageError(f"a load must name an endpoint of {', '.join(known)}, got {name!r}")
        endpoints = tuple(
            replace(endpoint, rate=rates.get(endpoint.name, endpoint.rate)) for endpoint in self.endpoints
        )
        return replace(self, endpoints=endpoints)

    def with_load(self, total: float) -> Architecture:
        """Return the same system under this load, requests of all endpoints in 1/s, in the same proportions.

        Raises:
            UsageError: the model gives no proportions.
        """
        known = sum(endpoint.rate for endpoint in self.endpoints)
        if not known > 0:
            raise UsageError(
                "a load of all endpoints must be divided as the model's, which gives none",
                advice="name each endpoint, as --load 'ENDPOINT=20/s'",
            )
        return self.with_rates({endpoint.name: endpoint.rate * total / known for endpoint in self.endpoints})
