"""Whether a count without buto confirms what a check of a replayed release failed for.

A finding is confirmed if its number moved in the same direction by at least half as much since the release
that the check's oracle knew, and all launches of the one lie on one side of all launches of the other. A
check is confirmed if one of its findings is. What the replay wrote of a check is its headline, so that is
read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from beds.artefacts import BedError
from beds.releases.counts import MEASURES, Count, Move, find_moves

LEAST_PART = 0.5
"""Of the share that a finding says."""

_SHARE = re.compile(r"([+-][\d.]+) %")
_TIMES = re.compile(r"\(([\d.]+)x\)")
_FROM_TO = re.compile(r"\(([\d,]+) → ([\d,]+)\)")
_OF_CLASS = re.compile(r"^keeps .* (?:more|less) of (\S+)")
_SAYS = (
    ("allocates ", "allocated"),
    ("live objects ", "objects"),
    ("starts ", "started"),
    ("keeps ", "live"),
)
_FILES = re.compile(r"\d+ (?:more|fewer) open files?")


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A check of a replay that failed.

    Attributes:
        replay: name of its file.
        confirmed: whether the count confirms it.
        by: the numbers that do, with their shares by the count.
    """

    replay: str
    release: str
    confirmed: bool
    by: str


def confirm_checks(
    replay: str, checks: Sequence[Mapping[str, str]], counts: Sequence[Count]
) -> Iterator[Confirmed]:
    """Yield each check that failed, and what confirms it.

    Raises:
        BedError: a release has no count.
    """
    known = ""
    for check in checks:
        release = check["release"]
        if known and check["status"] == "regression":
            moves = find_moves(_of(counts, known), _of(counts, release))
            by = [move for said in check["found"].split("; ") for move in find_confirming(said, moves)]
            yield Confirmed(
                replay, release, bool(by), "; ".join(f"{move.measure} {move.share:+.1%}" for move in by)
            )
        if check["status"] in ("trained", "regression"):
            known = release


def find_confirming(said: str, moves: Sequence[Move]) -> list[Move]:
    """Return the moves that confirm a finding, in the words of a headline."""
    measure, share = _read(said)
    return [
        move
        for move in moves
        if _is_of(move.measure, measure)
        and move.is_apart
        and move.share * share > 0
        and abs(move.share) >= LEAST_PART * abs(share)
    ]


def _read(said: str) -> tuple[str, float]:
    """Return the measure or class that a finding is of, and its share; nothing for what is not counted."""
    of_class = _OF_CLASS.match(said)
    measure = next((measure for start, measure in _SAYS if said.startswith(start)), "")
    measure = of_class[1] if of_class else "files" if _FILES.match(said) else measure
    if share := _SHARE.search(said):
        return measure, float(share[1]) / 100
    if times := _TIMES.search(said):
        return measure, float(times[1]) - 1
    if levels := _FROM_TO.search(said):
        old, new = (float(level.replace(",", "")) for level in levels.groups())
        return measure, new / old - 1
    return measure, 0.0


_PRIMITIVES = {"byte": "B", "char": "C", "int": "I", "long": "J"}


def _is_of(counted: str, said: str) -> bool:
    """Return whether the histogram's name of a class is that of a headline, which has no package."""
    if counted in MEASURES or said in MEASURES:
        return counted == said
    element = said.removesuffix("[]")
    if element == said:
        return counted.rpartition(".")[2] == said
    if element in _PRIMITIVES:
        return counted == f"[{_PRIMITIVES[element]}"
    return counted.startswith("[L") and counted.rstrip(";").rpartition(".")[2] == element


def _of(counts: Sequence[Count], release: str) -> list[Count]:
    of_release = [count for count in counts if count.release == release]
    if not of_release:
        raise BedError(f"{release} has no count; count it: python -m beds.releases count NAME")
    return of_release
