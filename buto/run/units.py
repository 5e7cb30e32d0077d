"""Parse and format quantities. No other module does.

Units are UCUM as in OpenTelemetry (see :mod:`buto.run.properties`). Numbers are printed with three
significant digits, whole counts exactly and in groups of three; NaN, a value that could not be read, prints
as ``unreadable``.
Printed bytes and times can be parsed again; the result is the same within the printed digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from msgspec import Struct

from buto.errors import UsageError

UNREADABLE = "unreadable"
SIGNIFICANT_DIGITS = 3
_EXACT_BELOW = 1e15
"""Whole numbers below this are printed exactly; above it a float64 loses whole digits."""


class Suffix(Struct, frozen=True):
    """One step of a scale.

    Attributes:
        text: as printed and, in any case of letters, as typed.
        size: in the scale's base unit.
        also: other spellings that may be typed.
        shown_from: smallest magnitude that is printed in this step; None for ``size``.
    """

    text: str
    size: float
    also: tuple[str, ...] = ()
    shown_from: float | None = None


# No "kB" or "MB": some mean 1000 by it and some 1024. "k", "m", "g" are the JVM's own options.
_BYTES = (
    Suffix("B", 1.0, ("by",)),
    Suffix("KiB", 2.0**10, ("k",)),
    Suffix("MiB", 2.0**20, ("m",)),
    Suffix("GiB", 2.0**30, ("g",)),
    Suffix("TiB", 2.0**40, ("t",)),
)
_SECONDS = (
    Suffix("ns", 1e-9),
    Suffix("µs", 1e-6, ("us",)),
    Suffix("ms", 1e-3),
    Suffix("s", 1.0),
    Suffix("min", 60.0, ("m",), shown_from=120.0),
    Suffix("h", 3600.0),
    Suffix("d", 86400.0, shown_from=172800.0),
)

_LEAST_OF_A_STEP = 0.1
"""From this share of a MiB on, a value is told in MiB beside a larger one."""
_PER = {"s": 1.0, "min": 60.0, "h": 3600.0}
_RATE = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:/\s*(s|min|h))?", re.ASCII)
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zµμ]*)", re.ASCII | re.IGNORECASE)


def parse_bytes(text: str) -> int:
    """Parse ``4MiB``, ``256m``, ``64k`` or plain bytes, rounded to whole bytes.

    UsageError for anything else.
    """
    return round(_parse(text, _BYTES, plain="B", example="4MiB"))


def parse_seconds(text: str) -> float:
    """Parse ``100ms``, ``1.5 s``, ``2 min``, ``1h`` or plain seconds; UsageError for anything else."""
    return _parse(text, _SECONDS, plain="s", example="100ms")


def parse_rate(text: str) -> float:
    """Parse ``20/s``, ``600/min``, ``5/h`` or a plain number, in 1/s; UsageError for anything else."""
    match = _RATE.fullmatch(text.strip())
    rate = float(match[1]) / _PER[match[2] or "s"] if match else math.inf
    if math.isinf(rate):
        raise UsageError(f"a rate must be per s, min or h, got {text!r}", advice="write it like 20/s")
    return rate


def _parse(text: str, scale: tuple[Suffix, ...], plain: str, example: str) -> float:
    sizes = {spelling.casefold(): step.size for step in scale for spelling in (step.text, *step.also)}
    match = _QUANTITY.fullmatch(text.strip())
    size = sizes.get((match[2] or plain).casefold()) if match else None
    quantity = float(match[1]) * size if match and size else math.inf
    if math.isinf(quantity):
        known = ", ".join(step.text for step in scale)
        raise UsageError(f"a quantity must be in {known}, got {text!r}", advice=f"write it like {example}")
    return quantity


def format_quantity(value: float, unit: str) -> str:
    """Format a value by its unit: ``By`` and ``s`` scaled, ``{thread}`` and ``{answer}/s`` counted."""
    if unit == "By":
        return format_bytes(value)
    if unit == "s":
        return format_seconds(value)
    if unit == "{}":
        return format_number(value)
    if noun := counted_noun(unit):
        return format_count(value, noun)
    if unit.startswith("{") and unit.endswith("}/s") and not math.isnan(value):
        return f"{format_count(value, unit[1:-3].replace('_', ' '))}/s"
    number = format_number(value)
    return number if unit in ("", "1") or math.isnan(value) else f"{number} {unit}"


def counted_noun(unit: str) -> str:
    """Return what a unit counts, as ``file descriptor``; empty for all else, and for counts in a time."""
    return unit[1:-1].replace("_", " ") if unit.startswith("{") and unit.endswith("}") else ""


def scale_of_unit(unit: str) -> tuple[Suffix, ...]:
    """Return the steps of a unit's scale; empty for a unit without scale."""
    return {"By": _BYTES, "s": _SECONDS}.get(unit, ())


def format_bytes(value: float) -> str:
    """Format bytes, as ``4.2 MiB``."""
    return _format(value, _BYTES)


def format_seconds(value: float) -> str:
    """Format a time, as ``100 ms``, ``1.5 s``, ``2 min``; minutes and days are used from two on."""
    if value == 0:
        return "0 s"
    return _format(value, _SECONDS)


def format_rate(per_second: float) -> str:
    """Format a rate, as ``20/s``."""
    return UNREADABLE if math.isnan(per_second) else f"{format_number(per_second)}/s"


