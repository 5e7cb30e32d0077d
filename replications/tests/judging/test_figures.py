"""Checks and figures of the judge on trials and runs with a known answer."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.calibrated.settings import CALIBRATED
from buto.oracle import check, train, why_confirm
from buto.run.model import RunSet
from buto_replications.judging import tables, unchanged
from buto_replications.judging.checks import (
    FACTORS,
    N_TRAINING,
    N_TURNS,
    SUSPICIOUS,
    Check,
    Trained,
    Trial,
    in_turns,
    share,
    with_sizes,
)
from buto_replications.judging.recordings import IN_ROW, Recordings, recordings
from buto_replications.judging.surroundings import between_hosts, drawn_variations, of_servers, variations
from buto_replications.judging.unchanged import UnchangedTask, unchanged_trials
from buto_replications.judging.versions import (
    EXPERIMENT,
    SERVERS,
    SUBTLE_PART,
    UNCHANGED,
    UNSEEN,
    VariantsTask,
    VersionsTask,
    discrimination,
    jackknife,
    variants_trials,
    versions_tasks,
    versions_trials,
)
from buto_replications.report.charts import variation_svg
from replications.tests.support.variants import MIB, NAMES, variant_run


def leaking(first, n_runs, more=0.0):
    """Runs whose used heap is so many MiB more."""
    runs = [variant_run("leaker-string", first + number) for number in range(n_runs)]
    heap = more * MIB * (np.array(NAMES) == "jvm.memory.heap.used")
    return [replace(run, id=f"{run.id}-{more:g}", values=run.values + heap) for run in runs]


def test_a_check_fails_after_turns_only_if_three_runs_led_to_them():
    confirmed = Check(followed=True, three=0.03, turns=0.004)
    assert confirmed.suspicious() and confirmed.fails(0.01) and not confirmed.fails_alone(0.01)
    cleared = Check(followed=True, three=0.004, turns=0.3)
    assert cleared.fails_alone(0.01) and not cleared.fails(0.01)
    ordinary = Check(followed=True, three=0.4, turns=0.004)
    assert not ordinary.suspicious() and not ordinary.fails(0.01)
    passed = Check(followed=False)
    assert isnan(passed.three) and not passed.fails(0.5) and not passed.fails_alone(0.5)


@pytest.mark.parametrize(
    ("one", "launches"),
    [
        (Check(followed=False), 1),
        (Check(followed=True, three=0.4), 3),
        (Check(followed=True, three=SUSPICIOUS, turns=nan), 3 + 2 * N_TURNS),
    ],
)
def test_a_check_takes_one_launch_three_or_the_turns_beside(one, launches):
    assert one.launches == launches


def test_a_trained_judge_says_what_a_check_says():
    training = leaking(0, N_TRAINING)
    oracle = train(RunSet(tuple(training)))
    trained = Trained.by(training)
    for more in (0.0, 30.0):
        for first in (20, 23, 26):
            three = leaking(first, 3, more)
            found = trained.check(three)
            alone = check(oracle, RunSet((three[0],)))
            assert found.followed == (why_confirm(oracle, alone) is not None)
            if found.followed:
                assert found.three == check(oracle, RunSet(tuple(three))).p_value
            assert trained.check(three) == found
    assert trained.check(leaking(20, 3, 30.0)).three == pytest.approx(1 / 286)


def test_turns_follow_what_is_suspicious_and_compare_the_two_programs():
    trained = Trained.by(leaking(0, N_TRAINING))
    old, same, new = leaking(30, N_TURNS), leaking(40, N_TURNS), leaking(50, N_TURNS, 30.0)
    changed = leaking(20, 3, 30.0)
    assert trained.check(changed, (old, new)).turns == in_turns(old, new) == pytest.approx(2 / 924)
    assert trained.check(changed, (old, same)).turns == in_turns(old, same) > 0.01
    assert isnan(trained.check(changed).turns)
    ordinary = [trained.check(leaking(first, 3), (old, new)) for first in (20, 23, 26)]
    assert all(isnan(one.turns) for one in ordinary if not one.suspicious())


def test_sizes_are_multiplied_and_zero_asks_for_everything():
    assert with_sizes(1.0) == CALIBRATED
    assert with_sizes(0.0).minimum_effect == {"*": "0"}
    twice = with_sizes(2.0).minimum_effect
    assert with_sizes(1.0 + 1e-9).minimum_effect.keys() == twice.keys()
    assert twice["jvm.memory.*Eden*"] == "never"
    change = leaking(20, 3, 1.0)
    trained = Trained.by(leaking(0, N_TRAINING))
    p_values = [trained.with_settings(with_sizes(factor)).check(change) for factor in FACTORS]
    assert p_values[0].three == pytest.approx(1 / 286)
    assert not p_values[-1].fails_alone(0.01)
    assert all(one.noted for one in p_values if one.followed)


FAILS, PASSES = Check(True, 0.003, True, 0.002), Check(False)
NOTED = Check(True, 0.5, True)


def a_trial(part, case, run, check, *, times=1, name="a@g1"):
    return Trial(part, name, case, (run, f"{run}-b", f"{run}-c"), times, check)


def test_an_unchanged_run_that_fails_counts_for_each_experiment_but_is_one_error():
    unchanged_runs = [a_trial(EXPERIMENT, UNCHANGED, f"u{n}", PASSES, times=2) for n in range(9)]
    alarm = a_trial(EXPERIMENT, UNCHANGED, "u9", FAILS, times=2)
    changed = [a_trial(EXPERIMENT, case, f"{case}{n}", FAILS) for case in "bc" for n in range(10)]
    found = discrimination([*unchanged_runs, alarm, *changed], 0.01)
    assert (found.alarms, found.n_unchanged, found.missed, found.n_changed, found.runs) == (1, 10, 0, 20, 1)
    # 18 accepted, 2 failed, 20 rejected: (18 * 20) / sqrt(18 * 20 * 20 * 22).
    assert found.mcc == pytest.approx(18 * 20 / (18 * 20 * 20 * 22) ** 0.5)
    assert found.error > 0


def test_the_share_found_has_the_error_of_runs_left_out():
    trials = [a_trial(SUBTLE_PART, "page", run, check) for run, check in (("x", FAILS), ("y", PASSES))]
    assert jackknife(trials, [True, False]) == pytest.approx((5 * np.var([0, 0, 0, 1, 1, 1])) ** 0.5)
    assert isnan(jackknife([], []))


def test_errors_are_clustered_by_first_run_or_by_program():
    trials = [
        a_trial(IN_ROW, unchanged.IN_ORDER, f"{n}", FAILS if n == 0 else PASSES, name=f"p{n % 2}@g1")
        for n in range(8)
    ]
    by_run = share(trials, lambda one: one.fails(0.01))
    by_name = share(trials, lambda one: one.fails(0.01), by_name=True)
    assert (by_run.value, by_run.n_runs, by_name.n_runs) == (0.125, 8, 2)
    assert by_name.value == by_run.value


def later(run, day=1):
    return replace(run, id=f"202701{day:02d}{run.id[8:]}")


def recorded(variant, n_runs, day=1, **options):
    return [later(variant_run(variant, number, **options), day) for number in range(n_runs)]


def test_unchanged_runs_are_judged_at_random_in_order_across_sessions_and_in_turns():
    runs = RunSet((*recorded("leaker-string", 26), *recorded("leaker-string", 14, day=2)))
    task = UnchangedTask(IN_ROW, "leaker-string@parallel", runs, 1)
    found = list(unchanged_trials(task))
    assert found == list(unchanged_trials(task))
    of_case = {case: [one for one in found if one.case == case] for case in {one.case for one in found}}
    assert {case: len(some) for case, some in of_case.items()} == {
        unchanged.RANDOM: 26 + 14,
        # The first run under test is the 11th of a session at the earliest, and two follow it.
        unchanged.IN_ORDER: 14 + 2,
        unchanged.LATER: 12,
        # Twelve runs in a row, each time dealt out twice.
        unchanged.TURNS: 2 * (15 + 3),
    }
    assert all(one.runs[0].startswith("20270102") for one in of_case[unchanged.LATER])
    assert all(len(one.runs) == 2 * N_TURNS for one in of_case[unchanged.TURNS])
    assert np.mean([one.check.fails_alone(0.01) for one in of_case[unchanged.RANDOM]]) < 0.1
    assert np.mean([one.check.turns <= 0.05 for one in of_case[unchanged.TURNS]]) < 0.2
    rows = tables.alarms(found, IN_ROW).rows
    assert [row[0] for row in rows] == [
        unchanged.RANDOM,
        unchanged.IN_ORDER,
        unchanged.LATER,
        unchanged.TURNS,
    ]


def test_runs_of_another_surrounding_are_judged_in_turns_only():
    runs = RunSet(tuple(recorded("leaker-string", 14)))
    found = list(unchanged_trials(UnchangedTask(IN_ROW, "leaker-string@g1", runs, 1, elsewhere=runs)))
    assert {one.case for one in found} == {unchanged.TURNS}
    assert len(found) == 2 * 3


def test_variants_far_apart_are_told_apart_and_the_table_says_so():
    names = ("leaker-string", "leaker-string-builder", "leaker-string-builder-11-leaks")
    runs = {name: RunSet(tuple(recorded(name, 14, shift=30.0))) for name in names[:2]}
    more = [replace(run, id=f"2028{run.id[4:]}", values=run.values + 4e6) for run in runs[names[1]]]
    runs[names[2]] = RunSet(tuple(more[:5]))
    found = list(variants_trials(VariantsTask("parallel", names[1], runs, 0, 1)))
    experiments = [one for one in found if one.part == EXPERIMENT]
    told = discrimination(experiments, 0.01)
    assert (told.missed, told.n_changed, told.n_unchanged) == (0, 4, 4)
    subtle = [one for one in found if one.part == SUBTLE_PART]
    assert len(subtle) == 5 and all(one.check.fails_alone(0.01) for one in subtle)
    assert tables.discriminating(found).rows[0][0] == "parallel"
    assert tables.subtle(found).rows[0][0] == "leaker-string-builder-11-leaks, parallel"


def versions(n_old, n_new):
    """An old program, a changed one, and one that was only written anew."""
    return VersionsTask(
        UNSEEN,
        "leak@parallel",
        RunSet(tuple(recorded("leaker-string", n_old))),
        {
            "large": RunSet(tuple(recorded("leaker-string-builder", n_new, shift=60.0))),
            "r1": RunSet(tuple(recorded("leaker-string", n_new, day=3))),
            "r2": RunSet(tuple(recorded("leaker-string", n_new, day=4))),
        },
        2,
        1,
        {"": with_sizes(1.0), " x4": with_sizes(4.0)},
    )


@pytest.mark.parametrize(
    ("n_old", "n_new", "in_turns"), [(14, 5, False), (16, 5, False), (16, 6, True), (22, 9, True)]
)
def test_versions_are_judged_by_the_old_one_and_by_turns_where_there_are_runs(n_old, n_new, in_turns):
    found = list(versions_trials(versions(n_old, n_new)))
    assert {one.case for one in found} == {
        f"{case}{kind}" for case in (UNCHANGED, "large", "r1", "r2") for kind in ("", " x4")
    }
    large = [one.check for one in found if one.case == "large"]
    assert all(one.fails_alone(0.01) for one in large)
    assert all(one.fails(0.01) is in_turns for one in large)
    assert {one.launches for one in large} == {3 + 2 * N_TURNS}
    unchanged_ones = [one.check for one in found if one.case in ("r1", "r2", UNCHANGED)]
    assert not any(one.fails(0.01) for one in unchanged_ones)


def test_a_version_with_fewer_than_three_runs_is_not_judged():
    assert {one.case for one in versions_trials(versions(14, 2))} == {UNCHANGED, f"{UNCHANGED} x4"}


def test_the_tables_have_a_row_for_each_kind_of_version():
    cases = {"small": PASSES, "large": FAILS, "r1": PASSES, "r2": NOTED, "large x2": PASSES, "r1 x0": FAILS}
    found = [
        a_trial(UNSEEN, case, f"{case}{n}", check, name=f"p{n}@g1")
        for case, check in cases.items()
        for n in range(3)
    ]
    rows = {row[0]: row[1:] for row in tables.versions_table(found, UNSEEN).rows}
    assert rows.keys() == {"g1: small", "g1: large", "g1: refactored"}
    assert [cell.split(" ")[0] for cell in rows["g1: large"][:3]] == ["100.0", "100.0", "0.0"]
    assert [cell.split(" ")[0] for cell in rows["g1: refactored"][:3]] == ["0.0", "0.0", "50.0"]
    missed = tables.missed_table(found, UNSEEN).rows
    assert [(row[0], row[1]) for row in missed] == [(f"p{n}@g1: small", "0") for n in range(3)]
    of_factor = {row[0]: row[1:] for row in tables.curve(found, UNSEEN, "all").rows}
    assert of_factor["1"][1].startswith("100.0")
    assert of_factor["2"][1].startswith("0.0")
    assert of_factor["0"][2].startswith("100.0")
    tuned = [tables.apart(found, frozenset({"p0"}), tuned=tuned) for tuned in (True, False)]
    assert [{one.name for one in some} for some in tuned] == [{"p0@g1"}, {"p1@g1", "p2@g1"}]


def test_programs_are_known_by_the_version_that_trains():
    runs = RunSet(tuple(recorded("leaker-string", 14)))
    few = RunSet(runs.runs[:4])
    (task,) = versions_tasks(SERVERS, "g1", {"shop-base": runs, "shop-large": few, "till-base": few}, 1, 0)
    assert (task.name, set(task.others)) == ("shop@g1", {"large"})
    (task,) = versions_tasks(UNSEEN, "g1", {"shop": runs, "shop-r1": few, "till": few}, 1, 0)
    assert (task.name, set(task.others)) == ("shop@g1", {"r1"})


def test_a_counter_that_another_host_doubles_has_a_shift_of_one():
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


def test_servers_are_compared_with_the_same_programs_in_other_surroundings():
    runs = tuple(recorded("leaker-string", 6))
    doubled = tuple(replace(run, values=2 * run.values) for run in runs)
    nothing = {}
    servers = {
        "parallel": {"shop-base": RunSet(runs), "shop-large": RunSet(doubled), "till-base": RunSet(runs)}
    }
    found = Recordings(
        nothing,
        {"in-row-25": {"g1": {"shop": RunSet(doubled)}}},
        {SERVERS: servers},
        frozenset(),
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


def test_a_directory_without_data_sets_is_an_error_that_says_what_to_name(tmp_path):
    with pytest.raises(BadFileError, match="there are no data sets") as caught:
        recordings(tmp_path)
    assert caught.value.advice is not None and "--data DIR" in caught.value.advice
