"""Profiles: what one profiled launch of a program tells, as folded stacks of its events.

A profile is frozen, and never a run. A kind of events says what a stack spent, kept or started. What two
recorders told of one launch is joined into one profile.

A store has profiles in ``profiles/TEST/ID.stacks.gz``, apart from the runs. The text in which they are
stored, and in which they come from the reader, is described in java-probes/stacks.md.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import ClassVar

from msgspec import Struct, structs

from buto.errors import StorageError
from buto.run import bounds, names
from buto.run.entries import EntryStore
from buto.run.storage import Place


class ProfileKind(Enum):
    """What the events of a profile are about; the values are the words of files and of the command line."""

    ALLOCATION = "allocation"
    RETENTION = "retention"
    CPU = "cpu"
    STARTED = "threads.started"
    ALIVE = "threads.alive"
    CLASSES = "classes"
    LOADED = "classes.loaded"
    BUFFERS = "buffers"
    FILES = "files"
    EXCEPTIONS = "exceptions"
    LOCKS = "locks"
    IO = "io"
    NATIVE = "native"

    @property
    def about(self) -> About:
        return _ABOUT[self]


class About(Struct, frozen=True):
    """What holds for all events of a kind.

    Attributes:
        title: for a heading.
        unit: of the sums, as in :mod:`buto.run.properties`.
        does: what a method does more of, to follow its name.
        is_sampled: whether only some events are recorded, so that sums have the noise of sampling.
        has_type: whether a class belongs to the unit to which a sum is attributed.
    """

    title: str
    unit: str
    does: str
    is_sampled: bool = False
    has_type: bool = False


_ABOUT = {
    ProfileKind.ALLOCATION: About("Allocation", "By", "allocates", is_sampled=True, has_type=True),
    ProfileKind.RETENTION: About(
        "Kept memory", "By", "allocates what is kept", is_sampled=True, has_type=True
    ),
    ProfileKind.CPU: About("Processor time", "s", "uses the processor", is_sampled=True),
    ProfileKind.STARTED: About("Started threads", "{thread}", "starts threads"),
    ProfileKind.ALIVE: About("Living threads", "{thread}", "starts threads that live"),
    ProfileKind.CLASSES: About("Defined classes", "{class}", "makes classes be defined"),
    ProfileKind.LOADED: About("Loaded classes", "{class}", "makes classes be defined that stay loaded"),
    ProfileKind.BUFFERS: About("Direct and mapped buffers", "{buffer}", "reserves buffers"),
    ProfileKind.FILES: About("Open files", "{file}", "opens files that stay open"),
    ProfileKind.EXCEPTIONS: About("Exceptions", "{exception}", "throws", has_type=True),
    ProfileKind.LOCKS: About("Waiting for locks", "s", "waits for locks", has_type=True),
    ProfileKind.IO: About("Files and sockets", "By", "reads and writes"),
    ProfileKind.NATIVE: About("Native memory", "By", "keeps native memory", is_sampled=True),
}

WITH_PROFILER = (ProfileKind.NATIVE,)
"""Kinds that Flight Recorder does not know, but async-profiler does."""

USUAL = tuple(kind for kind in ProfileKind if kind not in WITH_PROFILER)
"""Kinds that are recorded if nothing says which matter."""


class Frame(Struct, frozen=True):
    """A method of a class on a stack, without generated parts of its name; the user's, or the JDK's."""

    owner: str
    method: str
    is_users: bool

    @property
    def name(self) -> str:
        """Return class and method, as ``com.acme.Shop$Cart.add``."""
        return f"{self.owner}.{self.method}" if self.owner else self.method

    @property
    def file(self) -> str:
        """Return the source file that the class's name suggests, as ``Shop.java``; empty for no class."""
        outer = self.owner.rpartition(".")[2].partition("$")[0]
        if outer.endswith("Kt") and len(outer) > 2:
            return f"{outer[:-2]}.kt"
        return f"{outer}.java" if outer else ""


class Stack(Struct, frozen=True):
    """Events with the same stack, summed.

    Attributes:
        frames: places in the profile's frames, that of the event first; empty if the event had no stack.
        weight: the sum, in the kind's unit.
        squares: the sum of the squares, from which the noise of sampling follows.
        events: how many.
        line: line in the topmost method of the user's code; 0 without one.
        type: the class that was allocated, thrown or locked; may be empty.
        holder: the user's field that keeps the object, as ``com.acme.Cache.entries``; may be empty.
        path: fields from the object to its root, joined by `` < ``; may be empty.
    """

    kind: ProfileKind
    frames: tuple[int, ...]
    weight: float
    squares: float
    events: int = 1
    line: int = 0
    type: str = ""
    holder: str = ""
    path: str = ""


