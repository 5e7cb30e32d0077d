"""Bounds of the thesis for thousands of fits: all properties at once, in place of filterpy's one at a time.

:mod:`buto.judging.thesis.filters` describes the algorithms. Particles have the same bits here and there; the
Kalman filter differs by rounding.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from msgspec import structs

from buto.judging.features import Series, sampling_interval, series_of
from buto.judging.thesis.bounds import (
    Bounds,
    BoundsAlgorithm,
    BoundsFunction,
    BoundsSettings,
    bands,
    clip,
    measure_state,
)
from buto.judging.thesis.filters import ALGORITHMS as PRODUCT
from buto.judging.thesis.filters import gain_of, move, particle_bounds_by, process_variance, simple_bounds
from buto.judging.thesis.pipeline import MATCHERS, PipelineSettings, beyond
from buto.judging.thesis.time_points import GENERATORS, TimePoints, smooth
from buto.run.model import BoolArray, FloatArray, IntArray, Run
from buto.run.properties import METRICS, Property, is_judged, split_name
from buto_replications.thesis.grids import FAIL, JVM, Method


def kalman_bounds(
    points: TimePoints, settings: BoundsSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Compute bounds by the textbook's filter."""
    measured = measure_state(points, settings)
    noise = process_variance(points, settings.process_noise or "average-variance")
    state, variance = (np.full(measured.shape[1], np.nan) for _ in range(2))
    centre, std = (np.full(measured.shape, np.nan) for _ in range(2))
    for row, (value, error) in enumerate(zip(measured, points.std**2, strict=True)):
        readable, begins = ~np.isnan(value), np.isnan(state)
        variance = variance + noise
        gain = gain_of(variance, error)
        state = np.where(readable, np.where(begins, value, move(state, value, gain)), state)
        # K R equals (1 - K) P, without cancellation if K is nearly 1.
        variance = np.where(readable, np.where(begins, error, gain * error), variance)
        centre[row, readable] = state[readable]
        std[row, readable] = np.sqrt(variance[readable])
    return bands(points.times_s, centre, std, deviations)


def resampled(particles: FloatArray, shares: FloatArray, generator: np.random.PCG64) -> FloatArray:
    """Return as many particles, each as often as random numbers are in its share of the weights."""
    return sampled_anew(particles, shares, np.sort(np.random.Generator(generator).random(shares.shape[1])))


def sampled_anew(particles: FloatArray, shares: FloatArray, picks: FloatArray) -> FloatArray:
    """Return the particles that increasing numbers in [0, 1) pick, in the particles' order.

    All properties have the same picks, so the shares are searched among the picks and not the reverse: this
    is one search for all properties.
    """
    reached = np.cumsum(shares, axis=1)
    reached[:, -1] = 1.0
    picked = np.searchsorted(picks, reached.ravel()).reshape(reached.shape)
    times = np.diff(picked, axis=1, prepend=0)
    sampled: FloatArray = np.repeat(particles.ravel(), times.ravel()).reshape(particles.shape)
    return sampled


_FAST: dict[str, BoundsFunction] = {
    "kalman": kalman_bounds,
    "particle": functools.partial(particle_bounds_by, resampled),
}

ALGORITHMS: dict[str, BoundsAlgorithm] = {
    name: BoundsAlgorithm(_FAST.get(name, algorithm.make), algorithm.parameters)
    for name, algorithm in PRODUCT.items()
}


UPTIME = "jvm.uptime"
"""Metadata: milliseconds from the JVM's start until metadata was read, which is just before main."""


@dataclass(frozen=True, eq=False, slots=True)
class RunStack:
    """Several runs of the same properties.

    Attributes:
        times_s: shape (n_rows,), seconds from each run's main.
        values: shape (n_rows, n_properties).
        starts: shape (n_runs + 1,), the first row of each run, and the number of rows.
    """

    times_s: FloatArray
    values: FloatArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def run(self, number: int) -> Series:
        rows = slice(self.starts[number], self.starts[number + 1])
        return Series(self.times_s[rows], self.values[rows])

    def some(self, numbers: Sequence[int] | IntArray) -> RunStack:
        """Return only these runs, in this order."""
        return stacked([self.run(number) for number in numbers])

    def later(self, by_s: FloatArray) -> RunStack:
        """Return the same runs with ``by_s``, shape (n_runs,), added to their times."""
        return RunStack(self.times_s + np.repeat(by_s, np.diff(self.starts)), self.values, self.starts)


