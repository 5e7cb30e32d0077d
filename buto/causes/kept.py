"""Kept memory of two programs at the same moment: when the recording is written, at the end of the window.

A recorder finds the path from each object to a root at that moment. An object without one is garbage by then:
the last collection left it, which comes at any time. So the two are not added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from buto.causes.profiles import Profile, ProfileKind, Stack


def at_the_end(profiles: Sequence[Profile]) -> tuple[Profile, ...]:
    """Return profiles of which only those objects count as kept that something holds at the end.

    If no launch holds any at its end that code of the program's own made, those of the last collections stay:
    both programs then keep everything in variables of their methods.
    """
    return tuple(map(_keep_held, profiles)) if is_at_the_end(profiles) else tuple(profiles)


def is_at_the_end(profiles: Sequence[Profile]) -> bool:
    """Return whether :func:`at_the_end` leaves out what nothing holds."""
    return any(map(_holds_own, profiles))


def _holds_own(profile: Profile) -> bool:
    kept = [stack for stack in profile.stacks if _is_held(stack)]
    return any(profile.users_frames(stack) for stack in kept)


def _is_held(stack: Stack) -> bool:
    return stack.kind is ProfileKind.RETENTION and bool(stack.path)


def _keep_held(profile: Profile) -> Profile:
    stacks = (stack for stack in profile.stacks if stack.kind is not ProfileKind.RETENTION or _is_held(stack))
    return replace(profile, stacks=tuple(stacks))
