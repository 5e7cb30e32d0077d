"""Curves become small without losing a peak, and numbers come back from their codes."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from buto.report.html.chart_data import LARGEST, Codes, Scale, codes, scale_of, thin, title_parts

NUMBERS = st.floats(-1e300, 1e300, allow_subnormal=False)
SAMPLES = st.integers(1, 300).flatmap(lambda n: arrays.arrays(np.float64, (n, 2), elements=NUMBERS))


def numbers(coded: Codes, n: int, scale: Scale) -> np.ndarray:
    """What the page's script reads, written once more."""
    raw = np.full(n, coded) if isinstance(coded, int) else np.frombuffer(base64.b64decode(coded), "<u2")
    values = scale[0] + raw * scale[1]
    values[raw == 65535] = np.nan
    values[raw == 65534] = np.inf
    values[raw == 65533] = -np.inf
    return values


@given(SAMPLES, st.integers(1, 40).map(lambda half: 2 * half))
def test_lowest_and_highest_of_every_column_are_kept(values: np.ndarray, most: int) -> None:
    times, kept = thin(np.arange(float(len(values))), values, most)
    assert len(times) == len(kept) <= max(most, len(values) if len(values) <= most else 0)
    assert (kept.min(axis=0) == values.min(axis=0)).all()
    assert (kept.max(axis=0) == values.max(axis=0)).all()
    assert (np.diff(times) >= 0).all()


def test_a_point_moves_by_less_than_its_span() -> None:
    times = np.linspace(0.0, 60.0, 600)
    values = np.zeros((600, 1))
    values[437] = 5.0
    thin_times, few = thin(times, values, 120)
    peak = thin_times[few[:, 0].argmax()]
    assert abs(peak - times[437]) < 60.0 / 60


def test_few_samples_stay_as_they_are() -> None:
    values = np.arange(20.0).reshape(10, 2)
    times, kept = thin(np.arange(10.0), values, 10)
    assert len(times) == 10 and (kept == values).all()


def test_only_a_whole_span_that_is_unreadable_is_a_gap() -> None:
    values = np.ones((100, 1))
    values[10:20] = np.nan
    values[55] = np.nan
    _, kept = thin(np.arange(100.0), values, 20)
    assert np.isnan(kept[:, 0]).tolist() == [False] * 2 + [True] * 2 + [False] * 16


@given(
    arrays.arrays(
        np.float64, st.integers(1, 50), elements=NUMBERS | st.sampled_from([np.nan, np.inf, -np.inf])
    )
)
def test_numbers_come_back_within_half_a_step(values: np.ndarray) -> None:
    scale = scale_of(values)
    back = numbers(codes(values, scale), len(values), scale)
    finite = np.isfinite(values)
    assert (np.isnan(back) == np.isnan(values)).all()
    assert (back[np.isinf(values)] == values[np.isinf(values)]).all()
    assert (np.abs(back[finite] - values[finite]) <= 0.51 * scale[1] + 1e-12 * np.abs(values[finite])).all()


@given(arrays.arrays(np.int64, st.integers(1, 50), elements=st.integers(0, LARGEST)))
def test_counts_come_back_exactly(values: np.ndarray) -> None:
    counts = values + 1e9
    scale = scale_of(counts)
    assert (numbers(codes(counts, scale), len(counts), scale) == counts).all()


@pytest.mark.parametrize("value", [0.0, 12.0, np.nan, np.inf])
def test_one_and_the_same_value_costs_one_number(value: float) -> None:
    assert isinstance(codes(np.full(1000, value), scale_of(np.full(1000, value))), int)


def test_nothing_has_a_scale_too() -> None:
    assert scale_of() == scale_of(np.array([np.nan])) == (0.0, 1.0)
    assert codes(np.empty(0), (0.0, 1.0)) == ""


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("process.io.calls[write]", ["write calls", ""]),
        ("jvm.gc.count[G1 Young Generation]", ["collections", "G1 Young Generation"]),
        ("jvm.memory.allocated", ["allocated bytes", ""]),
    ],
)
def test_a_chart_names_an_instance_once(name: str, parts: list[str]) -> None:
    assert title_parts(name) == parts
