"""What a comparison of profiles starts from, tables of sums, and what it says: causes in two tiers, frozen.

Attribution makes the tables, by method and launch: a stack counts for the user's method in it. Which kinds of
events are compared depends on the findings that they can explain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.causes.changes import Changes
from buto.causes.classes import plain
from buto.causes.flames import Flame
from buto.causes.joined import Near, closeness, find_called_changes, nearest
from buto.causes.profiles import USUAL, Frame, Profile, ProfileKind, Stack
from buto.run.properties import Topic, topic_of


class Tier(Enum):
    """How much is known of a cause."""

    CAUSE = "cause"
    """Named with a stated rate of wrong names."""
    LIKELY = "most likely"
    """Among the three that rose most; not proven."""
    OTHER = "other"


ECHO_WORD = "echo"
"""Of a method that is far from every change."""


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Methods of one name in a launch of the old and of the new program, counted.

    Attributes:
        old, new: how often they were called.
        old_bytes, new_bytes: what a call allocated with all that it called, the mean; None if not known.
    """

    name: str
    old: int
    new: int
    old_bytes: float | None = None
    new_bytes: float | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """A method that uses more in the new program.

    Attributes:
        method: class and method.
        file, line: where it is; the file as the class's name suggests, line 0 if not known.
        type: the class that it allocates, throws or waits for; may be empty.
        old, new: means over the launches, in the unit of the kind.
        share: of all that rose in this kind, 0 to 1.
        deviations: difference by its standard error.
        held_by: the field that keeps the memory; may be empty.
        path: fields from the object to the root; may be empty.
        at: the method on top, if the sum counts for a changed one that leads to it; else empty.
        sure: how likely this one made the kind rise, 0 to 1.
        code: ``new`` or ``changed``, or ``echo`` for a method that is far from every change; empty if it is
            not known what changed.
        archive: the jar that has the changed method; empty for a directory.
        since: the version of that jar before; may be empty.
        calls: exact calls of the method, of what it leads to and of the constructor of what it makes, as far
            as they were counted.
        commit: of two revisions, short name and subject of the commit that changed the method; may be empty.
        diff: of two revisions, the changed lines of the source next to ``line``; may be empty.
    """

    tier: Tier
    kind: ProfileKind
    method: str
    file: str
    line: int
    type: str
    old: float
    new: float
    share: float
    deviations: float
    held_by: str = ""
    path: str = ""
    at: str = ""
    sure: float = 0.0
    code: str = ""
    archive: str = ""
    since: str = ""
    calls: tuple[CallCounts, ...] = ()
    commit: str = ""
    diff: tuple[str, ...] = ()

    def calls_of(self, method: str) -> CallCounts | None:
        """Return the calls of a method, by its name in a profile; None if they were not counted."""
        return next((call for call in self.calls if call.name == plain(method)), None)

    @property
    def is_echo(self) -> bool:
        """Whether the method is known to be far from every change."""
        return self.code == ECHO_WORD


@dataclass(frozen=True, slots=True)
class GrownClass:
    """A class of which the heap holds more after the last counted collection.

    Attributes:
        old, new: bytes, means over the launches.
    """

    type: str
    old: float
    new: float


class Causes(Struct, frozen=True):
    """What rose in one kind.

    Attributes:
        old, new: means over the launches of all that was recorded, in the unit of the kind.
        found: those that rose, the likeliest first.
        without_code: share of the new program's sum without a method of the user's, 0 to 1.
        flame: all stacks of this kind, merged.
        remarks: what the events of this kind could not tell, a sentence each.
        is_seen: whether these JVMs tell of events of this kind; if not, the first remark says why.
    """

    kind: ProfileKind
    old: float
    new: float
    found: tuple[Cause, ...]
    without_code: float
    flame: Flame
    remarks: tuple[str, ...] = ()
    is_seen: bool = True

    def of_tier(self, tier: Tier) -> tuple[Cause, ...]:
        return tuple(cause for cause in self.found if cause.tier is tier)


NOISE_SHARE = 0.01
"""What is smaller beside the rest of its kind, and not proven, explains nothing."""


