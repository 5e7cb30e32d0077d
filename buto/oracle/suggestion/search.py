"""The search for minimum effects: pure, given what judges a check again.

Each false alarm is made to pass in turn: the property with the strongest evidence gets a minimum effect above
its change, then the next, until no property of the check stands out. A step that misses a regression is not
taken. In the end every effect is left out that is not needed. So the result has few lines, but other lines
might do, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt

from buto.detectors.effects import NEVER, effect_text
from buto.oracle.suggestion.model import Change, Judged

MARGIN = 1.25
"""An effect is so many times the change in the false alarm, because the next one may be a little larger."""

ERRATIC = 10.0
"""A property is left out if its changes in false alarms differ by such a factor: the next may be any."""

FEWEST_ERRATIC = 3
"""So many false alarms show that a property is erratic."""

MOST_STEPS = 200
"""Steps for one false alarm, of which each silences one feature of one property."""

Key = tuple[str, ...]
"""The runs of a check."""

Judge = Callable[[Key, Mapping[str, str]], Judged]
"""Judges a check again, with these minimum effects beside the present ones."""


def effects_that_avoid(judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> dict[str, str]:
    """Return minimum effects by property with which as many of these alarms pass as possible.

    Args:
        alarms: fail by the present settings.
        regressions: fail by the present settings, and shall do so by the returned ones.
    """
    while True:
        known = _Known(judge, alarms, regressions)
        effects: dict[str, str] = {}
        avoided = []
        for alarm in alarms:
            raised = _raised(judge, alarm, regressions, effects, known)
            if not judge(alarm, raised).fails:
                effects = raised
                avoided.append(alarm)
        if len(avoided) == len(alarms):
            return _needed(judge, alarms, regressions, effects)
        # Again without those that cannot be avoided, so that their changes make no effect larger.
        alarms = avoided


class _Known:
    """By how much properties change in false alarms and in regressions, by the present settings."""

    def __init__(self, judge: Judge, alarms: Sequence[Key], regressions: Sequence[Key]) -> None:
        self._alarms = sizes(judge(one, {}) for one in alarms)
        self._regressions = sizes(judge(one, {}) for one in regressions)

    def texts(self, change: Change) -> list[str]:
        """Return the effects to try that silence a change, the preferred one first."""
        seen = self._alarms.get(change.subject, [])
        is_erratic = len(seen) >= FEWEST_ERRATIC and max(seen) >= ERRATIC * min(seen)
        never = [NEVER] if is_erratic and change.subject not in self._regressions else []
        largest = max([change.size, *seen])
        return [
            *never,
            *(effect_text(self._above(change.subject, size), change.unit) for size in (largest, change.size)),
        ]

    def _above(self, subject: str, size: float) -> float:
        """Return a size above this one: by the margin, or halfway to a regression that is nearer."""
        larger = [one for one in self._regressions.get(subject, []) if one > size]
        # Halfway on a logarithmic scale.
        return min([MARGIN * size, *(sqrt(size * one) for one in larger)])


def sizes(judged: Iterable[Judged]) -> dict[str, list[float]]:
    """Return by property the largest change of it in each of these checks that has one."""
    found: dict[str, list[float]] = {}
    for one in judged:
        largest: dict[str, float] = {}
        for change in one.changes:
            largest[change.subject] = max(change.size, largest.get(change.subject, 0.0))
        for subject, size in largest.items():
            found.setdefault(subject, []).append(size)
    return found


def _raised(
    judge: Judge, alarm: Key, regressions: Sequence[Key], effects: Mapping[str, str], known: _Known
) -> dict[str, str]:
    """Return effects with which no property of an alarm stands out, as far as all regressions still fail."""
    raised, blocked = dict(effects), set[str]()
    for _ in range(MOST_STEPS):
        left = [one for one in judge(alarm, raised).changes if one.subject not in blocked]
        if not left:
            break
        for text in known.texts(left[0]):
            tried = {**raised, left[0].subject: text}
            if all(judge(one, tried).fails for one in regressions):
                raised = tried
                break
        else:
            blocked.add(left[0].subject)
    return raised


def _needed(
    judge: Judge, avoided: Sequence[Key], regressions: Sequence[Key], effects: Mapping[str, str]
) -> dict[str, str]:
    """Return the effects without which an avoided alarm would fail, or would have more that stands out."""
    needed = dict(effects)
    for subject in reversed(list(effects)):
        tried = {name: text for name, text in needed.items() if name != subject}
        as_quiet = all(
            not judge(one, tried).fails and len(judge(one, tried).changes) <= len(judge(one, needed).changes)
            for one in avoided
        )
        if as_quiet and all(judge(one, tried).fails for one in regressions):
            needed = tried
    return needed
