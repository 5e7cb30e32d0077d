"""Predict every version of the store under every load, and compare with what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu

from buto.architecture.deviations import ALPHA, cliffs_delta
from buto.architecture.prediction.model import Prediction
from buto.architecture.prediction.predict import predict
from buto.architecture.results.model import ComponentResult
from buto.architecture.results.reading import read_results
from buto.errors import BadFileError
from buto.experiments.architecture.outcomes import Judged
from buto.experiments.architecture.recorded.comparison import Change, Evaluation, Number
from buto.experiments.architecture.recorded.index import Index, Load, Version
from buto.experiments.architecture.recorded.learned import CORES, learn_model
from buto.experiments.architecture.recorded.measured import Measured, read_measured
from buto.runs import FloatArray

Tests = Literal["jmh", "junit"]
Runs = Mapping[tuple[str, str], Sequence[Measured]]


def evaluate(directory: Path, index: Index, tests: Tests) -> Evaluation:
    """Compare predictions with measurements.

    Args:
        directory: the recording.
        tests: which component tests the predictions are made from. JUnit has none of the unchanged versions.

    Raises:
        BadFileError: the old version was not measured, or a file is damaged.
    """
    runs = _runs(directory)
    learned = runs.get((index.old, index.fixed), ())
    model = learn_model(sorted((directory / "traces").glob("*.json")), learned, index.measured_s)
    old_tests = _tests(directory, index.old, tests)
    if not old_tests:
        raise BadFileError(
            f"{directory} has no results of {tests} of the old version",
            advice="python -m beds.store generate DIRECTORY",
        )
    changed, unchanged, changes = list[Judged](), list[Judged](), list[Change]()
    numbers, lacking = list[Number](), list[str]()
    for load in index.loads:
        under_load = model.with_rates(load.rates)
        before = runs.get((index.old, load.name), ())
        if before and load.name != index.fixed:
            numbers += _numbers(predict(under_load, (), (), loads=()), index.old, load, before)
        for version in index.changed:
            after = runs.get((version.name, load.name), ())
            new_tests = _tests(directory, version.name, tests)
            if not before or not after or not new_tests:
                lacking.append(f"{version.name} {load.name}")
                continue
            found = predict(under_load, old_tests, new_tests, loads=())
            by_endpoint = list(_changes(found, version, load, before, after))
            largest = max((one.measured_delta for one in by_endpoint if one.significant), default=0.0)
            changed.append(_judged(version, load, max(largest, 0.0), found))
            changes += by_endpoint
            numbers += _numbers(found, version.name, load, after)
    fixed = index.load(index.fixed)
    for version in index.unchanged:
        new_tests = _tests(directory, version.name, tests)
        if new_tests:
            found = predict(model.with_rates(fixed.rates), old_tests, new_tests, loads=())
            unchanged.append(_judged(version, fixed, 0.0, found))
        elif tests == "jmh":
            lacking.append(version.name)
    return Evaluation(tuple(changed), tuple(unchanged), tuple(changes), tuple(numbers), tuple(lacking))


def _runs(directory: Path) -> Runs:
    found: dict[tuple[str, str], list[Measured]] = {}
    for path in sorted((directory / "runs").glob("*.json")):
        one = read_measured(path)
        found.setdefault((one.version, one.load), []).append(one)
    return found


def _tests(directory: Path, version: str, tests: Tests) -> tuple[ComponentResult, ...]:
    pattern = f"{version}.json" if tests == "jmh" else f"{version}-[0-9].xml"
    paths = sorted((directory / tests).glob(pattern))
    return read_results(paths) if paths else ()


def _judged(version: Version, load: Load, truth: float, found: Prediction) -> Judged:
    predicted = float(np.nanmax([one.delta for one in found.endpoints]))
    return Judged(version.component, version.slower, load.name, truth, predicted, found.status)


def _changes(
    found: Prediction, version: Version, load: Load, before: Sequence[Measured], after: Sequence[Measured]
) -> Iterator[Change]:
    for endpoint in found.endpoints:
        old, new = _pooled(before, endpoint.name), _pooled(after, endpoint.name)
        yield Change(
            version.name,
            load.name,
            endpoint.name,
            float(new.mean() / old.mean() - 1),
            endpoint.new_s / endpoint.old_s - 1,
            cliffs_delta(old, new),
            bool(mannwhitneyu(new, old).pvalue <= ALPHA),
            endpoint.delta,
            endpoint.delta_interval,
            endpoint.status,
        )


def _pooled(runs: Sequence[Measured], endpoint: str) -> FloatArray:
    return np.concatenate([np.asarray(run.responses_s.get(endpoint, ())) for run in runs])


def _numbers(found: Prediction, version: str, load: Load, runs: Sequence[Measured]) -> Iterator[Number]:
    busy = float(np.mean([sum(run.busy.values()) / run.cores for run in runs]))
    for endpoint in found.endpoints:
        measured_s = float(_pooled(runs, endpoint.name).mean())
        yield Number(version, load.name, endpoint.name, endpoint.new_s, measured_s, busy)
    [cores] = (one for one in found.stations if one.name == CORES)
    yield Number(version, load.name, CORES, cores.new, busy, busy)
