"""Bands are short in a file, and every number is read as it was."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import Bounds
from buto.judging.thesis.data import SIDES, pack, round_bounds, unpack


def through_text(sides):
    return unpack(json.loads(json.dumps(pack(sides))))


def test_smooth_curves_are_short():
    sides = {"expected": [1250.0, 1260.0, 1280.0], "lower": [1200.0, 1210.0, 1230.0], "upper": [1300.5] * 3}
    assert pack(sides) == {
        "exponent": -1,
        "expected": [12500, 100, 200],
        "lower": [500, 0, 0],
        "upper": [505, -100, -200],
    }
    assert through_text(sides) == sides


def test_a_side_that_does_not_vary_is_packed_with_those_that_do():
    sides = {"expected": [3.0, 4.0], "lower": 0.0, "upper": [8.0, 9.0]}
    assert through_text(sides) == sides | {"lower": [0.0, 0.0]}


@pytest.mark.parametrize(
    "sides",
    [
        {"expected": 3.0, "lower": 1.0, "upper": 5.0},
        {"expected": [3.0, None], "lower": [1.0, None], "upper": [5.0, None]},
        {"expected": [math.pi, math.e], "lower": [math.pi, math.e], "upper": [math.pi, math.e]},
        {"expected": [1e300, 1e-300], "lower": [0.0, 0.0], "upper": [1e300, 1.0]},
    ],
    ids=["constant", "unknown", "all digits", "far apart"],
)
def test_what_would_not_become_shorter_stays(sides):
    assert pack(sides) == sides
    assert through_text(sides) == sides


FINITE = st.floats(-1e15, 1e15, allow_subnormal=False)


@given(st.lists(st.tuples(FINITE, FINITE, FINITE), min_size=2, max_size=20))
def test_rounded_bands_come_back_to_the_last_digit(points):
    lower, expected, upper = np.sort(np.array(points), axis=1).T
    bounds = round_bounds(Bounds(np.arange(len(points), dtype=float), lower, upper, expected))
    sides = {side: getattr(bounds, side).tolist() for side in SIDES}
    assert through_text(sides) == sides


@pytest.mark.parametrize(
    "changed",
    [{"exponent": 10**9}, {"exponent": "2"}, {"expected": [1.5, 2]}, {"lower": [10**400, 0]}, {"upper": [1]}],
)
def test_damage_is_refused(changed):
    block = pack({"expected": [1.0, 2.0], "lower": [0.0, 1.0], "upper": [2.0, 3.0]})
    assert "exponent" in block
    with pytest.raises(ValueError, match="exponent|difference|argument"):
        unpack(block | changed)
