"""Predictions of changed components, and of versions whose components call each other differently."""

import time
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Status
from buto_predict.deviations import NEGLIGIBLE, EffectSize
from buto_predict.mapping import How
from buto_predict.model import (
    Architecture,
    Benchmark,
    Call,
    Component,
    Discipline,
    Endpoint,
    Measures,
    Station,
)
from buto_predict.prediction.predict import predict
from predict.tests.support.systems import (
    ARRIVALS,
    QUICK,
    changed,
    result,
    running_example,
    single_station,
    two_endpoints,
)


def test_the_papers_example_is_carried_to_the_service_demand():
    found = changed(running_example(), 1.5, noise=1e-6)
    station = found.stations[1]
    assert (station.old_demand_s, station.new_demand_s) == pytest.approx((0.018, 0.022), rel=1e-5)
    assert found.self_changes_s == pytest.approx((0, 0, 0, 0.001, 0.001), abs=1e-8)
    assert found.endpoints[0].old_s == pytest.approx(0.4 / ARRIVALS / 0.6 + 0.018 / 0.58)
    assert found.status is Status.REGRESSION


@pytest.mark.parametrize(
    ("times", "delta", "size", "status"),
    [(1.2, 0.08, EffectSize.NEGLIGIBLE, Status.PASS), (2.0, 0.35, EffectSize.MEDIUM, Status.REGRESSION)],
)
def test_a_fifth_more_is_negligible_and_twice_as_long_is_not(times, delta, size, status):
    """Utilisations of .4 and .42, every demand with a variation of 1."""
    found = changed(running_example(), times, noise=1e-6).endpoints[0]
    assert found.delta == pytest.approx(delta, abs=0.02)
    assert (found.size, found.status) == (size, status)


@pytest.mark.all
@pytest.mark.slow
def test_sixty_pairs_of_equal_demand_raise_no_alarm():
    made = running_example()
    for seed in range(60):
        found = changed(made, 1.0, noise=0.05, n=5, seed=1000 * seed, settings=replace(QUICK, seed=seed))
        assert found.status is not Status.REGRESSION
        assert found.endpoints[0].status is Status.PASS


@pytest.mark.all
@pytest.mark.slow
def test_the_interval_holds_the_truth():
    """Of forty noisy measurements of the same change, most intervals hold the true response time."""
    made = running_example()
    truth = 0.4 / ARRIVALS / 0.6 + 0.022 / (1 - 0.022 * ARRIVALS)
    hits = 0
    for seed in range(40):
        low, high = changed(made, 1.5, noise=0.05, seed=1000 * seed).endpoints[0].new_interval_s
        hits += low <= truth <= high
    assert hits >= 34


def test_a_faster_component_passes():
    found = changed(running_example(), 0.5)
    assert found.status is Status.PASS
    assert found.endpoints[0].delta < -NEGLIGIBLE


@pytest.mark.slow
def test_the_change_matters_from_some_load():
    made = running_example()
    old = [result("B3", 0.002, noise=1e-6), result("B4", 0.002, noise=1e-6)]
    new = [result("B3", 0.0026, noise=1e-6), result("B4", 0.0026, noise=1e-6)]
    found = predict(made, old, new, loads=(10.0, 20.0, 30.0, 40.0, 50.0), settings=QUICK)
    (limits,) = found.limits
    assert limits.matters_from is not None
    assert 20 < limits.matters_from < 50
    assert limits.old_knee is not None
    assert limits.new_knee is not None
    assert limits.new_knee < limits.old_knee
    deltas = [point.delta[0] for point in found.curve]
    assert deltas[:3] == sorted(deltas[:3])
    assert np.isinf(found.curve[-1].new_s[0])


def test_a_component_cannot_be_tested_in_two_ways():
    made = replace(running_example(), benchmarks={"mocked": Benchmark("B1", Measures.SELF)})
    results = [result("mocked", 0.004), result("B1", 0.010)]
    with pytest.raises(UsageError, match="'B1' must all measure"):
        predict(made, results, results)


@pytest.mark.slow
def test_nobody_waits_for_delays_alone_so_there_is_no_knee():
    made = single_station(0.5, discipline=Discipline.DELAY)
    found = predict(made, [], [], settings=QUICK)
    assert (found.limits[0].old_knee, found.saturation_old) == (None, np.inf)


def test_zero_demand_and_no_load_are_refused_by_name():
    made = single_station(0.5)
    idle = replace(made, components=(replace(made.components[0], self_s=0.0),))
    with pytest.raises(JudgeError, match="'e' has no demand: all that it calls takes 0 s"):
        predict(idle, [], [])
    with pytest.raises(JudgeError, match="no requests arrive"):
        predict(made.with_rates({"e": 0.0}), [], [])
    with pytest.raises(UsageError, match="must name an endpoint of e, got 'f'"):
        made.with_rates({"f": 1.0})