class Explanation(Struct, frozen=True):
    """Why the new program uses more than the old one. It is no verdict and changes none.

    Attributes:
        test: what it is about.
        old, new: names of the two programs.
        launches: how many of the old and of the new program were compared.
        kinds: what was recorded, in the order of the findings.
        growth: classes of which the heap holds more; empty if none were counted.
        remarks: what the reader should know of all kinds, a sentence each.
    """

    test: str
    old: str
    new: str
    launches: tuple[int, int]
    kinds: tuple[Causes, ...]
    growth: tuple[GrownClass, ...] = ()
    remarks: tuple[str, ...] = ()

    def is_noise(self, cause: Cause) -> bool:
        """Return whether a method is not proven and uses next to nothing of what its kind has."""
        whole = max(kind.new for kind in self.kinds if kind.kind is cause.kind)
        return cause.tier is not Tier.CAUSE and cause.new < NOISE_SHARE * whole

    @property
    def causes(self) -> tuple[Cause, ...]:
        """Return all that rose: named causes of each kind first, then those that are most likely.

        Methods that are far from every change stand below those that are not.
        """
        order = list(Tier)

        def place(cause: Cause) -> tuple[bool, bool, int]:
            return cause.tier is not Tier.CAUSE, cause.is_echo, order.index(cause.tier)

        return tuple(sorted((cause for kind in self.kinds for cause in kind.found), key=place))


_OF_TOPIC: dict[Topic, tuple[ProfileKind, ...]] = {
    Topic.DURATION: (ProfileKind.CPU, ProfileKind.LOCKS, ProfileKind.IO),
    Topic.CPU: (ProfileKind.CPU, ProfileKind.EXCEPTIONS),
    Topic.COMPILATION: (ProfileKind.CPU,),
    Topic.HEAP: (ProfileKind.RETENTION, ProfileKind.ALLOCATION),
    Topic.ALLOCATION: (ProfileKind.ALLOCATION,),
    Topic.COLLECTIONS: (ProfileKind.ALLOCATION, ProfileKind.RETENTION),
    Topic.THREADS: (ProfileKind.ALIVE, ProfileKind.STARTED),
    # Classes that are not unloaded any more are not defined more often.
    Topic.CLASSES: (ProfileKind.LOADED, ProfileKind.CLASSES, ProfileKind.RETENTION),
    Topic.NON_HEAP: (ProfileKind.LOADED, ProfileKind.CLASSES, ProfileKind.CPU),
    Topic.BUFFERS: (ProfileKind.BUFFERS,),
    Topic.DESCRIPTORS: (ProfileKind.FILES, ProfileKind.IO, ProfileKind.BUFFERS),
}
"""Of each topic the kinds that explain it, the best first; a topic that is missing needs all kinds."""


def kinds_of(subjects: Iterable[str]) -> tuple[ProfileKind, ...]:
    """Return the kinds that explain findings about these properties, in their order; all without subjects."""
    kinds = dict.fromkeys(kind for name in subjects for kind in _OF_TOPIC.get(topic_of(name), USUAL))
    return tuple(kinds) or USUAL


FloatArray = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class Unit(Struct, frozen=True):
    """What sums are attributed to: the topmost method of the user's code on the stack.

    Leaf methods are the JDK's nearly always (``Arrays.copyOf``), and a sum over all methods on a stack rises
    for every caller, too.

    Attributes:
        frame: the method.
        type: the class that was allocated, thrown or locked, for kinds that have one.
        holder: for kept memory, the user's field that keeps it.
    """

    frame: Frame
    type: str = ""
    holder: str = ""


@dataclass(frozen=True)
class SumTable:
    """Sums of one kind by unit and launch.

    Attributes:
        units: n of them, in the order of their names.
        old, new: shape (n_launches, n), in the kind's unit; 0 where a launch has none.
        old_squares, new_squares: sums of squares, of the same shapes.
        old_totals, new_totals: shape (n_launches,), with what has no frame of the user's.
        lines: for each unit the line with the largest sum; 0 without one.
        paths: for each unit the path to a root with the largest sum; may be empty.
        tops: for each unit the method on top with the largest sum, which is not the unit's own if the sum
            counts for a changed method that calls it.
        close: how near each unit is to a change, shape (n,), see :func:`closeness`; ones if it is not known
            what changed.
    """

    units: tuple[Unit, ...]
    old: FloatArray
    new: FloatArray
    old_squares: FloatArray
    new_squares: FloatArray
    old_totals: FloatArray
    new_totals: FloatArray
    lines: tuple[int, ...]
    paths: tuple[str, ...]
    tops: tuple[str, ...]
    close: FloatArray

    def of_launches(self, old: Places, new: Places) -> SumTable:
        """Return the sums of some launches, by their places. Lines and paths stay those of all launches."""
        return replace(
            self,
            old=self.old[old],
            new=self.new[new],
            old_squares=self.old_squares[old],
            new_squares=self.new_squares[new],
            old_totals=self.old_totals[old],
            new_totals=self.new_totals[new],
        )


_MAY_BE_INLINED = {ProfileKind.CPU}
"""Kinds of which the topmost method may be one that the compiler has removed from the stack."""


_WITHOUT_LOADING = {ProfileKind.ALLOCATION, ProfileKind.CPU}
"""Kinds of which the loading of classes counts for nobody: it happens once, where a class is used first."""

