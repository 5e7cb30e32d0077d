"""Checks and figures of the judge on trials and runs with a known answer."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import N_TURNS, SUSPICIOUS, Do, Procedure
from buto.oracle import judge, train
from buto.run.model import RunSet
from buto_replications.judging import tables, unchanged
from buto_replications.judging.checks import (
    FACTORS,
    N_TRAINING,
    CachingJudge,
    CheckTrial,
    SimulatedCheck,
    TurnRuns,
    in_turns,
    share,
    with_sizes,
)
from buto_replications.judging.recordings import IN_ROW, Recordings, recordings
from buto_replications.judging.surroundings import between_hosts, drawn_variations, of_servers, variations
from buto_replications.judging.unchanged import UnchangedTask, unchanged_trials
from buto_replications.judging.versions import (
    EXPERIMENT,
    FEWEST_TURNS,
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


def with_classes(runs, more):
    """The same runs with so many more classes, which no machine moves: they fail without turns."""
    classes = more * (np.array(NAMES) == "jvm.class.loaded")
    return [replace(run, values=run.values + classes) for run in runs]


def test_a_check_fails_after_turns_only_if_three_runs_led_to_them():
    confirmed = SimulatedCheck(followed=True, three=0.03, counted=0.03, turns=0.004)
    assert confirmed.suspicious() and confirmed.fails(0.01) and not confirmed.fails_alone(0.01)
    cleared = SimulatedCheck(followed=True, three=0.004, counted=0.004, turns=0.3)
    assert cleared.fails_alone(0.01) and not cleared.fails(0.01)
    by_clock = SimulatedCheck(followed=True, three=0.004)
    assert by_clock.suspicious() and not by_clock.fails_alone(0.01)
    ordinary = SimulatedCheck(followed=True, three=0.4, turns=0.004)
    assert not ordinary.suspicious() and not ordinary.fails(0.01)
    passed = SimulatedCheck(followed=False)
    assert isnan(passed.three) and not passed.fails(0.5) and not passed.fails_alone(0.5)


@pytest.mark.parametrize(
    ("check", "launches"),
    [
        (SimulatedCheck(followed=False), 1),
        (SimulatedCheck(followed=True, three=0.4), 3),
        (SimulatedCheck(followed=True, three=SUSPICIOUS, n_turns=9), 3 + 9),
    ],
)
def test_a_check_takes_one_launch_three_or_the_turns_beside(check, launches):
    assert check.launches == launches


def test_a_trained_judge_says_what_a_check_says():
    training = leaking(0, N_TRAINING)
    oracle = train(RunSet(tuple(training)))
    trained = CachingJudge.by(training)
    for more in (0.0, 30.0):
        for first in (20, 23, 26):
            three = leaking(first, 3, more)
            found = trained.check(three)
            alone = judge(oracle, three[:1])
            assert found.followed == (alone.next_step(Procedure(CALIBRATED.alpha)).do is Do.LAUNCH)
            if found.followed:
                looked = judge(oracle, three).verdict.looked
                assert (found.three, found.counted) == (looked.p_value, looked.counted)
            assert trained.check(three) == found
    assert trained.check(leaking(20, 3, 30.0)).three == pytest.approx(1 / 286)


def test_turns_follow_what_is_suspicious_and_compare_the_two_programs():
    trained = CachingJudge.by(leaking(0, N_TRAINING))
    old, same, new = leaking(30, N_TURNS), leaking(40, N_TURNS), leaking(50, N_TURNS, 30.0)
    changed = leaking(20, 3, 30.0)
    found = trained.check(changed, TurnRuns(old, new))
    assert found.fails(0.01) and not found.fails_alone(0.01) and 0 < found.n_turns < 2 * N_TURNS
    cleared = trained.check(changed, TurnRuns(old, same))
    assert cleared.suspicious() and not cleared.fails(0.01)
    assert in_turns(TurnRuns(old, new)) <= 0.001 < 0.01 < in_turns(TurnRuns(old, same))
    assert isnan(trained.check(changed).turns)
    ordinary = [trained.check(leaking(first, 3), TurnRuns(old, new)) for first in (20, 23, 26)]
    assert all(isnan(trial.turns) for trial in ordinary if not trial.suspicious())


def test_sizes_are_multiplied_and_zero_asks_for_everything():
    assert with_sizes(1.0) == CALIBRATED
    assert with_sizes(0.0).minimum_effect == {"*": "0"}
    twice = with_sizes(2.0).minimum_effect
    assert with_sizes(1.0 + 1e-9).minimum_effect.keys() == twice.keys()
    assert twice["jvm.memory.*Eden*"] == "never"
    # More than the largest values scatter, and more than a twentieth of them, but no fifth.
    change = leaking(20, 3, 3.0)
    trained = CachingJudge.by(leaking(0, N_TRAINING))
    p_values = [trained.with_settings(with_sizes(factor)).check(change) for factor in FACTORS]
    assert p_values[0].three == pytest.approx(1 / 286)
    assert not p_values[-1].suspicious()
    assert all(value.noted for value in p_values if value.followed)


FAILS, PASSES = SimulatedCheck(True, 0.003, counted=0.003, turns=0.002), SimulatedCheck(False)
NOTED = SimulatedCheck(True, 0.5, noted=True)


def a_trial(part, case, run, check, *, times=1, name="a@g1"):
    return CheckTrial(part, name, case, (run, f"{run}-b", f"{run}-c"), times, check)


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
    by_run = share(trials, lambda check: check.fails(0.01))
    by_name = share(trials, lambda check: check.fails(0.01), by_name=True)
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
    of_case = {
        case: [trial for trial in found if trial.case == case] for case in {trial.case for trial in found}
    }
    assert {case: len(some) for case, some in of_case.items()} == {
        unchanged.RANDOM: 26 + 14,
        # The first run under test is the 11th of a session at the earliest, and two follow it.
        unchanged.IN_ORDER: 14 + 2,
        unchanged.LATER: 12,
        # Twenty runs in a row, each time dealt out twice; the later session has fewer.
        unchanged.TURNS: 2 * (26 - 2 * N_TURNS + 1),
    }
    assert all(trial.runs[0].startswith("20270102") for trial in of_case[unchanged.LATER])
    assert all(len(trial.runs) == 2 * N_TURNS for trial in of_case[unchanged.TURNS])
    assert np.mean([trial.check.fails_alone(0.01) for trial in of_case[unchanged.RANDOM]]) < 0.1
    assert np.mean([trial.check.turns <= 0.05 for trial in of_case[unchanged.TURNS]]) < 0.2
    rows = tables.alarms(found, IN_ROW).rows
    assert [row[0] for row in rows] == [
        unchanged.RANDOM,
        unchanged.IN_ORDER,
        unchanged.LATER,
        unchanged.TURNS,
    ]


def test_runs_of_another_surrounding_are_judged_in_turns_only():
    runs = RunSet(tuple(recorded("leaker-string", 2 * N_TURNS + 2)))
    found = list(unchanged_trials(UnchangedTask(IN_ROW, "leaker-string@g1", runs, 1, elsewhere=runs)))
    assert {trial.case for trial in found} == {unchanged.TURNS}
    assert len(found) == 2 * 3


def test_variants_far_apart_are_told_apart_and_the_table_says_so():
    names = ("leaker-string", "leaker-string-builder", "leaker-string-builder-11-leaks")
    runs = {
        name: RunSet(tuple(with_classes(recorded(name, 14), 4e6 * place)))
        for place, name in enumerate(names[:2])
    }
    more = [replace(run, id=f"2028{run.id[4:]}", values=run.values + 4e6) for run in runs[names[1]]]
    runs[names[2]] = RunSet(tuple(more[:5]))
    found = list(variants_trials(VariantsTask("parallel", names[1], runs, 0, 1)))
    experiments = [trial for trial in found if trial.part == EXPERIMENT]
    result = discrimination(experiments, 0.01)
    assert (result.missed, result.n_changed, result.n_unchanged) == (0, 4, 4)
    subtle = [trial for trial in found if trial.part == SUBTLE_PART]
    assert len(subtle) == 5 and all(trial.check.fails_alone(0.01) for trial in subtle)
    assert tables.discriminating(found).rows[0][0] == "parallel"
    assert tables.subtle(found).rows[0][0] == "leaker-string-builder-11-leaks, parallel"


def versions(n_old, n_new):
    """An old program, a changed one, and one that was only written anew."""
    return VersionsTask(
        UNSEEN,
        "leak@parallel",
        RunSet(tuple(recorded("leaker-string", n_old))),
        {
            "large": RunSet(tuple(with_classes(recorded("leaker-string-builder", n_new), 8e6))),
            "r1": RunSet(tuple(recorded("leaker-string", n_new, day=3))),
            "r2": RunSet(tuple(recorded("leaker-string", n_new, day=4))),
        },
        2,
        1,
        {"": with_sizes(1.0), " x4": with_sizes(4.0)},
    )


@pytest.mark.parametrize(
    ("n_old", "n_new", "in_turns"), [(14, 5, False), (15, 9, False), (16, 8, False), (22, 9, True)]
)
def test_versions_are_judged_by_the_old_one_and_by_turns_where_there_are_runs(n_old, n_new, in_turns):
    found = list(versions_trials(versions(n_old, n_new)))
    assert {trial.case for trial in found} == {
        f"{case}{kind}" for case in (UNCHANGED, "large", "r1", "r2") for kind in ("", " x4")
    }
    large = [trial.check for trial in found if trial.case == "large"]
    assert all(check.fails_alone(0.01) for check in large)
    assert all(check.fails(0.01) is in_turns for check in large)
    assert {check.launches for check in large} == {3 + (2 * FEWEST_TURNS if in_turns else 0)}
    unchanged_ones = [trial.check for trial in found if trial.case in ("r1", "r2", UNCHANGED)]
    assert not any(check.fails(0.01) for check in unchanged_ones)


def test_a_version_with_fewer_than_three_runs_is_not_judged():
    assert {trial.case for trial in versions_trials(versions(14, 2))} == {UNCHANGED, f"{UNCHANGED} x4"}


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
    assert [{section.name for section in some} for some in tuned] == [{"p0@g1"}, {"p1@g1", "p2@g1"}]


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
    found = {variation.name: variation for variation in variations({"parallel": runs, "g1": twice})}
    threads = found["jvm.thread.count"]
    assert threads.between_runs == pytest.approx({"parallel": 0.0, "g1": 0.0})
    assert (threads.shift, threads.largest_shift, threads.n_programs) == (
        pytest.approx(1),
        pytest.approx(1),
        1,
    )
    assert found["jvm.memory.heap.used"].largest > 0
    drawn = drawn_variations(list(found.values()))
    assert "jvm.memory.heap.used" in {variation.name for variation in drawn}
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
    assert [variation.shift for variation in row.variations] == pytest.approx([1.0] * len(row.variations))
    assert {(variation.shift, variation.n_programs) for variation in one_core.variations} == {(0.0, 1)}
    assert (quota.names, quota.differs) == (("two cores", "quota"), "a quota of half a core")
    assert {variation.shift for variation in quota.variations} == {1.0}
    assert tables.varying(row).heads[1:3] == ("CV, busy machine", "CV, in-row-25")
    assert between_hosts(found) is None


def test_a_directory_without_data_sets_is_an_error_that_says_what_to_name(tmp_path):
    with pytest.raises(BadFileError, match="there are no data sets") as caught:
        recordings(tmp_path)
    assert caught.value.advice is not None and "--data DIR" in caught.value.advice
