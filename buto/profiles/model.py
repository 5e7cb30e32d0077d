"""Profiles: frozen values of one profiled launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from buto.profiles.kinds import Kind


@dataclass(frozen=True, slots=True)
class Frame:
    """A method on a stack, with generated parts of its name left out.

    Attributes:
        owner: its class, as ``com.acme.Shop$Cart``.
        is_users: whether it is neither the JDK's nor native.
    """

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


@dataclass(frozen=True, slots=True)
class Stack:
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

    kind: Kind
    frames: tuple[int, ...]
    weight: float
    squares: float
    events: int = 1
    line: int = 0
    type: str = ""
    holder: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class ClassSize:
    """What the instances of a class take of the heap after its last counted collection.

    Attributes:
        size: bytes.
    """

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
    def kinds(self) -> frozenset[Kind]:
        """Return the kinds of which there are events."""
        return frozenset(stack.kind for stack in self.stacks)

    def users_frame(self, stack: Stack) -> Frame | None:
        """Return the topmost method of the user's code on a stack; None without one."""
        return next((self.frames[at] for at in stack.frames if self.frames[at].is_users), None)
