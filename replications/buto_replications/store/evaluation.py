"""Versions of the recorded store, predicted from component tests, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu

from buto.errors import BadFileError
from buto.run.model import FloatArray
from buto_predict.deviations import ALPHA, cliffs_delta
from buto_predict.model import Architecture
from buto_predict.prediction.model import Prediction
from buto_predict.prediction.predict import predict
from buto_predict.results.files import read_results
from buto_predict.results.model import ComponentResult
from buto_predict.traces.files import read_traces
from buto_predict.traces.learning import KnownFacts, learn
from buto_predict.traces.summary import summarize
from buto_replications.store.measured import (
    MeasuredChange,
    MeasuredRun,
    PredictedNumber,
    RecordingEvaluation,
    joined,
    read_measured,
)
from buto_replications.store.near import over_runs
from buto_replications.store.recorded import RecordedLoad, RecordingIndex, Version
from buto_replications.store.simulated import JudgedVersion

CORES = "cores"
"""The station that all processes share."""


def learn_model(traces: Sequence[Path], runs: Sequence[MeasuredRun], measured_s: float) -> Architecture:
    """Return the model.

    Args:
        traces: of the old version under the fixed load.
        runs: measured at the same time.
        measured_s: how long requests were measured in each run.

    Raises:
        BadFileError: there are no traces or no runs.
    """
    if not traces or not runs:
        raise BadFileError(
            "a model needs traces and runs of the old version under the fixed load",
            advice="python -m beds.store generate DIRECTORY",
        )
    processes = sorted(runs[0].busy)
    requests = np.mean([sum(map(len, run.responses_s.values())) for run in runs])
    known = KnownFacts(
        {CORES: runs[0].cores},
        {process: float(np.mean([run.busy[process] for run in runs])) for process in processes},
        float(requests) / measured_s,
        {CORES: tuple(processes)},
    )
    return learn(summarize(read_traces(traces)), "store", known)


Tests = Literal["jmh", "junit"]
Runs = Mapping[tuple[str, str], Sequence[MeasuredRun]]


@dataclass(frozen=True, eq=False, slots=True)
class _Recording:
    """What predictions are made from, and what they are compared with."""

    directory: Path
    index: RecordingIndex
    tests: Tests
    runs: Runs
    model: Architecture
    old_tests: tuple[ComponentResult, ...]

    def measured(self, version: str, load: RecordedLoad) -> Sequence[MeasuredRun]:
        return self.runs.get((version, load.name), ())

    def predicted(self, load: RecordedLoad, new_tests: Sequence[ComponentResult]) -> Prediction:
        return predict(self.model.with_rates(load.rates), self.old_tests, new_tests, loads=())


def evaluate(directory: Path, index: RecordingIndex, tests: Tests) -> RecordingEvaluation:
    """Compare predictions with measurements.

    Args:
        directory: the recording.
        tests: which component tests the predictions are made from. JUnit has none of the unchanged versions.

    Raises:
        BadFileError: the old version was not measured, or a file is damaged.
    """
    recording = _recording(directory, index, tests)
    return joined(_one_load(recording, load) for load in index.loads)


def _recording(directory: Path, index: RecordingIndex, tests: Tests) -> _Recording:
    runs = _runs(directory)
    learned = runs.get((index.old, index.fixed), ())
    model = learn_model(sorted((directory / "traces").glob("*.json")), learned, index.measured_s)
    old_tests = component_tests(directory, index.old, tests)
    if not old_tests:
        raise BadFileError(
            f"{directory} has no results of {tests} of the old version",
            advice="python -m beds.store generate DIRECTORY",
        )
    return _Recording(directory, index, tests, runs, model, old_tests)


def _one_load(recording: _Recording, load: RecordedLoad) -> RecordingEvaluation:
    changed = (_find_changed(recording, load, version) for version in recording.index.changed)
    unchanged = (_find_unchanged(recording, load, version) for version in recording.index.unchanged)
    return joined((_old_version(recording, load), *changed, *unchanged))


def _old_version(recording: _Recording, load: RecordedLoad) -> RecordingEvaluation:
    """Return the numbers of the old version; none under the load that the model was learned from."""
    old = recording.index.old
    runs = recording.measured(old, load)
    if not runs or load.name == recording.index.fixed:
        return RecordingEvaluation()
    prediction = predict(recording.model.with_rates(load.rates), (), (), loads=())
    return RecordingEvaluation(numbers=tuple(_numbers(prediction, old, load, runs)))


def _find_changed(recording: _Recording, load: RecordedLoad, version: Version) -> RecordingEvaluation:
    """Judge a version that was made to be noticed. Whether its change matters is known from measurements."""
    before = recording.measured(recording.index.old, load)
    after = recording.measured(version.name, load)
    new_tests = component_tests(recording.directory, version.name, recording.tests)
    if not before or not after or not new_tests:
        return RecordingEvaluation(lacking=(f"{version.name} {load.name}",))
    prediction = recording.predicted(load, new_tests)
    changes = tuple(_changes(prediction, version, load, before, after))
    largest = max((change.measured_delta for change in changes if change.significant), default=0.0)
    return RecordingEvaluation(
        changed=(_judge(version, load, max(largest, 0.0), prediction),),
        changes=changes,
        numbers=tuple(_numbers(prediction, version.name, load, after)),
    )


def _find_unchanged(recording: _Recording, load: RecordedLoad, version: Version) -> RecordingEvaluation:
    """Judge a version that is as good as the old one. It is measured under the fixed load alone."""
    before = recording.measured(recording.index.old, load)
    after = recording.measured(version.name, load)
    new_tests = component_tests(recording.directory, version.name, recording.tests)
    if not new_tests:
        return RecordingEvaluation(
            lacking=(f"{version.name} {load.name}",) if recording.tests == "jmh" else ()
        )
    prediction = recording.predicted(load, new_tests)
    return RecordingEvaluation(
        unchanged=(_judge(version, load, 0.0, prediction),),
        changes=tuple(_changes(prediction, version, load, before, after)) if before and after else (),
        numbers=tuple(_numbers(prediction, version.name, load, after)) if after else (),
    )


def _runs(directory: Path) -> Runs:
    runs: dict[tuple[str, str], list[MeasuredRun]] = {}
    for path in sorted((directory / "runs").glob("*.json")):
        run = read_measured(path)
        runs.setdefault((run.version, run.load), []).append(run)
    return runs


def component_tests(directory: Path, version: str, tests: Tests) -> tuple[ComponentResult, ...]:
    """Return the results of a version's component tests; none if it has none."""
    pattern = f"{version}.json" if tests == "jmh" else f"{version}-[0-9].xml"
    paths = sorted((directory / tests).glob(pattern))
    return read_results(paths) if paths else ()


