"""The smallest changes that a check detects, in words: in one line, as advice, and as a list."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite

from buto.judging.alarms import TIMES_LEVEL, Strength, smallest_change
from buto.run.properties import is_time, property_for, title_of
from buto.run.units import counted_noun, plural
from buto.steps import Advice, Setting

MATTERS = ("jvm.memory.heap.live", "jvm.memory.allocated", "jvm.thread.count")
"""Quantities in the order of the line, which decide what a check fails for. Times are not among them: how
much they scatter depends on what else the machine does that day, so no size holds for later checks.
"""

WITHOUT_COUNTS = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded")
"""The same of runs in which neither live objects nor allocated bytes were counted."""

NOTHING = "these training runs are too few, or too unlike, to promise a size that a check detects of "
INTRODUCTION = "a check detects 9 of 10 lasting changes of this size: "

LARGE_SHARE = 1.0
"""An oracle that misses a quantity's increase by this share of its level says little of this quantity."""


def detectable(strengths: Sequence[Strength]) -> str:
    """Return the line; empty if nothing is known of any quantity that matters."""
    known = [
        (title_of(strength.quantity.name), _change_of_title(strength)) for strength in that_matter(strengths)
    ]
    changes = ", ".join(f"{name} {size}" for name, size in known if size)
    missed = ", ".join(name for name, size in known if not size)
    if not changes:
        return f"{NOTHING}{missed}" if missed else ""
    return f"{INTRODUCTION}{changes}{f'; none of {missed}' if missed else ''}"


def discouraging(strengths: Sequence[Strength], n_runs: int) -> Advice | None:
    """Return a warning if large changes of most of these quantities would be missed, with what helps."""
    known = that_matter(strengths)
    # That a decrease is detected does not help against one who fears an increase.
    blind = [strength for strength in known if strength.more > LARGE_SHARE * abs(strength.level)]
    if not blind or 2 * len(blind) < len(known):
        return None
    names = ", ".join(title_of(strength.quantity.name) for strength in blind)
    return Advice(
        f"a check may miss that a quantity doubles ({names}). What helps: more runs (",
        Setting("runs", str(2 * n_runs)),
        "), a longer program, a smaller heap (-Xmx), a quieter machine, or counters of its own (MBeans)",
    )


def change(strength: Strength) -> str:
    """Return the smallest detected change, as ``±838 KiB (13.5 %)``; empty if none is detected.

    Of what is counted it is a whole number, as no program changes by a part of a thread.
    """
    return _change_in(strength, strength.quantity.unit)


def _change_of_title(strength: Strength) -> str:
    """Return the same beside the title of its quantity, which may have the unit: ``threads ±2 (25 %)``."""
    noun = counted_noun(strength.quantity.unit)
    is_said = bool(noun) and title_of(strength.quantity.name).endswith(plural(noun))
    return _change_in(strength, "" if is_said else strength.quantity.unit)


def _change_in(strength: Strength, unit: str) -> str:
    more, less = strength.more, strength.less
    if counted_noun(strength.quantity.unit):
        more, less = (float(ceil(size)) if isfinite(size) else size for size in (more, less))
    return smallest_change(more, less, strength.level, unit)


def that_matter(strengths: Sequence[Strength]) -> list[Strength]:
    """Return those of quantities that the line names, in its order."""
    by_name = {strength.quantity.name: strength for strength in strengths}
    names = MATTERS if set(MATTERS[:2]) & by_name.keys() else WITHOUT_COUNTS
    return [by_name[name] for name in names if name in by_name]


HEADING = "smallest lasting change of one property that a check detects 90 % of the time"
HEADING_OF_TIMES = "the same of times, in an hour like that of the training; no promise for another"

MORE_RUNS = Advice("more training runs help (", Setting("runs", "15"), " or ", Setting("runs", "auto"), ")")


def strength_lines(strengths: Sequence[Strength], more_runs: str = MORE_RUNS) -> list[str]:
    """Return a heading and a line for each quantity, and one line for all those without a promise.

    Args:
        more_runs: the advice MORE_RUNS in the words of the user's front end.
    """
    known = [strength for strength in strengths if isfinite(min(strength.more, strength.less))]
    others = [strength.quantity.name for strength in strengths if strength not in known]
    times = [strength for strength in known if is_time(property_for(strength.quantity.name))]
    width = max((len(strength.quantity.name) for strength in known), default=0)
    lines = []
    kinds = (
        (HEADING, [strength for strength in known if strength not in times]),
        (HEADING_OF_TIMES, times),
    )
    for heading, some in kinds:
        if some:
            rows = (f"  {strength.quantity.name:<{width}}  {change(strength)}" for strength in some)
            lines += [f"{heading}:", *rows]
    if others:
        lines.append(f"not detected up to {TIMES_LEVEL:.0f} times as much: {', '.join(others)}; {more_runs}")
    return lines
