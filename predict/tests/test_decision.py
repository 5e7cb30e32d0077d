"""What makes an endpoint undecided, what would decide it, and tests that were lost or measured anew."""

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.verdict import Status
from buto_predict.deviations import NEGLIGIBLE
from buto_predict.model import Measures
from buto_predict.prediction.model import PredictionSettings
from buto_predict.prediction.predict import predict
from buto_predict.prediction.responses import Responses
from buto_predict.results.model import ComponentResult, Conditions
from predict.tests.support.systems import (
    QUICK,
    changed,
    result,
    running_example,
    single_station,
    two_endpoints,
)


def test_what_is_uncertain_is_inconclusive_and_says_what_would_decide():
    made = running_example()
    found = changed(made, 1.45, noise=0.15, n=10)
    assert (found.status, found.endpoints[0].status) == (Status.INCONCLUSIVE, Status.INCONCLUSIVE)
    low, high = found.endpoints[0].delta_interval
    assert low < NEGLIGIBLE < high
    (needed,) = found.needed
    assert needed.replicate == "fork"
    assert needed.count is not None
    more = changed(made, 1.45, noise=0.15, n=10 + 4 * needed.count)
    widths = [
        high - low for low, high in (prediction.endpoints[0].delta_interval for prediction in (found, more))
    ]
    assert widths[1] < widths[0] / 1.5


def test_one_noisy_benchmark_is_the_one_to_repeat():
    old = [result("B3", 0.002, noise=0.001, seed=1), result("B4", 0.002, noise=0.2, seed=2)]
    new = [result("B3", 0.0032, noise=0.001, seed=3), result("B4", 0.0025, noise=0.2, seed=4)]
    (needed,) = predict(running_example(), old, new, loads=(), settings=QUICK).needed
    assert needed.tests == ("B4",)


def test_an_uncertain_model_is_not_decided_by_more_forks():
    made = running_example()
    vague = replace(made, components=tuple(replace(component, n_samples=3) for component in made.components))
    found = changed(vague, 1.45, noise=0.001)
    assert found.endpoints[0].status is Status.INCONCLUSIVE
    assert found.needed[0].count is None


def test_a_simulation_that_errs_too_much_is_not_decided_by_more_forks(monkeypatch):
    """Delta is 0.013 above the negligible size."""
    counts = []
    for error in (0.0, 0.01, 0.02):
        monkeypatch.setattr(Responses, "simulation_error", lambda *_, error=error: error)
        counts.append(changed(running_example(), 1.4, noise=0.15, n=10).needed[0].count)
    few, more, no_number = counts
    assert few is not None
    assert more is not None
    assert few < more
    assert no_number is None


def test_saturation_is_named():
    found = changed(running_example(), 8.0)
    assert found.status is Status.REGRESSION
    (endpoint,) = found.endpoints
    assert np.isinf(endpoint.new_s)
    assert endpoint.reasons == ("it is saturated after the change",)
    assert endpoint.new_throughput < endpoint.rate
    assert [station.saturated for station in found.stations] == [False, True]
    assert found.bottleneck == "B"
    assert found.saturation_new < found.load < found.saturation_old


def test_what_is_saturated_before_cannot_be_compared():
    found = changed(single_station(1.2), 1.0, names=("c",))
    assert found.status is Status.INCONCLUSIVE
    (reason,) = found.endpoints[0].reasons
    assert reason == "the load is above saturation (100/s) already before the change; try --load below 100/s"
    assert found.needed == ()


def test_two_unknown_test_nodes_are_listed_and_change_nothing():
    """Tests T1 and T2 call B3 and B4; only these are components of the system."""

    def traced(scale, seed):
        def one(name, mean_s, calls):
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


def test_a_slower_test_of_no_known_component_allows_no_pass():
    found = changed(running_example(), 1.5, names=("com.acme.OtherBench.run",))
    assert found.status is Status.INCONCLUSIVE
    assert found.reasons[0].endswith(
        "but the model has no component for it; name its component under benchmarks in architecture.yaml"
    )
    assert found.endpoints[0].status is Status.PASS