def _judge(version: Version, load: RecordedLoad, truth: float, prediction: Prediction) -> JudgedVersion:
    known = [endpoint.delta for endpoint in prediction.endpoints if not isnan(endpoint.delta)]
    return JudgedVersion(
        version=version.name,
        location=version.component,
        intensity=version.slower,
        load=load.name,
        truth=truth,
        predicted=max(known, default=nan),
        status=prediction.status,
    )


def _changes(
    prediction: Prediction,
    version: Version,
    load: RecordedLoad,
    before: Sequence[MeasuredRun],
    after: Sequence[MeasuredRun],
) -> Iterator[MeasuredChange]:
    for endpoint in prediction.endpoints:
        old, new = _pool(before, endpoint.name), _pool(after, endpoint.name)
        runs = ([_times(run, endpoint.name) for run in some] for some in (before, after))
        yield MeasuredChange(
            version=version.name,
            load=load.name,
            endpoint=endpoint.name,
            measured=float(new.mean() / old.mean() - 1),
            predicted=endpoint.new_s / endpoint.old_s - 1,
            measured_delta=cliffs_delta(old, new),
            significant=bool(mannwhitneyu(new, old).pvalue <= ALPHA),
            over_runs=over_runs(*runs),
            predicted_delta=endpoint.delta,
            interval=endpoint.delta_interval,
            status=endpoint.status,
        )


def _pool(runs: Sequence[MeasuredRun], endpoint: str) -> FloatArray:
    return np.concatenate([_times(run, endpoint) for run in runs])


def _times(run: MeasuredRun, endpoint: str) -> FloatArray:
    return np.asarray(run.responses_s.get(endpoint, ()), dtype=float)


def _numbers(
    prediction: Prediction, version: str, load: RecordedLoad, runs: Sequence[MeasuredRun]
) -> Iterator[PredictedNumber]:
    busy = float(np.mean([sum(run.busy.values()) / run.cores for run in runs]))
    for endpoint in prediction.endpoints:
        measured_s = float(_pool(runs, endpoint.name).mean())
        yield PredictedNumber(version, load.name, endpoint.name, endpoint.new_s, measured_s, busy)
    [cores] = (station for station in prediction.stations if station.name == CORES)
    yield PredictedNumber(version, load.name, CORES, cores.new, busy, busy)
