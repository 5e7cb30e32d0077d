"""Minimum effects as a user writes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.detectors.effects import NEVER, effect_text, is_effect, smallest_effects
from buto.properties import Kind, Property, property_for

UNITS = ("By", "s", "{thread}", "1")


@given(st.floats(1e-7, 1e12), st.sampled_from(UNITS))
def test_a_proposed_effect_is_read_as_at_least_its_size_and_hardly_more(size: float, unit: str) -> None:
    size = max(size, 1.0) if unit == "By" else size
    prop = Property("some", unit, Kind.GAUGE)
    text = effect_text(size, unit)
    [read] = smallest_effects([prop], np.array([1.0]), {"some": text})
    # Bytes are whole.
    assert size * (1 - 1e-9) - 0.5 * (unit == "By") <= read <= 1.1 * size + (unit == "By")
    assert is_effect(text)


@pytest.mark.parametrize(
    ("size", "unit", "text"),
    [
        (47.4 * 2**20, "By", "48MiB"),
        (1500.0, "By", "1.5KiB"),
        (1023.0, "By", "1100B"),
        (0.0331, "s", "34ms"),
        (90.0, "s", "90s"),
        (2.5, "{thread}", "2.5"),
        (241.0, "{thread}", "250"),
    ],
)
def test_a_proposed_effect_has_two_digits(size: float, unit: str, text: str) -> None:
    assert effect_text(size, unit) == text


def test_with_never_no_change_counts() -> None:
    names = ("jvm.thread.count", "jvm.memory.heap.used")
    effects = smallest_effects(list(map(property_for, names)), np.ones(2), {"jvm.thread.*": NEVER})
    assert effects.tolist() == [math.inf, 0.0]
    assert is_effect(NEVER)
    assert not is_effect("always")
