"""The text in which profiles come from the reader and are stored: ``docs/formats/stacks.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite

from buto.profiles.kinds import Kind
from buto.profiles.model import ClassSize, Frame, Profile, Stack

VERSION = 2
_HEAD = "buto-stacks"
_END = "end"
_KINDS = {kind.value: kind for kind in Kind}
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def parse(text: str) -> list[Profile]:
    """Return the profiles of a text, one for each recording.

    Raises:
        ValueError: it is cut off, damaged, or of another version.
    """
    lines = text.split("\n")
    head = lines[0].split("\t")
    if head[0] != _HEAD or len(head) != 2 or not head[1].isdecimal():
        raise ValueError("it does not begin as stacks of buto do")
    if int(head[1]) != VERSION:
        raise ValueError(f"it has version {head[1]}, and this buto reads version {VERSION}")
    if lines[-2:] != [_END, ""]:
        raise ValueError("it is cut off")
    found: list[_Growing] = []
    for number, line in enumerate(lines[1:-2], start=2):
        word, *cells = line.split("\t")
        try:
            if word == "recording":
                found.append(_Growing(*_of_recording(cells)))
            else:
                found[-1].add(word, cells)
        except (IndexError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} has {word!r} with other cells than expected") from error
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return [one.finished() for one in found]


def text_of(profiles: Sequence[Profile]) -> str:
    """Return the text of profiles, which :func:`parse` reads again."""
    lines = [f"{_HEAD}\t{VERSION}", *(line for one in profiles for line in _lines(one)), _END, ""]
    return "\n".join(lines)


@dataclass
class _Growing:
    """A profile while its lines are read."""

    events: int
    length_s: float
    failure: str
    frames: list[Frame] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    classes: dict[str, ClassSize] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    ticks_ms: tuple[int, ...] = ()

    def add(self, word: str, cells: Sequence[str]) -> None:
        match word:
            case "stack":
                self.stacks.append(self._stack(cells))
            case "frame":
                number, whose, owner, method = cells
                if int(number) != len(self.frames) or whose not in ("u", "p"):
                    raise ValueError(f"frame {number} is out of order")
                self.frames.append(Frame(_read(owner), _read(method), whose == "u"))
            case "class":
                name, instances, size = cells
                self.classes[_read(name)] = ClassSize(int(instances), _number(size))
            case "fact":
                name, value = cells
                self.facts[_read(name)] = _read(value)
            case "total":
                name, value = cells
                self.totals[_read(name)] = _number(value)
            case "ticks":
                self.ticks_ms = tuple(sorted(map(int, cells[0].split())))
            case _:
                raise KeyError(word)

    def finished(self) -> Profile:
        return Profile(
            tuple(self.frames),
            tuple(self.stacks),
            self.classes,
            self.facts,
            self.totals,
            self.ticks_ms,
            self.events,
            self.length_s,
            self.failure,
        )

    def _stack(self, cells: Sequence[str]) -> Stack:
        kind, weight, squares, events, line, type_, holder, path, frames = cells
        places = tuple(map(int, frames.split()))
        if places and not 0 <= min(places) <= max(places) < len(self.frames):
            raise ValueError("a stack has an unknown frame")
        return Stack(
            _KINDS[kind],
            places,
            _number(weight),
            _number(squares),
            int(events),
            int(line),
            _read(type_),
            _read(holder),
            _read(path),
        )


def _of_recording(cells: Sequence[str]) -> tuple[int, float, str]:
    _, events, length_s, failure = cells
    return int(events), _number(length_s), _read(failure)


def _lines(profile: Profile) -> Iterator[str]:
    yield _row("recording", "", profile.events, profile.length_s, profile.failure)
    for name, text in profile.facts.items():
        yield _row("fact", name, text)
    for name, value in profile.totals.items():
        yield _row("total", name, value)
    yield _row("ticks", " ".join(map(str, profile.ticks_ms)))
    for number, frame in enumerate(profile.frames):
        yield _row("frame", number, "u" if frame.is_users else "p", frame.owner, frame.method)
    for one in profile.stacks:
        places = " ".join(map(str, one.frames))
        sums = (one.weight, one.squares, one.events, one.line)
        yield _row("stack", one.kind.value, *sums, one.type, one.holder, one.path, places)
    for name, of in profile.classes.items():
        yield _row("class", name, of.instances, of.size)


def _row(*cells: object) -> str:
    return "\t".join(str(cell).translate(_ESCAPES) for cell in cells)


def _read(cell: str) -> str:
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), cell) if "\\" in cell else cell


def _number(cell: str) -> float:
    value = float(cell)
    if not isfinite(value):
        raise ValueError(f"{cell} is no finite number")
    return value
