"""Quantities: what is printed, what may be typed, and that both agree."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from buto.errors import UsageError
from buto.run import units
from buto.run.properties import METRICS

PRINTED_ERROR = 0.5 * 10.0 ** (1 - units.SIGNIFICANT_DIGITS)


def cases(table: str) -> list[tuple[str, str]]:
    """Return what is left and right of each ``=`` in a table."""
    return [
        (left.strip(), right.strip()) for left, _, right in (row.partition("=") for row in table.split(";"))
    ]


BYTES = """
    0 = 0 B; 1023 = 1023 B; 1024 = 1 KiB; 1048575 = 1 MiB; 4404019.2 = 4.2 MiB; -3250585.6 = -3.1 MiB;
    1125899906842624 = 1024 TiB; nan = unreadable; inf = infinite
"""
SECONDS = """
    0 = 0 s; 3e-10 = 0.3 ns; 1e-6 = 1 µs; 0.1 = 100 ms; 0.99999 = 1 s; 1.5 = 1.5 s; 90 = 90 s; 120 = 2 min;
    3600 = 1 h; 86400 = 24 h; 1e6 = 11.6 d; nan = unreadable
"""
AGES = "0 = 0 s; 0.9 = 0 s; 59.9 = 59 s; 119 = 1 min; 3599 = 59 min; 86399 = 23 h; 1e6 = 11 d"
PERCENT, RATIO = "0.24 = 24 %; nan = unreadable", "1.236 = 1.24x; nan = unreadable"


@pytest.mark.parametrize(
    ("form", "table"),
    [
        (units.format_bytes, BYTES),
        (units.format_seconds, SECONDS),
        (units.format_age, AGES),
        (units.format_percent, PERCENT),
        (units.format_ratio, RATIO),
    ],
)
def test_a_number_is_printed_in_the_largest_step_that_leaves_a_whole(
    form: Callable[[float], str], table: str
) -> None:
    for value, printed in cases(table):
        assert form(float(value)) == printed, value


QUANTITIES = """
    12 {thread} = 12 threads; 1 {thread} = 1 thread; 1.5 {thread} = 1.5 threads; 18 {answer}/s = 18 answers/s;
    1 {answer}/s = 1 answer/s; nan {answer}/s = unreadable; 0 {class} = 0 classes; 2 {query} = 2 queries;
    2 {key} = 2 keys; 1234567 {object} = 1,234,567 objects; 3 {} = 3; 0.5 1 = 0.5; 7 Hz = 7 Hz;
    2048 By = 2 KiB; 0.002 s = 2 ms; nan {thread} = unreadable; nan Hz = unreadable
"""


@pytest.mark.parametrize(("quantity", "printed"), cases(QUANTITIES))
def test_any_unit_has_its_form(quantity: str, printed: str) -> None:
    value, unit = quantity.split()
    assert units.format_quantity(float(value), unit) == printed


@pytest.mark.parametrize(
    ("before", "after", "unit", "printed"),
    [
        (12.5 * 2**20, 15.5 * 2**20, "By", "+3 MiB (+24 %)"),
        (15.5, 12.4, "s", "-3.1 s (-20 %)"),
        (1, 12, "{thread}", "+11 threads (12x)"),
        (0, 12, "{thread}", "+12 threads"),
        (-5, 5, "1", "+10"),
        (4, 4, "By", "no change"),
        (math.nan, 4, "By", "unreadable"),
        (4, math.nan, "By", "unreadable"),
    ],
)
def test_a_change_names_its_size_and_its_share(before: float, after: float, unit: str, printed: str) -> None:
    assert units.format_change(before, after, unit) == printed


@pytest.mark.parametrize(
    ("text", "size"),
    cases("4MiB = 4194304; 256m = 268435456; 64k = 65536; 1 g = 1073741824; 12 = 12; 1.5 KiB = 1536"),
)
def test_bytes_may_be_typed_as_the_jvm_has_them(text: str, size: str) -> None:
    assert units.parse_bytes(f" {text} ") == int(size)


@pytest.mark.parametrize(
    ("text", "seconds"),
    cases("100ms = 0.1; 5s = 5; 5 = 5; 2m = 120; 2 min = 120; 1h = 3600; 10us = 1e-5; 10 µs = 1e-5"),
)
def test_seconds_may_be_typed_with_any_suffix(text: str, seconds: str) -> None:
    assert units.parse_seconds(text) == pytest.approx(float(seconds), rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["", "k", "4MB", "-1", "+1", "1,5", "1e999", "nan", "inf", "0x10", "1 2", "5 apples", "1.", ".5", "١"],
)
def test_rubbish_is_refused_with_what_to_type(text: str) -> None:
    for parse in (units.parse_bytes, units.parse_seconds):
        with pytest.raises(UsageError) as refusal:
            parse(text)
        assert repr(text) in refusal.value.message
        assert refusal.value.advice is not None


@given(st.text())
def test_any_text_is_either_a_quantity_or_refused(text: str) -> None:
    for parse in (units.parse_bytes, units.parse_seconds):
        with contextlib.suppress(UsageError):
            assert math.isfinite(parse(text))


@given(st.floats(min_value=0, max_value=1e300))
@example(1023.996)
@example(1048570.0)
def test_printed_bytes_mean_the_same_when_typed(value: float) -> None:
    assert abs(units.parse_bytes(units.format_bytes(value)) - value) <= PRINTED_ERROR * value + 0.5


@given(st.floats(min_value=0, max_value=1e300))
@example(119.96)
@example(0.9996)
def test_printed_seconds_mean_the_same_when_typed(value: float) -> None:
    back = units.parse_seconds(units.format_seconds(value))
    assert back == pytest.approx(value, rel=PRINTED_ERROR * (1 + 1e-12), abs=1e-300)


@given(st.integers(min_value=0, max_value=1023))
def test_small_whole_bytes_are_printed_exactly(size: int) -> None:
    assert units.parse_bytes(units.format_bytes(size)) == size


@given(st.floats(min_value=1e-4, max_value=1e9), st.sampled_from(["By", "s"]))
def test_a_scaled_number_is_short(value: float, unit: str) -> None:
    number = units.format_quantity(value, unit).split()[0]
    assert len(re.sub(r"[^0-9]", "", number)) <= 8


@given(st.floats(allow_nan=True), st.sampled_from(sorted({metric.unit for metric in METRICS.values()})))
def test_every_value_of_every_default_metric_can_be_printed(value: float, unit: str) -> None:
    printed = units.format_quantity(value, unit)
    assert printed == printed.strip() != ""
    assert (printed == units.UNREADABLE) == math.isnan(value)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.sampled_from(["By", "s", "1", "{class}"]))
def test_a_change_points_the_way_it_went(before: float, after: float, unit: str) -> None:
    printed = units.format_change(before, after, unit)
    if after > before:
        assert printed.startswith("+")
    elif after < before:
        assert printed.startswith("-")
    else:
        assert printed in ("no change", units.UNREADABLE)
