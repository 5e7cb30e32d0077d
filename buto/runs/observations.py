"""What a run has besides samples and notifications: marks, its other sources, and histograms of classes."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CLASSES = 500
"""Largest number of classes in one histogram."""

AT_END = "end"
"""The point of the histogram at the program's end."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of a run that has a name.

    Attributes:
        time_s: seconds from the program's start.
        name: for example ``warm-up``; several marks may have the same name.
        text: what is known about it; may be empty.
    """

    time_s: float
    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source of properties besides the measured JVM.

    Attributes:
        name: the first part of the names of its properties.
        kind: the registered name of the source, for example ``prometheus``.
        reason: why it gave nothing or stopped; empty if it worked to the end.
    """

    name: str
    kind: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClassCount:
    """The live objects of one class.

    Attributes:
        name: as in Java source, for example ``com.acme.Session`` or ``byte[]``.
        instances: number of objects.
        size_bytes: what they use themselves, without what they refer to.
    """

    name: str
    instances: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ClassHistogram:
    """The live objects of a JVM at one moment, counted after a forced collection.

    Attributes:
        time_s: seconds from the program's start.
        point: ``end``, ``period``, or the name of a mark.
        instances: number of objects of all classes.
        size_bytes: of all classes.
        classes: those that use the most bytes, the largest first; at most :data:`MOST_CLASSES`.
    """

    time_s: float
    point: str
    instances: int
    size_bytes: int
    classes: tuple[ClassCount, ...] = ()
