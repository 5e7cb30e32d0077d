"""Closed forms against known queues, the simulation against the closed forms, and both against ciw."""

from dataclasses import replace

import ciw
import numpy as np
import pytest

from buto_predict.deviations import cliffs_delta
from buto_predict.model import Architecture, Call, Component, Discipline, Endpoint, Station
from buto_predict.network import network_of
from buto_predict.plans import choosers
from predict.tests.support.systems import single_station

pytestmark = pytest.mark.slow

PS, FIFO, DELAY = Discipline.PROCESSOR_SHARING, Discipline.FIFO, Discipline.DELAY


def formula(architecture):
    return network_of(architecture).mean_responses(architecture.self_s, architecture.rates)


def simulated(architecture, stays=200_000, seed=1):
    network = network_of(architecture)
    n_requests = network.enough_requests(architecture.self_s, architecture.rates, stays)
    return network.simulate(architecture.self_s, architecture.rates, seed=seed, n_requests=n_requests).means


@pytest.mark.parametrize("rho", [0.3, 0.7])
def test_one_processor_is_m_m_1(rho):
    made = single_station(rho)
    assert formula(made) == pytest.approx([0.01 / (1 - rho)])
    assert simulated(made) == pytest.approx([0.01 / (1 - rho)], rel=0.02)


def test_two_servers_have_their_textbook_value():
    """M/M/2: the response is the demand over 1 - rho squared."""
    made = single_station(0.6, servers=2)
    assert formula(made) == pytest.approx([0.01 / (1 - 0.6**2)])
    assert simulated(made) == pytest.approx([0.01 / (1 - 0.6**2)], rel=0.02)


@pytest.mark.parametrize("cv", [0.0, 0.5, 2.0])
def test_processor_sharing_does_not_mind_the_variation(cv):
    made = single_station(0.5, cv=cv)
    assert formula(made) == pytest.approx([0.02])
    assert simulated(made, stays=400_000) == pytest.approx([0.02], rel=0.03)


@pytest.mark.parametrize("cv", [0.0, 1.0])
def test_one_queue_is_pollaczek_and_khinchine(cv):
    made = single_station(0.6, discipline=FIFO, cv=cv)
    expected = 0.01 + 0.6 / 0.4 * 0.01 * (1 + cv**2) / 2
    assert formula(made) == pytest.approx([expected])
    assert simulated(made) == pytest.approx([expected], rel=0.02)


@pytest.mark.all
def test_demands_are_independent_of_the_arrivals():
    """Of many seeds, because waiting in a busy queue hardly converges; dependent ones are 13 % too small."""
    made = single_station(0.95, discipline=FIFO)
    means = [simulated(made, stays=16_000, seed=seed)[0] for seed in range(100)]
    assert np.mean(means) == pytest.approx(0.2, rel=0.08)


def test_parallel_branches_are_stays_too():
    calls = tuple(Call(f"c{k}", 1, parallel=True) for k in range(6))
    made = Architecture(
        "fan",
        (Station("s"),),
        (Component("a", "s", 1e-4, calls), *(Component(f"c{k}", "s", 1e-4) for k in range(6))),
        (Endpoint("e", (Call("a", 1),), 1.0),),
    )
    network = network_of(made)
    assert network.enough_requests(made.self_s, made.rates, 70_000) == 10_000


def test_a_delay_makes_nobody_wait():
    made = single_station(5.0, discipline=DELAY)
    network = network_of(made)
    assert formula(made) == pytest.approx([0.01])
    assert network.utilisations(made.self_s, made.rates).tolist() == [0.0]
    assert simulated(made, stays=20_000) == pytest.approx([0.01], rel=0.03)


def test_kinds_of_requests_share_stations():
    made = Architecture(
        "two kinds",
        (Station("cpu", 2), Station("db")),
        (
            Component("a", "cpu", 0.01),
            Component("b", "cpu", 0.03, (Call("q", 1.5),)),
            Component("q", "db", 0.01),
        ),
        (Endpoint("light", (Call("a", 1),), 40.0), Endpoint("heavy", (Call("b", 1), Call("a", 1)), 20.0)),
    )
    assert network_of(made).exact
    assert simulated(made) == pytest.approx(formula(made), rel=0.03)


def test_a_fork_waits_for_its_slowest_branch():
    parallel = (Call("l", 1, parallel=True), Call("r", 1, parallel=True))
    made = Architecture(
        "fork",
        (Station("s"), Station("l", 1, DELAY), Station("r", 1, DELAY)),
        (Component("a", "s", 1e-6, parallel), Component("l", "l", 0.01), Component("r", "r", 0.01)),
        (Endpoint("e", (Call("a", 1),), 10.0),),
    )
    assert not network_of(made).exact
    # The larger of two exponential times is half as long again.
    assert simulated(made, stays=60_000) == pytest.approx([0.015], rel=0.03)


def test_saturation_is_infinite_and_bounds_the_throughput():
    made = single_station(1.25)
    network = network_of(made)
    assert np.isinf(formula(made)).all()
    assert network.throughputs(made.self_s, made.rates) == pytest.approx([100.0])
    assert network.saturation(made.self_s, made.rates) == pytest.approx(0.8)


