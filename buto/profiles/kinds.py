"""Kinds of events: what a stack spent, kept or started."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
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


@dataclass(frozen=True, slots=True)
class About:
    """What holds for all events of a kind.

    Attributes:
        title: for a heading.
        unit: of the sums, as in :mod:`buto.properties`.
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
    Kind.ALLOCATION: About("Allocation", "By", "allocates", is_sampled=True, has_type=True),
    Kind.RETENTION: About("Kept memory", "By", "allocates what is kept", is_sampled=True, has_type=True),
    Kind.CPU: About("Processor time", "s", "uses the processor", is_sampled=True),
    Kind.STARTED: About("Started threads", "{thread}", "starts threads"),
    Kind.ALIVE: About("Living threads", "{thread}", "starts threads that live"),
    Kind.CLASSES: About("Defined classes", "{class}", "makes classes be defined"),
    Kind.LOADED: About("Loaded classes", "{class}", "makes classes be defined that stay loaded"),
    Kind.BUFFERS: About("Direct and mapped buffers", "{buffer}", "reserves buffers"),
    Kind.FILES: About("Open files", "{file}", "opens files that stay open"),
    Kind.EXCEPTIONS: About("Exceptions", "{exception}", "throws", has_type=True),
    Kind.LOCKS: About("Waiting for locks", "s", "waits for locks", has_type=True),
    Kind.IO: About("Files and sockets", "By", "reads and writes"),
    Kind.NATIVE: About("Native memory", "By", "keeps native memory", is_sampled=True),
}

WITH_PROFILER = (Kind.NATIVE,)
"""Kinds that Flight Recorder does not know, but async-profiler does."""

USUAL = tuple(kind for kind in Kind if kind not in WITH_PROFILER)
"""Kinds that are recorded if nothing says which matter."""
