"""Minimum effects as a user writes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.judging.effects import NEVER, USUAL, effect_text, is_effect, size_of, smallest_effects
from buto.run.properties import METRICS, Kind, Property, property_for

MIB = 2.0**20
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


def sizes_of(names: tuple[str, ...], level: float, minimum: dict[str, str]) -> list[float]:
    return smallest_effects(list(map(property_for, names)), np.full(len(names), level), minimum).tolist()


def test_with_never_no_change_counts() -> None:
    names = ("jvm.thread.count", "jvm.memory.heap.used")
    assert sizes_of(names, 1.0, {"jvm.thread.*": NEVER, "jvm.memory.*": "0"}) == [math.inf, 0.0]
    assert is_effect(NEVER)
    assert not is_effect("always")


@pytest.mark.parametrize(("level", "size"), [(10 * MIB, MIB), (100 * MIB, 5 * MIB), (0.0, MIB), (-1e9, 5e7)])
def test_of_a_share_and_an_amount_the_larger_holds(level: float, size: float) -> None:
    names = ("jvm.memory.heap.used",)
    for text in ("5% and 1MiB", "1MiB and 5%"):
        assert sizes_of(names, level, {"jvm.memory.*": text}) == [size]


def test_the_last_pattern_that_fits_holds_and_what_is_given_comes_before_what_is_usual() -> None:
    names = ("jvm.memory.heap.used", "jvm.memory.used[G1 Old Gen]", "shop.orders")
    given = {"*": "2%", "jvm.memory.*": "3%", "jvm.memory.used[[]*": "4%"}
    assert sizes_of(names, 100 * MIB, given) == [3 * MIB, 4 * MIB, 2 * MIB]
    assert sizes_of(names, 100 * MIB, {"jvm.memory.used[G1 Old Gen]": "7"})[1] == 7.0
    assert sizes_of(names, 100 * MIB, dict(reversed(given.items()))) == [2 * MIB, 2 * MIB, 2 * MIB]


def test_a_compiler_that_the_jvm_starts_is_no_thread_that_matters() -> None:
    native = "process.thread.count"
    assert sizes_of((native,), 16.0, {}) == [1.0]
    assert sizes_of(("jvm.thread.count", native), 16.0, {}) == [1.0, 3.0]
    assert sizes_of(("jvm.thread.count", native), 16.0, {native: "2"}) == [1.0, 2.0]


def test_a_share_of_nothing_is_not_nothing() -> None:
    names = ("jvm.gc.count", "jvm.safepoint.count", "jvm.thread.count", "shop.orders")
    for minimum in ({"*": "150%"}, dict.fromkeys(names, "150%")):
        assert sizes_of(names, 0.0, minimum) == [3.0, 5.0, 1.0, 0.0]
        assert sizes_of(names, 100.0, minimum) == [150.0] * 4
    assert sizes_of(names, 0.0, {"*": "150% and 0"}) == [0.0] * 4
    assert sizes_of(names, 100.0, {"*": "0%"}) == sizes_of(names, 100.0, {"*": "0"}) == [0.0] * 4


@given(st.sampled_from(sorted(METRICS)), st.floats(0.0, 1e12), st.integers(0, 500))
def test_a_share_never_makes_a_size_less_than_the_usual_amount(name: str, level: float, percent: int) -> None:
    [size] = sizes_of((name,), level, {"*": f"{percent}%"})
    assert size >= percent / 100 * level * (1 - 1e-12)
    [usual] = sizes_of((name,), 0.0, {})
    if percent and math.isfinite(usual):
        assert size >= usual


def test_what_a_user_allows_has_no_usual_amount_beside_it() -> None:
    threads = property_for("jvm.thread.count")
    assert size_of(threads, 20.0, "2%") == pytest.approx(0.4)
    assert sizes_of(("jvm.thread.count",), 20.0, {"*": "2%"}) == [1.0]
    assert size_of(threads, 20.0, "2% and 3") == 3.0


def test_everything_that_is_measured_has_a_usual_size_of_its_unit() -> None:
    properties = [metric.property() for metric in METRICS.values()]
    sizes = smallest_effects(properties, np.full(len(properties), 1e9), {})
    assert (sizes > 0).all()
    assert all(map(is_effect, USUAL.values()))


def test_a_size_of_another_unit_is_refused_with_its_pattern() -> None:
    with pytest.raises(UsageError, match=r"minimum-effect: jvm\.\*: jvm\.thread\.count"):
        sizes_of(("jvm.thread.count",), 1.0, {"jvm.*": "5% and 64KiB"})


@pytest.mark.parametrize(
    "text", ["5%", "64KiB", "20ms", "3", "0", "5% and 1MiB", "10% and 100ms", "2% and 500"]
)
def test_sizes_that_can_be_written(text: str) -> None:
    assert is_effect(text)


@pytest.mark.parametrize("text", ["-5%", "5%%", "much", "5% and", "and 3", "1% and 2% and 3%", "", "5% 1MiB"])
def test_what_is_no_size(text: str) -> None:
    assert not is_effect(text)
