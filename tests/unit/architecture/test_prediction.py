"""From component results to the status of the system."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from buto.architecture.deviations import NEGLIGIBLE, Size
from buto.architecture.mapping import How
from buto.architecture.model import (
    Architecture,
    Benchmark,
    Call,
    Component,
    Discipline,
    Endpoint,
    Measures,
    Station,
)
from buto.architecture.prediction.model import Prediction, Settings
from buto.architecture.prediction.predict import predict
from buto.architecture.results.model import ComponentResult
from buto.errors import JudgeError, UsageError
from buto.verdicts import Status
from tests.support.systems import ARRIVALS, result, running_example, single_station

QUICK = Settings(n_replicates=200)


def changed(
    architecture: Architecture,
    times: float,
    *,
    names: tuple[str, ...] = ("B3", "B4"),
    n: int = 10,
    noise: float = 0.01,
    seed: int = 0,
    settings: Settings = QUICK,
) -> Prediction:
    """A prediction in which the named components take this many times as long."""
    sides = [
        [
            result(name, scale * 0.002, n=n, noise=noise, seed=seed + 100 * side + number)
            for number, name in enumerate(names)
        ]
        for side, scale in enumerate((1.0, times))
    ]
    return predict(architecture, sides[0], sides[1], loads=(), settings=settings)


def test_the_papers_example_is_carried_to_the_service_demand() -> None:
    found = changed(running_example(), 1.5, noise=1e-6)
    station = found.stations[1]
    assert (station.old_demand_s, station.new_demand_s) == pytest.approx((0.018, 0.022), rel=1e-5)
    assert found.self_changes_s == pytest.approx((0, 0, 0, 0.001, 0.001), abs=1e-8)
    assert found.endpoints[0].old_s == pytest.approx(0.4 / ARRIVALS / 0.6 + 0.018 / 0.58)
    assert found.status is Status.REGRESSION


@pytest.mark.parametrize(
    ("times", "delta", "size", "status"),
    [(1.2, 0.08, Size.NEGLIGIBLE, Status.PASS), (2.0, 0.35, Size.MEDIUM, Status.REGRESSION)],
)
def test_a_fifth_more_is_negligible_and_twice_as_long_is_not(
    times: float, delta: float, size: Size, status: Status
) -> None:
    """Utilisations of .4 and .42, every demand with a variation of 1."""
    found = changed(running_example(), times, noise=1e-6).endpoints[0]
    assert found.delta == pytest.approx(delta, abs=0.02)
    assert (found.size, found.status) == (size, status)


@pytest.mark.slow
def test_sixty_pairs_of_equal_demand_raise_no_alarm() -> None:
    made = running_example()
    for seed in range(60):
        found = changed(made, 1.0, noise=0.05, n=5, seed=1000 * seed, settings=replace(QUICK, seed=seed))
        assert found.status is not Status.REGRESSION
        assert found.endpoints[0].status is Status.PASS


@pytest.mark.slow
def test_the_interval_holds_the_truth() -> None:
    """Of forty noisy measurements of the same change, most intervals hold the true response time."""
    made = running_example()
    truth = 0.4 / ARRIVALS / 0.6 + 0.022 / (1 - 0.022 * ARRIVALS)
    hits = 0
    for seed in range(40):
        low, high = changed(made, 1.5, noise=0.05, seed=1000 * seed).endpoints[0].new_interval_s
        hits += low <= truth <= high
    assert hits >= 34


def test_what_is_uncertain_is_inconclusive_and_says_what_would_decide() -> None:
    made = running_example()
    found = changed(made, 1.4, noise=0.15, n=10)
    assert (found.status, found.endpoints[0].status) == (Status.INCONCLUSIVE, Status.INCONCLUSIVE)
    low, high = found.endpoints[0].delta_interval
    assert low < NEGLIGIBLE < high
    (needed,) = found.needed
    assert needed.replicate == "fork"
    assert needed.count is not None
    more = changed(made, 1.4, noise=0.15, n=10 + 4 * needed.count)
    widths = [high - low for low, high in (one.endpoints[0].delta_interval for one in (found, more))]
    assert widths[1] < widths[0] / 1.5


def test_one_noisy_benchmark_is_the_one_to_repeat() -> None:
    old = [result("B3", 0.002, noise=0.001, seed=1), result("B4", 0.002, noise=0.2, seed=2)]
    new = [result("B3", 0.0032, noise=0.001, seed=3), result("B4", 0.0025, noise=0.2, seed=4)]
    (needed,) = predict(running_example(), old, new, loads=(), settings=QUICK).needed
    assert needed.tests == ("B4",)


def test_an_uncertain_model_is_not_decided_by_more_forks() -> None:
    made = running_example()
    vague = replace(made, components=tuple(replace(one, n_samples=3) for one in made.components))
    found = changed(vague, 1.45, noise=0.001)
    assert found.endpoints[0].status is Status.INCONCLUSIVE
    assert found.needed[0].count is None


def test_saturation_is_named() -> None:
    found = changed(running_example(), 8.0)
    assert found.status is Status.REGRESSION
    (endpoint,) = found.endpoints
    assert np.isinf(endpoint.new_s)
    assert endpoint.reasons == ("it is saturated after the change",)
    assert endpoint.new_throughput < endpoint.rate
    assert [station.saturated for station in found.stations] == [False, True]
    assert found.bottleneck == "B"
    assert found.saturation_new < found.load < found.saturation_old


def test_what_is_saturated_before_cannot_be_compared() -> None:
    found = changed(single_station(1.2), 1.0, names=("c",))
    assert found.status is Status.INCONCLUSIVE
    assert "saturated before the change, so" in found.endpoints[0].reasons[0]


def test_two_unknown_test_nodes_are_listed_and_change_nothing() -> None:
    """Tests T1 and T2 call B3 and B4; only these are components of the system."""

    def traced(scale: float, seed: int) -> list[ComponentResult]:
        def one(name: str, mean_s: float, calls: tuple[str, ...]) -> ComponentResult:
            times = result(name, mean_s, noise=0.01, seed=seed + len(name)).times_s
            return ComponentResult(name, times, "run", Measures.SELF, calls)

        return [
            one("T1", 0.001, ("B3",)),
            one("T2", 0.001, ("B3", "B4")),
            one("B3", scale * 0.002, ()),
            one("B4", scale * 0.002, ()),
        ]

    # The same seed on both sides: the test nodes themselves do not differ.
    found = predict(running_example(), traced(1.0, 1), traced(1.5, 1), loads=(), settings=QUICK)
    assert found.unmapped == ("T1", "T2")
    assert found.stations[1].new_demand_s == pytest.approx(0.022, rel=1e-3)
    assert found.status is Status.REGRESSION


def test_a_slower_test_of_no_known_component_allows_no_pass() -> None:
    found = changed(running_example(), 1.5, names=("com.acme.OtherBench.run",))
    assert found.status is Status.INCONCLUSIVE
    assert "but the model has no component for it" in found.reasons[0]
    assert found.endpoints[0].status is Status.PASS


def test_too_few_forks_allow_no_pass() -> None:
    found = changed(running_example(), 1.5, n=3)
    assert found.status is Status.INCONCLUSIVE
    assert (
        "3 old and 3 new forks, too few for any deviation to be significant; it needs 4 on each side"
        in found.reasons[0]
    )


def test_a_test_that_one_side_lacks_is_warned_of() -> None:
    found = predict(running_example(), [result("B3", 0.002)], [result("B4", 0.002)], loads=(), settings=QUICK)
    assert found.warnings == ("no old result of B4", "no new result of B3")


def test_a_faster_component_passes() -> None:
    found = changed(running_example(), 0.5)
    assert found.status is Status.PASS
    assert found.endpoints[0].delta < -NEGLIGIBLE


def test_mending_names_the_component_that_counts_most() -> None:
    """B3 is called twice for each request and B4 twice, but B3 has become slower by more."""
    old = [result("B3", 0.002, seed=1), result("B4", 0.002, seed=2)]
    new = [result("B3", 0.005, seed=3), result("B4", 0.003, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["B3", "B4"]
    first = found.mending[0]
    assert first.gain_s == pytest.approx(found.endpoints[0].new_s - first.mended_s)
    assert first.self_interval_s[0] < 0.003 < first.self_interval_s[1]


def test_a_caller_whose_test_noticed_is_not_to_be_mended() -> None:
    old = [result("B1", 0.010, noise=0.005, seed=1), result("B3", 0.002, noise=0.005, seed=2)]
    new = [result("B1", 0.014, noise=0.005, seed=3), result("B3", 0.004, noise=0.005, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["B3"]


def test_a_caller_whose_test_noticed_nothing_takes_nothing_back() -> None:
    """B1's noisy test does not see that B3 takes twice as long; what B3's own test says holds."""
    old = [result("B1", 0.010, noise=0.5, seed=1), result("B3", 0.002, seed=2)]
    new = [result("B1", 0.010, noise=0.5, seed=3), result("B3", 0.004, seed=4)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.022, rel=0.02)
    assert found.stations[1].new_interval[0] > found.stations[1].old


@pytest.mark.slow
def test_the_change_matters_from_some_load() -> None:
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


def test_another_call_structure_is_predicted_without_any_slower_component() -> None:
    """A query in a loop: ten calls in place of two."""
    made = running_example()
    calls = (Call("B3", 10), Call("B4", 1))
    new = replace(
        made,
        components=tuple(replace(one, calls=calls) if one.name == "B1" else one for one in made.components),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.stations[1].new_demand_s == pytest.approx(0.034)
    assert found.status is Status.REGRESSION


def test_renamed_components_keep_their_old_times() -> None:
    made = running_example()
    names = {"B3": "B3next"}
    new = replace(
        made,
        components=tuple(
            replace(
                one,
                name=names.get(one.name, one.name),
                self_s=99.0 if one.name == "B3" else one.self_s,
                calls=tuple(replace(call, to=names.get(call.to, call.to)) for call in one.calls),
            )
            for one in made.components
        ),
    )
    found = predict(made, [], [], new_architecture=new, loads=(), settings=QUICK)
    assert found.mapping is not None
    assert [(pair.old, pair.new, pair.how) for pair in found.mapping.pairs if pair.how is not How.NAME] == [
        ("B3", "B3next", How.RENAMED)
    ]
    assert found.stations[1].new_demand_s == pytest.approx(0.018)
    assert found.status is Status.PASS


def test_models_of_two_systems_are_refused() -> None:
    with pytest.raises(JudgeError, match="the endpoints of both models must be the same"):
        predict(running_example(), [], [], new_architecture=single_station(0.5))


def test_a_component_cannot_be_tested_in_two_ways() -> None:
    made = replace(running_example(), benchmarks={"mocked": Benchmark("B1", Measures.SELF)})
    results = [result("mocked", 0.004), result("B1", 0.010)]
    with pytest.raises(UsageError, match="'B1' must all measure"):
        predict(made, results, results)


def two_endpoints(*, rates: tuple[float, float] = (50.0, 50.0)) -> Architecture:
    """Two requests that share nothing."""
    return Architecture(
        "two",
        (Station("s"), Station("t")),
        (Component("a", "s", 0.01), Component("b", "t", 0.01)),
        (Endpoint("first", (Call("a", 1),), rates[0]), Endpoint("second", (Call("b", 1),), rates[1])),
    )


def test_an_endpoint_beside_a_saturated_one_is_undecided() -> None:
    found = predict(two_endpoints(), [result("a", 0.01)], [result("a", 0.05)], loads=(), settings=QUICK)
    assert [one.status for one in found.endpoints] == [Status.REGRESSION, Status.INCONCLUSIVE]
    assert found.endpoints[1].new_s == found.endpoints[1].old_s
    assert "a saturated station prevents a simulation" in found.endpoints[1].reasons[0]


def test_a_rare_endpoint_is_decided_as_well() -> None:
    made = two_endpoints(rates=(50.0, 0.5))
    old, new = result("b", 0.01, noise=0.01, seed=1), result("b", 0.03, noise=0.01, seed=2)
    found = predict(made, [old], [new], loads=(), settings=QUICK)
    assert [one.status for one in found.endpoints] == [Status.PASS, Status.REGRESSION]


def test_an_endpoint_without_load_passes_and_says_so() -> None:
    made = two_endpoints(rates=(0.0, 50.0))
    found = predict(made, [result("a", 0.01)], [result("a", 0.05)], loads=(), settings=QUICK)
    assert found.status is Status.PASS
    assert found.endpoints[0].reasons == ("its load is 0",)


def test_a_change_that_may_saturate_is_inconclusive() -> None:
    made = single_station(0.5)
    found = predict(
        made, [result("c", 0.01, noise=0.2)], [result("c", 0.021, noise=0.2)], loads=(), settings=QUICK
    )
    (endpoint,) = found.endpoints
    assert endpoint.status is Status.INCONCLUSIVE
    assert "saturated after the change in" in endpoint.reasons[0]


def test_a_model_that_may_be_saturated_before_decides_nothing() -> None:
    made = single_station(0.9)
    vague = replace(made, components=(replace(made.components[0], n_samples=4),))
    found = predict(vague, [result("c", 0.01)], [result("c", 0.0105)], loads=(), settings=QUICK)
    assert found.endpoints[0].status is Status.INCONCLUSIVE
    assert "because the model is too uncertain" in found.endpoints[0].reasons[0]


def test_mending_is_reported_for_components_that_were_renamed_but_not_for_those_that_are_gone() -> None:
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
    assert {one.component for one in found.mending} == {"a", "b"}
    gone = replace(new, components=(made.components[1], replace(new.components[0], name="x")))
    gone = replace(gone, endpoints=(Endpoint("first", (Call("b", 1),), 50.0), made.endpoints[1]))
    found = predict(made, *sides, new_architecture=gone, loads=(), settings=QUICK)
    assert [one.component for one in found.mending] == ["b"]
    assert found.warnings == ("only in the old model: a", "only in the new model: x")
    assert found.self_changes_s[0] == 0.0


@pytest.mark.slow
def test_nobody_waits_for_delays_alone_so_there_is_no_knee() -> None:
    made = single_station(0.5, discipline=Discipline.DELAY)
    found = predict(made, [], [], settings=QUICK)
    assert (found.limits[0].old_knee, found.saturation_old) == (None, np.inf)


def test_zero_demand_and_no_load_are_refused_by_name() -> None:
    made = single_station(0.5)
    idle = replace(made, components=(replace(made.components[0], self_s=0.0),))
    with pytest.raises(JudgeError, match="'e' has no demand: all that it calls takes 0 s"):
        predict(idle, [], [])
    with pytest.raises(JudgeError, match="no requests arrive"):
        predict(made.with_rates({"e": 0.0}), [], [])
    with pytest.raises(UsageError, match="must name an endpoint of e, got 'f'"):
        made.with_rates({"f": 1.0})


def test_fifo_and_forks_are_simulated() -> None:
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


def test_one_seed_gives_the_same_prediction() -> None:
    once, again = (changed(running_example(), 1.3, noise=0.1) for _ in range(2))
    assert once.endpoints == again.endpoints


@pytest.mark.slow
def test_thirty_components_five_endpoints_and_ten_loads_take_less_than_five_seconds() -> None:
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
