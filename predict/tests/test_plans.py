"""Calls per request, demands, and calls that never end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto_predict.calls import calls_of, inclusive, visits
from buto_predict.model import Architecture, Call, Component, Endpoint, Station
from buto_predict.plans import Fork, Visit, demand_weights, plans
from predict.tests.support.systems import running_example


def system(*components: Component, calls: tuple[Call, ...] = (Call("a", 1),)) -> Architecture:
    return Architecture("x", (Station("s"), Station("t")), components, (Endpoint("e", calls, 1.0),))


def demands(architecture: Architecture) -> np.ndarray:
    return demand_weights(architecture, plans(architecture)) @ architecture.self_s


def test_the_papers_example_has_its_numbers() -> None:
    old, new = running_example(), running_example(b3_s=0.003, b4_s=0.003)
    whole = [inclusive(calls_of(one), one.self_s) for one in (old, new)]
    subsystem = [times[1] + times[2] for times in whole]
    assert subsystem == pytest.approx([0.018, 0.022])
    assert subsystem[1] / subsystem[0] - 1 == pytest.approx(0.222, abs=5e-4)
    assert demands(old)[0, 1] == pytest.approx(0.018)
    assert demands(new)[0, 1] == pytest.approx(0.022)


def test_recursion_that_ends_is_counted() -> None:
    """A calls B half of the time, and B always calls A: two calls of A for each request, one of B."""
    calls = np.array([[0.0, 0.5], [1.0, 0.0]])
    assert visits(calls, np.array([1.0, 0.0])) == pytest.approx([2.0, 1.0])


@pytest.mark.parametrize("again", [1.0, 1.5])
def test_recursion_without_an_end_is_refused_by_name(again: float) -> None:
    made = system(Component("a", "s", 1.0, (Call("b", again),)), Component("b", "s", 1.0, (Call("a", 1),)))
    with pytest.raises(JudgeError, match="'a', 'b' call each other without an end"):
        plans(made)


def test_a_circle_of_parallel_calls_is_refused_though_it_ends() -> None:
    made = system(Component("a", "s", 1.0, (Call("a", 0.5, parallel=True),)))
    with pytest.raises(JudgeError, match="parallel calls must be nested at most 32 deep, got more below 'a'"):
        plans(made)


def test_parallel_pairs_that_multiply_are_refused_before_they_fill_the_memory() -> None:
    """Eight levels of two parallel calls are 254 branches of a request; thirty are a thousand million."""

    def levels(n: int) -> Architecture:
        pairs = (Call("n1", 1, parallel=True), Call("n1", 1, parallel=True))
        called = [*(tuple(replace(one, to=f"n{i}") for one in pairs) for i in range(1, n)), ()]
        return system(
            *(Component(f"n{i}", "s", 1.0, calls) for i, calls in enumerate(called)), calls=(Call("n0", 1),)
        )

    assert demands(levels(8))[0, 0].sum() == 2**8 - 1
    with pytest.raises(JudgeError, match="a request of 'e' makes more than 1000 parallel calls"):
        plans(levels(30))


def test_a_component_that_always_calls_itself_is_refused() -> None:
    with pytest.raises(JudgeError, match="'a' call each other without an end"):
        plans(system(Component("a", "s", 1.0, (Call("a", 1),))))


def test_an_endpoint_that_calls_nothing_has_no_demand() -> None:
    made = running_example()
    with pytest.raises(JudgeError, match="'GET /b' has no demand"):
        plans(replace(made, endpoints=(Endpoint("GET /b", (), 1.0),)))


def test_a_request_stays_once_at_each_station() -> None:
    made = system(
        Component("a", "s", 1.0, (Call("b", 3),)),
        Component("b", "t", 1.0, (Call("c", 2),)),
        Component("c", "s", 1.0),
    )
    (plan,) = plans(made)
    assert [step.station for step in plan if isinstance(step, Visit)] == [0, 1]
    assert demands(made).tolist() == [[7.0, 3.0]]


def test_parallel_calls_become_a_fork() -> None:
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
