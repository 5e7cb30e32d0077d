"""List how two oracles of one test differ, number by number, for people who accept the newer one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from buto.judging.readable import Level
from buto.judging.verdict import Effect
from buto.oracle.model import Oracle
from buto.run.properties import Better

STANDARD_ERRORS = 3.0
"""In about three of a thousand numbers, two oracles of an unchanged program differ by more than this."""

NOTICEABLE_RATIO = 2.0
"""The deviation of ten runs is often 1.5 times that of ten others."""


@dataclass(frozen=True, slots=True)
class Row:
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


def difference(old: Oracle, new: Oracle) -> tuple[Row, ...]:
    """Return one row for each number that either oracle has, the largest changes first."""
    before, after = _numbers(old), _numbers(new)
    sides = ((old, before), (new, after))
    reasons = new.fitted.left_out
    rows = []
    for key in dict.fromkeys((*before, *after)):
        subject, number = key
        known = [(oracle, numbers[key]) for oracle, numbers in sides if key in numbers]
        prop = (after.get(key) or before[key]).prop
        rows.append(
            Row(
                subject,
                number,
                prop.unit,
                before.get(key),
                after.get(key),
                math.hypot(*(_standard_error(oracle, level) for oracle, level in known)),
                prop.better,
                "" if key in after else reasons.get(subject, ""),
            )
        )
    return tuple(sorted(rows, key=lambda row: -row.steps))


def _numbers(oracle: Oracle) -> dict[tuple[str, str], Level]:
    return {
        (level.prop.name, level.number): level
        for level in oracle.fitted.levels()
        if math.isfinite(level.expected)
    }


def _standard_error(oracle: Oracle, level: Level) -> float:
    return level.deviation / math.sqrt(len(oracle.run_ids))
