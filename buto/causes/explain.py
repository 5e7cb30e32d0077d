"""From the profiles of two programs to an explanation: what rose, the likeliest first, and which are causes.

The statistic of a unit is how far its sum in the new program lies above the old program's, in deviations.
These are pure functions on arrays of shape (n_launches, n_units).
``tests/support/references/naive_causes.py`` has the same in plain loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from buto.causes.changes import Changes, release_of
from buto.causes.flames import Flame, flame_of
from buto.causes.joined import certainty
from buto.causes.kept import at_the_end, without_too_early
from buto.causes.limits import limits_of, remarks_of, why_unseen
from buto.causes.model import (
    ECHO_WORD,
    NOISE_SHARE,
    Cause,
    Causes,
    Explanation,
    FloatArray,
    GrownClass,
    Places,
    SumTable,
    Tier,
    table_of,
)
from buto.causes.profiles import Profile, ProfileKind

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

NEAR = 0.1
"""A cause is at least this close to a change, if it is known what changed: all else is an echo."""

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


def rank(z: Floats, rise: Floats, share: Floats) -> npt.NDArray[np.intp]:
    """Return the places of the units that rose.

    Those with strong evidence and the share of a cause come first, each part by its rise. Without the
    share, small methods that are hardly noisy would come before those that make up most of the rise.

    Args:
        z, rise, share: shape (n_units,).
    """
    order = np.lexsort((-rise, ~((z > RANKED_FIRST) & (share >= NAMED_SHARE))))
    return order[rise[order] > 0]


def find_named(z: Floats, share: Floats, old: Floats, new: Floats) -> npt.NDArray[np.bool_]:
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
        sure: how likely each is the one that the change made rise, shape (n,); the sum is 1.
        has_moved: whether a unit is no cause only because others fell by as much.
    """

    places: Places
    is_cause: npt.NDArray[np.bool_]
    z: FloatArray
    share: FloatArray
    sure: FloatArray
    has_moved: bool


def ranking_of(table: SumTable, kind: ProfileKind) -> Ranking:
    grain = _GRAIN.get(kind.about.unit, 1.0)
    noise = 1.0 if kind.about.is_sampled else 0.0
    variance = variances(table.old, table.new, noise * table.old_squares, noise * table.new_squares, grain)
    z = deviations(table.old, table.new, variance)
    share = shares(table.old, table.new)
    rise = table.new.mean(axis=0) - table.old.mean(axis=0)
    is_strong = find_named(z, share, table.old, table.new) & (table.close >= NEAR)
    is_cause = is_strong & exceeds_falls(z, rise)
    order = rank(z, rise * table.close, share)
    places = order[np.argsort(~is_cause[order], kind="stable")]
    sure = certainty(share, z, table.close)
    has_moved = bool((is_strong & ~is_cause).any())
    return Ranking(places, is_cause[places], z[places], share[places], sure[places], has_moved)


MOST_FOUND = 50
"""Methods of one kind that an explanation keeps."""

LIKELY = 3
"""Methods of a kind that are said to be the most likely, causes included."""

MOST_GROWTH = 20

_MOVED = "a method that rose is not named, because others fell by as much: it may do what they did before"

_CUT = {
    ProfileKind.FILES: ("files.cut", "a program opened more files than can be followed"),
    ProfileKind.LOADED: ("classes.cut", "a program loaded more classes than can be followed"),
}
"""Kinds of which nothing can be said if a launch has such a total, and why not."""

WORTH_SHOWING = 1.0
"""Deviations that the methods that are said to be most likely have at least."""


def explain(
    old: Sequence[Profile],
    new: Sequence[Profile],
    kinds: Sequence[ProfileKind],
    *,
    test: str,
    names: tuple[str, str],
    remarks: Sequence[str] = (),
    changes: Changes | None = None,
) -> Explanation:
    """Compare the profiles of two programs.

    Args:
        old, new: at least one profile of each.
        kinds: what was recorded, the most important first.
        names: of the old and the new program.
        remarks: what is known already, a sentence each.
        changes: what changed in the code; None if that is not known.

    Raises:
        ValueError: there is no profile of one of them.
    """
    if not old or not new:
        raise ValueError("a profile of each program is needed")
    if changes is not None:
        old = [profile.rename_classes(changes.moved) for profile in old]
        if not changes.methods:
            # Then it is the data, the arguments or the JVM, which is near to no method.
            changes = None
    return Explanation(
        test,
        names[0],
        names[1],
        (len(old), len(new)),
        tuple(causes_of(old, new, kind, changes) for kind in kinds),
        _growth(old, new),
        (*remarks, *remarks_of(old, new, min(NAMED))),
    )


