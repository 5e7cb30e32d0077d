"""A simulated store with changes of known truth: nine versions in four loads, and versions without a change.

Nothing here was measured. The truth is a long simulation of the changed system with luck of its own; the
prediction sees only noisy component tests. So this tests the way from component tests to the verdict, and not
whether a model is like its system.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from buto_predict.calls import inclusive
from buto_predict.deviations import cliffs_delta
from buto_predict.model import Architecture, Call, Component, Endpoint, Station
from buto_predict.network import network_of
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult
from buto_predict.simulation import Simulated
from buto_replications.store.example import Judged

LOCATIONS = ("Recommender.rank", "Catalogue.find", "Session.check")
INTENSITIES = (0.5, 1.0, 1.5)
"""How much longer the component takes, as a share of what it took."""

UNCHANGED = 20
FORKS = 10
NOISE = 0.03
"""Coefficient of variation between the forks of a benchmark."""

TRUTH_STAYS = 120_000


@dataclass(frozen=True, slots=True)
class Load:
    """Requests of all endpoints, as a multiple of the original load, and the endpoints' shares."""

    name: str
    factor: float
    shares: tuple[float, float, float]


LOADS = (
    Load("original", 1.0, (0.5, 0.3, 0.2)),
    Load("more requests", 1.25, (0.5, 0.3, 0.2)),
    Load("other mix", 1.0, (0.3, 0.3, 0.4)),
    Load("both", 1.25, (0.3, 0.3, 0.4)),
)


def store(load: Load = LOADS[0]) -> Architecture:
    """Return three services and a database; pages, searches and orders."""
    rate = 60.0 * load.factor
    shares = zip(
        ("page", "search", "order"), ("Web.page", "Web.search", "Web.order"), load.shares, strict=True
    )
    return Architecture(
        "simulated store",
        (Station("web", 2), Station("catalogue"), Station("auth"), Station("database", 2)),
        (
            Component("Web.page", "web", 0.008, (Call("Recommender.rank", 1), Call("Session.check", 1)), 0.8),
            Component("Web.search", "web", 0.006, (Call("Catalogue.find", 2), Call("Session.check", 1)), 0.8),
            Component("Web.order", "web", 0.009, (Call("Session.check", 2), Call("Database.write", 3)), 0.8),
            Component("Recommender.rank", "web", 0.010, (Call("Catalogue.find", 1),), 1.0),
            Component("Catalogue.find", "catalogue", 0.004, (Call("Database.read", 1.5),), 1.0),
            Component("Session.check", "auth", 0.0005, (), 0.5),
            Component("Database.read", "database", 0.003, (), 1.2),
            Component("Database.write", "database", 0.004, (), 1.2),
        ),
        tuple(Endpoint(name, (Call(entry, 1),), rate * share) for name, entry, share in shares),
    )


def judge_changed(seed: int) -> Iterator[Judged]:
    """Yield every location and intensity under every load."""
    for load in LOADS:
        old = store(load)
        before = _long_run(old, seed)
        for position, location in enumerate(LOCATIONS):
            for intensity in INTENSITIES:
                new = _changed(old, location, intensity)
                truth = _largest(before, _long_run(new, seed + 1))
                draw = seed + 100 * position + round(10 * intensity)
                yield _judge(old, new, location, intensity, load.name, truth, draw)


def judge_unchanged(seed: int, count: int = UNCHANGED) -> Iterator[Judged]:
    """Yield versions of which every second one has a change of one hundredth, and the others none."""
    old = store()
    for number in range(count):
        intensity = 0.01 * (number % 2)
        location = LOCATIONS[number % len(LOCATIONS)]
        yield _judge(
            old, _changed(old, location, intensity), location, intensity, "original", 0.0, seed + number
        )


def _judge(
    old: Architecture, new: Architecture, location: str, intensity: float, load: str, truth: float, seed: int
) -> Judged:
    rng = np.random.default_rng(seed)
    found = predict(old, _tests(old, rng), _tests(new, rng), loads=())
    deltas = [one.delta for one in found.endpoints]
    return Judged(
        version=f"{location} {intensity:g}",
        location=location,
        intensity=intensity,
        load=load,
        truth=truth,
        predicted=float(np.nanmax(deltas)),
        status=found.status,
    )


def _tests(architecture: Architecture, rng: np.random.Generator) -> list[ComponentResult]:
    """Return benchmarks of every component, with everything that it calls."""
    network = network_of(architecture)
    whole_s = inclusive(network.calls, architecture.self_s)
    return [
        ComponentResult(one.name, mean_s * (1 + NOISE * rng.standard_normal(FORKS)), "fork")
        for one, mean_s in zip(architecture.components, whole_s, strict=True)
    ]


def _changed(architecture: Architecture, location: str, intensity: float) -> Architecture:
    return replace(
        architecture,
        components=tuple(
            replace(one, self_s=one.self_s * (1 + intensity)) if one.name == location else one
            for one in architecture.components
        ),
    )


def _long_run(architecture: Architecture, seed: int) -> Simulated:
    network = network_of(architecture)
    n_requests = network.enough_requests(architecture.self_s, architecture.rates, TRUTH_STAYS)
    return network.simulate(architecture.self_s, architecture.rates, seed=seed, n_requests=n_requests)


def _largest(before: Simulated, after: Simulated) -> float:
    return max(map(cliffs_delta, before.responses, after.responses))
