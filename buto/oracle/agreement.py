"""Whether the text of an oracle, which people review, says what the numbers say from which verdicts are made.

An oracle comes by a pull request: the text is what somebody has looked at. Its lines are those of the numbers
that are stored beside it, and these must hold for what the detector itself returns. So numbers cannot change
without their text, except by what :mod:`buto.oracle.summary` leaves unsaid because it is little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from buto.judging.alarms import Strength
from buto.oracle.difference import rows
from buto.oracle.model import Oracle
from buto.oracle.summary import NOT_SHOWN, Said, lines, summarise
from buto.oracle.text import to_text

MOST_TEXT = 29_000
"""Bytes of a text, unless its command or its warnings are longer themselves."""

NOTHING = "nothing"


class Contradiction(Struct, frozen=True):
    """A line of the text that its numbers do not support.

    Attributes:
        block: where in the text, as ``properties``.
        key: what the line is of.
        text: what the text says, or :data:`NOTHING`.
        numbers: what the numbers say, or :data:`NOTHING`.
    """

    block: str
    key: str
    text: str
    numbers: str


def in_lines(data: Mapping[str, Any], said: Sequence[Said]) -> Contradiction | None:
    """Return the first line of ``properties`` that is not the line of the numbers that were said.

    Args:
        data: the text's, with any layout and order.
    """
    written: Mapping[str, Any] = data["properties"]
    everything = lines(said)
    shown = [key for key in everything if key in written and key != NOT_SHOWN]
    most = sum(len(f'    "{key}": "{everything[key]}",\n'.encode()) for key in shown)
    is_long = len(to_text({**data, "properties": everything}).encode()) > MOST_TEXT
    expected = lines(said, most) if is_long else everything
    return _first_difference("properties", written, expected)


def in_environment(written: Mapping[str, Any], expected: Mapping[str, Any]) -> Contradiction | None:
    """Return the first line of ``environment`` that is not what runs are compared with."""
    return _first_difference("environment", written, expected)


def _first_difference(
    block: str, written: Mapping[str, Any], expected: Mapping[str, Any]
) -> Contradiction | None:
    for key in (*expected, *written):
        text, numbers = written.get(key, NOTHING), expected.get(key, NOTHING)
        if type(text) is not type(numbers) or text != numbers:
            return Contradiction(block, key, str(text), str(numbers))
    return None


MUCH_SMALLER = 3.0
"""By so many times may a change that is found again roughly exceed one that training has found."""


def in_levels(said: Sequence[Said], oracle: Oracle) -> Contradiction | None:
    """Return the first number that was said and no longer holds for what the detector has learned."""
    ours, theirs = (
        {said_line.subject: said_line for said_line in side} for side in (said, summarise(oracle))
    )
    before, after = (
        [(said_line.level, said_line.error) for said_line in side.values()] for side in (ours, theirs)
    )
    row_of = {row.subject: row for row in rows(before, after, {})}
    for subject in (*theirs, *ours):
        was, now = ours.get(subject), theirs.get(subject)
        if was is None or now is None or not was.is_true_of(now, row_of[subject]):
            return _of_properties(subject, was, now)
    return None


def in_strengths(said: Sequence[Said], oracle: Oracle, strengths: Sequence[Strength]) -> Contradiction | None:
    """Return the first number of which the text promises to find a much smaller change than is found.

    Args:
        strengths: of some or all numbers, by the settings with which the oracle was trained.
    """
    known = {strength.quantity.name for strength in strengths}
    now = {
        said_line.subject: said_line
        for said_line in summarise(oracle, strengths)
        if said_line.subject in known
    }
    for was in said:
        line = now.get(was.subject)
        if line is not None and was.promises_more_than(line):
            return _of_properties(was.subject, was, line)
    return None


def in_promises(oracle: Oracle, strengths: Sequence[Strength]) -> Contradiction | None:
    """Return the first stored strength that promises to find a much smaller change than can be found.

    Args:
        strengths: of some or all numbers; no smaller change is caught.
    """
    least = {strength.quantity.name: strength.smallest for strength in strengths}
    for strength in oracle.strengths or ():
        if strength.smallest * MUCH_SMALLER < least.get(strength.quantity.name, 0.0):
            return Contradiction(
                "strengths",
                strength.quantity.name,
                f"{strength.smallest:g}",
                f"{least[strength.quantity.name]:g}",
            )
    return None


def _of_properties(subject: str, was: Said | None, now: Said | None) -> Contradiction:
    said, true = (NOTHING if said_line is None else said_line.text for said_line in (was, now))
    return Contradiction("properties", subject, said, true)