def test_an_endpoint_beside_a_saturated_station_is_not_saturated():
    made = Architecture(
        "beside",
        (Station("s"), Station("t")),
        (Component("a", "s", 0.1), Component("b", "t", 0.01)),
        (Endpoint("slow", (Call("a", 1),), 20.0), Endpoint("quick", (Call("b", 1),), 20.0)),
    )
    assert formula(made) == pytest.approx([np.inf, 0.01 / 0.8])


def test_a_measured_variation_of_the_whole_demand_wins():
    """Of five independent calls the demand would vary less than each of them."""
    made = single_station(0.6, discipline=FIFO)
    several = replace(
        made,
        components=(replace(made.components[0], self_s=0.002),),
        endpoints=(replace(made.endpoints[0], calls=(Call("c", 5),)),),
    )
    measured = replace(several, endpoints=(replace(several.endpoints[0], cv=1.0),))
    assert formula(several)[0] < formula(measured)[0]
    assert formula(measured) == pytest.approx(formula(made))
    assert simulated(measured) == pytest.approx(formula(made), rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("discipline", "node"), [(PS, ciw.PSNode), (FIFO, ciw.Node)])
def test_ciw_agrees_within_its_error(discipline, node):
    """Two stations one after the other, one with two servers, simulated by somebody else."""
    rate, demands, servers = 60.0, (0.02, 0.01), (2, 1)
    made = Architecture(
        "tandem",
        tuple(Station(f"s{k}", servers[k], discipline) for k in (0, 1)),
        tuple(Component(f"c{k}", f"s{k}", demands[k]) for k in (0, 1)),
        (Endpoint("e", (Call("c0", 1), Call("c1", 1)), rate),),
    )
    # Its stations of several shared processors serve up to a threshold at full speed.
    theirs = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate), None],
        service_distributions=[ciw.dists.Exponential(1 / demand) for demand in demands],
        routing=[[0.0, 1.0], [0.0, 0.0]],
        number_of_servers=[float("inf")] * 2 if discipline is PS else list(servers),
        ps_thresholds=list(servers),
    )
    batches = []
    for seed in range(8):
        ciw.seed(seed)
        run = ciw.Simulation(theirs, node_class=node)
        run.simulate_until_max_time(100)
        spent = {}
        for record in run.get_all_records():
            stay = record.exit_date - record.arrival_date
            spent[record.id_number] = spent.get(record.id_number, 0.0) + stay
        batches.append(np.mean(list(spent.values())))
    error = np.std(batches, ddof=1) / np.sqrt(len(batches))
    assert simulated(made)[0] == pytest.approx(np.mean(batches), abs=4 * error)


def rare_calls(times, discipline=DELAY, cv=0.0, rate=1.0):
    """Each request takes 10 ms; some also call b, which calls c each time: 100 + 50 ms, elsewhere."""
    parts = (
        Component("a", "s", 0.01, (Call("b", times),), cv),
        Component("b", "t", 0.1, (Call("c", 1),), cv),
        Component("c", "t", 0.05, (), cv),
    )
    stations = (Station("s", 1, DELAY), Station("t", 1, discipline))
    return Architecture("rare", stations, parts, (Endpoint("e", (Call("a", 1),), rate),))


def responses(made, n_requests=40_000):
    return network_of(made).simulate(made.self_s, made.rates, seed=1, n_requests=n_requests).responses[0]


def test_a_component_that_is_called_rarely_takes_its_whole_time_in_few_requests():
    found = responses(rare_calls(0.1))
    few = found > 0.02
    assert few.mean() == pytest.approx(0.1, abs=0.01)
    assert found[~few] == pytest.approx(0.01, abs=1e-6)
    assert found[few] == pytest.approx(0.16, abs=1e-6)


def test_what_is_slower_in_one_of_ten_requests_has_a_delta_of_at_most_a_tenth():
    slow, (a, b, c) = rare_calls(0.1, cv=1.0), rare_calls(0.1, cv=1.0).components
    fast = replace(slow, components=(a, replace(b, self_s=1e-4), replace(c, self_s=1e-4)))
    assert 0.07 < cliffs_delta(responses(fast), responses(slow)) <= 0.1


@pytest.mark.parametrize("discipline", [PS, FIFO])
@pytest.mark.parametrize("cv", [0.0, 1.0])
def test_requests_without_work_at_a_station_do_not_wait_there(discipline, cv):
    made = rare_calls(0.2, discipline, cv, rate=20.0)
    assert simulated(made) == pytest.approx(formula(made), rel=0.05)


def test_a_component_that_takes_no_time_makes_nobody_wait_at_its_station():
    made = rare_calls(0.2, FIFO, rate=20.0)
    through = Component("free", "t", 0.0, made.components[0].calls)
    first = replace(made.components[0], calls=(Call("free", 1),))
    passing = replace(made, components=(first, through, *made.components[1:]))
    assert formula(passing) == pytest.approx(formula(made))
    assert simulated(passing) == pytest.approx(formula(made), rel=0.05)


def test_the_callee_of_a_rare_component_is_in_the_same_requests():
    calls = np.array([[0, 0.1, 0.5, 0], [0, 0, 0, 0.5], [0, 0, 0, 0.5], [0, 0, 0, 0]])
    # The last one has two callers, so it is in requests of its own.
    assert choosers(calls, np.array([1, 0.1, 0.5, 0.3])).tolist() == [0, 1, 2, 3]
    calls[2, 3] = 0
    assert choosers(calls, np.array([1, 0.1, 0.5, 0.05])).tolist() == [0, 1, 2, 1]
