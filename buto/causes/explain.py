"""From the profiles of two programs to an explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from buto.causes import differences
from buto.causes.flame import Flame, flame_of
from buto.causes.model import Cause, Causes, Explanation, Growth, Tier
from buto.causes.ranking import Ranking, ranking_of
from buto.causes.units import Table, table_of
from buto.profiles import Kind, Profile
from buto.units import format_percent

MOST_FOUND = 50
"""Methods of one kind that an explanation keeps."""

LIKELY = 3
"""Methods of a kind that are said to be the most likely, causes included."""

MOST_GROWTH = 20

_MOVED = "a method that rose is not named, because others fell by as much: it may do what they did before"

TRACES = 25
"""The first release of Java that tells of each reservation of a buffer, and of each file that is opened."""

_RELEASE = re.compile(r"\((\d+)")
"""In a version as ``OpenJDK 64-Bit Server VM (17.0.15+6-Debian) for linux-amd64``."""

_CUT = {
    Kind.FILES: ("files.cut", "a program opened more files than can be followed"),
    Kind.LOADED: ("classes.cut", "a program loaded more classes than can be followed"),
}
"""Kinds of which nothing can be said if a launch has such a total, and why not."""

RISE = 1.1
"""Of a kind's sum, from which it matters what could not be attributed."""

WORTH_SHOWING = 1.0
"""Deviations that the methods that are said to be most likely have at least."""

_COUNT_AS_LOADED = "classes that could be unloaded count as loaded"

HOLDERS_NOT_KNOWN = 0.5
"""Beyond this share of kept memory without a path to a root, a remark says so."""

FEW_OF_THE_USERS = 0.5
"""Beyond this share without a method of the user's, a remark says that the code cannot be seen."""


def explain(
    old: Sequence[Profile],
    new: Sequence[Profile],
    kinds: Sequence[Kind],
    *,
    test: str,
    names: tuple[str, str],
    remarks: Sequence[str] = (),
) -> Explanation:
    """Compare the profiles of two programs.

    Args:
        old, new: at least one profile of each.
        kinds: what was recorded, the most important first.
        names: of the old and the new program.
        remarks: what is known already, a sentence each.

    Raises:
        ValueError: there is no profile of one of them.
    """
    if not old or not new:
        raise ValueError("a profile of each program is needed")
    return Explanation(
        test,
        names[0],
        names[1],
        (len(old), len(new)),
        tuple(causes_of(old, new, kind) for kind in kinds),
        _growth(old, new),
        (*remarks, *_remarks(old, new)),
    )


def causes_of(
    old: Sequence[Profile], new: Sequence[Profile], kind: Kind, *, with_flame: bool = True
) -> Causes:
    """Return what rose in one kind; without its flame graph if only methods are asked for."""
    total_of_cut, why = _CUT.get(kind, ("", ""))
    if any(profile.totals.get(total_of_cut) for profile in (*old, *new)):
        return Causes(kind, 0.0, 0.0, (), 0.0, Flame(""), (why,))
    table = table_of(old, new, kind)
    total = float(table.new_totals.mean())
    known = float(table.new.sum(axis=1).mean())
    without = 1 - known / total if total > 0 else 0.0
    ranking = ranking_of(table, kind)
    limits = [*_limits(old, new, kind, table, without), *([_MOVED] if ranking.has_moved else [])]
    return Causes(
        kind,
        float(table.old_totals.mean()),
        total,
        _found(table, ranking, kind),
        without,
        flame_of(old, new, kind) if with_flame else Flame(""),
        tuple(limits),
    )


def _found(table: Table, ranking: Ranking, kind: Kind) -> tuple[Cause, ...]:
    before, after = table.old.mean(axis=0), table.new.mean(axis=0)
    rows = zip(ranking.places, _tiers(ranking), ranking.share, ranking.z, strict=True)
    return tuple(
        Cause(
            tier,
            kind,
            table.units[at].frame.name,
            table.units[at].frame.file,
            table.lines[at],
            table.units[at].type,
            float(before[at]),
            float(after[at]),
            float(share),
            float(z),
            table.units[at].holder,
            table.paths[at],
        )
        for at, tier, share, z in islice(rows, MOST_FOUND)
    )


def _tiers(ranking: Ranking) -> list[Tier]:
    """Return the tier of each unit, in the order of rank: a cause, or likely among the first three."""
    return [
        Tier.CAUSE if one else Tier.LIKELY if place < LIKELY and z > WORTH_SHOWING else Tier.OTHER
        for place, (one, z) in enumerate(zip(ranking.is_cause, ranking.z, strict=True))
    ]


