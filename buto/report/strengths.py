"""How strong an oracle is, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from buto.oracle.strength import TIMES_LEVEL, Strength
from buto.units import format_percent, format_quantity

HEADING = "a check would notice, nine times in ten, if of these alone there was lastingly"


def strength_lines(strengths: Sequence[Strength]) -> list[str]:
    """A heading and a line for each quantity; nothing for none."""
    if not strengths:
        return []
    width = max(len(one.quantity.name) for one in strengths)
    return [f"{HEADING}:", *(f"  {one.quantity.name:<{width}}  {_said(one)}" for one in strengths)]


def _said(one: Strength) -> str:
    if isfinite(one.more) and isfinite(one.less):
        return f"±{_size(one, max(one.more, one.less))}"
    if isfinite(one.more):
        return f"+{_size(one, one.more)}"
    if isfinite(one.less):
        return f"-{_size(one, one.less)}"
    return f"nothing up to {TIMES_LEVEL:.0f} times as much"


def _size(one: Strength, size: float) -> str:
    share = f" ({format_percent(size / abs(one.level))})" if one.level else ""
    return f"{format_quantity(size, one.quantity.unit)}{share}"
