"""Merged stacks of two programs, for a flame graph that shows both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from buto.causes.profiles import Profile, ProfileKind


@dataclass(frozen=True, slots=True)
class Flame:
    """A method on all stacks that begin alike, with what these stacks sum up to.

    Attributes:
        name: class and method; of the root, empty.
        old, new: mean sums over the launches.
        is_users: whether the method is the user's.
        parts: methods that it calls, by name; their sums may be smaller than its own.
    """

    name: str
    old: float = 0.0
    new: float = 0.0
    is_users: bool = False
    parts: tuple[Flame, ...] = ()


SMALLEST = 0.001
"""Parts of the graph that are smaller than this share of the whole are left out: nobody could see them."""

MOST_DEPTH = 256


@dataclass
class _Node:
    is_users: bool = False
    sums: list[float] = field(default_factory=lambda: [0.0, 0.0])
    parts: dict[str, _Node] = field(default_factory=dict)


def flame_of(old: Sequence[Profile], new: Sequence[Profile], kind: ProfileKind) -> Flame:
    """Return the merged stacks of one kind; what was allocated or thrown is the last part of a stack."""
    root = _Node()
    for side, profiles in enumerate((old, new)):
        for profile in profiles:
            _merge(root, side, profile, kind, 1 / len(profiles))
    return _frozen("", root, SMALLEST * max(root.sums, default=0.0))


def _merge(root: _Node, side: int, profile: Profile, kind: ProfileKind, share: float) -> None:
    names = [frame.name for frame in profile.frames]
    for stack in profile.stacks:
        if stack.kind is not kind:
            continue
        amount = stack.weight * share
        root.sums[side] += amount
        node = root
        for place in reversed(stack.frames[:MOST_DEPTH]):
            node = node.parts.setdefault(names[place], _Node(profile.frames[place].is_users))
            node.sums[side] += amount
        if stack.type:
            node = node.parts.setdefault(f"({stack.type})", _Node())
            node.sums[side] += amount


def _frozen(name: str, node: _Node, smallest: float) -> Flame:
    kept = sorted((key, part) for key, part in node.parts.items() if max(part.sums) >= smallest > 0)
    parts = tuple(_frozen(key, part, smallest) for key, part in kept)
    return Flame(name, node.sums[0], node.sums[1], node.is_users, parts)