def causes_of(
    old: Sequence[Profile],
    new: Sequence[Profile],
    kind: ProfileKind,
    changes: Changes | None = None,
    *,
    with_flame: bool = True,
) -> Causes:
    """Return what rose in one kind; without its flame graph if only methods are asked for."""
    total_of_cut, why = _CUT.get(kind, ("", ""))
    if any(profile.totals.get(total_of_cut) for profile in (*old, *new)):
        return Causes(kind, 0.0, 0.0, (), 0.0, Flame(""), (why,))
    recorded = (old, new)
    if kind is ProfileKind.RETENTION:
        old, new = without_too_early(old), without_too_early(new)
        held = at_the_end([*old, *new])
        old, new = held[: len(old)], held[len(old) :]
    table = table_of(old, new, kind, changes)
    total = float(table.new_totals.mean())
    known = float(table.new.sum(axis=1).mean())
    without = 1 - known / total if total > 0 else 0.0
    ranking = ranking_of(table, kind)
    unseen = why_unseen((*recorded[0], *recorded[1]), kind)
    limits = [
        *filter(None, [unseen]),
        *limits_of(*recorded, kind, table, without),
        *([_MOVED] if ranking.has_moved else []),
    ]
    return Causes(
        kind,
        float(table.old_totals.mean()),
        total,
        _list_causes(table, ranking, kind, changes),
        without,
        flame_of(old, new, kind) if with_flame else Flame(""),
        tuple(limits),
        is_seen=not unseen,
    )


def _list_causes(
    table: SumTable, ranking: Ranking, kind: ProfileKind, changes: Changes | None
) -> tuple[Cause, ...]:
    before, after = table.old.mean(axis=0), table.new.mean(axis=0)
    rows = zip(ranking.places, _tiers(ranking), ranking.share, ranking.z, ranking.sure, strict=True)
    causes = []
    for at, tier, share, z, sure in islice(rows, MOST_FOUND):
        unit, top = table.units[at], table.tops[at]
        cause = Cause(
            tier,
            kind,
            unit.frame.name,
            unit.frame.file,
            table.lines[at],
            unit.type,
            float(before[at]),
            float(after[at]),
            float(share),
            float(z),
            unit.holder,
            table.paths[at],
            "" if top == unit.frame.name else top,
            float(sure),
        )
        causes.append(cause if changes is None else _with_change(cause, changes))
    return tuple(causes)


def _with_change(cause: Cause, changes: Changes) -> Cause:
    change = changes.of(cause.method)
    if change is None:
        return replace(cause, code=ECHO_WORD)
    before, now = release_of(change.before)[1], release_of(change.archive)[1]
    since = before if before != now else ""
    return replace(
        cause,
        file=change.file or cause.file,
        line=cause.line or change.line,
        code=change.how.value,
        archive=change.archive,
        since=since,
    )


def _tiers(ranking: Ranking) -> list[Tier]:
    """Return the tier of each unit, in the order of rank: a cause, or likely among the first three.

    What rose by less than a hundredth of the largest rise is not likely, whatever it does otherwise.
    """
    worth = NOISE_SHARE * max(ranking.share, default=0.0)
    is_likely = (ranking.z > WORTH_SHOWING) & (ranking.share >= worth)
    return [
        Tier.CAUSE if is_cause else Tier.LIKELY if place < LIKELY and likely else Tier.OTHER
        for place, (is_cause, likely) in enumerate(zip(ranking.is_cause, is_likely, strict=True))
    ]


def _growth(old: Sequence[Profile], new: Sequence[Profile]) -> tuple[GrownClass, ...]:
    """Return the classes of which the heap holds more, the largest growth first."""
    types = {name for profile in (*old, *new) for name in profile.classes}

    def mean(profiles: Sequence[Profile], name: str) -> float:
        return sum(profile.classes[name].size for profile in profiles if name in profile.classes) / len(
            profiles
        )

    grown = [GrownClass(name, mean(old, name), mean(new, name)) for name in sorted(types)]
    largest = sorted(grown, key=lambda grown_class: grown_class.old - grown_class.new)
    return tuple(grown_class for grown_class in largest[:MOST_GROWTH] if grown_class.new > grown_class.old)
