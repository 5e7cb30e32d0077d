"""Which request is due when, computed from a seed alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from buto.measure.workload.load import schedule
from buto.measure.workload.plan import Arrivals, Load, Phase, RequestKind, Template, Values, Variable

KINDS = (RequestKind("search", "/s"), RequestKind("create", "/c"))


def load(*phases: Phase, arrivals: Arrivals = Arrivals.POISSON, seed: int = 1) -> Load:
    return Load("http://a", KINDS, phases, arrivals, seed)


def phase(rate: float, duration_s: float, **mix: float) -> Phase:
    return Phase("p", duration_s, rate, mix or {"search": 1.0})


def test_the_same_seed_gives_the_same_requests_and_another_seed_others() -> None:
    phases = (phase(50.0, 10.0, search=3, create=1), phase(100.0, 5.0))
    first, same, other = (schedule(load(*phases, seed=seed)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.due_s, same.due_s)
    np.testing.assert_array_equal(first.kinds, same.kinds)
    assert len(first.due_s) != len(other.due_s) or (first.due_s != other.due_s).any()


def test_gaps_of_poisson_arrivals_are_exponential_and_their_number_is_near_rate_times_time() -> None:
    due = schedule(load(phase(100.0, 100.0))).due_s
    assert abs(len(due) - 10_000) < 4 * 100
    assert (np.diff(due) >= 0).all() and due[0] >= 0 and due[-1] <= 100
    assert stats.kstest(np.diff(due), "expon", args=(0, 0.01)).pvalue > 0.001


@pytest.mark.parametrize("arrivals", Arrivals)
def test_a_phase_in_which_nothing_is_due_by_chance_has_a_request_all_the_same(arrivals: Arrivals) -> None:
    plan = schedule(load(phase(0.001, 1.0), phase(0.001, 1.0), arrivals=arrivals))
    first, second = plan.due_s.tolist()
    assert 0 <= first <= 1 <= second <= 2


def test_even_arrivals_have_equal_gaps() -> None:
    due = schedule(load(phase(10.0, 2.0), arrivals=Arrivals.EVEN)).due_s
    np.testing.assert_allclose(due, np.arange(20) / 10)


def test_each_phase_has_its_rate_and_its_mix() -> None:
    plan = schedule(load(phase(50.0, 20.0, search=3, create=1), phase(200.0, 20.0, create=1)))
    assert plan.phases_s.tolist() == [0, 20]
    first = plan.due_s < 20
    assert abs(first.sum() - 1000) < 130 and abs((~first).sum() - 4000) < 260
    assert (plan.kinds[first] == 0).mean() == pytest.approx(0.75, abs=0.06)
    assert (plan.kinds[~first] == 1).all()


def test_a_phase_does_not_change_with_those_before_it() -> None:
    second = phase(30.0, 5.0)
    slow, fast = (schedule(load(phase(rate, 5.0), second)) for rate in (10.0, 90.0))
    np.testing.assert_array_equal(slow.due_s[slow.due_s >= 5], fast.due_s[fast.due_s >= 5])


def test_texts_are_filled_in_with_unique_numbers_and_values_of_the_seed() -> None:
    template = Template('{"name": "user-${n}", "by": "${who}", "page": ${page}, "as": "${token}"}$')
    variables = {"who": Variable(texts=("anna", "bob")), "page": Variable(first=3, last=5)}

    def fill() -> list[str]:
        values = Values(variables, {"token": "t-1"}, seed=4)
        return [template.fill(values.of(number)) for number in range(1, 101)]

    texts = fill()
    assert texts == fill()
    assert len(set(texts)) == 100
    assert texts[0].startswith('{"name": "user-1", "by": "')
    assert all(text.endswith('"as": "t-1"}$') for text in texts)
    assert {word for text in texts for word in ("anna", "bob") if word in text} == {"anna", "bob"}
    assert {text.split('"page": ')[1][0] for text in texts} == {"3", "4", "5"}
    assert Template("/order").fill({}) == "/order"


def test_each_run_draws_the_rates_of_its_phases_from_ranges_and_a_run_of_the_same_seed_the_same() -> None:
    ranged = Phase("busy", 1.0, 20.0, {"search": 1.0}, rate_to=60.0)
    plan = load(phase(5.0, 1.0), ranged)
    drawn = [plan.draw(str(seed))[1]["busy"] for seed in range(200)]
    assert min(drawn) >= 20 and max(drawn) <= 60
    assert min(drawn) < 25 and max(drawn) > 55 and len(set(drawn)) > 100
    drawn_load, rates = plan.draw("7")
    assert plan.draw("7") == (drawn_load, rates)
    assert drawn_load.phases == (plan.phases[0], Phase("busy", 1.0, rates["busy"], {"search": 1.0}))
