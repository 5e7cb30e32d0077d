"""What a recording could not tell of a program, a sentence each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from buto.causes.kept import find_too_early, is_at_the_end
from buto.causes.model import SumTable
from buto.causes.profiles import Profile, ProfileKind
from buto.run.units import format_count, format_percent

TRACES = 25
"""The first release of Java that tells of each reservation of a buffer, and of each file that is opened."""

_RELEASE = re.compile(r"\((\d+)")
"""In a version as ``OpenJDK 64-Bit Server VM (17.0.15+6-Debian) for linux-amd64``."""

RISE = 1.1
"""Of a kind's sum, from which it matters what could not be attributed."""

_COUNT_AS_LOADED = "classes that could be unloaded count as loaded"

HOLDERS_NOT_KNOWN = 0.5
"""Beyond this share of kept memory without a path to a root, a remark says so."""

FEW_OF_THE_USERS = 0.5
"""Beyond this share without a method of the user's, a remark says that the code cannot be seen."""


def limits_of(
    old: Sequence[Profile], new: Sequence[Profile], kind: ProfileKind, table: SumTable, without: float
) -> Iterator[str]:
    """Give what the events of a kind could not tell on these JVMs."""
    profiles = (*old, *new)
    before, after = table.old_totals.mean(), table.new_totals.mean()
    seen = any(kind in profile.kinds for profile in profiles)
    if kind is ProfileKind.RETENTION:
        yield _of_retention(profiles, seen=seen)
        n_left_out = len(find_too_early(old)) + len(find_too_early(new))
        if n_left_out:
            yield (
                f"{format_count(n_left_out, 'launch')} of {len(profiles)} left out: not collected "
                "after the program had what it keeps"
            )
        yield from _find_released(profiles)
    elif seen and without > FEW_OF_THE_USERS and after > RISE * before:
        yield (
            f"{format_percent(round(without, 2))} of it has no method of the program's own on its stack: "
            "the JVM or the JDK did it by itself, or the program's classes were loaded with the JDK's"
        )
    if kind is ProfileKind.LOADED:
        yield from _of_loaded(profiles, seen=seen)
    if kind is ProfileKind.CPU and any(profile.totals.get("cpu.lost") for profile in profiles):
        lost = sum(profile.totals.get("cpu.lost", 0.0) for profile in profiles)
        kept = sum(stack.events for profile in profiles for stack in profile.stacks if stack.kind is kind)
        yield f"the JVM lost {format_percent(round(lost / (lost + kept), 3))} of the samples"
    if kind is ProfileKind.BUFFERS and any(map(_is_older, profiles)):
        yield f"before Java {TRACES} only some of the buffers that are kept are seen"
    if kind is ProfileKind.FILES and not any(map(_is_older, profiles)):
        yield "sockets and directories are not seen"


def why_unseen(profiles: Sequence[Profile], kind: ProfileKind) -> str:
    """Return why these JVMs tell of no event of a kind; empty if they can."""
    if kind is ProfileKind.FILES and any(map(_is_older, profiles)):
        return f"before Java {TRACES} the JVM does not tell which code opens files"
    return ""


def _of_retention(profiles: Sequence[Profile], *, seen: bool) -> str:
    if _is_zgc(profiles):
        return (
            "this collector (ZGC) is not asked to collect, so few kept objects are seen; "
            "-XX:+UseG1GC shows more"
        )
    if not seen:
        return "the JVM told of no kept object: no collection ran, or the program did not exit in order"
    if is_at_the_end(profiles):
        return (
            "kept is what something holds at the end: what the program releases before it exits, or "
            "allocates in its last half second, is not seen"
        )
    return (
        "nothing holds at the end what the program's code made: kept is what the last collection left, of "
        "which one is forced every half second"
    )


def _of_loaded(profiles: Sequence[Profile], *, seen: bool) -> Iterator[str]:
    """Give why classes count as loaded that nothing uses any more."""
    if _is_zgc(profiles):
        yield f"this collector (ZGC) is not asked to collect, so {_COUNT_AS_LOADED}"
    elif seen and not all(profile.classes for profile in profiles):
        yield f"a launch had no collection that counts objects, so {_COUNT_AS_LOADED}"


def _is_zgc(profiles: Sequence[Profile]) -> bool:
    return any(profile.facts.get("collector", "").startswith("Z") for profile in profiles)


def _find_released(profiles: Sequence[Profile]) -> Iterator[str]:
    """Give what to say of objects that nothing held when the recording was written."""
    if is_at_the_end(profiles):
        return
    kept = [stack for profile in profiles for stack in profile.stacks if stack.kind is ProfileKind.RETENTION]
    total = sum(stack.weight for stack in kept)
    without = sum(stack.weight for stack in kept if not stack.path)
    if without > HOLDERS_NOT_KNOWN * total:
        yield (
            f"the holder of {format_percent(round(without / total, 2))} of it is not known: "
            "nothing held it any more when the JVM exited, or the path to it is too long"
        )


def _is_older(profile: Profile) -> bool:
    return _release(profile) < TRACES


def _release(profile: Profile) -> int:
    """Return the release of Java that a profile is of; 0 if not known."""
    match = _RELEASE.search(profile.facts.get("version", ""))
    return int(match[1]) if match else 0


def remarks_of(old: Sequence[Profile], new: Sequence[Profile], fewest_named: int) -> Iterator[str]:
    profiles = (*old, *new)
    damaged = [profile for profile in profiles if profile.failure]
    if damaged:
        yield (
            f"{len(damaged)} of {len(profiles)} recordings end early ({damaged[0].failure}); "
            "what was read of them is used"
        )
    if any(profile.totals.get("stacks.cut") for profile in profiles):
        yield "there are more stacks or samples than can be kept; the sums lack the rest"
    fewest = min(len(old), len(new))
    if fewest < fewest_named:
        yield (f"with fewer than {fewest_named} launches of each program no cause is named")