def _growth(old: Sequence[Profile], new: Sequence[Profile]) -> tuple[Growth, ...]:
    """Return the classes of which the heap holds more, the largest growth first."""
    types = {name for profile in (*old, *new) for name in profile.classes}

    def mean(profiles: Sequence[Profile], name: str) -> float:
        return sum(one.classes[name].size for one in profiles if name in one.classes) / len(profiles)

    grown = [Growth(name, mean(old, name), mean(new, name)) for name in sorted(types)]
    largest = sorted(grown, key=lambda one: one.old - one.new)
    return tuple(one for one in largest[:MOST_GROWTH] if one.new > one.old)


def _limits(
    old: Sequence[Profile], new: Sequence[Profile], kind: Kind, table: Table, without: float
) -> Iterator[str]:
    """Give what the events of a kind could not tell on these JVMs."""
    profiles = (*old, *new)
    before, after = table.old_totals.mean(), table.new_totals.mean()
    seen = any(kind in profile.kinds for profile in profiles)
    if kind is Kind.RETENTION:
        yield _of_retention(profiles, seen=seen)
        yield from _released(profiles)
    elif seen and without > FEW_OF_THE_USERS and after > RISE * before:
        yield (
            f"{format_percent(round(without, 2))} of it has no method of the program's own on its stack: "
            "the JVM or the JDK did it by itself, or the program's classes were loaded with the JDK's"
        )
    if kind is Kind.LOADED:
        yield from _of_loaded(profiles, seen=seen)
    if kind is Kind.CPU and any(profile.totals.get("cpu.lost") for profile in profiles):
        lost = sum(profile.totals.get("cpu.lost", 0.0) for profile in profiles)
        kept = sum(stack.events for one in profiles for stack in one.stacks if stack.kind is kind)
        yield f"the JVM lost {format_percent(round(lost / (lost + kept), 3))} of the samples"
    is_older = any(_release(profile) < TRACES for profile in profiles)
    if kind is Kind.BUFFERS and is_older:
        yield f"before Java {TRACES} only some of the buffers that are kept are seen"
    if kind is Kind.FILES:
        yield f"before Java {TRACES} no file is seen" if is_older else "sockets and directories are not seen"


def _of_retention(profiles: Sequence[Profile], *, seen: bool) -> str:
    """Return what kept objects tell of."""
    if _is_zgc(profiles):
        return (
            "this collector (ZGC) is not asked to collect, so few kept objects are seen; "
            "-XX:+UseG1GC shows more"
        )
    if not seen:
        return "the JVM told of no kept object: no collection ran, or the program did not exit in order"
    return (
        "kept at the last collection: what the program releases before it exits, "
        "or allocates in its last half second, is not seen"
    )


def _of_loaded(profiles: Sequence[Profile], *, seen: bool) -> Iterator[str]:
    """Give why classes count as loaded that nothing uses any more."""
    if _is_zgc(profiles):
        yield f"this collector (ZGC) is not asked to collect, so {_COUNT_AS_LOADED}"
    elif seen and not all(profile.classes for profile in profiles):
        yield f"a launch had no collection that counts objects, so {_COUNT_AS_LOADED}"


def _is_zgc(profiles: Sequence[Profile]) -> bool:
    return any(profile.facts.get("collector", "").startswith("Z") for profile in profiles)


def _released(profiles: Sequence[Profile]) -> Iterator[str]:
    """Give what to say of objects that nothing held when the recording was written."""
    kept = [stack for one in profiles for stack in one.stacks if stack.kind is Kind.RETENTION]
    total = sum(stack.weight for stack in kept)
    without = sum(stack.weight for stack in kept if not stack.path)
    if without > HOLDERS_NOT_KNOWN * total:
        yield (
            f"the holder of {format_percent(round(without / total, 2))} of it is not known: "
            "nothing held it any more when the JVM exited, or the path to it is too long"
        )


def _release(profile: Profile) -> int:
    """Return the release of Java that a profile is of; 0 if not known."""
    found = _RELEASE.search(profile.facts.get("version", ""))
    return int(found[1]) if found else 0


def _remarks(old: Sequence[Profile], new: Sequence[Profile]) -> Iterator[str]:
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
    if fewest < min(differences.NAMED):
        yield (f"with fewer than {min(differences.NAMED)} launches of each program no cause is named")
