"""What grows from round to round: series of known truth, among others and alone."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import JudgeError
from buto.judging.growth import ALPHA, FEWEST_ROUNDS, judge_growth, n_warm_up
from buto.run.model import FloatArray

KIB = 1024.0


def noise(seed: int, n_rounds: int = 12, n_series: int = 30) -> FloatArray:
    """Series that stay where they are, and scatter by more than the size that matters."""
    return 1e6 + 40 * KIB * np.random.default_rng(seed).normal(size=(n_rounds, n_series))


def sizes(values: FloatArray) -> FloatArray:
    return np.full(values.shape[1], 4 * KIB)


def among_noise(series: FloatArray, seed: int = 1) -> tuple[FloatArray, FloatArray]:
    values = noise(seed, len(series))
    values[:, 3] = series
    return values, sizes(values)


def grows(series: FloatArray, seed: int = 1) -> bool:
    """Whether this series grows, and nothing else."""
    found = judge_growth(*among_noise(series, seed)).grows
    assert not np.delete(found, 3).any()
    return bool(found[3])


ROUNDS = np.arange(1.0, 13.0)


def test_the_same_step_in_every_round_grows() -> None:
    values, least = among_noise(1e6 + 20 * KIB * ROUNDS)
    growth = judge_growth(values, least)
    assert growth.grows.nonzero()[0].tolist() == [3]
    assert growth.rates[3] == pytest.approx(20 * KIB)
    assert growth.p_values[3] <= ALPHA
    assert growth.n_warm_up == 4


@pytest.mark.parametrize("scatter", [0.05, 0.2])
def test_steps_that_scatter_grow(scatter: float) -> None:
    found = [
        grows(1e6 + np.cumsum(20 * KIB * (1 + scatter * np.random.default_rng(seed).normal(size=12))), seed)
        for seed in range(20)
    ]
    assert sum(found) >= 19


def test_six_rounds_after_two_of_warm_up_are_enough() -> None:
    assert grows(1e6 + 20 * KIB * ROUNDS[:FEWEST_ROUNDS])


def test_sixteen_bytes_in_every_round_do_not_matter() -> None:
    assert not grows(1e6 + 16 * ROUNDS)


FILLS = {
    "a cache that is full after the warm-up": np.minimum(ROUNDS, 4),
    "a cache that is full in the middle": np.minimum(ROUNDS, 8),
    "a cache that is full in the last round": np.minimum(ROUNDS, 11.2),
    "keys by chance of a fixed number": 10 * (1 - np.exp(-ROUNDS / 4)),
    "distinct words": 10 * np.log(ROUNDS),
    "warm-up": 30 * (1 - 1 / ROUNDS),
    "a table that doubles": 2 ** np.ceil(np.log2(ROUNDS)),
    "a batch that is cleared": ROUNDS % 5,
}


@pytest.mark.parametrize("series", FILLS.values(), ids=FILLS.keys())
def test_what_fills_and_stops_does_not_grow(series: FloatArray) -> None:
    assert not grows(1e6 + 100 * KIB * series)


def test_what_levels_off_is_known_apart_from_what_does_not_rise() -> None:
    growth = judge_growth(*among_noise(1e6 + 1000 * KIB * np.log(ROUNDS)))
    assert growth.rises[3]
    assert not growth.goes_on[3]


def test_growth_by_the_square_root_of_the_work_goes_on() -> None:
    assert grows(1e6 + 1000 * KIB * np.sqrt(ROUNDS))


@pytest.mark.slow
@pytest.mark.parametrize(("n_rounds", "n", "most"), [(8, 300, 8), (12, 60, 3)])
def test_rounds_in_any_order_are_said_to_grow_no_more_often_than_alpha(
    n_rounds: int, n: int, most: int
) -> None:
    found = sum(judge_growth(noise(seed, n_rounds), np.full(30, 4 * KIB)).grows.any() for seed in range(n))
    # With a share of ALPHA there are more in one of a hundred cases.
    assert found <= most


def test_the_p_value_is_the_share_of_orders_with_as_large_a_correlation_of_any_series() -> None:
    values = noise(5, 8, 3)
    judged = values[n_warm_up(8) :]
    orders = list(permutations(range(len(judged))))

    def largest(order: tuple[int, ...]) -> float:
        return max(np.corrcoef(order, judged[:, column])[0, 1] for column in range(3))

    all_largest = [largest(order) for order in orders]
    expected = [
        np.mean([largest >= np.corrcoef(range(6), judged[:, column])[0, 1] - 1e-9 for largest in all_largest])
        for column in range(3)
    ]
    np.testing.assert_allclose(judge_growth(values, sizes(values)).p_values, expected)


def test_orders_that_are_drawn_give_nearly_the_p_value_of_all() -> None:
    few, many = noise(2, 12, 5), noise(2, 13, 5)
    # One warm-up round more: nine orders are drawn, of the same eight rounds and one that follows them.
    assert n_warm_up(12) == n_warm_up(13)
    many[4:12] = few[4:]
    many[12] = many[11]
    drawn = judge_growth(many, sizes(many), seed=1).p_values
    again = judge_growth(many, sizes(many), seed=2).p_values
    np.testing.assert_allclose(drawn, again, atol=0.02)


def test_a_series_that_could_not_be_read_is_not_judged_and_disturbs_no_other() -> None:
    values, least = among_noise(1e6 + 20 * KIB * ROUNDS)
    values[7, 5] = np.nan
    growth = judge_growth(values, least)
    assert growth.grows.nonzero()[0].tolist() == [3]
    assert growth.p_values[5] == 1


def test_too_few_rounds_are_not_judged() -> None:
    with pytest.raises(JudgeError):
        judge_growth(noise(1, FEWEST_ROUNDS - 1), np.full(30, KIB))


def test_rounds_of_unequal_work_are_judged_by_their_work() -> None:
    work = np.cumsum(np.random.default_rng(1).uniform(0.3, 3, size=12))
    values = (1e6 + 20 * KIB * work)[:, None]
    assert judge_growth(values, sizes(values), work).grows.all()
    levels_off = (1e6 + 200 * KIB * np.log(work))[:, None]
    assert not judge_growth(levels_off, sizes(levels_off), work).grows.any()


@pytest.mark.parametrize("value", [np.nan, np.inf, 5.0, 0.0], ids=["unknown", "infinite", "equal", "less"])
def test_work_that_is_not_known_or_does_not_increase_is_no_pass(value: float) -> None:
    values, least = among_noise(1e6 + 20 * KIB * ROUNDS)
    work = np.arange(12.0)
    work[6] = value
    with pytest.raises(JudgeError):
        judge_growth(values, least, work)
    warm_up = np.array([np.nan, *np.arange(1.0, 12.0)])
    assert judge_growth(values, least, warm_up).grows.nonzero()[0].tolist() == [3]


@given(
    seed=st.integers(0, 10_000),
    factor=st.floats(0.01, 1000),
    shift=st.floats(0, 1e6),
    step=st.floats(0, 100),
)
def test_neither_the_unit_nor_the_level_decides(seed: int, factor: float, shift: float, step: float) -> None:
    values = noise(seed, 9, 4)
    values[:, 0] += step * KIB * np.arange(9)
    before = judge_growth(values, sizes(values))
    after = judge_growth(values * factor + shift, sizes(values) * factor)
    np.testing.assert_allclose(before.p_values, after.p_values, atol=1e-3)
    assert before.rises.tolist() == after.rises.tolist()


@given(order=st.permutations(range(8)))
def test_in_another_order_no_leak_is_one(order: list[int]) -> None:
    leak = 1e6 + 20 * KIB * ROUNDS
    shuffled = np.concatenate([leak[:4], leak[4:][order]])
    found = judge_growth(shuffled[:, None], np.array([4 * KIB])).grows
    assert found.all() == (order == sorted(order))


@given(rounds=st.integers(FEWEST_ROUNDS, 40))
def test_a_program_that_keeps_nothing_never_grows(rounds: int) -> None:
    growth = judge_growth(np.full((rounds, 3), 1e6), np.full(3, 1.0))
    assert not growth.grows.any()
    assert (growth.p_values == 1).all()
