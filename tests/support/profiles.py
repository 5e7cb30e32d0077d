"""Profiles for tests, from ``("Shop.add < Main.main", 100)`` to frames and stacks; launches with noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from buto.causes.profiles import Frame, Profile, ProfileKind, Stack


def profile(
    *stacks: tuple[str, float], kind: ProfileKind = ProfileKind.ALLOCATION, **more: object
) -> Profile:
    """A profile of stacks, the frame of the event first; names that begin with ``java.`` are the JDK's."""
    names = list(dict.fromkeys(name for text, _ in stacks for name in text.split(" < ") if name))
    frames = tuple(frame_of(name) for name in names)
    folded = tuple(
        Stack(
            kind,
            tuple(names.index(name) for name in text.split(" < ") if name),
            weight,
            weight**2 / 100,
            100,
            7,
        )
        for text, weight in stacks
    )
    return Profile(frames, folded, events=len(folded), length_s=1.0, **more)  # type: ignore[arg-type]


def frame_of(name: str) -> Frame:
    owner, _, method = name.rpartition(".")
    return Frame(owner, method, not owner.startswith("java."))


def launches(
    levels: Mapping[str, float],
    n: int,
    seed: int,
    *,
    scatter: float = 0.05,
    kind: ProfileKind = ProfileKind.ALLOCATION,
) -> list[Profile]:
    """Launches of one program, whose sums scatter by a share of their level."""
    source = np.random.default_rng(seed)
    return [
        profile(*((name, level * source.normal(1, scatter)) for name, level in levels.items()), kind=kind)
        for _ in range(n)
    ]


def sums(profiles: Sequence[Profile], name: str) -> list[float]:
    """The sum of all stacks that begin with a method, of each profile."""
    return [
        sum(
            stack.weight
            for stack in each.stacks
            if stack.frames and each.frames[stack.frames[0]].name == name
        )
        for each in profiles
    ]
