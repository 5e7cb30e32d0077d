"""Results that were recorded: runs that buto stored, and traces of component tests."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path

import numpy as np

from buto.errors import BadFileError, JudgeError
from buto.run.model import BAD_ENDS, Run, RunSet
from buto.run.names import decode_test
from buto.run.store import RunStore
from buto.run.units import format_count
from buto.steps import Action, Advice, Step
from buto_predict.model import Measures
from buto_predict.results.model import ComponentResult
from buto_predict.traces.files import read_traces
from buto_predict.traces.summary import summarize

CPU_TIME = "jvm.cpu.time"


MOST_CUT = 0.05
"""Share of incomplete traces with which the others are still those of the whole test."""


def read_runs(directory: Path) -> tuple[ComponentResult, ...]:
    """Return the processor time of each valid run of a test, and how many of its programs failed.

    If it was not read in all of them, the result has the durations and is called ``NAME:duration``, so that
    it is not compared with processor times.

    Args:
        directory: of one test in a store, as ``.buto/runs/NAME``.

    Raises:
        BadFileError: it is not such a directory, or has no valid runs.
    """
    stored = _runs(directory)
    runs = _valid(stored, directory)
    name, times = runs[0].test, [_cpu_s(run) for run in runs]
    if not all(math.isfinite(one) for one in times):
        name, times = f"{name}:duration", [run.outcome.duration_s for run in runs]
    known = np.array([one for one in times if one > 0], dtype=np.float64)
    return (ComponentResult(name, known, "run", failed=sum(map(_failed, stored.runs))),)


def busy_processors(directory: Path) -> float:
    """Return the mean number of busy processors, between the first and the last sample of each valid run.

    Raises:
        BadFileError: it is not a directory of a test's runs, or no valid run has the processor time.
    """
    shares = [_busy(run) for run in _valid(_runs(directory), directory)]
    known = [one for one in shares if math.isfinite(one)]
    if not known:
        raise BadFileError(f"no run in {directory} has {CPU_TIME} at its beginning and its end")
    return sum(known) / len(known)


def _runs(directory: Path) -> RunSet:
    test = decode_test(directory.name)
    root = directory.resolve().parent.parent
    if test is None or directory.resolve().parent.name != "runs":
        raise BadFileError(
            f"{directory} is not a directory of stored runs", advice="name one like .buto/runs/NAME"
        )
    return RunStore(root).load_set(test)


def _valid(runs: RunSet, directory: Path) -> tuple[Run, ...]:
    valid = runs.valid().runs
    if not valid:
        advice = Advice(Step(Action.LIST_RUNS, decode_test(directory.name) or directory.name))
        raise BadFileError(f"{directory} has no valid runs", advice=advice)
    return valid


def _failed(run: Run) -> bool:
    return any(problem.kind in BAD_ENDS for problem in run.quality.problems)


def _cpu_s(run: Run) -> float:
    if CPU_TIME not in run.column_of:
        return math.nan
    spent = run.series(CPU_TIME)
    read = spent[np.isfinite(spent)]
    return float(read[-1]) if len(read) else math.nan


def _busy(run: Run) -> float:
    if CPU_TIME not in run.column_of or run.n_samples < 2:
        return math.nan
    spent = run.series(CPU_TIME)
    return float((spent[-1] - spent[0]) / (run.times_s[-1] - run.times_s[0]))


def read_traced(path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each component, with one replicate: the file is one run of the tests.

    Raises:
        BadFileError: it has no spans.
        JudgeError: no trace in it is complete, or too many are not.
    """
    spans = read_traces([path])
    first = next(spans, None)
    if first is None:
        raise BadFileError(
            f"{path} must be JSON of JMH or traces, and has neither benchmarks nor spans",
            advice="java -jar benchmarks.jar -rf json -rff result.json",
        )
    summary = summarize(chain([first], spans))
    total = summary.cut + summary.requests
    if summary.cut > MOST_CUT * total:
        raise JudgeError(
            f"{path}: {summary.cut} of {format_count(total, 'trace')} are cut or cyclic, so the times of the "
            "others are not those of the tests",
            advice="record it again, and let the tests end before the traces are copied",
        )
    return tuple(
        ComponentResult(
            component, np.array([moments.mean]), "run", Measures.SELF, tuple(summary.calls_of(component))
        )
        for component, moments in summary.self_s.items()
        if moments.mean > 0
    )
