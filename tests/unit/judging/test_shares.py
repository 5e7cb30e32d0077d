"""Which build gave how much, on builds of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.shares import divide_change, student_quantile

DEVIATION = 0.2


def made(steps: dict[int, float], n_builds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    level = np.zeros(n_builds)
    for place, change in steps.items():
        level[place:] += change
    anchor = 100 + DEVIATION * random.standard_normal(10)
    return anchor, 100 + level + DEVIATION * random.standard_normal(n_builds)


def divided(steps: dict[int, float], n_builds: int, seed: int = 0) -> list[tuple[int, float, float]]:
    found = divide_change(*made(steps, n_builds, seed))
    return [(share.place, share.change, share.half) for share in found.shares]


def test_five_steps_in_a_row_are_all_named_with_their_sizes() -> None:
    found = divide_change(*made(dict.fromkeys(range(5), 2.0), 5, 1))
    assert [share.place for share in found.shares] == [0, 1, 2, 3, 4]
    assert found.total == pytest.approx(10.0, abs=0.8)
    assert found.rest == pytest.approx(0.0, abs=1e-9)


def test_intervals_have_the_true_shares_as_often_as_they_say() -> None:
    hits = []
    for seed in range(200):
        steps = {3: 2.0, 10: -1.5, 25: 3.0}
        found = {place: (change, half) for place, change, half in divided(steps, 40, seed)}
        hits += [
            place in found and abs(found[place][0] - change) <= found[place][1]
            for place, change in steps.items()
        ]
    # 600 intervals at .95, some of whose steps lie one build aside.
    assert np.mean(hits) >= 0.9


def test_a_run_that_strays_gives_no_build_a_share() -> None:
    anchor, builds = made({10: 2.0}, 30, 4)
    builds[[5, 20]] -= 7.0
    (share,) = divide_change(anchor, builds).shares
    assert share.place == 10
    assert share.change == pytest.approx(2.0, abs=share.half)


def test_a_run_that_strays_at_a_step_leaves_two_builds_that_may_have_given_it() -> None:
    anchor, builds = made({10: 2.0}, 30, 4)
    builds[10] -= 7.0
    (share,) = divide_change(anchor, builds).shares
    assert (share.first, share.place) == (10, 11)
    assert share.change == pytest.approx(2.0, abs=share.half)


def test_further_runs_of_the_newest_build_tell_its_step_from_a_stray() -> None:
    anchor, builds = made({}, 12, 5)
    builds[-1] += 3.0
    same, more = (100 + level + DEVIATION * np.random.default_rng(6).standard_normal(8) for level in (0, 3))
    assert divide_change(anchor, builds, same).shares == ()
    (share,) = divide_change(anchor, builds, more).shares
    assert share.place == 11


def test_equal_runs_have_the_exact_change() -> None:
    found = divide_change(np.full(10, 7.0), np.array([7.0, 7.0, 8.0, 8.0]))
    (share,) = found.shares
    assert (share.place, share.change, found.total) == (2, 1.0, 1.0)


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.3027), (9, 2.2622), (30, 2.0423)])
def test_quantiles_of_student_are_those_of_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, rel=1e-4)


def test_a_lasting_step_is_known_better_than_one_of_the_newest_build() -> None:
    (_, _, lasting), (_, _, newest) = divided({5: 3.0, 39: 3.0}, 40)
    assert lasting < newest


def test_unchanged_builds_have_hardly_a_share() -> None:
    # About one series in thirty has one; more than 15 of 200 have a chance below 1 in 200.
    assert sum(bool(divided({}, 40, seed)) for seed in range(200)) <= 15


def test_many_small_steps_are_the_rest() -> None:
    found = divide_change(*made(dict.fromkeys(range(40), 0.05), 40, 2))
    assert found.total > 1.0
    assert found.total == pytest.approx(sum(share.change for share in found.shares) + found.rest)


def test_a_build_without_a_run_gives_its_share_to_the_next_one() -> None:
    anchor, builds = made({10: 3.0}, 20, 3)
    builds[10] = np.nan
    (share,) = divide_change(anchor, builds).shares
    assert share.place == 11
    assert divide_change(anchor, np.full(3, np.nan)).shares == ()


@given(st.integers(0, 500), st.floats(1e-3, 1e6))
def test_shares_and_rest_are_the_total_in_any_unit(seed: int, scale: float) -> None:
    anchor, builds = made({4: 2.0, 9: -1.0}, 15, seed)
    found = divide_change(anchor, builds)
    scaled = divide_change(anchor * scale, builds * scale)
    assert found.total == pytest.approx(sum(share.change for share in found.shares) + found.rest)
    assert [share.place for share in scaled.shares] == [share.place for share in found.shares]
    assert scaled.total == pytest.approx(found.total * scale)
