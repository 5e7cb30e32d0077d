"""What the text of an oracle says of each number of a run: its level, its spread, the smallest change found.

Each training gives somewhat other numbers. So that a reviewer sees what changed and nothing else, a number is
said anew only if it differs from what was said by more than runs vary; else its line stays. The numbers from
which verdicts are computed are new in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

from msgspec import Struct

from buto.judging.alarms import Strength, smallest_change
from buto.judging.readable import Level
from buto.oracle.difference import NumberDifference, rows, with_errors
from buto.oracle.model import Oracle
from buto.run.properties import reading_rank
from buto.run.stored import Number
from buto.run.units import format_change, format_count, format_list, format_quantity, format_range

LITTLE = 0.05
"""A change by a smaller share of the level is not said anew, however certain it is."""

OTHER_SPREAD = 3.0
"""The spread of ten runs is often twice that of ten others; a line is said anew from this ratio on."""

MOST_CHANGES = 3

NOT_SHOWN = "not shown"
"""The key of the last line, which counts the properties without one."""

_ROUNDING = 1.1
"""By how much a smallest change that is found again may differ from one that was found in training."""


class Said(Struct, frozen=True):
    """What is said of one number.

    Attributes:
        error: the standard error of the level.
        more, less: the smallest change that a check finds; infinite if there is none, or it is not known.
    """

    level: Level
    error: Number
    more: Number = inf
    less: Number = inf

    @property
    def subject(self) -> str:
        return self.level.prop.name

    @property
    def text(self) -> str:
        """As ``mean 12 MiB, 11.5 MiB to 12.5 MiB; found from ±1 MiB (8.33 %)``."""
        level, unit = self.level, self.level.prop.unit
        expected, spread = format_quantity(level.expected, unit), format_range(level.lower, level.upper, unit)
        change = smallest_change(self.more, self.less, level.expected, unit)
        parts = (f"{level.number} {expected}", "" if spread == expected else f", {spread}")
        return "".join((*parts, f"; found from {change}" if change else ""))

    @property
    def grain(self) -> float:
        """What changes are measured by: the smallest that is found, else the level."""
        smallest = min(self.more, self.less)
        return smallest if 0 < smallest < inf else abs(self.level.expected) or 1.0

    def has_moved(self, row: NumberDifference) -> bool:
        """Return whether the level changed by more than runs vary, and not by little only."""
        return row.has_moved and abs(row.change) > LITTLE * abs(self.level.expected)

    def holds(self, new: Said, row: NumberDifference) -> bool:
        """Return whether this is still true after a training."""
        return self.is_true_of(new, row) and _alike(self.grain, new.grain)

    def is_true_of(self, new: Said, row: NumberDifference) -> bool:
        """Return whether level and spread are still true, whatever change is found."""
        least = LITTLE * abs(self.level.expected)
        return (
            (self.level.prop, self.level.number) == (new.level.prop, new.level.number)
            and not self.has_moved(row)
            and _alike(self.level.half_width + least, new.level.half_width + least)
        )

    def promises_more_than(self, now: Said) -> bool:
        """Return whether a much smaller change is promised than is found."""
        promised, smallest = (min(said.more, said.less) for said in (self, now))
        return promised < inf and smallest > _ROUNDING * OTHER_SPREAD * promised


def _alike(said: float, other: float) -> bool:
    return max(said, other) <= OTHER_SPREAD * min(said, other)


def summarise(oracle: Oracle, strengths: Sequence[Strength] = ()) -> tuple[Said, ...]:
    """Return what is said of an oracle, as people ask: parts of something larger come last.

    Args:
        strengths: the smallest changes that are found, of as many properties as are known. Those of times do
            not count, because how much times scatter depends on what else the machine does that day.
    """
    changes = {
        strength.quantity.name: (strength.more, strength.less)
        for strength in strengths
        if strength.quantity.unit != "s"
    }
    said = (
        Said(level, error, *changes.get(level.prop.name, ()))
        for level, error in with_errors(oracle)
        if isfinite(level.expected)
    )
    return tuple(sorted(said, key=lambda said_line: (reading_rank(said_line.subject), said_line.subject)))


def settle(new: Sequence[Said], before: Sequence[Said]) -> tuple[tuple[Said, ...], dict[str, str]]:
    """Return what is said after a training, as before where that still holds, and what has changed.

    What changed most comes first, measured by the smallest change that is found.
    """
    ours, known = ({said.subject: said for said in side} for side in (new, before))
    both = [
        (known[row.subject], ours[row.subject], row)
        for row in rows(_levels(before), _levels(new), {})
        if row.old is not None and row.new is not None
    ]
    stays = {was.subject: was for was, now, row in both if was.holds(now, row)}
    moved = [(was, row) for was, _, row in both if was.has_moved(row)]
    moved.sort(key=lambda pair: -abs(pair[1].change) / pair[0].grain)
    changes = {row.subject: _change(row) for _, row in moved[:MOST_CHANGES]}
    for word, names in (
        ("also changed", [row.subject for _, row in moved[MOST_CHANGES:]]),
        ("new", [said.subject for said in new if said.subject not in known]),
        ("gone", [said.subject for said in before if said.subject not in ours]),
    ):
        changes |= {word: format_list(names)} if names else {}
    return tuple(stays.get(said.subject, said) for said in new), changes


def _levels(said: Sequence[Said]) -> list[tuple[Level, float]]:
    return [(said_line.level, said_line.error) for said_line in said]


def _change(row: NumberDifference) -> str:
    assert row.old is not None and row.new is not None
    before, after = (format_quantity(level.expected, row.unit) for level in (row.old, row.new))
    return f"{row.number} {before} -> {after}, {format_change(row.old.expected, row.new.expected, row.unit)}"


def lines(said: Sequence[Said], most_bytes: float = inf) -> dict[str, str]:
    """Return the texts by property.

    Left out and counted are numbers that are always zero, sizes that the JVM sets aside or adapts, and what
    people ask for least where all have more than so many bytes.
    """
    texts: dict[str, str] = {}
    for said_line in said:
        if said_line.level.lower == said_line.level.upper == 0 or reading_rank(said_line.subject)[0] > 1:
            continue
        most_bytes -= len(f'    "{said_line.subject}": "{said_line.text}",\n'.encode())
        if most_bytes < 0:
            break
        texts[said_line.subject] = said_line.text
    n_left = len(said) - len(texts)
    why = "always zero, set aside by the JVM, or too many"
    return {**texts, **({NOT_SHOWN: f"{format_count(n_left, 'property')}: {why}"} if n_left else {})}
