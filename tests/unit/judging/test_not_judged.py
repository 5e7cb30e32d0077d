"""Properties that are recorded and not judged decide nothing, and older oracles do not know them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.comparison import comparable
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Status
from buto.oracle import check, settings_from, train
from buto.run.model import FloatArray, Run, RunSet, run_set
from buto.run.properties import METRICS, Property, is_exact, is_judged, property_for
from tests.support.runs.signals import program_run, program_runs

NOT_JUDGED = ("process.context_switches", "jvm.memory.used_after_last_gc[G1 Eden Space]")
EXACT = ("jvm.memory.allocated", "jvm.memory.used_after_last_gc[G1 Old Gen]")
"""Which the default judges where they were read, and bounds do not."""


def with_more(run: Run, factor: float = 1.0, *more: str) -> Run:
    """The run with more properties, of which one is never read."""
    names = (*NOT_JUDGED, "jvm.memory.tlab.waste", *more)
    columns: list[FloatArray] = [run.times_s.clip(0) * 1e6 * factor] * len(names)
    columns[2] = np.full(run.n_samples, np.nan)
    return replace(
        run,
        properties=(*run.properties, *map(property_for, names)),
        values=np.column_stack([run.values, *columns]),
    )


def more(runs: RunSet, factor: float = 1.0, *names: str) -> RunSet:
    return run_set([with_more(run, factor, *names) for run in runs])


CHECKED = run_set([program_run(4, 100 + number) for number in range(3)])


def test_what_is_not_judged_changes_neither_oracle_nor_verdict() -> None:
    settings = THESIS
    runs = program_runs(4, 10)
    oracle, other = train(runs, settings), train(more(runs), settings)
    assert other.fitted.to_data() == oracle.fitted.to_data()
    assert other.warnings == oracle.warnings
    assert set(other.fitted.left_out) == set(oracle.fitted.left_out)
    expected = check(oracle, CHECKED)
    assert check(other, more(CHECKED, 100.0)) == expected


@pytest.mark.parametrize(("method", "status"), [("calibrated", Status.REGRESSION), ("thesis", Status.PASS)])
def test_exact_counters_are_judged_by_the_default_where_they_were_read(method: str, status: Status) -> None:
    oracle = train(more(program_runs(4, 10), 1.0, *EXACT), settings_from({"method": method}))
    verdict = check(oracle, more(CHECKED, 100.0, *EXACT))
    assert verdict.status is status
    named = {finding.subject for finding in verdict.findings}
    assert named == (set(EXACT) if status is Status.REGRESSION else set())


@pytest.mark.parametrize("method", ["calibrated", "thesis"])
def test_an_oracle_that_does_not_know_a_property_judges_runs_that_have_it(method: str) -> None:
    oracle = train(program_runs(4, 10), settings_from({"method": method}))
    expected = check(oracle, CHECKED)
    assert expected.status is Status.PASS
    assert check(oracle, more(CHECKED, 100.0, "shop.orders", *EXACT)) == expected


def test_comparisons_leave_them_out() -> None:
    runs = program_runs(4, 10)
    ours, theirs = more(runs, 1.0, "shop.orders", EXACT[0]), more(runs)
    found = comparable(ours, theirs, THESIS)
    assert {prop.name for prop in found.properties} == {prop.name for prop in runs.runs[0].properties}
    assert [sentence.split()[0] for sentence in found.one_sided] == ["shop.orders"]
    assert found.lacking == ()
    judged = comparable(ours, theirs, settings_from({}))
    assert (judged.properties, judged.one_sided) == (found.properties, found.one_sided)
    assert [sentence.split()[0] for sentence in judged.lacking] == [EXACT[0]]


def test_the_table_says_which() -> None:
    assert all(is_judged(Property(name)) for name in ("shop.orders", "jvm.cpu.time"))
    assert not any(is_judged(property_for(name)) for name in (*NOT_JUDGED, *EXACT))
    assert all(is_exact(property_for(name)) for name in EXACT)
    assert not any(is_exact(property_for(name)) for name in NOT_JUDGED)
    assert not is_judged(METRICS["buto.snapshot.time"].property())
