"""Nothing passes because a component test was lost, failed, or was measured in another way."""

from dataclasses import replace

import numpy as np

from buto.judging.verdict import Status
from buto_predict.prediction.predict import predict
from buto_predict.results.model import Conditions
from predict.tests.support.systems import QUICK, result, running_example


def predicted(old, new):
    return predict(running_example(), old, new, loads=(), settings=QUICK)


B3, B4 = result("B3", 0.002), result("B4", 0.002)


def failing(one, failed, passed=0):
    return replace(one, times_s=one.times_s[:passed], failed=failed)


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
            replace(one, calls=tuple(call for call in one.calls if call.to != "B4"))
            for one in made.components
            if one.name != "B4"
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
