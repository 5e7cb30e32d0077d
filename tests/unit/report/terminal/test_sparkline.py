"""A curve in one line of text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from buto.report.terminal.style import BLOCKS, sparkline


def test_a_ramp_climbs_through_every_block() -> None:
    assert sparkline(np.arange(8.0), 8) == BLOCKS


def test_a_constant_is_on_the_floor() -> None:
    assert sparkline(np.full(5, 3.0), 5) == BLOCKS[0] * 5


def test_each_character_is_the_mean_of_its_share() -> None:
    assert sparkline(np.array([0.0, 2.0, 7.0, 9.0]), 2) == BLOCKS[0] + BLOCKS[-1]


def test_what_could_not_be_read_stays_blank() -> None:
    assert sparkline(np.array([0.0, np.nan, 7.0]), 3) == BLOCKS[0] + " " + BLOCKS[-1]
    assert sparkline(np.full(4, np.nan), 3) == "   "
    assert sparkline(np.empty(0), 3) == ""


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60), st.integers(1, 40))
def test_never_wider_than_asked_for(values: list[float], width: int) -> None:
    assert len(sparkline(np.array(values), width)) == min(len(values), width)
