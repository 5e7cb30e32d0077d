"""What was predicted of each version and load, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu

from beds.artefacts import BedError
from beds.store.loads import FIXED, LOADS, MEASURED_S, Load
from beds.store.measured import Measured, read_measured
from beds.store.model import CORES, learn_model
from beds.store.versions import CHANGED, OLD, UNCHANGED, Version
from buto.architecture.deviations import ALPHA, NEGLIGIBLE, cliffs_delta
from buto.architecture.model import Architecture
from buto.architecture.prediction.model import Prediction
from buto.architecture.prediction.predict import predict
from buto.architecture.results.model import ComponentResult
from buto.architecture.results.reading import read_results
from buto.experiments.architecture.store import Judged
from buto.runs import FloatArray

Tests = Literal["jmh", "junit"]
Runs = Mapping[tuple[str, str], Sequence[Measured]]


@dataclass(frozen=True, slots=True)
class Number:
    """A predicted mean response time in seconds, or busy share of the cores, beside the measured one.

    Attributes:
        what: the endpoint, or ``cores``.
        utilisation: the measured busy share of the cores.
    """

    version: str
    load: str
    what: str
    predicted: float
    measured: float
    utilisation: float

    @property
    def error(self) -> float:
        """As a share of the measured number."""
        return self.predicted / self.measured - 1


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The comparison of one data set.

    Attributes:
        changed: the nine versions under each load, as far as they were measured.
        unchanged: the others; their truth is how they were made.
        numbers: of all runs but those that the model was learned from.
        lacking: versions and loads without measurements.
    """

    changed: tuple[Judged, ...]
    unchanged: tuple[Judged, ...]
    numbers: tuple[Number, ...]
    lacking: tuple[str, ...]


def evaluate(directory: Path, tests: Tests) -> Evaluation:
    """Predict every version under every load, and compare.

    Args:
        directory: what ``generate`` wrote.
        tests: which component tests the predictions are made from.

    Raises:
        BedError: the old version was not measured.
    """
    runs = _runs(directory)
    learned = runs.get((OLD.name, FIXED.name), ())
    model = learn_model(sorted((directory / "traces").glob("*.json")), learned, MEASURED_S)
    old_tests = _tests(directory, OLD, tests)
    if not old_tests:
        raise BedError(f"{directory} has no results of {tests} of the old version")
    changed, unchanged = list[Judged](), list[Judged]()
    numbers, lacking = list[Number](), list[str]()
    for load in LOADS.values():
        under_load = model.with_rates(load.rates)
        before = runs.get((OLD.name, load.name), ())
        if before:
            numbers += _numbers_of_old(under_load, load, before)
        for version in CHANGED:
            after, new_tests = runs.get((version.name, load.name), ()), _tests(directory, version, tests)
            if not before or not after or not new_tests:
                lacking.append(f"{version.name} {load.name}")
                continue
            found = predict(under_load, old_tests, new_tests, loads=())
            changed.append(_judged(version, load, _largest(before, after), found))
            numbers += _numbers(found, version, load, after)
    for version in UNCHANGED:
        new_tests = _tests(directory, version, tests)
        if new_tests:
            found = predict(model.with_rates(FIXED.rates), old_tests, new_tests, loads=())
            unchanged.append(_judged(version, FIXED, 0.0, found))
        elif tests == "jmh":
            lacking.append(version.name)
    return Evaluation(tuple(changed), tuple(unchanged), tuple(numbers), tuple(lacking))


def _runs(directory: Path) -> Runs:
    found: dict[tuple[str, str], list[Measured]] = {}
    for path in sorted((directory / "runs").glob("*.json")):
        one = read_measured(path)
        found.setdefault((one.version, one.load), []).append(one)
    return found


def _tests(directory: Path, version: Version, tests: Tests) -> tuple[ComponentResult, ...]:
    pattern = f"{version.name}.json" if tests == "jmh" else f"{version.name}-[0-9].xml"
    paths = sorted((directory / tests).glob(pattern))
    return read_results(paths) if paths else ()


def _judged(version: Version, load: Load, truth: float, found: Prediction) -> Judged:
    predicted = float(np.nanmax([one.delta for one in found.endpoints]))
    return Judged(version.component, version.slower, load.name, truth, predicted, found.status)


def _largest(before: Sequence[Measured], after: Sequence[Measured]) -> float:
    """Return the largest measured Cliff's delta of an endpoint that differs significantly, or 0."""
    return max((_delta(_pooled(before, name), _pooled(after, name)) for name in FIXED.rates), default=0.0)


def _delta(old: FloatArray, new: FloatArray) -> float:
    differs = mannwhitneyu(new, old).pvalue <= ALPHA
    return cliffs_delta(old, new) if differs else 0.0


def _pooled(runs: Sequence[Measured], endpoint: str) -> FloatArray:
    return np.concatenate([np.asarray(run.responses_s.get(endpoint, ())) for run in runs])


def _numbers_of_old(model: Architecture, load: Load, before: Sequence[Measured]) -> Iterator[Number]:
    if load.name != FIXED.name:
        found = predict(model, (), (), loads=())
        yield from _numbers(found, OLD, load, before)


def _numbers(found: Prediction, version: Version, load: Load, runs: Sequence[Measured]) -> Iterator[Number]:
    busy = float(np.mean([sum(run.busy.values()) / run.cores for run in runs]))
    for endpoint in found.endpoints:
        measured_s = float(_pooled(runs, endpoint.name).mean())
        yield Number(version.name, load.name, endpoint.name, endpoint.new_s, measured_s, busy)
    [cores] = (one for one in found.stations if one.name == CORES)
    yield Number(version.name, load.name, CORES, cores.new, busy, busy)


def agrees(one: Judged) -> bool:
    """Return whether the predicted delta alone is on the right side, as the paper counts."""
    return (one.predicted >= NEGLIGIBLE) == (one.truth >= NEGLIGIBLE)