def stacked(series: Sequence[Series]) -> RunStack:
    """Return runs of the same properties as one stack; there must be at least one."""
    starts = np.concatenate([[0], np.cumsum([len(run_series) for run_series in series])]).astype(np.int64)
    return RunStack(
        np.concatenate([run_series.times_s for run_series in series]),
        np.concatenate([run_series.values for run_series in series]),
        starts,
    )


@dataclass(frozen=True, slots=True)
class BatchSmoothing:
    """The method of smoothing and its window in samples."""

    method: str
    window: int


@dataclass(frozen=True, eq=False, slots=True)
class Variant:
    """The usable runs of one variant.

    Attributes:
        raw: as they were sampled.
        smoothed: by smoothing, the smoothed runs.
        boot_s: shape (n_runs,), seconds from the JVM's start to main; NaN if not known.
    """

    raw: RunStack
    smoothed: Mapping[BatchSmoothing, RunStack]
    boot_s: FloatArray


def prepared(
    runs: Sequence[Run], properties: Sequence[Property], smoothings: Sequence[BatchSmoothing]
) -> Variant:
    """Stack runs and smooth each of them in several ways."""
    series = [series_of(run, properties) for run in runs]
    return Variant(
        stacked(series),
        {
            way: stacked([smooth(run_series, way.method, way.window) for run_series in series])
            for way in smoothings
        },
        np.array([_boot_s(run) for run in runs]),
    )


