"""The paper's example recomputed, and changes of known size in a simulated store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import isnan

import numpy as np

from buto.judging.verdict import Status
from buto_predict.calls import calls_of, inclusive
from buto_predict.deviations import NEGLIGIBLE, EffectSize, cliffs_delta, size_of
from buto_predict.model import Architecture, Call, Component, Endpoint, Station
from buto_predict.network import network_of
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult
from buto_predict.simulation import Simulated

UTILISATIONS = (0.4, 0.42)
"""Of the two subsystems in the example; our copy of the paper has lost its numbers."""

STAYS = 400_000
FACTORS = (1.2, 1.5, 2.0)
VARIATIONS = (1.0, 0.5, 0.1)


@dataclass(frozen=True, slots=True)
class ExampleFigure:
    """A number of the running example, added up by hand and by the model."""

    what: str
    by_hand: str
    ours: str


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """What it means for the whole response if B3 and B4 take ``factor`` times as long.

    Attributes:
        variation: coefficient of variation of each call's self time.
        delta: Cliff's delta of response times.
    """

    factor: float
    variation: float
    delta: float

    @property
    def size(self) -> EffectSize:
        return size_of(self.delta)


def running_example(factor: float = 1.0, variation: float = 1.0) -> Architecture:
    """Return subsystems A and B of the paper's figures 1 and 3; B1 = 4 + 2 B3 + B4 ms, B2 = 6 + B4 ms."""
    rate = UTILISATIONS[1] / 0.018
    parts = (
        Component("A1", "A", UTILISATIONS[0] / rate),
        Component("B1", "B", 0.004, (Call("B3", 2.0), Call("B4", 1.0))),
        Component("B2", "B", 0.006, (Call("B4", 1.0),)),
        Component("B3", "B", 0.002 * factor),
        Component("B4", "B", 0.002 * factor),
    )
    return Architecture(
        "running example",
        (Station("A"), Station("B")),
        tuple(replace(part, cv=variation) for part in parts),
        (Endpoint("request", (Call("A1", 1.0), Call("B1", 1.0), Call("B2", 1.0)), rate),),
    )


def figures() -> list[ExampleFigure]:
    """Return the numbers of the example, in which B3 and B4 take 3 ms instead of 2."""
    before, after = running_example(), running_example(1.5)
    whole = [
        1000 * inclusive(calls_of(architecture), architecture.self_s)[1:3].sum()
        for architecture in (before, after)
    ]
    demands = [
        network_of(architecture).demands(architecture.self_s)[0, 1] for architecture in (before, after)
    ]
    return [
        ExampleFigure("B1 and B2 together, before", "18 ms", f"{whole[0]:.3g} ms"),
        ExampleFigure("B1 and B2 together, after", "22 ms", f"{whole[1]:.3g} ms"),
        ExampleFigure(
            "relative change of the subsystem", "+22.2 %", f"{100 * (whole[1] / whole[0] - 1):+.1f} %"
        ),
        ExampleFigure("service demand of B, before", ".018 s", f"{demands[0]:.3f} s"),
        ExampleFigure("service demand of B, after", ".022 s", f"{demands[1]:.3f} s"),
    ]


def effects(
    factors: Sequence[float] = FACTORS,
    variations: Sequence[float] = VARIATIONS,
    *,
    stays: int = STAYS,
    seed: int,
) -> list[FactorEffect]:
    changes = []
    for variation in variations:
        base = _responses(running_example(1.0, variation), stays, seed)
        for factor in factors:
            new = _responses(running_example(factor, variation), stays, seed + 1)
            changes.append(FactorEffect(factor, variation, cliffs_delta(base, new)))
    return changes


def _responses(architecture: Architecture, stays: int, seed: int) -> np.ndarray:
    network = network_of(architecture)
    n_requests = network.enough_requests(architecture.self_s, architecture.rates, stays)
    simulation = network.simulate(architecture.self_s, architecture.rates, seed=seed, n_requests=n_requests)
    return simulation.responses[0]


class VersionOutcome(Enum):
    FOUND = "found"
    QUIET = "rightly quiet"
    MISSED = "missed"
    FALSE_ALARM = "false alarm"
    UNDECIDED = "inconclusive"


@dataclass(frozen=True, slots=True)
class JudgedVersion:
    """One version under one load.

    Attributes:
        location: the component that was changed; empty for none.
        truth, predicted: the largest Cliff's delta of any endpoint; NaN if none could be predicted.
    """

    version: str
    location: str
    intensity: float
    load: str
    truth: float
    predicted: float
    status: Status

    @property
    def outcome(self) -> VersionOutcome:
        if self.status is Status.INCONCLUSIVE:
            return VersionOutcome.UNDECIDED
        alarm = self.status is Status.REGRESSION
        if self.truth >= NEGLIGIBLE:
            return VersionOutcome.FOUND if alarm else VersionOutcome.MISSED
        return VersionOutcome.FALSE_ALARM if alarm else VersionOutcome.QUIET

    @property
    def agrees(self) -> bool:
        """Whether the predicted delta alone is on the right side, as the paper counts; not without one."""
        return not isnan(self.predicted) and (self.predicted >= NEGLIGIBLE) == (self.truth >= NEGLIGIBLE)


def counts(judged: Iterable[JudgedVersion]) -> str:
    """Return how many there are of each outcome, in words."""
    outcomes = Counter(version.outcome for version in judged)
    return (
        ", ".join(f"{outcomes[outcome]} {outcome.value}" for outcome in VersionOutcome if outcomes[outcome])
        or "none"
    )


