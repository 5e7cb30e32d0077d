"""Draw launches of the old and the new program many times and see whether the changed method is found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from buto.causes import Cause, Tier
from buto.causes.explain import causes_of
from buto.profiles import Kind, Profile

_FEW = 3


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
    of_change: Sequence[Kind],
    methods: Sequence[str],
    kinds: Sequence[Kind],
    *,
    pairs: int,
    draws: int,
    seed: int,
) -> Found:
    """Draw so many launches of each program, without replacement within a draw.

    Args:
        of_change: the kinds that the change concerns; the best rank in one of them counts.
        methods: the changed code, as methods and fields that hold objects; any of them counts.
        kinds: the kinds that are looked at, with those of the change.
    """
    if min(len(old), len(new)) < pairs:
        return Found(0, nan, nan, nan, nan, nan)
    source = np.random.default_rng(seed)
    hits = np.zeros(5)
    for _ in range(draws):
        before = [old[at] for at in source.choice(len(old), pairs, replace=False)]
        after = [new[at] for at in source.choice(len(new), pairs, replace=False)]
        found = [causes_of(before, after, kind, with_flame=False).found for kind in of_change]
        rank = min(_rank(causes, methods) for causes in found)
        chosen = [one for causes in found for one in causes if one.tier is Tier.CAUSE]
        others = [one for one in kinds if one not in of_change]
        hits += (
            rank == 0,
            rank < _FEW,
            any(_leads_to(one, methods) for one in chosen),
            any(not _leads_to(one, methods) for one in chosen),
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


def _rank(causes: Sequence[Cause], methods: Sequence[str]) -> int:
    """Return the place of the changed code among different methods, from 0; a large number without it."""
    ranked: list[str] = []
    for one in causes:
        if _leads_to(one, methods):
            return len(ranked)
        if one.method not in ranked:
            ranked.append(one.method)
    return sys.maxsize


def _leads_to(cause: Cause, methods: Sequence[str]) -> bool:
    return cause.method in methods or cause.held_by in methods


def _named(old: Sequence[Profile], new: Sequence[Profile], kind: Kind, methods: Sequence[str]) -> bool:
    """Return whether a method other than the changed ones is named."""
    found = causes_of(old, new, kind, with_flame=False).found
    return any(one.tier is Tier.CAUSE and not _leads_to(one, methods) for one in found)