def test_fifo_and_forks_are_simulated():
    made = Architecture(
        "mixed",
        (Station("cpu", 2), Station("disk", 1, Discipline.FIFO)),
        (
            Component("a", "cpu", 0.005, (Call("b", 1, parallel=True), Call("d", 1, parallel=True))),
            Component("b", "cpu", 0.01),
            Component("d", "disk", 0.01, cv=0.2),
        ),
        (Endpoint("e", (Call("a", 1),), 40.0),),
    )
    old, new = [result("d", 0.01, noise=0.01, seed=1)], [result("d", 0.02, noise=0.01, seed=2)]
    found = predict(made, old, new, loads=(), settings=QUICK)
    assert not found.exact
    assert found.status is Status.REGRESSION
    low, high = found.endpoints[0].new_interval_s
    assert low < found.endpoints[0].new_s < high


def test_one_seed_gives_the_same_prediction():
    once, again = (changed(running_example(), 1.3, noise=0.1) for _ in range(2))
    assert once.endpoints == again.endpoints


@pytest.mark.slow
def test_thirty_components_five_endpoints_and_ten_loads_take_less_than_five_seconds():
    rng = np.random.default_rng(5)
    made = Architecture(
        "large",
        tuple(Station(f"s{k}", 2) for k in range(10)),
        tuple(
            Component(
                f"c{k}",
                f"s{k % 10}",
                float(rng.uniform(0.001, 0.005)),
                tuple(Call(f"c{j}", 0.5) for j in range(k + 1, min(30, k + 3))),
                cv=0.7,
            )
            for k in range(30)
        ),
        tuple(Endpoint(f"e{k}", (Call(f"c{2 * k}", 1),), 5.0) for k in range(5)),
    )
    old = [result(f"c{k}", 0.002, seed=k) for k in range(30)]
    new = [result(f"c{k}", 0.002 * (1.4 if k % 3 == 0 else 1.0), seed=50 + k) for k in range(30)]
    began = time.process_time()
    found = predict(made, old, new)
    assert time.process_time() - began < 5
    assert len(found.curve) == 10


def test_a_load_that_only_the_new_version_bears_has_a_curve_without_an_interval():
    """The old version bears 55 requests a second and the new one 62."""
    old, new = result("B3", 0.004), result("B3", 0.002, seed=1)
    found = predict(running_example(), [old], [new], loads=(20.0, 58.0), settings=QUICK)
    below, above = found.curve
    assert below.low_s[0] < below.new_s[0] < below.high_s[0]
    assert np.isinf(above.old_s[0])
    assert np.isfinite(above.new_s[0])
    assert np.isnan([above.low_s[0], above.high_s[0]]).all()


def test_the_change_matters_at_the_latest_where_it_saturates():
    """Requests vary so much that delta is negligible at the lower load, and 1 at the upper one."""
    made = running_example(cv=8.0, rate=1.0)
    found = predict(
        made, [result("B3", 0.002)], [result("B3", 0.016, seed=1)], loads=(20.0, 55.0), settings=QUICK
    )
    (limits,) = found.limits
    assert limits.matters_from is not None
    assert 20.0 < limits.matters_from == found.saturation_new


