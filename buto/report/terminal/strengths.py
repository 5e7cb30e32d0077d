"""Print how strong an oracle is: the smallest changes that its checks detect."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from buto.detectors.strength import TIMES_LEVEL, Strength
from buto.report.detectable import change
from buto.steps import Advice, Setting

HEADING = "smallest lasting change of one property that a check detects 90 % of the time"


MORE_RUNS = Advice("more training runs help (", Setting("runs", "15"), " or ", Setting("runs", "auto"), ")")


def strength_lines(strengths: Sequence[Strength], more_runs: str = MORE_RUNS) -> list[str]:
    """Return a heading and a line for each quantity, and one line for all those without a promise.

    Args:
        more_runs: the advice MORE_RUNS in the words of the user's door.
    """
    known = [one for one in strengths if isfinite(min(one.more, one.less))]
    others = [one.quantity.name for one in strengths if one not in known]
    lines = []
    if known:
        width = max(len(one.quantity.name) for one in known)
        lines += [f"{HEADING}:", *(f"  {one.quantity.name:<{width}}  {change(one)}" for one in known)]
    if others:
        lines.append(f"not detected up to {TIMES_LEVEL:.0f} times as much: {', '.join(others)}; {more_runs}")
    return lines
