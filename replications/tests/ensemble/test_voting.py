"""The worked example of Foo and others (2015), tables I to III."""

import numpy as np
import pytest

from buto.judging.calibrated.environments import components_shared, weights
from buto_replications.detectors.ensemble.rules import bagged, lone, stacked, stacked_weights

COUNTERS = ("cpu", "throughput", "memory", "transactions")
FLAGGED = ({"cpu", "throughput"}, {"memory", "throughput"}, {"memory", "throughput"}, {"transactions"})
VOTES = np.array([[counter in some for counter in COUNTERS] for some in FLAGGED])
T1 = {"cpu": "2 GHz 2 cores", "memory": "2 GB", "database": 2, "architecture": "32 bit"}
T2 = {"cpu": "2 GHz 2 cores", "memory": "1 GB", "database": 1, "architecture": "64 bit"}
T5 = {"cpu": "2 GHz 2 cores", "memory": "2 GB", "database": 1, "architecture": "64 bit"}


def named(chosen):
    return {counter for counter, yes in zip(COUNTERS, chosen, strict=True) if yes}


def test_each_counter_is_flagged_as_often_as_in_table_ii():
    assert dict(zip(COUNTERS, VOTES.sum(axis=0).tolist(), strict=True)) == {
        "throughput": 3,
        "memory": 2,
        "cpu": 1,
        "transactions": 1,
    }


def test_bagging_flags_what_half_of_the_tests_flag():
    assert named(bagged(VOTES)) == {"throughput", "memory"}


def test_the_environments_of_table_iii_as_printed():
    assert [components_shared(T1, T5), components_shared(T2, T5)] == [2, 3]
    assert weights([2, 3]) == pytest.approx([0.4495, 0.5505], abs=5e-5)


def test_the_weights_of_the_text():
    assert weights([3, 2]) == pytest.approx([0.5505, 0.4495], abs=5e-5)


def test_stacking_of_the_first_two_tests():
    weight = weights([3, 2])
    assert named(stacked(VOTES[:2], weight)) == {"throughput", "cpu"}
    assert stacked_weights(VOTES[:2], weight) == pytest.approx([0.5505, 1.0, 0.4495, 0.0], abs=5e-5)


def test_stacking_needs_more_than_half():
    assert not stacked(np.array([[True], [False]]), np.array([0.5, 0.5])).any()
    assert not stacked(np.array([[True], [True], [False], [False]]), weights([2] * 4)).any()


def test_no_votes_flag_nothing():
    assert not bagged(np.zeros((1, 3), dtype=bool)).any()


def test_unlike_environments_have_equal_weights():
    assert weights([0, 0, 0, 0]).tolist() == [0.25] * 4
    assert components_shared({"cpu": 1}, {"memory": 1}) == 0


@pytest.mark.parametrize(
    ("shared", "alone"),
    [([3, 1, 1], 0), ([3, 2, 2], 0), ([4, 0, 0], None), ([2, 2, 1], None), ([0, 0], None), ([1, 3, 3, 4], 3)],
)
def test_a_lone_like_environment_that_cannot_decide(shared, alone):
    assert lone(shared) == alone


def test_a_lone_like_environment_weighs_less_than_half_against_two_others():
    assert weights([3, 2, 1])[0] == pytest.approx(0.418, abs=5e-4)