def test_mending_names_the_component_that_counts_most():
    """B3 is called twice for each request and B4 twice, but B3 has become slower by more."""
    old = [result("B3", 0.002, seed=1), result("B4", 0.002, seed=2)]
    new = [result("B3", 0.005, seed=3), result("B4", 0.003, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [mending.component for mending in found.mending] == ["B3", "B4"]
    first = found.mending[0]
    assert first.gain_s == pytest.approx(found.endpoints[0].new_s - first.mended_s)
    assert first.self_interval_s[0] < 0.003 < first.self_interval_s[1]


def test_a_caller_whose_test_noticed_is_not_to_be_mended():
    old = [result("B1", 0.010, noise=0.005, seed=1), result("B3", 0.002, noise=0.005, seed=2)]
    new = [result("B1", 0.014, noise=0.005, seed=3), result("B3", 0.004, noise=0.005, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [mending.component for mending in found.mending] == ["B3"]


def test_a_caller_whose_test_noticed_nothing_takes_nothing_back():
    """B1's noisy test does not see that B3 takes twice as long; what B3's own test says holds."""
    old = [result("B1", 0.010, noise=0.5, seed=1), result("B3", 0.002, seed=2)]
    new = [result("B1", 0.010, noise=0.5, seed=3), result("B3", 0.004, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.022, rel=0.02)
    assert found.stations[1].new_interval[0] > found.stations[1].old


def test_another_call_structure_is_predicted_without_any_slower_component():
    """A query in a loop: ten calls in place of two."""
    made = running_example()
    calls = (Call("B3", 10), Call("B4", 1))
    new = replace(
        made,
        components=tuple(
            replace(component, calls=calls) if component.name == "B1" else component
            for component in made.components
        ),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.034)
    assert found.status is Status.REGRESSION


def with_a_cache(rate, cache_s, samples=None, cv=1.0):
    """A new model with one more component, at a station of its own."""
    stations = (Station("s"), Station("cache", 1, Discipline.DELAY))
    cached = Component("C.run", "s", 0.01, (Call("K.get", 1),))
    endpoints = (Endpoint("e", (Call("C.run", 1),), rate),)
    old = Architecture("x", stations, (replace(cached, calls=()),), endpoints)
    new = Architecture(
        "x", stations, (cached, Component("K.get", "cache", cache_s, (), cv, samples)), endpoints
    )
    return predict(old, [], [], new_architecture=new, loads=(), settings=QUICK)


def test_a_further_station_changes_nothing_but_its_own_time():
    """Near saturation, other random numbers would make a large difference."""
    assert abs(with_a_cache(98.0, 1e-7).endpoints[0].delta) < 0.001


def test_a_new_component_that_is_hardly_known_makes_the_interval_wider():
    known, vague = (with_a_cache(50.0, 0.003, samples, 3.0).endpoints[0] for samples in (None, 2))
    assert known.delta == vague.delta
    widths = [high - low for low, high in (known.delta_interval, vague.delta_interval)]
    assert widths[1] > 3 * widths[0]


def test_renamed_components_keep_their_old_times():
    made = running_example()
    names = {"B3": "B3next"}
    new = replace(
        made,
        components=tuple(
            replace(
                component,
                name=names.get(component.name, component.name),
                self_s=99.0 if component.name == "B3" else component.self_s,
                calls=tuple(replace(call, to=names.get(call.to, call.to)) for call in component.calls),
            )
            for component in made.components
        ),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.mapping is not None
    assert [(pair.old, pair.new, pair.how) for pair in found.mapping.pairs if pair.how is not How.NAME] == [
        ("B3", "B3next", How.RENAMED)
    ]
    assert found.stations[1].new_demand_s == pytest.approx(0.018)
    assert found.status is Status.PASS


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (single_station(0.5, servers=2), "station s has 1 server in the model and 2 in the new model"),
        (
            single_station(0.5, discipline=Discipline.FIFO),
            "station s is processor-sharing in the model and fifo in the new model",
        ),
        (
            replace(single_station(0.5), stations=(Station("s"), Station("t"), Station("u"))),
            "stations t, u are only in the new model",
        ),
        (running_example(), "endpoint e is only in the model"),
    ],
)
def test_models_of_two_systems_are_refused(new, message):
    with pytest.raises(UsageError) as refused:
        predict(single_station(0.5), [], [], new_architecture=new)
    assert refused.value.message == message
    assert refused.value.advice == (
        "make endpoints and stations of both models the same; components and their calls may differ"
    )


def test_the_new_model_may_have_another_order_and_needs_no_load():
    made = two_endpoints(rates=(50.0, 20.0))
    new = replace(
        made.with_rates({"first": 0.0, "second": 0.0}),
        stations=made.stations[::-1],
        endpoints=made.with_rates({"first": 0.0, "second": 0.0}).endpoints[::-1],
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert [endpoint.rate for endpoint in found.endpoints] == [50.0, 20.0]
    assert [(station.old, station.new) for station in found.stations] == [(0.5, 0.5), (0.2, 0.2)]
    assert found.new_architecture is not None
    assert found.new_architecture.rates.tolist() == [50.0, 20.0]


def test_mending_is_reported_for_components_that_were_renamed_but_not_for_those_that_are_gone():
    made = two_endpoints()
    new = replace(
        made,
        components=(replace(made.components[0], name="x"), made.components[1]),
        endpoints=(Endpoint("first", (Call("x", 1),), 50.0), made.endpoints[1]),
    )
    sides = [
        [result(name, scale * 0.01, seed=k) for name in ("a", "b")] for k, scale in enumerate((1.0, 1.5))
    ]
    found = predict(made, *sides, new_architecture=new, loads=(), settings=QUICK)
    assert {mending.component for mending in found.mending} == {"a", "b"}
    gone = replace(new, components=(made.components[1], replace(new.components[0], name="x")))
    gone = replace(gone, endpoints=(Endpoint("first", (Call("b", 1),), 50.0), made.endpoints[1]))
    found = predict(made, *sides, new_architecture=gone, loads=(), settings=QUICK)
    assert [mending.component for mending in found.mending] == ["b"]
    assert found.warnings == ("only in the old model: a", "only in the new model: x")
    assert found.self_changes_s[0] == 0.0
