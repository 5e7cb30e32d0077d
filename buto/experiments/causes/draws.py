"""Draw launches of the old and the new program many times and see whether the changed method is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from buto.causes import Tier
from buto.causes.explain import causes_of
from buto.profiles import Kind, Profile


@dataclass(frozen=True, slots=True)
class Found:
    """How often the changed method was found, in shares of the draws.

    Attributes:
        draws: how many.
        first, in_three: the changed method was the first, or among the first three methods of its kind.
        named: it was named as a cause.
        wrong: another method of its kind was named.
        elsewhere: a method was named in a kind that the change does not concern.
    """

    draws: int
    first: float
    in_three: float
    named: float
    wrong: float
    elsewhere: float


@dataclass(frozen=True, slots=True)
class Alarms:
    """How often anything was named although nothing changed, in shares of the draws.

    Attributes:
        draws: how many.
        any_kind: a method of any kind was named.
        one_kind: the largest share of a single kind.
    """

    draws: int
    any_kind: float
    one_kind: float


def found_in(
    old: Sequence[Profile],
    new: Sequence[Profile],
    kind: Kind,
    methods: Sequence[str],
    kinds: Sequence[Kind],
    *,
    pairs: int,
    draws: int,
    seed: int,
) -> Found:
    """Draw so many launches of each program, without replacement within a draw.

    Args:
        methods: the changed code; any of them counts.
        kinds: the kinds that are looked at; ``kind`` is one of them.
    """
    if min(len(old), len(new)) < pairs:
        return Found(0, nan, nan, nan, nan, nan)
    source = np.random.default_rng(seed)
    hits = np.zeros(5)
    for _ in range(draws):
        before = [old[at] for at in source.choice(len(old), pairs, replace=False)]
        after = [new[at] for at in source.choice(len(new), pairs, replace=False)]
        causes = causes_of(before, after, kind, with_flame=False).found
        ranked = list(dict.fromkeys(one.method for one in causes))
        chosen = [one.method for one in causes if one.tier is Tier.CAUSE]
        others = [one for one in kinds if one is not kind]
        hits += (
            bool(ranked[:1]) and ranked[0] in methods,
            any(one in methods for one in ranked[:3]),
            any(one in methods for one in chosen),
            any(one not in methods for one in chosen),
            any(_named(before, after, other, methods) for other in others),
        )
    return Found(draws, *(float(share) for share in hits / draws))


def alarms_in(
    unchanged: Sequence[Profile], kinds: Sequence[Kind], *, pairs: int, draws: int, seed: int
) -> Alarms:
    """Draw two groups of launches of one unchanged program."""
    if len(unchanged) < 2 * pairs:
        return Alarms(0, nan, nan)
    source = np.random.default_rng(seed)
    hits = np.zeros(len(kinds))
    n_any = 0
    for _ in range(draws):
        chosen = source.choice(len(unchanged), 2 * pairs, replace=False)
        before, after = ([unchanged[at] for at in part] for part in (chosen[:pairs], chosen[pairs:]))
        named = [_named(before, after, kind, ()) for kind in kinds]
        hits += named
        n_any += any(named)
    return Alarms(draws, n_any / draws, float(hits.max(initial=0.0)) / draws)


def _named(old: Sequence[Profile], new: Sequence[Profile], kind: Kind, methods: Sequence[str]) -> bool:
    """Return whether a method other than the changed ones is named."""
    found = causes_of(old, new, kind, with_flame=False).found
    return any(one.tier is Tier.CAUSE and one.method not in methods for one in found)
