"""Join what two recorders told of one launch."""

from __future__ import annotations

from dataclasses import replace

from buto.profiles.model import Profile


def with_profiler(recorded: Profile, profiler: Profile) -> Profile:
    """Return a profile in which the kinds that a profiler recorded replace those of the recorder."""
    first = len(recorded.frames)
    moved = tuple(
        replace(stack, frames=tuple(first + at for at in stack.frames)) for stack in profiler.stacks
    )
    kept = tuple(stack for stack in recorded.stacks if stack.kind not in profiler.kinds)
    return replace(
        recorded,
        frames=(*recorded.frames, *profiler.frames),
        stacks=(*kept, *moved),
        events=recorded.events + profiler.events,
    )
