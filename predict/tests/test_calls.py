"""Calls and plans of requests, what changed tests say of self times, and sizes of deviations."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from buto.errors import JudgeError
from buto_predict.calls import (
    Calls,
    MeasuredComponent,
    calls_of,
    inclusive,
    reaches,
    self_changes,
    visits,
)
from buto_predict.deviations import EffectSize, can_be_significant, cliffs_delta, deviation, fewest, size_of
from buto_predict.model import Architecture, Call, Component, Endpoint, Measures, Station
from buto_predict.plans import Fork, Visit, demand_weights, plans
from predict.tests.support.systems import running_example

EXAMPLE = running_example()
CALLS = calls_of(EXAMPLE)
SELF = EXAMPLE.self_s


def test_a_caller_is_not_blamed_for_what_it_calls():
    """B1 takes 13 ms in place of 10, all of it because of B3 and B4."""
    tested = [MeasuredComponent(position, Measures.INCLUSIVE) for position in (1, 3, 4)]
    found = self_changes(CALLS, SELF, tested, np.array([0.3, 0.5, 0.5]))
    assert found == pytest.approx([0, 0, 0, 0.001, 0.001], abs=1e-12)


def test_what_tests_of_callees_do_not_explain_is_the_callers_own():
    tested = [MeasuredComponent(1, Measures.INCLUSIVE), MeasuredComponent(3, Measures.INCLUSIVE)]
    found = self_changes(CALLS, SELF, tested, np.array([0.5, 0.5]))
    assert found == pytest.approx([0, 0.003, 0, 0.001, 0], abs=1e-12)


def test_no_self_time_becomes_negative():
    """B1 as a whole becomes 9 ms faster, more than it does itself."""
    found = self_changes(CALLS, SELF, [MeasuredComponent(1, Measures.INCLUSIVE)], np.array([-0.9]))
    assert found[1] == pytest.approx(-0.004)


def test_many_replicates_are_as_one_by_one():
    tested = [MeasuredComponent(1, Measures.INCLUSIVE), MeasuredComponent(4, Measures.SELF)]
    shares = np.array([[0.1, 0.2], [-0.1, 0.3]])
    together = self_changes(CALLS, SELF, tested, shares)
    assert together == pytest.approx(np.array([self_changes(CALLS, SELF, tested, share) for share in shares]))


ONE_TO_THREE = np.array([[0, 1, 2, 0.5], *np.zeros((3, 4))])
"""Calls of the first component: one, two and a half."""


def test_a_parallel_call_that_is_never_the_longest_changes_no_caller():
    at_once = Calls(np.zeros((4, 4)), ONE_TO_THREE)
    tested = [MeasuredComponent(0, Measures.INCLUSIVE), MeasuredComponent(3, Measures.INCLUSIVE)]
    found = self_changes(at_once, np.array([1.0, 5.0, 3.0, 4.0]), tested, np.array([0.0, 1.0]))
    assert found == pytest.approx([0, 0, 0, 4], abs=1e-12)


def whole_by_following(calls, self_s, component):
    """The slow reference: follow each call."""
    below = [whole_by_following(calls, self_s, other) for other in range(component)]
    in_turn = sum(
        times * below_times for times, below_times in zip(calls.sequential[component], below, strict=False)
    )
    at_once = (
        times * below_times for times, below_times in zip(calls.parallel[component], below, strict=False)
    )
    return float(self_s[component] + in_turn + max(at_once, default=0.0))


@given(st.integers(0, 2**32 - 1))
def test_any_calls_add_up_as_if_each_was_followed_and_give_back_the_self_times(seed):
    rng = np.random.default_rng(seed)
    kinds = [np.tril(rng.integers(0, 4, (6, 6)) * (rng.random((6, 6)) < 0.5), -1) for _ in range(2)]
    calls = Calls(kinds[0].astype(float), kinds[1] * (kinds[0] == 0).astype(float))
    old, new = rng.random((2, 6)) + 0.1
    wholes = [inclusive(calls, side) for side in (old, new)]
    assert wholes[0] == pytest.approx([whole_by_following(calls, old, component) for component in range(6)])
    measures = [Measures.SELF if alone else Measures.INCLUSIVE for alone in rng.random(6) < 0.3]
    tested = [MeasuredComponent(position, measure) for position, measure in enumerate(measures)]
    alone = np.array([measure is Measures.SELF for measure in measures])
    changes = np.where(alone, new / old, wholes[1] / wholes[0]) - 1
    assert old + self_changes(calls, old, tested, changes) == pytest.approx(new)


def test_recursion_is_solved_together_with_what_it_calls():
    """The second and the third call each other every other time, and the first calls the second."""
    calls = np.array([[0, 1, 0, 0], [0, 0, 0.5, 0], [0, 0.5, 0, 2], [0, 0, 0, 0]], dtype=float)
    both = Calls(calls, np.zeros((4, 4)))
    self_s = np.array([1.0, 2.0, 3.0, 4.0])
    assert inclusive(both, self_s) == pytest.approx(np.linalg.solve(np.eye(4) - calls, self_s))
    assert [sorted(group) for group in both.groups] == [[3], [1, 2], [0]]


def test_reaches_follows_calls_to_the_end():
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=float)
    assert reaches(Calls(np.zeros((3, 3)), chain)).tolist() == [
        [False, True, True],
        [False, False, True],
        [False, False, False],
    ]


ONE_CALL = (Call("a", 1),)


def system(*components, calls=ONE_CALL):
    return Architecture("x", (Station("s"), Station("t")), components, (Endpoint("e", calls, 1.0),))


def demands(architecture):
    return demand_weights(architecture, plans(architecture)) @ architecture.self_s


def test_the_papers_example_has_its_numbers():
    old, new = running_example(), running_example(b3_s=0.003, b4_s=0.003)
    whole = [inclusive(calls_of(architecture), architecture.self_s) for architecture in (old, new)]
    subsystem = [times[1] + times[2] for times in whole]
    assert subsystem == pytest.approx([0.018, 0.022])
    assert subsystem[1] / subsystem[0] - 1 == pytest.approx(0.222, abs=5e-4)
    assert demands(old)[0, 1] == pytest.approx(0.018)
    assert demands(new)[0, 1] == pytest.approx(0.022)


def test_recursion_that_ends_is_counted():
    """A calls B half of the time, and B always calls A: two calls of A for each request, one of B."""
    calls = np.array([[0.0, 0.5], [1.0, 0.0]])
    assert visits(calls, np.array([1.0, 0.0])) == pytest.approx([2.0, 1.0])


@pytest.mark.parametrize("again", [1.0, 1.5])
def test_recursion_without_an_end_is_refused_by_name(again):
    made = system(Component("a", "s", 1.0, (Call("b", again),)), Component("b", "s", 1.0, (Call("a", 1),)))
    with pytest.raises(JudgeError, match="'a', 'b' call each other without an end"):
        plans(made)


def test_a_circle_of_parallel_calls_is_refused_though_it_ends():
    made = system(Component("a", "s", 1.0, (Call("a", 0.5, parallel=True),)))
    with pytest.raises(JudgeError, match="parallel calls must be nested at most 32 deep, got more below 'a'"):
        plans(made)


def test_parallel_pairs_that_multiply_are_refused_before_they_fill_the_memory():
    """Eight levels of two parallel calls are 254 branches of a request; thirty are a thousand million."""

    def levels(n):
        pairs = (Call("n1", 1, parallel=True), Call("n1", 1, parallel=True))
        called = [*(tuple(replace(pair, to=f"n{i}") for pair in pairs) for i in range(1, n)), ()]
        return system(
            *(Component(f"n{i}", "s", 1.0, calls) for i, calls in enumerate(called)), calls=(Call("n0", 1),)
        )

    assert demands(levels(8))[0, 0].sum() == 2**8 - 1
    with pytest.raises(JudgeError, match="a request of 'e' makes more than 1000 parallel calls"):
        plans(levels(30))


def test_an_endpoint_that_calls_nothing_has_no_demand():
    made = running_example()
    with pytest.raises(JudgeError, match="'GET /b' has no demand"):
        plans(replace(made, endpoints=(Endpoint("GET /b", (), 1.0),)))


def test_a_request_stays_once_at_each_station():
    made = system(
        Component("a", "s", 1.0, (Call("b", 3),)),
        Component("b", "t", 1.0, (Call("c", 2),)),
        Component("c", "s", 1.0),
    )
    (plan,) = plans(made)
    assert [step.station for step in plan if isinstance(step, Visit)] == [0, 1]
    assert demands(made).tolist() == [[7.0, 3.0]]


def test_parallel_calls_become_a_fork():
    made = system(
        Component("a", "s", 1.0, (Call("b", 2, parallel=True), Call("c", 1, parallel=True))),
        Component("b", "t", 1.0),
        Component("c", "t", 4.0),
    )
    (plan,) = plans(made)
    assert isinstance(plan[0], Visit)
    assert isinstance(plan[1], Fork)
    assert len(plan[1].branches) == 2
    assert demands(made).tolist() == [[1.0, 6.0]]


SAMPLES = st.lists(st.integers(0, 20), min_size=1, max_size=30)


@given(SAMPLES, SAMPLES)
def test_delta_is_that_of_mann_and_whitneys_u(old, new):
    u = mannwhitneyu(new, old).statistic
    delta = cliffs_delta(np.array(old, dtype=float), np.array(new, dtype=float))
    assert delta == pytest.approx(2 * u / (len(old) * len(new)) - 1, abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "size"),
    [
        (0.146, EffectSize.NEGLIGIBLE),
        (-0.147, EffectSize.SMALL),
        (0.33, EffectSize.MEDIUM),
        (-0.474, EffectSize.LARGE),
    ],
)
def test_sizes_have_the_usual_limits(delta, size):
    assert size_of(delta) is size


def test_a_slower_component_has_a_positive_delta():
    old, new = np.linspace(1, 1.1, 5), np.linspace(2, 2.1, 5)
    found = deviation(old, new)
    assert (found.delta, found.significant, found.size) == (1.0, True, EffectSize.LARGE)
    assert found.change == pytest.approx(1 / 1.05)


@pytest.mark.parametrize(
    ("old", "new", "p_value"),
    [
        ([1, 1, 1, 2, 2], [2, 2, 2, 3, 3], 20 / 252),
        ([1, 1, 1, 1, 2], [2, 2, 2, 2, 2], 12 / 252),
        ([1, 1, 2], [3], 1 / 4),
        ([1], [1], 1),
    ],
)
def test_of_few_values_p_is_exact_also_if_some_are_tied(old, new, p_value):
    values = np.array([*old, *new], dtype=float)
    deltas = [
        cliffs_delta(np.delete(values, list(chosen)), values[list(chosen)])
        for chosen in combinations(range(len(values)), len(new))
    ]
    found = deviation(np.array(old, dtype=float), np.array(new, dtype=float))
    assert np.mean(np.abs(deltas) >= found.delta - 1e-12) == pytest.approx(p_value)
    assert found.p_value == pytest.approx(p_value)


def test_p_alone_is_useless():
    """Of very many values a change of 2 % is significant, and yet negligible."""
    old = -np.log((np.arange(40_000) + 0.5) / 40_000)
    found = deviation(old, 1.02 * old)
    assert found.p_value < 0.05
    assert not found.significant


def test_groups_that_are_too_small_are_never_significant():
    assert fewest(0.05) == 4
    assert not can_be_significant(3, 3)
    assert can_be_significant(3, 5)
    assert not can_be_significant(1, 1000)
    found = deviation(np.array([1.0, 1.1, 1.2]), np.array([5.0, 5.1, 5.2]))
    assert (found.enough, found.significant) == (False, False)


def test_an_empty_side_has_no_delta():
    found = deviation(np.zeros(0), np.array([1.0]))
    assert np.isnan([found.delta, found.p_value, found.old_s]).all()
    assert not found.enough
