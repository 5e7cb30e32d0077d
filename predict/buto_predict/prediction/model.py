"""The values of a prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from buto.judging.verdict import Status
from buto_predict.deviations import ALPHA, NEGLIGIBLE, Size, size_of
from buto_predict.mapping import GraphMapping
from buto_predict.model import Architecture
from buto_predict.prediction.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Settings:
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
    def size(self) -> Size:
        """The name of delta's size."""
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
        tests: which component tests to repeat.
        replicate: the name of one repetition.
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
        bottleneck: that station, of the new version.
        coverage: share of each endpoint's old demand whose components have tests on both sides.
        reasons: why it is inconclusive.
    """

    architecture: Architecture
    new_architecture: Architecture | None
    settings: Settings
    status: Status
    endpoints: tuple[EndpointPrediction, ...]
    stations: tuple[StationPrediction, ...]
    evidence: Evidence
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
        """Requests of all endpoints in 1/s."""
        return sum(endpoint.rate for endpoint in self.endpoints)

    @property
    def unmapped(self) -> tuple[str, ...]:
        """Component tests without a known component."""
        return tuple(test.name for test in self.evidence.tests if test.component is None)
