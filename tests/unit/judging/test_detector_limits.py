"""What a number of runs can show: the smallest p-value, its assumptions, and when it is too large."""

from math import comb

import pytest

from buto.errors import JudgeError
from buto.judging.evidence import weigh
from buto.judging.judge_settings import CALIBRATED
from buto.judging.rank import training_needed
from buto.judging.verdict import Status
from buto.oracle import check, settings_from, train
from buto.run.model import run_set
from tests.support.runs.signals import Program, program_run, program_runs
from tests.support.training.profiles import a_profile

UNCHANGED = Program()
ANOTHER = Program(heap=30.0, threads=500, classes=4000)


def learned(count, **judge):
    return train(program_runs(4, count), settings_from(judge))


def runs_of(program, count):
    return run_set([program_run(4, 100 + number, program) for number in range(count)])


@pytest.mark.parametrize("count", [3, 4])
def test_fewer_than_five_runs_are_refused(count):
    with pytest.raises(JudgeError, match=f"at least 5 runs, and here are {count}"):
        learned(count)


@pytest.mark.parametrize(
    ("alpha", "checked", "needed"), [(0.001, 3, 17), (0.0005, 3, 21), (0.01, 3, 7), (0.01, 2, 13)]
)
def test_an_alpha_beyond_what_the_runs_can_show_is_inconclusive_and_says_what_would_do(
    alpha, checked, needed
):
    changed = runs_of(ANOTHER, checked)
    verdict = check(learned(needed - 1, alpha=alpha), changed)
    assert training_needed(checked, alpha) == verdict.runs_needed == needed
    assert verdict.status is Status.INCONCLUSIVE
    assert len(verdict.reasons) == 1
    enough = check(learned(needed, alpha=alpha), changed)
    assert (enough.status, enough.runs_needed) == (Status.REGRESSION, None)


@pytest.mark.parametrize(
    ("count", "alpha", "needed"), [(5, 0.005, 6), (5, 0.001, 8), (6, 0.002, 7), (6, 0.0015, 7)]
)
def test_as_many_runs_as_in_training_have_a_mirror_image_and_never_pass_for_it(count, alpha, needed):
    changed = runs_of(ANOTHER, count)
    verdict = check(learned(count, alpha=alpha), changed)
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.runs_needed == needed
    assert check(learned(needed, alpha=alpha), changed).status is Status.REGRESSION
    assert check(learned(count, alpha=0.01), changed).status is Status.REGRESSION
    worse = check(learned(count, **{"alpha": alpha, "fail-on": "worse"}), changed)
    can = alpha >= 1 / comb(2 * count, count)
    assert worse.status is (Status.REGRESSION if can else Status.INCONCLUSIVE)


@pytest.mark.parametrize(("checked", "alpha"), [(2, 0.05), (3, 0.01), (3, 0.001)])
def test_as_many_runs_as_are_needed_can_show_the_largest_difference(checked, alpha):
    needed = training_needed(checked, alpha)
    for count in (needed, needed - 1):
        profile = a_profile(count + checked)
        found = weigh(profile, profile.values, checked, CALIBRATED).mattering.significance
        assert (found.smallest <= alpha) is (count == needed)


@pytest.mark.parametrize("checked", [1, 3])
def test_a_verdict_says_what_its_p_value_rests_on(checked):
    verdict = check(learned(10), runs_of(UNCHANGED, checked))
    assert verdict.guarantee == (
        "rank alone, whatever the values are distributed like; runs need only be exchangeable"
    )
