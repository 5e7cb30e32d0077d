"""List how two oracles of one test differ, number by number, for people who accept the newer one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from buto.judging.readable import Level
from buto.judging.verdict import Effect
from buto.oracle.model import Oracle
from buto.run.properties import Better

STANDARD_ERRORS = 3.0
"""In about three of a thousand numbers, two oracles of an unchanged program differ by more than this."""

NOTICEABLE_RATIO = 2.0
"""The deviation of ten runs is often 1.5 times that of ten others."""


class NumberDifference(Struct, frozen=True):
    """One number of a run in two oracles.

    Attributes:
        subject: the property, or the type and emitter of notifications.
        number: ``mean``, ``total`` or ``number``.
        old, new: None where an oracle does not have it.
        standard_error: of the difference of the centres, by the scatter of both sets of runs.
        better: the direction that is welcome.
        reason: why the new oracle does not have it, if that is known.
    """

    subject: str
    number: str
    unit: str
    old: Level | None
    new: Level | None
    standard_error: float = 0.0
    better: Better = Better.UNKNOWN
    reason: str = ""

    @property
    def change(self) -> float:
        """By how much more is expected; NaN if one is missing."""
        return math.nan if self.old is None or self.new is None else self.new.expected - self.old.expected

    @property
    def has_moved(self) -> bool:
        """Whether the change is larger than between two oracles of an unchanged program."""
        return abs(self.change) > STANDARD_ERRORS * self.standard_error

    @property
    def steps(self) -> float:
        """The change in standard errors, without sign; infinite where runs do not scatter at all."""
        if not self.change:
            return 0.0
        return abs(self.change) / self.standard_error if self.standard_error else math.inf

    @property
    def width_ratio(self) -> float:
        """How many times as wide the new band is; NaN where one is missing or has no width."""
        if self.old is None or self.new is None or not (self.old.half_width and self.new.half_width):
            return math.nan
        return self.new.half_width / self.old.half_width

    @property
    def is_wider(self) -> bool:
        return self.width_ratio >= NOTICEABLE_RATIO

    @property
    def is_narrower(self) -> bool:
        return self.width_ratio <= 1 / NOTICEABLE_RATIO

    @property
    def effect(self) -> Effect:
        """Whether the change is welcome."""
        if self.better is Better.UNKNOWN or not abs(self.change) > 0:
            return Effect.UNKNOWN
        return Effect.WORSE if (self.change > 0) == (self.better is Better.LOWER) else Effect.BETTER


def difference(old: Oracle, new: Oracle) -> tuple[NumberDifference, ...]:
    """Return one row for each number that either oracle has, the largest changes first."""
    return rows(with_errors(old), with_errors(new), new.fitted.left_out)


def is_moved(old: Oracle, new: Oracle) -> bool:
    """Return whether a number changed by more than runs vary, or one of the two lacks it."""
    return any(row.has_moved or row.old is None or row.new is None for row in difference(old, new))


def with_errors(oracle: Oracle) -> Iterator[tuple[Level, float]]:
    """Return each level with its standard error."""
    root = math.sqrt(len(oracle.run_ids))
    return ((level, level.deviation / root) for level in oracle.fitted.levels())


def rows(
    old: Iterable[tuple[Level, float]], new: Iterable[tuple[Level, float]], reasons: Mapping[str, str]
) -> tuple[NumberDifference, ...]:
    """Return one row for each number of two lists, the largest changes first.

    Args:
        old, new: levels with their standard errors.
        reasons: why properties are not in the new one, where that is known.
    """
    before, after = (
        {
            (levels[0].prop.name, levels[0].number): levels
            for levels in side
            if math.isfinite(levels[0].expected)
        }
        for side in (old, new)
    )
    differences = []
    for key in dict.fromkeys((*before, *after)):
        (was, error), (now, new_error) = before.get(key, _NOTHING), after.get(key, _NOTHING)
        prop = (after.get(key) or before[key])[0].prop
        reason = "" if now else reasons.get(prop.name, "")
        differences.append(
            NumberDifference(*key, prop.unit, was, now, math.hypot(error, new_error), prop.better, reason)
        )
    return tuple(sorted(differences, key=lambda row: -row.steps))


_NOTHING: tuple[Level | None, float] = (None, 0.0)
