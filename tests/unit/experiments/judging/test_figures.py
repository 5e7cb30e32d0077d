"""Figures of the next method on trials and runs with a known answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from buto.experiments.judging.criteria import IN_ROW, PAGE, TEN_PERCENT, criteria
from buto.report.experiments.alarm_chart import svg as alarm_svg

from buto.errors import BadFileError
from buto.experiments.judging import tables, unchanged
from buto.experiments.judging.charts import alarm_panels, drawn_variations
from buto.experiments.judging.checks import METHODS, NEXT, Check, Way
from buto.experiments.judging.invariance import variations
from buto.experiments.judging.recordings import Recordings, recordings
from buto.experiments.judging.surroundings import between_hosts, of_servers
from buto.experiments.judging.trials import Trial, share
from buto.experiments.judging.unchanged import Amount, UnchangedTask, unchanged_trials
from buto.experiments.judging.variants import (
    EXPERIMENT,
    SUBTLE_PART,
    UNCHANGED,
    VariantsTask,
    discrimination,
    jackknife,
    variants_trials,
)
from buto.experiments.judging.versions import PAIRS, SERVERS, VersionsTask, first_named, versions_trials
from buto.report.experiments.variation_chart import svg as variation_svg
from buto.runs import Run, RunSet
from tests.support.runs.variants import variant_run

FAILS, PASSES = Check(0.001, True, 0.003), Check(0.5, False, 0.6)
ANOTHER_DAY = "A/A, in a row, another day"


def a_trial(part: str, case: str, run: str, check: Check, *, times: int = 1, name: str = "a@g1") -> Trial:
    return Trial(part, NEXT, name, case, (run, f"{run}-b", f"{run}-c"), times, check)


def test_an_unchanged_run_that_fails_counts_for_each_experiment_but_is_one_error() -> None:
    unchanged_runs = [a_trial(EXPERIMENT, UNCHANGED, f"u{n}", PASSES, times=2) for n in range(9)]
    alarm = a_trial(EXPERIMENT, UNCHANGED, "u9", FAILS, times=2)
    changed = [a_trial(EXPERIMENT, case, f"{case}{n}", FAILS) for case in "bc" for n in range(10)]
    found = discrimination([*unchanged_runs, alarm, *changed], 0.01)
    assert (found.alarms, found.n_unchanged, found.missed, found.n_changed, found.runs) == (1, 10, 0, 20, 1)
    # 18 accepted, 2 failed, 20 rejected: (18 * 20) / sqrt(18 * 20 * 20 * 22).
    assert found.mcc == pytest.approx(18 * 20 / (18 * 20 * 20 * 22) ** 0.5)
    assert found.error > 0


def test_the_share_found_has_the_error_of_runs_left_out() -> None:
    trials = [a_trial(SUBTLE_PART, PAGE, run, check) for run, check in (("x", FAILS), ("y", PASSES))]
    assert jackknife(trials, [True, False]) == pytest.approx((5 * np.var([0, 0, 0, 1, 1, 1])) ** 0.5)
    assert isnan(jackknife([], []))


def test_errors_are_clustered_by_first_run_or_by_program() -> None:
    trials = [
        a_trial(IN_ROW, unchanged.IN_ORDER, f"{n}", FAILS if n == 0 else PASSES, name=f"p{n % 2}@g1")
        for n in range(8)
    ]
    by_run = share(trials, Way.CONFIRMED, 0.01)
    by_name = share(trials, Way.CONFIRMED, 0.01, by_name=True)
    assert (by_run.value, by_run.n_runs, by_name.n_runs) == (0.125, 8, 2)
    assert by_name.value == by_run.value


def lines(trials: Sequence[Trial]) -> dict[str, bool | None]:
    return {one.what: one.met for one in criteria(trials, NEXT)}


def test_each_criterion_is_met_missed_or_not_measured() -> None:
    good = [
        *(a_trial(EXPERIMENT, UNCHANGED, f"u{n}", PASSES) for n in range(5)),
        *(a_trial(EXPERIMENT, "b", f"b{n}", FAILS) for n in range(5)),
        *(a_trial(SUBTLE_PART, case, f"{case}{n}", FAILS) for case in (*TEN_PERCENT, PAGE) for n in range(5)),
        *(
            a_trial(part, case, f"{n}", PASSES)
            for part, case in (
                *(
                    (part, case)
                    for part in (UNCHANGED, IN_ROW)
                    for case in (unchanged.RANDOM, unchanged.IN_ORDER)
                ),
                (IN_ROW, unchanged.LATER),
            )
            for n in range(5)
        ),
        *(
            a_trial(SERVERS, case, f"{case}{n}", check, name=f"p{n}@g1")
            for case, check in (("large", FAILS), ("small", FAILS), ("refactored", PASSES))
            for n in range(5)
        ),
    ]
    measured = lines(good)
    assert measured.pop(ANOTHER_DAY, True) is None
    assert set(measured.values()) == {True}
    alarms = [a_trial(UNCHANGED, unchanged.IN_ORDER, f"x{n}", FAILS) for n in range(5)]
    failed = [what for what, met in lines([*good, *alarms]).items() if met is False]
    assert len(failed) == 4 and all("variants, in the order of time" in what for what in failed)
    missed = [
        what for what, met in lines([*good, a_trial(SUBTLE_PART, PAGE, "m", PASSES)]).items() if met is False
    ]
    assert missed == ["a page leaked in 200 jobs, three runs"]


def test_what_was_not_recorded_is_a_criterion_that_is_not_met() -> None:
    nothing = list(criteria([], NEXT))
    assert {one.met for one in nothing} == {None}
    assert {
        "small servers, large regression, confirmed",
        "small servers, refactored, confirmed",
        f"A/A, in a row on a quiet machine, {unchanged.LATER}, confirmed, alpha 0.01",
        ANOTHER_DAY,
    } <= {one.what for one in nothing}
    only_unchanged = lines([a_trial(EXPERIMENT, UNCHANGED, f"u{n}", PASSES) for n in range(5)])
    assert only_unchanged["MCC over the 32 experiments, confirmed, alpha 0.01"] is None
    met = replace(nothing[0], met=True)
    assert tables.decision([met], NEXT).notes == ("all criteria are met",)
    (note,) = tables.decision([met, nothing[0]], NEXT).notes
    assert note.startswith("not all criteria are met")


def later(run: Run, day: int = 1) -> Run:
    return replace(run, id=f"202701{day:02d}{run.id[8:]}")


def recorded(variant: str, n_runs: int, day: int = 1, **options: float) -> list[Run]:
    return [later(variant_run(variant, number, **options), day) for number in range(n_runs)]


def test_unchanged_runs_are_judged_at_random_in_order_and_across_sessions() -> None:
    runs = RunSet((*recorded("leaker-string", 15), *recorded("leaker-string", 14, day=2)))
    task = UnchangedTask(IN_ROW, "leaker-string@parallel", runs, NEXT, 1, Amount(1, 2))
    found = list(unchanged_trials(task))
    assert found == list(unchanged_trials(task))
    of_case = {case: [one for one in found if one.case == case] for case in {one.case for one in found}}
    assert {case: len(some) for case, some in of_case.items()} == {
        unchanged.RANDOM: 29,
        # First runs 10 to 12 and 10 to 11 of the sessions; of the tenth, only one training lies before.
        unchanged.IN_ORDER: 5 + 3,
        unchanged.LATER: 12 * 2,
    }
    assert all(one.runs[0].startswith("20270102") for one in of_case[unchanged.LATER])
    assert np.mean([one.check.fails(Way.THREE, 0.01) for one in found]) < 0.1
    assert tables.alarms(found, IN_ROW, "rows")[0].rows[0][0] == "at random, one run"
    panels = alarm_panels(found)
    assert [one.alpha for one in panels] == [0.01, 0.05] and len(panels[0].cases) == 6
    assert b"<svg" in alarm_svg(panels)


def test_variants_far_apart_are_told_by_both_methods_and_the_table_says_so() -> None:
    names = ("leaker-string", "leaker-string-builder", "leaker-string-builder-11-leaks")
    runs = {name: RunSet(tuple(recorded(name, 14, shift=30.0))) for name in names[:2]}
    more = [replace(run, id=f"2028{run.id[4:]}", values=run.values + 4e6) for run in runs[names[1]]]
    runs[names[2]] = RunSet(tuple(more[:5]))
    found = list(variants_trials(VariantsTask("parallel", names[1], runs, 0, 1)))
    for method in METHODS:
        experiments = [one for one in found if (one.part, one.method) == (EXPERIMENT, method)]
        told = discrimination(experiments, 0.01)
        assert (told.missed, told.n_changed, told.n_unchanged) == (0, 4, 4)
    subtle = [one for one in found if one.part == SUBTLE_PART]
    assert len(subtle) == 2 * 5 and all(one.check.fails(Way.THREE, 0.01) for one in subtle)
    assert tables.discriminating(found).rows[0][0] == "parallel"
    assert tables.subtle(found).rows[0][0] == "leaker-string-builder-11-leaks, parallel"


def test_versions_are_judged_by_the_old_one_and_the_report_names_what_changed() -> None:
    old = RunSet(tuple(recorded("leaker-string", 14)))
    new = RunSet(tuple(recorded("leaker-string-builder", 4, shift=60.0)))
    task = VersionsTask(PAIRS, "leak@parallel", old, {"new": new}, 2, 1)
    found = list(versions_trials(task))
    assert {(one.method, one.case) for one in found} == {(m, c) for m in METHODS for c in (UNCHANGED, "new")}
    assert all(one.check.fails(Way.CONFIRMED, 0.01) for one in found if one.case == "new")
    assert first_named(task, "new", NEXT)
    for n_runs in (0, 2):
        assert first_named(replace(task, others={"new": RunSet(new.runs[:n_runs])}), "new", NEXT) == ""
    rows = tables.versions_table(found, PAIRS, {("leak@parallel", "new"): "heap"}).rows
    assert [row[0] for row in rows] == [
        "leak@parallel: unchanged",
        "leak@parallel: new",
        "all: unchanged",
        "all: new",
    ]


def test_a_counter_that_another_host_doubles_has_a_shift_of_one() -> None:
    runs = {"leaker-string": RunSet(tuple(recorded("leaker-string", 6)))}
    twice = {
        name: RunSet(tuple(replace(run, values=2 * run.values) for run in some))
        for name, some in runs.items()
    }
    found = {one.name: one for one in variations({"parallel": runs, "g1": twice})}
    threads = found["jvm.thread.count"]
    assert threads.between_runs == pytest.approx({"parallel": 0.0, "g1": 0.0})
    assert (threads.shift, threads.largest_shift, threads.n_programs) == (
        pytest.approx(1),
        pytest.approx(1),
        1,
    )
    assert found["jvm.memory.heap.used"].largest > 0
    drawn = drawn_variations(list(found.values()))
    assert "jvm.memory.heap.used" in {one.name for one in drawn}
    assert b"<svg" in variation_svg(drawn)
    assert isnan(variations({"parallel": runs})[0].shift)


def test_servers_are_compared_with_the_same_programs_in_other_surroundings() -> None:
    runs = tuple(recorded("leaker-string", 6))
    doubled = tuple(replace(run, values=2 * run.values) for run in runs)
    nothing: dict[str, dict[str, RunSet]] = {}
    servers = {
        "parallel": {"shop-base": RunSet(runs), "shop-large": RunSet(doubled), "till-base": RunSet(runs)}
    }
    found = Recordings(
        nothing,
        {"in-row-25": {"g1": {"shop": RunSet(doubled)}}},
        nothing,
        servers,
        {"parallel": {"shop": RunSet(runs)}},
        {"parallel": {"shop-base": RunSet(runs), "shop": RunSet(doubled)}},
    )
    row, one_core, quota = of_servers(found)
    assert (row.names, row.differs) == (
        ("busy machine", "in-row-25"),
        "quiet machine, other JDK and collector",
    )
    assert [one.shift for one in row.found] == pytest.approx([1.0] * len(row.found))
    assert {(one.shift, one.n_programs) for one in one_core.found} == {(0.0, 1)}
    assert (quota.names, quota.differs) == (("two cores", "quota"), "a quota of half a core")
    assert {one.shift for one in quota.found} == {1.0}
    assert tables.varying(row).heads[1:3] == ("CV, busy machine", "CV, in-row-25")
    assert between_hosts(found) is None


def test_a_directory_without_data_sets_is_an_error_that_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="there are no data sets") as caught:
        recordings(tmp_path)
    assert caught.value.advice is not None and "--data DIR" in caught.value.advice
