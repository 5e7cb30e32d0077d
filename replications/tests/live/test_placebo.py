"""Arms of known difference."""

import numpy as np
import pytest

from buto_replications.live.placebo import Block, Unequal, compare_arms
from replications.tests.support.live import a_launch


def drawn(source, n, mean=5e6):
    return tuple(a_launch(**{"jvm.memory.allocated": source.normal(mean, 1e4)}) for _ in range(n))


def test_a_shift_of_one_arm_is_seen_and_named():
    source = np.random.default_rng(7)
    blocks = [Block(drawn(source, 6), drawn(source, 6, 5.02e6)) for _ in range(5)]
    placebo = compare_arms(drawn(source, 10), blocks, seed=1)
    assert (placebo.n_old, placebo.n_new) == (30, 30)
    assert placebo.p_value < 0.001
    assert placebo.furthest == "jvm.memory.allocated"
    assert placebo.ratio == pytest.approx(1.004, abs=0.001)
    assert placebo.unequal == ()


def test_a_shift_of_both_arms_between_checks_is_none():
    source = np.random.default_rng(7)
    blocks = [Block(drawn(source, 6, mean), drawn(source, 6, mean)) for mean in (5e6, 6e6, 7e6, 8e6)]
    assert compare_arms(drawn(source, 10), blocks, seed=1).p_value > 0.05


def test_alike_arms_have_small_p_values_as_often_as_they_say():
    source = np.random.default_rng(7)
    p_values = [
        compare_arms(
            drawn(source, 10), [Block(drawn(source, 4), drawn(source, 4)) for _ in range(2)], seed, draws=200
        ).p_value
        for seed in range(300)
    ]
    assert 0.05 < np.mean(np.array(p_values) <= 0.1) < 0.15


def test_what_plain_launches_repeat_must_be_equal_in_all():
    plain = [a_launch()] * 10
    block = Block(tuple([a_launch()] * 5), (*[a_launch()] * 4, a_launch(**{"jvm.class.loaded": 1001.0})))
    placebo = compare_arms(plain, [block], seed=1)
    assert placebo.unequal == (Unequal("jvm.class.loaded", 0, 1),)
    assert placebo.p_value > 0.5


def test_equal_arms_have_nothing_to_test():
    block = Block(tuple([a_launch()] * 5), tuple([a_launch()] * 5))
    placebo = compare_arms([a_launch()] * 10, [block], seed=1)
    assert (placebo.unequal, placebo.p_value, placebo.furthest) == ((), 1.0, "")


def test_a_counter_that_one_launch_lacks_is_left_out():
    lacking = {"jvm.memory.allocated": 5e6}
    block = Block(tuple([a_launch()] * 5), (lacking, *[a_launch(**{"jvm.class.loaded": 2000.0})] * 4))
    assert compare_arms([a_launch()] * 10, [block], seed=1).unequal == ()