class ClassSize(Struct, frozen=True):
    """How many instances of a class there are after its last counted collection, and their bytes."""

    instances: int
    size: float


@dataclass(frozen=True, slots=True)
class Profile:
    """One profiled launch.

    Attributes:
        frames: the methods that stacks refer to.
        stacks: the folded stacks of all kinds.
        classes: sizes by class, as far as the JVM counted them.
        facts: texts by name: ``version``, ``program``, ``collector``, and what a store adds.
        totals: numbers by name, as ``buffers.memory`` and ``cpu.lost``.
        ticks_ms: when the recorder noted the number of threads, ms of the wall clock, in increasing order.
        events: how many events the recording has.
        length_s: time from its first event to its last.
        failure: why the rest of a damaged recording could not be read; empty for a whole one.
    """

    frames: tuple[Frame, ...]
    stacks: tuple[Stack, ...]
    classes: Mapping[str, ClassSize] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    totals: Mapping[str, float] = field(default_factory=dict)
    ticks_ms: tuple[int, ...] = ()
    events: int = 0
    length_s: float = 0.0
    failure: str = ""

    @property
    def kinds(self) -> frozenset[ProfileKind]:
        """Return the kinds of which there are events."""
        return frozenset(stack.kind for stack in self.stacks)

    def users_frames(self, stack: Stack) -> tuple[Frame, ...]:
        """Return the methods of the user's code on a stack, the topmost first."""
        return tuple(self.frames[at] for at in stack.frames if self.frames[at].is_users)

    def rename_classes(self, classes: Mapping[str, str]) -> Profile:
        """Return the profile with other names of some classes, by their names."""
        if not classes:
            return self
        frames = (
            structs.replace(frame, owner=classes.get(frame.owner, frame.owner)) for frame in self.frames
        )
        return replace(self, frames=tuple(frames))


def with_profiler(recorded: Profile, profiler: Profile) -> Profile:
    """Return a profile in which the kinds that a profiler recorded replace those of the recorder."""
    first = len(recorded.frames)
    moved = tuple(
        structs.replace(stack, frames=tuple(first + at for at in stack.frames)) for stack in profiler.stacks
    )
    kept = tuple(stack for stack in recorded.stacks if stack.kind not in profiler.kinds)
    return replace(
        recorded,
        frames=(*recorded.frames, *profiler.frames),
        stacks=(*kept, *moved),
        events=recorded.events + profiler.events,
    )


VERSION = 2
_MOST_LINES = 1 << 19
_HEAD = "buto-stacks"
_END = "end"
_ESCAPED = re.compile(r"\\(.)")
_MEANT = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def parse(text: str) -> list[Profile]:
    """Return the profiles of a text, one for each recording.

    Raises:
        ValueError: it is cut off, damaged, or of another version.
    """
    if text.count("\n") > _MOST_LINES:
        raise ValueError(f"it has more than {_MOST_LINES} lines")
    lines = text.split("\n")
    head = lines[0].split("\t")
    if head[0] != _HEAD or len(head) != 2 or not head[1].isdecimal():
        raise ValueError("it does not begin as stacks of buto do")
    if int(head[1]) != VERSION:
        raise ValueError(f"it has version {head[1]}, and this buto reads version {VERSION}")
    if lines[-2:] != [_END, ""]:
        raise ValueError("it is cut off")
    profiles: list[_Growing] = []
    for number, line in enumerate(lines[1:-2], start=2):
        word, *cells = line.split("\t")
        try:
            if word == "recording":
                _, events, length_s, failure = cells
                profiles.append(_Growing(int(events), _number(length_s), _read(failure)))
            else:
                profiles[-1].add(word, cells)
        except (IndexError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} has {word!r} with other cells than expected") from error
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return [growing.finish() for growing in profiles]


def text_of(profiles: Sequence[Profile]) -> str:
    """Return the text of profiles, which :func:`parse` reads again."""
    lines = [f"{_HEAD}\t{VERSION}", *(line for profile in profiles for line in _lines(profile)), _END, ""]
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

    def finish(self) -> Profile:
        return Profile(**vars(self) | {"frames": tuple(self.frames), "stacks": tuple(self.stacks)})

    def _stack(self, cells: Sequence[str]) -> Stack:
        kind, weight, squares, events, line, type_, holder, path, frames = cells
        places = tuple(map(int, frames.split()))
        if places and not 0 <= min(places) <= max(places) < len(self.frames):
            raise ValueError("a stack has an unknown frame")
        sums = _number(weight), _number(squares), int(events), int(line)
        return Stack(ProfileKind(kind), places, *sums, *map(_read, (type_, holder, path)))