_LOADS = "loadClass"


def _is_loading(profile: Profile, stack: Stack, method: str) -> bool:
    """Return whether a class is loaded below a method, by the JDK, a server or a launcher."""
    for at in stack.frames:
        frame = profile.frames[at]
        if frame.method == _LOADS:
            return True
        if frame.name == method:
            return False
    return False


def _unit_of(
    profile: Profile, stack: Stack, changes: Changes | None, below: Mapping[str, Near] | None
) -> tuple[Unit, str, float] | None:
    """Return what a stack counts for, its topmost method, and how likely that change did it.

    None without a method of the user's, or if it is the loading of a class.
    """
    users = profile.users_frames(stack)
    if not users:
        return None
    top = users[0]
    type_ = stack.type if stack.kind.about.has_type else ""
    near = Near(top.name, 1.0)
    if changes is not None:
        near = nearest([frame.name for frame in users], stack.holder, changes, below)
    if stack.kind in _WITHOUT_LOADING and _is_loading(profile, stack, near.method):
        return None
    owner, _, method = near.method.rpartition(".")
    return Unit(Frame(owner, method, True), type_, stack.holder), top.name, near.weight


def _below(profiles: Sequence[Profile], kind: ProfileKind, changes: Changes | None) -> dict[str, Near] | None:
    """Return for the topmost methods of a kind the changes that they lead to; None if none may be hidden."""
    if changes is None or kind not in _MAY_BE_INLINED:
        return None
    seen: defaultdict[str, set[str]] = defaultdict(set)
    tops: set[str] = set()
    for profile in profiles:
        for stack in profile.stacks:
            names = [frame.name for frame in profile.users_frames(stack)]
            for called, caller in pairwise(names):
                seen[caller].add(called)
            if stack.kind is kind:
                tops.update(names[:1])
    return find_called_changes(sorted(tops), seen, changes)


def table_of(
    old: Sequence[Profile], new: Sequence[Profile], kind: ProfileKind, changes: Changes | None = None
) -> SumTable:
    """Return the sums of one kind of event in all launches of both programs.

    Args:
        changes: what changed in the code; None if that is not known.
    """
    places: dict[Unit, int] = {}
    lines: defaultdict[Unit, Counter[int]] = defaultdict(Counter)
    paths: defaultdict[Unit, Counter[str]] = defaultdict(Counter)
    tops: defaultdict[Unit, Counter[str]] = defaultdict(Counter)
    cells: list[tuple[int, int, float, float]] = []
    by_weight: defaultdict[float, Counter[Unit]] = defaultdict(Counter)
    launches = [*old, *new]
    below = _below(launches, kind, changes)
    totals = np.zeros(len(launches))
    for launch, profile in enumerate(launches):
        is_new = launch >= len(old)
        for stack in profile.stacks:
            if stack.kind is not kind:
                continue
            totals[launch] += stack.weight
            counted = _unit_of(profile, stack, changes, below)
            if counted is None:
                continue
            unit, top, likely = counted
            cells.append((launch, places.setdefault(unit, len(places)), stack.weight, stack.squares))
            rise = stack.weight / len(new) if is_new else -stack.weight / len(old)
            by_weight[likely][unit] += rise  # type: ignore[assignment]
            # The new program's lines are those that the user has open.
            importance = stack.weight if is_new else stack.weight * 1e-6
            lines[unit][stack.line if top == unit.frame.name else 0] += importance  # type: ignore[assignment]
            paths[unit][stack.path] += importance  # type: ignore[assignment]
            tops[unit][top] += importance  # type: ignore[assignment]
    # The order of names, so that units of equal rise have one order whichever launches are compared.
    units = sorted(places, key=lambda unit: (unit.frame.name, unit.type, unit.holder))
    column = np.argsort([places[unit] for unit in units])
    sums, squares = np.zeros((2, len(launches), len(places)))
    for launch, place, weight, square in cells:
        sums[launch, column[place]] += weight
        squares[launch, column[place]] += square
    weights = sorted(by_weight)
    rises = np.array([[by_weight[weight][unit] for unit in units] for weight in weights])
    cut = len(old)
    return SumTable(
        tuple(units),
        sums[:cut],
        sums[cut:],
        squares[:cut],
        squares[cut:],
        totals[:cut],
        totals[cut:],
        tuple(lines[unit].most_common(1)[0][0] for unit in units),
        tuple(paths[unit].most_common(1)[0][0] for unit in units),
        tuple(tops[unit].most_common(1)[0][0] for unit in units),
        closeness(rises.reshape(len(weights), len(units)), np.array(weights)),
    )
