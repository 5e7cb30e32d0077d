"""From the profiles of two programs to an explanation: what rose, the likeliest first, and which are causes.

The statistic of a unit is how far its sum in the new program lies above the old program's, in deviations.
These are pure functions on arrays of shape (n_launches, n_units).
``tests/support/references/naive_causes.py`` has the same in plain loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from buto.features.why.model import (
    Cause,
    Causes,
    Explanation,
    Flame,
    FloatArray,
    Growth,
    Places,
    Table,
    Tier,
    flame_of,
    table_of,
)
from buto.run.profiles import Kind, Profile
from buto.run.units import format_percent

Floats = npt.NDArray[np.float64]

PRIOR_FREEDOM = 4.0
"""Degrees of freedom that the expected variance counts for, beside those of the few launches."""

PRIOR_SHARE = 0.1
"""Expected deviation between launches of one program, as a share of the level."""

RANKED_FIRST = 4.0
"""Units beyond this many deviations are ranked before all others, if their share is that of a cause."""

NAMED = {3: 5.0, 4: 4.5, 5: 4.0}
"""Deviations from which a cause is named, by number of launches of each program; with fewer none is named."""

NAMED_SHARE = 0.1
"""A cause that is named, and a unit that is ranked by its evidence, has at least this share of the rise."""

FELL = 2.0
"""Standard errors from which a fall counts: a cause must have risen by more than all that fell together."""


def variances(old: Floats, new: Floats, old_squares: Floats, new_squares: Floats, grain: float) -> Floats:
    """Return the variance between launches of one program, shape (n_units,).

    The variance of so few launches is shrunk towards what is expected: the noise of sampling, of which the
    variance is the sum of squares of the sampled events, and a share of the level.

    Args:
        old, new: sums, shape (n_launches, n_units).
        old_squares, new_squares: sums of squares; zeros for events that are all recorded.
        grain: the smallest deviation that is possible, as one event.
    """
    n_old, n_new = len(old), len(new)
    freedom = (n_old - 1) + (n_new - 1)
    scatter = ((old - old.mean(axis=0)) ** 2).sum(axis=0) + ((new - new.mean(axis=0)) ** 2).sum(axis=0)
    sampling = np.maximum((old_squares.mean(axis=0) + new_squares.mean(axis=0)) / 2, grain**2)
    level = (old.mean(axis=0) + new.mean(axis=0)) / 2
    expected = sampling + (PRIOR_SHARE * level) ** 2
    return np.asarray((PRIOR_FREEDOM * expected + scatter) / (PRIOR_FREEDOM + freedom))


def deviations(old: Floats, new: Floats, variance: Floats) -> Floats:
    """Return z = difference of the means / standard error, shape (n_units,); 0 where both are zero."""
    difference = new.mean(axis=0) - old.mean(axis=0)
    error = np.sqrt(variance * (1 / len(old) + 1 / len(new)))
    return np.asarray(np.divide(difference, error, out=np.zeros_like(difference), where=error > 0))


def shares(old: Floats, new: Floats) -> Floats:
    """Return each unit's share of all that rose, shape (n_units,), 0 to 1; 0 for what did not rise."""
    rise = np.maximum(new.mean(axis=0) - old.mean(axis=0), 0.0)
    total = rise.sum()
    return np.asarray(rise / total if total > 0 else rise)


def ranked(z: Floats, rise: Floats, share: Floats) -> npt.NDArray[np.intp]:
    """Return the places of the units that rose.

    Those with strong evidence and the share of a cause come first, each part by its rise. Without the
    share, small methods that are hardly noisy would come before those that make up most of the rise.

    Args:
        z, rise, share: shape (n_units,).
    """
    order = np.lexsort((-rise, ~((z > RANKED_FIRST) & (share >= NAMED_SHARE))))
    return order[rise[order] > 0]


def named(z: Floats, share: Floats, old: Floats, new: Floats) -> npt.NDArray[np.bool_]:
    """Return which units are named as causes, shape (n_units,).

    Besides strong evidence and a share of the rise, every launch of the new program must lie above every
    launch of the old one.
    """
    threshold = NAMED.get(min(len(old), len(new), max(NAMED)))
    if threshold is None:
        return np.zeros(len(z), dtype=np.bool_)
    apart = new.min(axis=0) > old.max(axis=0)
    chosen: npt.NDArray[np.bool_] = (z > threshold) & (share >= NAMED_SHARE) & apart
    return chosen


def exceeds_falls(z: Floats, rise: Floats) -> npt.NDArray[np.bool_]:
    """Return which units rose by more than all units fell that fell beyond the noise, shape (n_units,).

    None did if all units together have not risen: then the program uses no more.

    What does not may only have moved: the compiler inlined other methods, or samples fell on other sites of
    the same loop. The total of all units would tell that, too, but with the noise of every unit: where a
    change is small beside the rest of the program, it hides one cause in four.

    Args:
        z, rise: shape (n_units,).
    """
    return np.asarray((rise > -rise[z < -FELL].sum()) & (rise.sum() > 0))


_GRAIN = {"By": 4096.0, "s": 0.002}
"""Smallest deviation between launches by unit: a page, a sample. Counts have one."""


@dataclass(frozen=True)
class Ranking:
    """What rose in one kind.

    Attributes:
        places: columns of the table that rose, shape (n,): causes first, then by evidence and rise.
        is_cause: which of them are named as causes, shape (n,).
        z: difference by its standard error, shape (n,).
        share: of all that rose, shape (n,), 0 to 1.
        has_moved: whether a unit is no cause only because others fell by as much.
    """

    places: Places
    is_cause: npt.NDArray[np.bool_]
    z: FloatArray
    share: FloatArray
    has_moved: bool


def ranking_of(table: Table, kind: Kind) -> Ranking:
    grain = _GRAIN.get(kind.about.unit, 1.0)
    noise = 1.0 if kind.about.is_sampled else 0.0
    variance = variances(table.old, table.new, noise * table.old_squares, noise * table.new_squares, grain)
    z = deviations(table.old, table.new, variance)
    share = shares(table.old, table.new)
    rise = table.new.mean(axis=0) - table.old.mean(axis=0)
    is_strong = named(z, share, table.old, table.new)
    is_cause = is_strong & exceeds_falls(z, rise)
    order = ranked(z, rise, share)
    places = order[np.argsort(~is_cause[order], kind="stable")]
    return Ranking(places, is_cause[places], z[places], share[places], bool((is_strong & ~is_cause).any()))


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
    if fewest < min(NAMED):
        yield (f"with fewer than {min(NAMED)} launches of each program no cause is named")