def test_a_change_that_only_one_test_of_a_component_shows_is_carried_to_the_system():
    old = [result("B3:size=1", 0.002, n=5), result("B3:size=100", 0.002, n=5, seed=1)]
    new = [result("B3:size=1", 0.002, n=5, seed=2), result("B3:size=100", 0.004, n=5, seed=3)]
    found = predict(running_example(), old, new, loads=(), settings=QUICK)
    [b3] = found.evidence.components
    assert b3.deviation.significant
    assert b3.deviation.change == pytest.approx(0.5, abs=0.02)
    assert found.status is not Status.PASS


def test_noise_in_several_tests_of_a_component_is_no_change():
    names = [f"B3:size={size}" for size in range(5)]
    changes = []
    for seed in range(0, 200, 10):
        sides = [
            [result(name, 0.002, n=5, seed=seed * 100 + side * 10 + at) for at, name in enumerate(names)]
            for side in range(2)
        ]
        found = predict(running_example(), *sides, loads=(), settings=PredictionSettings(n_replicates=10))
        changes += [component.deviation.significant for component in found.evidence.components]
    assert sum(changes) <= 4


def test_too_few_forks_allow_no_pass():
    found = changed(running_example(), 1.5, n=3)
    assert found.status is Status.INCONCLUSIVE
    assert found.reasons == (
        "2 tests have too few forks (3 old, 3 new; 4 are needed on each side), such as B3: run JMH with -f 5",
    )
    (reason,) = changed(running_example(), 1.5, n=1, names=("B3",)).reasons
    assert reason == "B3 has too few forks (1 old, 1 new; 4 are needed on each side): run JMH with -f 5"


def test_a_test_that_one_side_lacks_is_warned_of():
    found = predict(running_example(), [result("B3", 0.002)], [result("B4", 0.002)], loads=(), settings=QUICK)
    assert found.warnings == ("no old result of B4", "no new result of B3")


def test_an_endpoint_beside_a_saturated_one_is_undecided():
    found = predict(two_endpoints(), [result("a", 0.01)], [result("a", 0.05)], loads=(), settings=QUICK)
    assert [endpoint.status for endpoint in found.endpoints] == [Status.REGRESSION, Status.INCONCLUSIVE]
    assert found.endpoints[1].new_s == found.endpoints[1].old_s
    assert found.endpoints[1].reasons == (
        f"not judged, because s is saturated after the change; try --load below {found.saturation_new:.3g}/s",
    )
    assert found.needed == ()


@pytest.mark.parametrize("new", [[], [ComponentResult("B3", np.zeros(0), "fork")], [result("B4", 0.002)]])
def test_nothing_that_was_compared_is_no_pass(new):
    found = predict(running_example(), [result("B3", 0.002)], new, loads=(), settings=QUICK)
    assert found.status is Status.INCONCLUSIVE
    assert found.reasons == ("no component test has results on both sides, so nothing was compared",)


def test_a_slower_component_that_takes_no_time_in_the_model_allows_no_pass():
    found = changed(running_example(b3_s=0.0), 1.5)
    assert found.status is Status.INCONCLUSIVE
    (reason,) = found.reasons
    assert reason.startswith("B3 became slower")
    assert reason.endswith("but the tested component takes 0 s in the model")


def test_an_endpoint_beside_one_that_was_saturated_before_is_undecided():
    made = two_endpoints(rates=(120.0, 50.0))
    with np.errstate(all="raise"):
        found = predict(made, [result("a", 0.01)], [result("a", 0.002)], loads=(), settings=QUICK)
    assert [endpoint.status for endpoint in found.endpoints] == [Status.INCONCLUSIVE, Status.INCONCLUSIVE]
    assert found.endpoints[0].reasons == found.endpoints[1].reasons
    assert "(142/s) already before the change; try --load below 142/s" in found.endpoints[1].reasons[0]


