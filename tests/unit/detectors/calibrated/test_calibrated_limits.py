"""What a number of runs can show: the smallest p-value, its assumptions, and when it is too large."""

from dataclasses import replace

import pytest

from buto.detectors.calibrated.evidence import runs_needed, weigh
from buto.detectors.calibrated.settings import CALIBRATED
from buto.errors import JudgeError
from buto.oracle import check, settings_from, train
from buto.runs import run_set
from buto.verdicts import Status
from tests.support.runs.signals import Program, program_run, program_runs
from tests.support.training.profiles import a_profile

UNCHANGED = Program()
ANOTHER = Program(heap=30.0, threads=500)


def learned(count, **judge):
    return train(program_runs(4, count), settings_from(judge))


def runs_of(program, count):
    return run_set([program_run(4, 100 + number, program) for number in range(count)])


@pytest.mark.parametrize("count", [3, 4])
def test_fewer_than_five_runs_are_refused(count):
    with pytest.raises(JudgeError, match=f"at least 5 runs, and here are {count}"):
        learned(count)


@pytest.mark.parametrize(("alpha", "checked", "needed"), [(0.0005, 1, 1999), (0.001, 3, 17), (0.0005, 3, 21)])
def test_an_alpha_beyond_what_the_runs_can_show_is_inconclusive_and_says_what_would_do(
    alpha, checked, needed
):
    oracle = learned(5, alpha=alpha)
    changed = runs_of(ANOTHER, checked)
    verdict = check(oracle, changed)
    assert runs_needed(checked, alpha) == needed
    if alpha == 0.001:
        assert verdict.status is Status.REGRESSION
        assert verdict.runs_needed is None
    else:
        assert verdict.status is Status.INCONCLUSIVE
        assert verdict.runs_needed == needed
        assert (
            f"5 training runs cannot tell a share of 0.0005 from chance with {checked} under test"
            in verdict.reasons[0]
        )


@pytest.mark.parametrize(
    ("count", "alpha", "needed"), [(5, 0.005, 6), (5, 0.001, 8), (6, 0.002, 7), (6, 0.0015, 7)]
)
def test_as_many_runs_as_in_training_have_a_mirror_image_and_never_pass_for_it(count, alpha, needed):
    changed = runs_of(ANOTHER, count)
    verdict = check(learned(count, alpha=alpha), changed)
    assert verdict.status is Status.INCONCLUSIVE
    assert f"{count} training runs cannot tell a share of {alpha:g} from chance" in verdict.reasons[0]
    assert verdict.runs_needed == needed
    assert check(learned(needed, alpha=alpha), changed).status is Status.REGRESSION
    assert check(learned(count, alpha=0.01), changed).status is Status.REGRESSION
    worse = {"alpha": alpha, "fail-on": "worse"}
    assert check(learned(count, **worse), changed).status is Status.REGRESSION


@pytest.mark.parametrize(("checked", "alpha"), [(1, 0.05), (3, 0.01), (3, 0.001)])
def test_with_as_many_runs_as_are_needed_the_rank_alone_decides(checked, alpha):
    needed = runs_needed(checked, alpha)
    for count, exact in ((needed, True), (needed - 1, False)):
        profile = a_profile(count + checked)
        found = weigh(profile, profile.values, checked, replace(CALIBRATED, alpha=alpha)).significance
        assert found.exact is exact


@pytest.mark.parametrize(
    ("count", "checked", "begins"),
    [
        (10, 3, "rank alone, whatever the values are distributed like"),
        (10, 1, "parametric: the scores of 10 training runs"),
        (20, 1, "free of assumptions on distributions down to 0.05; below, the scores of 20"),
    ],
)
def test_a_verdict_says_what_its_p_value_rests_on(count, checked, begins):
    assert check(learned(count), runs_of(UNCHANGED, checked)).guarantee.startswith(begins)
