"""Chances of counts, compared with scipy, which the core does without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.stats import beta

from buto.judging.alarms import IMPROBABLE
from buto.judging.binomial import ShareLimits, at_least, chance_of_reaching, largest_rate, limits_of

COUNTS = st.integers(1, 2000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(COUNTS, st.floats(1e-6, 1 - 1e-6))
def test_so_many_events_at_least(counts: tuple[int, int], chance: float) -> None:
    events, of = counts
    expected = 1.0 if events == 0 else special.bdtrc(events - 1, of, chance)
    assert at_least(events, of, chance) == pytest.approx(expected, rel=1e-8, abs=1e-300)


@pytest.mark.parametrize(
    ("events", "chance", "expected"), [(0, 0.0, 1.0), (1, 0.0, 0.0), (5, 1.0, 1.0), (6, 0.5, 0.0)]
)
def test_certain_events(events: int, chance: float, expected: float) -> None:
    assert at_least(events, 5, chance) == expected


@given(COUNTS, st.sampled_from([0.025, 0.05, 0.5]))
def test_the_largest_rate_that_a_count_leaves_possible(counts: tuple[int, int], improbable: float) -> None:
    events, of = counts
    expected = 1.0 if events == of else special.betaincinv(events + 1, of - events, 1 - improbable)
    assert largest_rate(events, of, improbable) == pytest.approx(expected, rel=1e-9)


@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=5),
    st.lists(st.floats(0, 1e9) | st.floats(0, 5000) | st.floats(0, 1e-6), min_size=1, max_size=6),
)
def test_so_many_events_by_a_time(events: list[int], times: list[float]) -> None:
    expected = special.gammainc(np.array(events)[:, None], times)
    found = chance_of_reaching(np.array(events)[:, None], np.array(times))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-280)


@pytest.mark.parametrize(
    ("count", "n", "lower", "upper"),
    [
        # In closed form: 1 - .025 ** (1 / n).
        (0, 10, 0.0, 1 - 0.025**0.1),
        (10, 10, 0.025**0.1, 1.0),
        # Printed in tables of the method.
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (15, 200, 0.0426, 0.1207),
    ],
)
def test_limits_that_are_known(count: int, n: int, lower: float, upper: float) -> None:
    found = limits_of(count, n, IMPROBABLE)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 40, 1000])
def test_limits_are_the_quantiles_of_the_beta_distribution(n: int) -> None:
    for count in {0, 1, n // 3, n // 2, n - 1, n}:
        found = limits_of(count, n, IMPROBABLE)
        lower = beta.ppf(IMPROBABLE, count, n - count + 1) if count else 0.0
        upper = beta.ppf(1 - IMPROBABLE, count + 1, n - count) if count < n else 1.0
        assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=1e-9, abs=1e-12)


def test_nothing_seen_leaves_all_possible() -> None:
    assert limits_of(0, 0, IMPROBABLE) == ShareLimits(0.0, 1.0)


@pytest.mark.parametrize(("count", "n"), [(-1, 3), (4, 3)])
def test_a_count_is_one_of_the_trials(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="count"):
        limits_of(count, n, IMPROBABLE)