@pytest.mark.parametrize(("rate", "reason"), [(0.0005, "has none of its requests"), (0.012, "has only ")])
def test_an_endpoint_that_is_hardly_simulated_is_undecided(rate, reason):
    """One hundredth more must not be a regression because two of two requests take longer."""
    made = two_endpoints(rates=(50.0, rate))
    old, new = result("b", 0.01, noise=0.001, seed=1), result("b", 0.0101, noise=0.001, seed=2)
    found = predict(made, [old], [new], loads=(), settings=QUICK)
    assert [endpoint.status for endpoint in found.endpoints] == [Status.PASS, Status.INCONCLUSIVE]
    assert reason in found.endpoints[1].reasons[0]
    assert found.needed[0].count is None


def test_a_rare_endpoint_is_decided_as_well():
    made = two_endpoints(rates=(50.0, 0.5))
    old, new = result("b", 0.01, noise=0.01, seed=1), result("b", 0.03, noise=0.01, seed=2)
    found = predict(made, [old], [new], loads=(), settings=QUICK)
    assert [endpoint.status for endpoint in found.endpoints] == [Status.PASS, Status.REGRESSION]


def test_an_endpoint_without_load_passes_only_if_it_did_not_change():
    made = two_endpoints(rates=(0.0, 50.0))
    found = predict(made, [result("a", 0.01)], [result("a", 0.05)], loads=(), settings=QUICK)
    assert found.status is Status.INCONCLUSIVE
    assert found.endpoints[0].reasons[0].startswith("its demand changes, but its load is 0; give it a load")
    assert found.needed[0].count is None
    same = predict(made, [result("a", 0.01)], [result("a", 0.01)], loads=(), settings=QUICK)
    assert same.status is Status.PASS
    assert same.endpoints[0].reasons == ("its load is 0",)


def test_a_change_that_may_saturate_is_inconclusive():
    made = single_station(0.5)
    found = predict(
        made, [result("c", 0.01, noise=0.2)], [result("c", 0.021, noise=0.2)], loads=(), settings=QUICK
    )
    (endpoint,) = found.endpoints
    assert endpoint.status is Status.INCONCLUSIVE
    assert "saturated after the change in" in endpoint.reasons[0]


def test_a_model_that_may_be_saturated_before_decides_nothing():
    made = single_station(0.9)
    vague = replace(made, components=(replace(made.components[0], n_samples=4),))
    found = predict(vague, [result("c", 0.01)], [result("c", 0.0105)], loads=(), settings=QUICK)
    assert found.endpoints[0].status is Status.INCONCLUSIVE
    assert "because the model is too uncertain" in found.endpoints[0].reasons[0]


def predicted(old, new):
    return predict(running_example(), old, new, loads=(), settings=QUICK)


B3, B4 = result("B3", 0.002), result("B4", 0.002)


def failing(component, failed, passed=0):
    return replace(component, times_s=component.times_s[:passed], failed=failed)


def test_a_component_that_is_not_tested_any_more_allows_no_pass():
    found = predicted([B3, B4], [B3])
    assert found.status is Status.INCONCLUSIVE
    assert found.reasons == ("B4 has old results but no new ones; run the tests of the new version again",)
    assert found.warnings == ("no new result of B4",)


def test_a_result_that_is_empty_is_lost_too():
    (reason,) = predicted([B3, B4], [B3, replace(B4, times_s=np.zeros(0))]).reasons
    assert reason.startswith("B4 has old results but no new ones")


def test_what_only_the_new_version_tests_or_has_no_component_is_only_a_warning():
    found = predicted([B3, result("com.acme.OtherBench.run", 1.0)], [B3, B4])
    assert found.status is Status.PASS
    assert found.warnings == ("no old result of B4", "no new result of com.acme.OtherBench.run")


