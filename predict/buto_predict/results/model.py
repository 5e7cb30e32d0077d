"""Results of component tests, and those of both sides put together, test by test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from buto.errors import BadFileError, JudgeError
from buto.run.model import BAD_ENDS, FloatArray, Run, RunSet
from buto.run.names import decode_test
from buto.run.store import RunStore
from buto.run.units import format_count
from buto.run.window import cut_to_window
from buto.steps import Action, Advice, Step
from buto_predict.model import Measures
from buto_predict.traces.files import read_traces
from buto_predict.traces.summary import summarize

UNRESOLVED_S = 0.25e-3
"""For a time of 0 in a report of whole milliseconds: it was below half of one, a quarter on average."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a component test measured; None where its tool does not know it.

    Attributes:
        threads: how many called at the same time.
    """

    mode: str | None = None
    threads: int | None = None

    def like(self, other: Conditions) -> bool:
        """Return whether times can be compared. Throughput is as good as the mean time, because it is its
        reciprocal.
        """
        modes = ["avgt" if conditions.mode == "thrpt" else conditions.mode for conditions in (self, other)]
        return modes[0] == modes[1] and self.threads == other.threads


@dataclass(frozen=True, eq=False)
class ComponentResult:
    """The times of one component test.

    Attributes:
        name: as its tool reports it, with parameters after a colon.
        times_s: mean time of one call in each replicate, in seconds, shape (n_replicates,).
        replicate: the name of one: fork, run, trace.
        measures: what the times include, if the tool knows it.
        calls: names of the components that it called in the test, if that was traced; else None.
        conditions: results under others are not those of the same test.
        failed: in how many further replicates the test failed.
        jvms: on which it ran: versions with the options that concern the JVM itself, if the tool knows them.
        warming: share of the times that the JVM's compiler took, if that is known.
    """

    name: str
    times_s: FloatArray
    replicate: str
    measures: Measures | None = None
    calls: tuple[str, ...] | None = None
    conditions: Conditions = Conditions()
    failed: int = 0
    jvms: frozenset[str] = frozenset()
    warming: float = 0.0


def merged(results: Iterable[ComponentResult]) -> tuple[ComponentResult, ...]:
    """Return results with those of one name and the same conditions combined, in the order of first
    appearance.
    """
    same: dict[tuple[str, Conditions], list[ComponentResult]] = {}
    for result in results:
        same.setdefault((result.name, result.conditions), []).append(result)
    return tuple(
        replace(
            group[0],
            times_s=np.concatenate([result.times_s for result in group]),
            failed=sum(result.failed for result in group),
            jvms=frozenset().union(*(result.jvms for result in group)),
            warming=max(result.warming for result in group),
        )
        for group in same.values()
    )


def resolved(
    old: Sequence[ComponentResult], new: Sequence[ComponentResult]
) -> tuple[tuple[ComponentResult, ...], tuple[ComponentResult, ...]]:
    """Return both sides with times above 0.

    Tests whose times are all 0 on both sides are left out, because nothing is known of them. If only some
    are 0, none is dropped: the mean of the others would be too large, and a slowdown from 0 would be lost.
    """
    known = {result.name for result in (*old, *new) if (result.times_s > 0).any() or not len(result.times_s)}
    old_side, new_side = (
        tuple(
            replace(result, times_s=np.where(result.times_s > 0, result.times_s, UNRESOLVED_S))
            for result in side
            if result.name in known
        )
        for side in (old, new)
    )
    return old_side, new_side


@dataclass(frozen=True, eq=False)
class Pair:
    """One component test on both sides.

    Attributes:
        name: of the test, with its conditions if others of the same name have different ones.
        old, new: the result of each side, or None.
        other: the result of the other side, if it exists and cannot be compared.
    """

    name: str
    old: ComponentResult | None
    new: ComponentResult | None
    other: ComponentResult | None = None

    @property
    def result(self) -> ComponentResult:
        either = self.old or self.new
        assert either is not None
        return either


def paired(old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> tuple[Pair, ...]:
    """Return the tests of both sides, in the order of first appearance.

    Args:
        old, new: with no name and conditions twice, see :func:`buto_predict.results.model.merged`.
    """
    sides: dict[str, tuple[list[ComponentResult], list[ComponentResult]]] = {}
    for number, results in enumerate((old, new)):
        for result in results:
            sides.setdefault(result.name, ([], []))[number].append(result)
    return tuple(pair for olds, news in sides.values() for pair in _of_one_name(olds, news))


def _of_one_name(olds: Sequence[ComponentResult], news: Sequence[ComponentResult]) -> list[Pair]:
    """Pair results under the same conditions, then those that are alike; the others have no counterpart."""
    left_old, left_new = list(olds), list(news)
    counterparts: list[tuple[ComponentResult, ComponentResult]] = []
    for same in (Conditions.__eq__, Conditions.like):
        for before in tuple(left_old):
            after = next((result for result in left_new if same(before.conditions, result.conditions)), None)
            if after is not None:
                counterparts.append((before, after))
                left_old.remove(before)
                left_new.remove(after)
    lost_old, lost_new = next(iter(left_old), None), next(iter(left_new), None)
    pairs: list[tuple[ComponentResult | None, ComponentResult | None, ComponentResult | None]] = [
        *((before, after, None) for before, after in counterparts),
        *((before, None, lost_new) for before in left_old),
        *((None, after, lost_old) for after in left_new),
    ]
    if len(pairs) == 1:
        return [Pair((olds or news)[0].name, *pairs[0])]
    names = _names([*olds, *news])
    order = list(names)
    pairs.sort(key=lambda pair: order.index(_conditions(pair[0], pair[1])))
    return [Pair(names[_conditions(pair[0], pair[1])], *pair) for pair in pairs]


def _conditions(old: ComponentResult | None, new: ComponentResult | None) -> Conditions:
    either = old or new
    assert either is not None
    return either.conditions


def _names(results: Sequence[ComponentResult]) -> dict[Conditions, str]:
    """Return a name for each of the conditions, which has those that not all results share."""
    modes = {result.conditions.mode for result in results}
    threads = {result.conditions.threads for result in results}
    names = {}
    for result in results:
        parts = [f"mode={result.conditions.mode}"] if len(modes) > 1 else []
        parts += [f"threads={result.conditions.threads}"] if len(threads) > 1 else []
        names[result.conditions] = f"{result.name}{',' if ':' in result.name else ':'}{','.join(parts)}"
    return names


CPU_TIME, COMPILATION = "jvm.cpu.time", "jvm.compilation.time"


MOST_CUT = 0.05
"""Share of incomplete traces with which the others are still those of the whole test."""


def read_runs(directory: Path, ids: Sequence[str] | None = None) -> tuple[ComponentResult, ...]:
    """Return the processor time of each valid run of a test, and how many of its programs failed.

    It is what the program used from ``main`` to its end, or in the measured window: what the JVM used before
    is not the component's. If it was not read in all of them, the result has the durations and is called
    ``NAME:duration``, so that it is not compared with processor times.

    Args:
        directory: of one test in a store, as ``.buto/runs/NAME``.
        ids: of some of its runs; None for all.

    Raises:
        BadFileError: it is not such a directory, or has no valid runs.
    """
    stored = _runs(directory, ids)
    runs = [cut_to_window(run) for run in _valid(stored, directory)]
    name, times = runs[0].test, [_growth(run, CPU_TIME) for run in runs]
    warming = 0.0
    if all(map(math.isfinite, times)):
        compiled = np.nan_to_num([_growth(run, COMPILATION) for run in runs]).sum()
        warming = float(min(compiled / max(sum(times), 1e-9), 1.0))
    else:
        name, times = f"{name}:duration", [run.outcome.duration_s for run in runs]
    known = np.array([time for time in times if time > 0], dtype=np.float64)
    return (ComponentResult(name, known, "run", failed=sum(map(_has_failed, stored.runs)), warming=warming),)


def busy_processors(directory: Path) -> float:
    """Return the mean number of busy processors, between the first and the last sample of each valid run.

    Raises:
        BadFileError: it is not a directory of a test's runs, or no valid run has the processor time.
    """
    shares = [_busy(run) for run in _valid(_runs(directory), directory)]
    known = [share for share in shares if math.isfinite(share)]
    if not known:
        raise BadFileError(f"no run in {directory} has {CPU_TIME} at its beginning and its end")
    return sum(known) / len(known)


def _runs(directory: Path, ids: Sequence[str] | None = None) -> RunSet:
    test = decode_test(directory.name)
    root = directory.resolve().parent.parent
    if test is None or directory.resolve().parent.name != "runs":
        raise BadFileError(
            f"{directory} is not a directory of stored runs", advice="name one like .buto/runs/NAME"
        )
    return RunStore(root).load_set(test, ids)


def _valid(runs: RunSet, directory: Path) -> tuple[Run, ...]:
    valid = runs.valid().runs
    if not valid:
        advice = Advice(Step(Action.LIST_RUNS, decode_test(directory.name) or directory.name))
        raise BadFileError(f"{directory} has no valid runs", advice=advice)
    return valid


def _has_failed(run: Run) -> bool:
    return any(problem.kind in BAD_ENDS for problem in run.quality.problems)


def _growth(run: Run, counter: str) -> float:
    """Return by how much a counter grew between its first and its last reading; NaN without one."""
    if counter not in run.column_of:
        return math.nan
    values = run.series(counter)
    read = values[np.isfinite(values)]
    return float(read[-1] - read[0]) if len(read) else math.nan


def _busy(run: Run) -> float:
    if CPU_TIME not in run.column_of or run.n_samples < 2:
        return math.nan
    spent = run.series(CPU_TIME)
    return float((spent[-1] - spent[0]) / (run.times_s[-1] - run.times_s[0]))


def read_traced(path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each component, with one replicate: the file is one run of the tests.

    Its time is that of the last calls, because the first ones wait for the JVM's compiler.

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
            component, np.array([moments.steady]), "run", Measures.SELF, tuple(summary.calls_of(component))
        )
        for component, moments in summary.self_s.items()
        if moments.steady > 0
    )
