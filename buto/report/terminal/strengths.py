"""How strong an oracle is, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from buto.detectors.calibrated.strength import TIMES_LEVEL, Strength
from buto.units import format_percent, format_quantity

HEADING = "a check would notice, nine times in ten, if of these alone there was lastingly"


def strength_lines(strengths: Sequence[Strength]) -> list[str]:
    """A heading and a line for each quantity, one for all that nothing is promised of; nothing for none."""
    known = [one for one in strengths if isfinite(min(one.more, one.less))]
    others = [one.quantity.name for one in strengths if one not in known]
    lines = []
    if known:
        width = max(len(one.quantity.name) for one in known)
        lines += [f"{HEADING}:", *(f"  {one.quantity.name:<{width}}  {_said(one)}" for one in known)]
    if others:
        lines.append(
            f"not promised to be noticed alone, not even {TIMES_LEVEL:.0f} times as much: "
            f"{', '.join(others)}; "
            "more training runs sharpen an oracle (--runs 15, or --runs auto)"
        )
    return lines


def _said(one: Strength) -> str:
    if isfinite(one.more) and isfinite(one.less):
        return f"±{_size(one, max(one.more, one.less))}"
    return f"+{_size(one, one.more)}" if isfinite(one.more) else f"-{_size(one, one.less)}"


def _size(one: Strength, size: float) -> str:
    share = f" ({format_percent(size / abs(one.level))})" if one.level else ""
    return f"{format_quantity(size, one.quantity.unit)}{share}"
