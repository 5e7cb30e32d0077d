"""Steps over builds, on series of known truth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.segments import Segment, segments_of


def noisy(n: int, seed: int = 0, scatter: float = 0.01) -> np.ndarray:
    return 100.0 * (1 + scatter * np.random.default_rng(seed).standard_normal(n))


def starts(values: np.ndarray, least: float = 5.0) -> list[int]:
    return [segment.start for segment in segments_of(values, least)]


def test_steps_are_found_where_they_are() -> None:
    values = noisy(60)
    values[20:] += 8
    values[45:] -= 20
    found = segments_of(values, 5.0)
    assert [segment.start for segment in found] == [0, 20, 45]
    assert [segment.level for segment in found] == pytest.approx([100, 108, 88], rel=0.01)


def test_a_step_below_the_size_is_none() -> None:
    values = noisy(60, scatter=0.001)
    values[30:] += 3
    assert starts(values) == [0]
    assert starts(values, 2.0) == [0, 30]


def test_three_new_builds_are_enough_where_nothing_scatters() -> None:
    values = np.full(200, 11.0)
    values[197:] = 12.0
    assert starts(values, 1.0) == [0, 197]
    assert starts(values[:199], 1.0) == [0]


def test_one_odd_build_is_no_step() -> None:
    values = noisy(60)
    values[31] = 200.0
    assert starts(values) == [0]


def test_many_small_steps_that_matter_only_together_show_as_one_or_more() -> None:
    values = noisy(60, scatter=0.002) + np.arange(60) * 0.3
    found = segments_of(values, 5.0)
    assert len(found) > 1
    assert found[-1].level - found[0].level >= 5.0


def test_builds_without_a_value_keep_their_place() -> None:
    values = noisy(40)
    values[20:] += 10
    values[[0, 5, 20]] = np.nan
    assert starts(values) == [0, 21]
    assert segments_of(np.full(5, np.nan), 1.0) == ()
    assert segments_of(np.array([np.nan, 3.0]), 1.0) == (Segment(0, 3.0),)


def test_unchanged_programs_have_hardly_a_step() -> None:
    # .001 each: more than two of 300 have a chance below 1 in 250.
    assert sum(len(starts(noisy(80, seed, 0.05), 0.0)) > 1 for seed in range(300)) <= 2


@given(st.integers(0, 999), st.floats(1e-6, 1e9))
def test_units_change_no_step(seed: int, scale: float) -> None:
    values = noisy(50, seed)
    values[25:] *= 1.2
    assert starts(values * scale, 5.0 * scale) == starts(values)


@given(st.lists(st.floats(0, 1e6) | st.just(float("nan")), max_size=40), st.floats(0, 10))
def test_segments_are_in_order_and_differ_by_what_matters(given_values: list[float], least: float) -> None:
    found = segments_of(np.array(given_values, dtype=float), least)
    assert [segment.start for segment in found] == sorted({segment.start for segment in found})
    assert all(
        abs(after.level - before.level) >= least * (1 - 1e-6) - 1e-9 for before, after in pairwise(found)
    )