def test_a_component_that_the_new_version_lacks_needs_no_test():
    made = running_example()
    without = replace(
        made,
        components=tuple(
            replace(component, calls=tuple(call for call in component.calls if call.to != "B4"))
            for component in made.components
            if component.name != "B4"
        ),
    )
    found = predict(made, [B3, B4], [B3], new_architecture=without, loads=(), settings=QUICK)
    assert found.reasons == ()


def test_a_test_that_fails_after_the_change_is_named():
    found = predicted([B3, B4], [B3, failing(B4, 6)])
    assert found.status is Status.INCONCLUSIVE
    assert found.reasons == ("B4 failed in 6 of 6 new forks",)
    (some,) = predicted([B3, B4], [B3, failing(B4, 1, 5)]).reasons
    assert some == "B4 failed in 1 of 6 new forks"


def test_a_test_that_failed_before_the_change_is_a_warning():
    found = predicted([B3, failing(B4, 6)], [B3, B4])
    assert found.status is Status.PASS
    assert found.warnings == ("no old result of B4", "B4 failed in 6 of 6 old forks")


def test_another_mode_or_number_of_threads_is_not_compared():
    def measured(mode, threads):
        return [B3, replace(B4, conditions=Conditions(mode, threads))]

    assert predicted(measured("avgt", 1), measured("thrpt", 1)).reasons == ()
    for other, difference in (
        (measured("ss", 1), "old was measured in mode avgt, new in mode ss"),
        (measured("avgt", 8), "old was measured with 1 thread, new with 8 threads"),
        (measured("ss", 8), "old was measured in mode avgt with 1 thread, new in mode ss with 8 threads"),
    ):
        found = predicted(measured("avgt", 1), other)
        assert found.status is Status.INCONCLUSIVE
        assert found.reasons == (f"B4: {difference}; measure both in the same way",)


def test_another_jvm_is_a_warning():
    old, new = ([replace(B3, jvms=frozenset({f"JDK {version}"}))] for version in ("17", "21"))
    assert predicted(old, old).warnings == ()
    assert predicted(old, new).warnings == ("old ran on JDK 17, new on JDK 21: B3",)


def test_a_test_that_mostly_waited_for_the_compiler_is_a_warning():
    few, many = replace(B3, warming=0.45), replace(B3, warming=0.05)
    assert predicted([many], [many]).warnings == ()
    (said,) = predicted([few], [many]).warnings
    assert said.startswith("the JVM's compiler took 45 % of the time of B3, so a change looks smaller")


def test_times_of_0_are_below_the_clock_and_no_lost_results():
    """Reports have whole milliseconds: 0 is below half of one."""
    nothing, slow = replace(B4, times_s=np.zeros(6)), replace(B4, times_s=np.linspace(0.05, 0.055, 6))
    found = predicted([B3, nothing], [B3, slow])
    assert found.status is Status.REGRESSION
    assert predicted([B3, nothing], [B3, nothing]).coverage == predicted([B3], [B3]).coverage
    mixed = replace(B4, times_s=np.repeat([0.0, 0.001], [8, 4]))
    (_, few), (_, more) = (
        predicted([B3, old], [B3, new]).evidence.tests
        for old, new in ((mixed, mixed), (mixed, replace(B4, times_s=np.full(12, 0.001))))
    )
    assert (few.deviation.delta, few.deviation.significant) == (0.0, False)
    assert few.deviation.old_s == 0.0005
    assert more.deviation.significant


def test_a_mean_that_grows_is_no_pass_where_requests_vary_so_much_that_delta_is_small():
    sides = [result("B3", scale * 0.002, noise=0.01, seed=seed) for seed, scale in enumerate((1.0, 8.0))]
    found = predict(running_example(cv=8.0, rate=1.0), [sides[0]], [sides[1]], loads=(), settings=QUICK)
    (endpoint,) = found.endpoints
    assert endpoint.delta_interval[1] < 0.147
    assert found.status is Status.INCONCLUSIVE
    assert "although delta is negligible, because requests vary so much" in endpoint.reasons[0]
    assert found.needed[0].count is None