def judged_properties(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the program's properties of which at least one value could be read, sorted by name."""
    by_name: dict[str, Property] = {}
    for run in runs:
        for column, prop in enumerate(run.properties):
            new = prop.name not in by_name and is_judged(prop)
            if new and np.isfinite(run.values[:, column]).any():
                by_name[prop.name] = prop
    return tuple(by_name[name] for name in sorted(by_name))


def in_thesis(prop: Property) -> bool:
    """Return whether a property is in Table 3.6 or from the program's own MBeans; CPU time is in neither."""
    metric = METRICS.get(split_name(prop.name)[0])
    return metric is None or metric.thesis_name != ""


def _boot_s(run: Run) -> float:
    try:
        return float(run.metadata.get(UPTIME) or "nan") / 1000
    except ValueError:
        return float("nan")


Shares = tuple[float, float | None]
"""Shares of the runs that train and that are judged; see :class:`buto_replications.thesis.grids.Method`."""


@dataclass(frozen=True, eq=False, slots=True)
class VariantDivision:
    """Ordinals of the training runs of one variant, and of the judged runs of several variants."""

    training: IntArray
    test: Mapping[str, IntArray]


@dataclass(frozen=True, eq=False, slots=True)
class Task:
    """Training with one variant in one split, and judging by it.

    Attributes:
        variants: the prepared runs of the training variant and of those it is compared with.
        counted: shape (n_properties,), whether a property counts in the decision by all properties together.
    """

    training: str
    split: int
    seed: int
    properties: tuple[Property, ...]
    counted: BoolArray
    variants: Mapping[str, Variant]
    divisions: Mapping[Shares, VariantDivision]
    methods: tuple[Method, ...]


Accepted = Mapping[str, BoolArray]
"""By variant, shape (n_test_runs, n_properties + 1): whether each property, and all together, accept a
run."""


def smoothing_of(pipeline: PipelineSettings) -> BatchSmoothing:
    return BatchSmoothing(pipeline.smoothing, pipeline.window if pipeline.smoothing != "none" else 1)


def shares_of(method: Method) -> Shares:
    return method.training, method.test


def judged(task: Task) -> dict[Method, Accepted]:
    """Judge the test runs of a task with each of its methods.

    A property accepts a run if all of the run's comparable points lie within the bounds. With
    ``outside_model: fail``, all of its samples must also lie at times that the model covers. A run that is
    too short to be smoothed has no points and is rejected.
    """
    batch = _BatchJudge(task)
    return {method: batch.judge(method) for method in task.methods}


@dataclass(frozen=True, eq=False, slots=True)
class _BatchJudge:
    task: Task
    _stacks: dict[object, RunStack] = field(default_factory=dict)
    _points: dict[object, TimePoints] = field(default_factory=dict)
    _bounds: dict[object, dict[float, Bounds]] = field(default_factory=dict)

    def judge(self, method: Method) -> Accepted:
        bounds = self._bounds_for(method)
        interval_s = self._interval_s(method)
        test = self.task.divisions[shares_of(method)].test
        return {
            name: _accept(self._stack(name, numbers, method), bounds, interval_s, method, self.task.counted)
            for name, numbers in test.items()
        }

    def _interval_s(self, method: Method) -> float:
        raw = self.task.variants[self.task.training].raw
        return sampling_interval([raw.run(number) for number in self._training(method)])

    def _training(self, method: Method) -> IntArray:
        return self.task.divisions[shares_of(method)].training

    def _stack(self, name: str, numbers: IntArray, method: Method) -> RunStack:
        way = smoothing_of(method.pipeline)
        key = name, numbers.tobytes(), way, method.clock
        if key not in self._stacks:
            variant = self.task.variants[name]
            stack = variant.smoothed[way].some(numbers)
            self._stacks[key] = stack.later(variant.boot_s[numbers]) if method.clock == JVM else stack
        return self._stacks[key]

    def _points_for(self, method: Method) -> TimePoints:
        key = smoothing_of(method.pipeline), method.clock, method.training, method.pipeline.time_points
        if key not in self._points:
            stack = self._stack(self.task.training, self._training(method), method)
            series = [stack.run(number) for number in range(len(stack))]
            self._points[key] = GENERATORS[method.pipeline.time_points](series, self._interval_s(method))
        return self._points[key]

    def _bounds_for(self, method: Method) -> Bounds:
        learned = self._training_key(method)
        if learned not in self._bounds:
            deviations = sorted(
                {
                    bounds_method.pipeline.deviations
                    for bounds_method in self.task.methods
                    if self._training_key(bounds_method) == learned
                }
            )
            settings = replace(method.pipeline, seed=self._seed())
            made = bounds_of(self._points_for(method), settings, deviations)
            self._bounds[learned] = {
                number: clip(bounds, self.task.properties)
                for number, bounds in zip(deviations, made, strict=True)
            }
        return self._bounds[learned][method.pipeline.deviations]

    def _training_key(self, method: Method) -> object:
        """Return a key that is equal for methods whose bounds one pass over the same time points gives."""
        pipeline = replace(method.pipeline, deviations=0.0, matching="nearest")
        return pipeline, method.training, method.clock

    def _seed(self) -> int:
        return zlib.crc32(f"{self.task.seed} {self.task.split} {self.task.training}".encode())


def bounds_of(
    points: TimePoints, settings: PipelineSettings, deviations: Sequence[float]
) -> tuple[Bounds, ...]:
    """Return bounds for several deviations, without moving particles for a property that never scatters.

    Every algorithm gives such a property a band of no width around its value at each point
    (``tests/contract``). The simple algorithm computes the same band at no cost.
    """
    algorithm = ALGORITHMS[settings.bounds]
    scatters = np.flatnonzero((np.nan_to_num(points.std) > 0).any(axis=0))
    if settings.bounds != "particle" or len(scatters) == points.std.shape[1]:
        return algorithm.make(points, settings, deviations)
    parts = {name: getattr(points, name)[:, scatters] for name in ("counts", "mean", "median", "std")}
    moved = algorithm.make(structs.replace(points, **parts), settings, deviations)
    merged = []
    for whole, some in zip(simple_bounds(points, settings, deviations), moved, strict=True):
        sides = {name: getattr(whole, name).copy() for name in ("lower", "upper", "expected")}
        for name, side in sides.items():
            side[:, scatters] = getattr(some, name)
        merged.append(structs.replace(whole, **sides))
    return tuple(merged)


def _accept(
    stack: RunStack, bounds: Bounds, interval_s: float, method: Method, counted: BoolArray
) -> BoolArray:
    matched = MATCHERS[method.pipeline.matching](bounds, stack.times_s, interval_s)
    outside = np.nan_to_num(beyond(stack.values, matched.bounds)) != 0
    if method.outside_model == FAIL:
        outside |= ~matched.in_model[:, np.newaxis]
    each = np.ones((len(stack), outside.shape[1]), dtype=bool)
    long_enough = np.flatnonzero(np.diff(stack.starts))
    if len(long_enough):
        each[long_enough] = np.logical_or.reduceat(outside, stack.starts[long_enough], axis=0)
    return ~np.column_stack([each, each[:, counted].any(axis=1)])
