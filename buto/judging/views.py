"""The views of a detector that has learned: bands, and runs as they are judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from buto.judging.classifiers import EmitterBands
from buto.judging.features import series_of
from buto.judging.verdict import Finding
from buto.run.model import FloatArray, Run
from buto.run.properties import Property
from buto.run.thinning import thin

OF_BAND = "of its band"


class Band(Struct, frozen=True, eq=False):
    """The band of one property; arrays of shape (n,), NaN where nothing is expected.

    Attributes:
        times_s: increasing, seconds from the program's start.
        lower, upper: the limits, both inside; infinite where there is none on that side.
        expected: the centre.
    """

    times_s: FloatArray
    lower: FloatArray
    expected: FloatArray
    upper: FloatArray


class Smoothing(Struct, frozen=True):
    """How the curves of a view are smoothed.

    Attributes:
        average: ``mean`` or ``median``.
        window: samples.
    """

    average: str
    window: int


class ClusterView(Struct, frozen=True, eq=False):
    """Properties that rise and fall together, and how well one of them is predicted.

    Attributes:
        target: the property that is predicted.
        per_second: whether its rate or growth is predicted, not its value.
        names: of the properties that differ most, the target's first.
        n_members: how many properties the cluster has.
        misjudged: places of ``names`` that the models misjudge.
        known, checked: predicted and measured values of the target in training and checked runs, shape
            (n, 2).
    """

    target: Property
    per_second: bool
    names: tuple[str, ...]
    n_members: int
    misjudged: frozenset[int]
    known: FloatArray
    checked: FloatArray


class View(ABC):
    """What a detector shows; reports only draw it.

    Attributes:
        properties: the judged properties; the columns of all arrays.
        reach_of: what a reach is a share of, as a text after the percentage.
        left_out: properties that are not judged, each with the reason.
        emitters: the notifications that are expected, with their times.
        smoothing: how curves are smoothed; None if they are not.
        bands_decide: whether a value outside its band counts; if not, bands only illustrate.
    """

    properties: Sequence[Property] = ()
    reach_of: str = ""
    left_out: Mapping[str, str] = {}
    emitters: tuple[EmitterBands, ...] = ()
    smoothing: Smoothing | None = None
    bands_decide: bool = True

    @abstractmethod
    def band(self, column: int) -> Band | None:
        """Return what is expected of one property over time; None if the detector has no band over time."""

    @abstractmethod
    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        """Return a run as it is judged: times, shape (n,), and values, shape (n, n_properties)."""

    @abstractmethod
    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return how far the runs together are on their way to a finding, shape (n_properties,), or NaN.

        0 is as expected, more than 1 is a finding.
        """

    def clusters(self, runs: Sequence[Run], findings: Sequence[Finding]) -> tuple[ClusterView, ...]:
        """Return the clusters of these findings, if the detector has clusters."""
        return ()


class RunsView(View):
    """The runs as they were recorded, without bands: for a detector that draws nothing of its own.

    Args:
        wanted: which properties; None for all.
    """

    def __init__(self, runs: Sequence[Run], wanted: Callable[[Property], bool] | None = None) -> None:
        known = {prop.name: prop for run in runs for prop in run.properties}.values()
        self.properties = tuple(known if wanted is None else filter(wanted, known))

    def band(self, column: int) -> Band | None:
        return None

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        series = series_of(thin(run), self.properties)
        return series.times_s, series.values

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        return np.full(len(self.properties), np.nan)
