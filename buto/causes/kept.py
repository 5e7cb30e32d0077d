"""Kept memory of two programs at the same moment: when the recording is written, at the end of the window.

A recorder finds the path from each object to a root at that moment. An object without one is garbage by then:
the last collection left it, which comes at any time. So the two are not added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from buto.causes.profiles import Profile, ProfileKind, Stack

_FAR_LESS, _MATTERS = 0.5, float(256 << 10)
"""By which share, and by how many bytes, launches of one program do not differ in what they keep."""


def at_the_end(profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    """Return profiles of which only those objects count as kept that something holds at the end.

    If no launch holds any at its end that code of the program's own made, those of the last collections stay:
    both programs then keep everything in variables of their methods.
    """
    return tuple(map(_keep_held, profiles)) if is_at_the_end(profiles) else tuple(profiles)


def is_at_the_end(profiles: Sequence[Profile]) -> bool:
    """Return whether :func:`at_the_end` leaves out what nothing holds."""
    return any(map(_holds_own, profiles))


def find_too_early(profiles: Sequence[Profile]) -> list[int]:
    """Return the places of launches of one program in which far less was kept than in another of them.

    A recorder knows what a collection has seen, of which one is forced every half second. Of a short program
    the last one may come before it has what it keeps. Such a launch has measured nothing, and no zero.
    """
    sums = [
        sum(stack.weight for stack in profile.stacks if stack.kind is ProfileKind.RETENTION)
        for profile in at_the_end(profiles)
    ]
    most = max(sums, default=0.0)
    return [place for place, kept in enumerate(sums) if kept < _FAR_LESS * most and most - kept >= _MATTERS]


def without_too_early(profiles: Sequence[Profile]) -> list[Profile]:
    """Return the launches of one program that tell what it keeps."""
    left_out = find_too_early(profiles)
    return [profile for place, profile in enumerate(profiles) if place not in left_out]


def _holds_own(profile: Profile) -> bool:
    kept = [stack for stack in profile.stacks if _is_held(stack)]
    return any(profile.users_frames(stack) for stack in kept)


def _is_held(stack: Stack) -> bool:
    return stack.kind is ProfileKind.RETENTION and bool(stack.path)


def _keep_held(profile: Profile) -> Profile:
    stacks = (stack for stack in profile.stacks if stack.kind is not ProfileKind.RETENTION or _is_held(stack))
    return replace(profile, stacks=tuple(stacks))