def format_age(seconds: float) -> str:
    """Format an age in the largest possible step, as ``3 min`` or ``12 d``, rounded down."""
    fitting = [step for step in _SECONDS if step.size >= 1 and seconds >= step.size]
    if not fitting:
        return "0 s"
    return f"{math.floor(seconds / fitting[-1].size)} {fitting[-1].text}"


def format_count(value: float, noun: str) -> str:
    """Format a count, as ``1 thread``, ``12 threads``, ``0 classes``."""
    number = format_number(value)
    return number if math.isnan(value) or not noun else f"{number} {noun if number == '1' else plural(noun)}"


def format_list(names: Sequence[str], most: int = 3) -> str:
    """Format names, at most so many, as ``a, b, c and 2 more``."""
    left = len(names) - most
    return f"{', '.join(names[:most])}{f' and {left} more' if left > 0 else ''}"


def format_range(low: float, high: float, unit: str) -> str:
    """Format two ends, as ``512 KiB to 1.5 MiB``; equal ones once. Texts of oracles keep this form."""
    lower, upper = format_quantity(low, unit), format_quantity(high, unit)
    return lower if lower == upper else f"{lower} to {upper}"


def format_before_and_after(before: float, after: float, unit: str) -> str:
    """Format two values, as ``40.2 → 56 MiB``: in one step of the scale, unless one is tiny."""
    return join_quantities(*_in_one_step(before, after, unit), " → ")


def join_quantities(first: str, second: str, between: str) -> str:
    """Join two formatted quantities, as ``10 to 12 threads``: a unit that both have once, equal ones once."""
    number, _, counted = first.partition(" ")
    if first == second:
        return second
    return f"{number if counted and second.endswith(f' {counted}') else first}{between}{second}"


def _in_one_step(first: float, second: float, unit: str) -> tuple[str, str]:
    both = (format_quantity(first, unit), format_quantity(second, unit))
    if unit != "By" or not math.isfinite(first + second):
        return both
    larger = both[1] if abs(second) >= abs(first) else both[0]
    step = next((each for each in scale_of_unit(unit) if larger.endswith(f" {each.text}")), None)
    if step is None or min(abs(first), abs(second)) < _LEAST_OF_A_STEP * step.size:
        return both
    return (
        f"{format_number(first / step.size)} {step.text}",
        f"{format_number(second / step.size)} {step.text}",
    )


def format_percent(share: float) -> str:
    """Format a share of 1, as ``24 %``."""
    return UNREADABLE if math.isnan(share) else f"{format_number(100 * share)} %"


def format_ratio(ratio: float) -> str:
    """Format a factor, as ``1.24x``."""
    return UNREADABLE if math.isnan(ratio) else f"{format_number(ratio)}x"


def format_change(before: float, after: float, unit: str) -> str:
    """Format a difference and its share of the first value, as ``+3.1 MiB (+24 %)``; from tenfold on
    ``(12x)``.

    A change of a number that was zero, or is negative, has no share. No difference gives ``no change``.
    """
    size, share = _change(before, after, unit)
    return f"{size} ({share})" if share else size


def format_share(before: float, after: float, unit: str) -> str:
    """Format a difference as a share of the first value, ``+24 %`` or ``12x``; without one, its size."""
    size, share = _change(before, after, unit)
    return share or size


def _change(before: float, after: float, unit: str) -> tuple[str, str]:
    """Return size and share of a difference; the share is empty where there is none."""
    change = after - before
    if math.isnan(change):
        return UNREADABLE, ""
    if change == 0:
        return "no change", ""
    sign = "+" if change > 0 else "-"
    size = f"{sign}{format_quantity(abs(change), unit)}"
    if before <= 0 or after < 0 or math.isinf(before):
        return size, ""
    ratio = after / before
    return size, format_ratio(ratio) if ratio >= 10 else f"{sign}{format_percent(abs(change / before))}"


def format_number(value: float) -> str:
    """Format a number, as ``1,024`` or ``0.125``: whole ones exactly, others with SIGNIFICANT_DIGITS."""
    digits = _digits(value)
    return f"{int(digits):,}" if digits.removeprefix("-").isdecimal() else digits


def _digits(value: float) -> str:
    if math.isnan(value):
        return UNREADABLE
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    if value == round(value) and abs(value) < _EXACT_BELOW:
        return f"{value:.0f}"
    if not 1e-4 <= abs(value) < _EXACT_BELOW:
        return f"{value:.{SIGNIFICANT_DIGITS}g}"
    decimals = max(0, SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(value))))
    rounded = f"{value:.{decimals}f}"
    return rounded.rstrip("0").rstrip(".") if decimals else rounded


def plural(noun: str) -> str:
    """Return the regular English plural: threads, classes, queries."""
    if re.search(r"(s|x|z|ch|sh)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def _format(value: float, scale: tuple[Suffix, ...]) -> str:
    if not math.isfinite(value):
        return format_number(value)
    for step in reversed(scale):
        shown_from = step.shown_from or step.size
        if abs(value) < 0.9 * shown_from:
            continue  # rounding cannot bring it there, and long lists format many numbers
        # Compare the printed number, so that 1023.996 KiB becomes 1 MiB and not 1024 KiB.
        if abs(float(_digits(value / step.size))) * step.size >= shown_from:
            break
    return f"{_digits(value / step.size)} {step.text}"