OUTCOMES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("TeaStore", "fixed load"): ("TP TP TP", "TN TN TP", "TN TN TN"),
    ("TrainTicket", "fixed load"): ("TN TN FN", "FN TP TP", "TN TN TP"),
    ("TeaStore", "varied loads"): ("TP TP FN", "TP TP FP", "TN TN TN"),
    ("TrainTicket", "varied loads"): ("FN FN FN", "TP TP TP", "TP TP TP"),
}
"""The paper's tables I and II: by system and scenario, the outcomes at its three places. Under the fixed load
they are of three intensities; under varied loads of one intensity and three loads."""


def published(scenario: str) -> str:
    """Return how often the paper is right in one of its scenarios, in words."""
    all_of = [rows for (_, of), rows in OUTCOMES.items() if of == scenario]
    n = Counter(" ".join(" ".join(rows) for rows in all_of).split())
    right, regressions, quiet = n["TP"] + n["TN"], n["TP"] + n["FN"], n["TN"] + n["FP"]
    return (
        f"{right} of {n.total()} right: {n['TP']} of {regressions} regressions found, "
        f"{n['TN']} of {quiet} quiet"
    )


LOCATIONS = ("Recommender.rank", "Catalogue.find", "Session.check")
INTENSITIES = (0.5, 1.0, 1.5)
"""How much longer the component takes, as a share of what it took."""

SMALL_INTENSITIES = (0.1, 0.2, 0.3, 0.4)
BOUNDARY = (0.05, 0.3)
"""Deltas near the one that matters."""

UNCHANGED = 20
FORKS = 10
NOISE = 0.03
"""Coefficient of variation between the forks of a benchmark."""

TRUTH_STAYS = 120_000


@dataclass(frozen=True, slots=True)
class SimulatedLoad:
    """Requests of all endpoints, as a multiple of the original load, and the endpoints' shares."""

    name: str
    factor: float
    shares: tuple[float, float, float]


LOADS = (
    SimulatedLoad("original", 1.0, (0.5, 0.3, 0.2)),
    SimulatedLoad("more requests", 1.25, (0.5, 0.3, 0.2)),
    SimulatedLoad("other mix", 1.0, (0.3, 0.3, 0.4)),
    SimulatedLoad("both", 1.25, (0.3, 0.3, 0.4)),
)


def store(load: SimulatedLoad = LOADS[0]) -> Architecture:
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


def judge_changed(seed: int, intensities: Sequence[float] = INTENSITIES) -> Iterator[JudgedVersion]:
    """Yield every location and intensity under every load."""
    for load in LOADS:
        old = store(load)
        before = _long_run(old, seed)
        for position, location in enumerate(LOCATIONS):
            for intensity in intensities:
                new = _find_changed(old, location, intensity)
                truth = _largest(before, _long_run(new, seed + 1))
                draw = seed + 100 * position + round(10 * intensity)
                yield _judge(old, new, location, intensity, load.name, truth, draw)


def judge_near_boundary(seed: int) -> Iterator[JudgedVersion]:
    """Yield versions whose true delta is near the one that matters, under every load."""
    low, high = BOUNDARY
    return (version for version in judge_changed(seed, SMALL_INTENSITIES) if low <= version.truth <= high)


def judge_unchanged(seed: int, count: int = UNCHANGED) -> Iterator[JudgedVersion]:
    """Yield versions of which every second one has a change of one hundredth, and the others none."""
    old = store()
    for number in range(count):
        intensity = 0.01 * (number % 2)
        location = LOCATIONS[number % len(LOCATIONS)]
        yield _judge(
            old, _find_changed(old, location, intensity), location, intensity, "original", 0.0, seed + number
        )


def _judge(
    old: Architecture, new: Architecture, location: str, intensity: float, load: str, truth: float, seed: int
) -> JudgedVersion:
    rng = np.random.default_rng(seed)
    prediction = predict(old, _tests(old, rng), _tests(new, rng), loads=())
    deltas = [endpoint.delta for endpoint in prediction.endpoints]
    return JudgedVersion(
        version=f"{location} {intensity:g}",
        location=location,
        intensity=intensity,
        load=load,
        truth=truth,
        predicted=float(np.nanmax(deltas)),
        status=prediction.status,
    )


def _tests(architecture: Architecture, rng: np.random.Generator) -> list[ComponentResult]:
    """Return benchmarks of every component, with everything that it calls."""
    network = network_of(architecture)
    whole_s = inclusive(network.calls, architecture.self_s)
    return [
        ComponentResult(component.name, mean_s * (1 + NOISE * rng.standard_normal(FORKS)), "fork")
        for component, mean_s in zip(architecture.components, whole_s, strict=True)
    ]


def _find_changed(architecture: Architecture, location: str, intensity: float) -> Architecture:
    return replace(
        architecture,
        components=tuple(
            replace(component, self_s=component.self_s * (1 + intensity))
            if component.name == location
            else component
            for component in architecture.components
        ),
    )


def _long_run(architecture: Architecture, seed: int) -> Simulated:
    network = network_of(architecture)
    n_requests = network.enough_requests(architecture.self_s, architecture.rates, TRUTH_STAYS)
    return network.simulate(architecture.self_s, architecture.rates, seed=seed, n_requests=n_requests)


def _largest(before: Simulated, after: Simulated) -> float:
    return max(map(cliffs_delta, before.responses, after.responses))
