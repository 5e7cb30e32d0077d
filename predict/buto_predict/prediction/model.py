"""The values of a prediction, and the evidence of the component tests that it is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.errors import UsageError
from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto_predict.deviations import ALPHA, NEGLIGIBLE, Deviation, EffectSize, deviation, size_of
from buto_predict.mapping import GraphMapping, How, match
from buto_predict.model import Architecture, Measures
from buto_predict.results.model import ComponentResult, Pair, paired, resolved


@dataclass(frozen=True, slots=True)
class ComponentTest:
    """One component test, old against new.

    Attributes:
        component: the component that it tests; None if no component of the model could be found.
        how: why it is believed to test that one; None without a component.
        replicate: the name of one measurement: fork, run.
    """

    name: str
    component: str | None
    how: How | None
    replicate: str
    deviation: Deviation


@dataclass(frozen=True, eq=False)
class ComponentEvidence:
    """The evidence of all tests of one component.

    Attributes:
        component: its position in the old model.
        old, new: times of the replicates as shares of their test's old mean, shapes (n,) and (m,).
        deviation: of these; significant also if a single test is, by its share of alpha.
    """

    component: int
    tests: tuple[str, ...]
    measures: Measures
    replicate: str
    old: FloatArray
    new: FloatArray
    deviation: Deviation

    @property
    def resamples(self) -> bool:
        """Whether the scatter of the replicates is known."""
        return min(len(self.old), len(self.new)) >= 2


@dataclass(frozen=True, eq=False)
class TestEvidence:
    """The evidence of all component tests.

    Attributes:
        tests: every test of both sides, also those without a component, and those that one side lacks.
        components: those with tests on both sides.
        pairs: the results of each test.
    """

    tests: tuple[ComponentTest, ...]
    components: tuple[ComponentEvidence, ...]
    pairs: tuple[Pair, ...]


def gather(
    architecture: Architecture,
    old: Sequence[ComponentResult],
    new: Sequence[ComponentResult],
    alpha: float = ALPHA,
) -> TestEvidence:
    """Combine the results of both sides.

    Raises:
        UsageError: a component is tested both with and without what it calls, so the times contradict.
    """
    pairs = paired(*resolved(old, new))
    olds = {pair.name: pair.old for pair in pairs if pair.old is not None}
    news = {pair.name: pair.new for pair in pairs if pair.new is not None}
    matched = match({pair.name: pair.result for pair in pairs}, architecture)
    empty = np.zeros(0)
    tests, groups, deviations = [], dict[str, list[str]](), dict[str, Deviation]()
    for pair in pairs:
        name = pair.name
        times = [side[name].times_s if name in side else empty for side in (olds, news)]
        test_match = matched.get(name)
        component, how = (
            (None, None) if test_match is None else (test_match.benchmark.component, test_match.how)
        )
        deviations[name] = deviation(times[0], times[1], alpha)
        tests.append(ComponentTest(name, component, how, pair.result.replicate, deviations[name]))
        if component is not None and all(len(side) for side in times):
            groups.setdefault(component, []).append(name)
    components = []
    for component, group in groups.items():
        measures = {(olds[name].measures or matched[name].benchmark.measures) for name in group}
        if len(measures) > 1:
            raise UsageError(
                f"the tests of {component!r} must all measure its inclusive or all its self time, got both: "
                + ", ".join(group),
                advice="leave out the tests of one kind",
            )
        means = [olds[name].times_s.mean() for name in group]
        pooled = [
            np.concatenate([side[name].times_s / mean for name, mean in zip(group, means, strict=True)])
            for side in (olds, news)
        ]
        components.append(
            ComponentEvidence(
                architecture.component_index[component],
                tuple(group),
                measures.pop(),
                olds[group[0]].replicate,
                pooled[0],
                pooled[1],
                _combine(pooled[0], pooled[1], [deviations[name] for name in group], alpha),
            )
        )
    return TestEvidence(tuple(tests), tuple(components), pairs)


def _combine(old: FloatArray, new: FloatArray, tests: Sequence[Deviation], alpha: float) -> Deviation:
    """Return the deviation of all tests of a component together, without losing a change of one of them."""
    if len(tests) == 1:
        # Exact p-values take time, and shares of the old mean have the same one.
        return replace(tests[0], old_s=float(old.mean()), new_s=float(new.mean()))
    together = deviation(old, new, alpha)
    single = any(test.at(alpha / len(tests)).significant for test in tests)
    return replace(together, significant=together.significant or single)


@dataclass(frozen=True, slots=True)
class PredictionSettings:
    """How a prediction is made and judged.

    Attributes:
        alpha: of the tests of components; intervals hold 1 - alpha.
        negligible: a Cliff's delta of response times of at least this is a regression.
        n_replicates: of the bootstrap.
        seed: of the bootstrap and the simulations.
    """

    alpha: float = ALPHA
    negligible: float = NEGLIGIBLE
    n_replicates: int = 1000
    seed: int = 4


Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class EndpointPrediction:
    """One endpoint under one load.

    Attributes:
        rate: arrivals in 1/s.
        old_s, new_s: mean response times in seconds, infinite where a station is saturated.
        new_interval_s: of the new one, given the old.
        old_p95_s, new_p95_s: 95th percentiles, NaN where a station is saturated.
        old_throughput, new_throughput: completed requests in 1/s, at most.
        delta: Cliff's delta of single response times, positive if the new ones are longer.
        reasons: why the status is what it is, in words.
    """

    name: str
    rate: float
    old_s: float
    new_s: float
    new_interval_s: Interval
    old_p95_s: float
    new_p95_s: float
    old_throughput: float
    new_throughput: float
    delta: float
    delta_interval: Interval
    status: Status
    reasons: tuple[str, ...] = ()

    @property
    def size(self) -> EffectSize:
        return size_of(self.delta)


@dataclass(frozen=True, slots=True)
class StationPrediction:
    """One station under one load.

    Attributes:
        old, new: busy share of its servers; from 1 on, it is saturated.
        old_demand_s, new_demand_s: mean demand of a request over all endpoints.
    """

    name: str
    old: float
    new: float
    new_interval: Interval
    old_demand_s: float
    new_demand_s: float

    @property
    def saturated(self) -> bool:
        """Whether the new version's load exceeds its capacity."""
        return self.new >= 1


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Response times at one load of the grid.

    Attributes:
        load: requests of all endpoints in 1/s.
        old_s, new_s, low_s, high_s: by endpoint; the last two are the interval of the new one.
        delta: by endpoint; NaN where a station is saturated.
    """

    load: float
    old_s: tuple[float, ...]
    new_s: tuple[float, ...]
    low_s: tuple[float, ...]
    high_s: tuple[float, ...]
    delta: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Loads of all endpoints together, in 1/s, that matter for one endpoint; None where there is none.

    Attributes:
        matters_from: the lowest load of the grid's range from which the change is not negligible.
        old_knee, new_knee: where the response takes twice as long as without load.
    """

    endpoint: str
    matters_from: float | None
    old_knee: float | None
    new_knee: float | None