def _lines(profile: Profile) -> Iterator[str]:
    yield _row("recording", "", profile.events, profile.length_s, profile.failure)
    for name, text in profile.facts.items():
        yield _row("fact", name, text)
    for name, value in profile.totals.items():
        yield _row("total", name, value)
    yield _row("ticks", " ".join(map(str, profile.ticks_ms)))
    for number, frame in enumerate(profile.frames):
        yield _row("frame", number, "u" if frame.is_users else "p", frame.owner, frame.method)
    for stack in profile.stacks:
        places = " ".join(map(str, stack.frames))
        sums = (stack.weight, stack.squares, stack.events, stack.line)
        yield _row("stack", stack.kind.value, *sums, stack.type, stack.holder, stack.path, places)
    for name, of in profile.classes.items():
        yield _row("class", name, of.instances, of.size)


def _row(*cells: object) -> str:
    return "\t".join(str(cell).translate(_ESCAPES) for cell in cells)


def _read(cell: str) -> str:
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1], match[1]), cell) if "\\" in cell else cell


_LARGEST = 1e100
"""Of what is recorded, also of sums of squares: the square of anything larger is no number any more."""


def _number(cell: str) -> float:
    value = float(cell)
    if not abs(value) <= _LARGEST:
        raise ValueError(f"{cell} is no number that is recorded")
    return value


_MAX_TEXT_BYTES = 1 << 26
"""Of a stored text, whose file is some ten times as short."""

_KEPT = 5
"""Sets of profiles of one test; an older set is removed when a new one is stored."""


class StoredProfiles(Struct, frozen=True):
    """Profiles of one program that were recorded together, and when they were stored (aware)."""

    profiles: tuple[Profile, ...]
    at: datetime


class _Entries(EntryStore):
    kind: ClassVar[str] = "profiles"
    noun: ClassVar[str] = "profile"
    loss: ClassVar[str] = "buto why can record it again"
    suffix: ClassVar[str] = ".stacks.gz"
    max_bytes: ClassVar[int] = 1 << 28


class ProfileStore:
    """The profiles in one store. No function of runs, oracles or history looks there.

    Every method raises StorageError if the storage cannot be reached.
    """

    def __init__(self, root: Place) -> None:
        self.root = root
        self._entries = _Entries(root)

    def add(self, test: str, profiles: Sequence[Profile]) -> Place:
        """Store profiles that belong together and return their file; raises as an EntryStore."""
        content = _pack(text_of(profiles).encode("utf-8", "surrogatepass"))
        place = self._entries.add(test, content)
        for old in self._names(test)[:-_KEPT]:
            self._entries.delete(test, old)
        return place

    def has(self, test: str) -> bool:
        """Return whether there are profiles of a test."""
        return bool(self._names(test))

    def newest(self, test: str) -> StoredProfiles | None:
        """Return the newest profiles of a test; None without any. Raises BadFileError if they are damaged."""
        for name in self._names(test)[-1:]:
            with self._entries.reading(test, name) as content:
                profiles = tuple(parse(_text(content)))
            at = names.start_of(name)
            assert at is not None
            return StoredProfiles(profiles, at)
        return None

    def _names(self, test: str) -> list[str]:
        """Return the names of a test's files, oldest first."""
        return [name for name in self._entries.all(test) if names.start_of(name) is not None]


def _pack(text: bytes) -> bytes:
    """Return the content of a file that :func:`_text` reads. StorageError if it is too large."""
    if len(text) > _MAX_TEXT_BYTES:
        raise StorageError(
            f"the profiles take {len(text)} bytes, {_MAX_TEXT_BYTES} are possible",
            advice="profile fewer launches, or a shorter one",
        )
    content = gzip.compress(text, mtime=0)
    is_readable = len(text) <= bounds.most_text(len(content))
    return content if is_readable else gzip.compress(text, compresslevel=0, mtime=0)


def _text(content: bytes) -> str:
    """Return the text of a stored file; ValueError if it is cut off, or longer than any profile."""
    most = min(_MAX_TEXT_BYTES, bounds.most_text(len(content)))
    return bounds.unpack(content, bounds.GZIP, most).decode("utf-8", "surrogatepass")