@dataclass(frozen=True, slots=True)
class Mending:
    """The gain from undoing the change of one component.

    Attributes:
        gain_s: by how much the mean response of all requests becomes shorter; infinite if it ends a
            saturation, 0 if that remains.
        mended_s: that mean response; infinite if a saturation remains.
        self_change_s: change of the component's self time, the interval beside it.
    """

    component: str
    gain_s: float
    mended_s: float
    self_change_s: float
    self_interval_s: Interval


@dataclass(frozen=True, slots=True)
class MoreNeeded:
    """The measurements that would decide an inconclusive endpoint.

    Attributes:
        count: how many more of each, on both sides; None if no number would be enough.
    """

    endpoint: str
    tests: tuple[str, ...]
    replicate: str
    count: int | None


@dataclass(frozen=True)
class Prediction:
    """A whole prediction.

    Attributes:
        architecture, new_architecture: the models, under the judged load.
        self_changes_s: by component of the old model, in seconds.
        exact: whether mean response times come from exact closed forms, else from simulation.
        curve: in order of the load.
        saturation_old, saturation_new: load of all endpoints in 1/s that saturates the first station.
        coverage: share of each endpoint's old demand whose components have tests on both sides.
    """

    architecture: Architecture
    new_architecture: Architecture | None
    settings: PredictionSettings
    status: Status
    endpoints: tuple[EndpointPrediction, ...]
    stations: tuple[StationPrediction, ...]
    evidence: TestEvidence
    self_changes_s: tuple[float, ...]
    exact: bool
    curve: tuple[CurvePoint, ...]
    limits: tuple[Limits, ...]
    saturation_old: float
    saturation_new: float
    bottleneck: str
    mending: tuple[Mending, ...]
    needed: tuple[MoreNeeded, ...]
    coverage: tuple[float, ...]
    mapping: GraphMapping | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def doubted(self, reasons: tuple[str, ...], warnings: tuple[str, ...]) -> Prediction:
        """Return the same prediction with further warnings, and reasons for which it is no pass."""
        return replace(
            self,
            status=Status.INCONCLUSIVE if reasons and self.status is Status.PASS else self.status,
            reasons=(*reasons, *self.reasons),
            warnings=(*warnings, *self.warnings),
        )

    @property
    def load(self) -> float:
        return sum(endpoint.rate for endpoint in self.endpoints)

    @property
    def unmapped(self) -> tuple[str, ...]:
        return tuple(test.name for test in self.evidence.tests if test.component is None)
