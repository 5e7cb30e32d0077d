"""Draw launches of the old and the new program many times and see whether the changed method is found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import numpy.typing as npt

from buto.causes.ranking import ranking_of
from buto.causes.units import Places, Table, table_of
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
    of_kinds = [_Drawn.of(old, new, kind, methods) for kind in dict.fromkeys((*of_change, *kinds))]
    concerned = [one for one in of_kinds if one.kind in of_change]
    others = [one for one in of_kinds if one.kind not in of_change]
    hits = np.zeros(5)
    for _ in range(draws):
        before = source.choice(len(old), pairs, replace=False)
        after = source.choice(len(new), pairs, replace=False)
        found = [one.looked_at(before, after) for one in concerned]
        rank = min(one.rank for one in found)
        hits += (
            rank == 0,
            rank < _FEW,
            any(one.names_it for one in found),
            any(one.names_another for one in found),
            any(one.looked_at(before, after).names_another for one in others),
        )
    return Found(draws, *(float(share) for share in hits / draws))


def alarms_in(
    unchanged: Sequence[Profile], kinds: Sequence[Kind], *, pairs: int, draws: int, seed: int
) -> Alarms:
    """Draw two groups of launches of one unchanged program."""
    if len(unchanged) < 2 * pairs:
        return Alarms(0, nan, nan)
    source = np.random.default_rng(seed)
    of_kinds = [_Drawn.of(unchanged, unchanged, kind, ()) for kind in kinds]
    hits = np.zeros(len(kinds))
    n_any = 0
    for _ in range(draws):
        chosen = source.choice(len(unchanged), 2 * pairs, replace=False)
        named = [one.looked_at(chosen[:pairs], chosen[pairs:]).names_another for one in of_kinds]
        hits += named
        n_any += any(named)
    return Alarms(draws, n_any / draws, float(hits.max(initial=0.0)) / draws)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one draw shows in one kind: the place of the changed code among methods, and what is named."""

    rank: int
    names_it: bool
    names_another: bool


@dataclass(frozen=True)
class _Drawn:
    """The sums of all launches in one kind, from which launches are drawn by their places.

    Attributes:
        leads: whether each unit leads to the changed code, shape (n_units,).
        methods: a number for the method of each unit, shape (n_units,).
    """

    kind: Kind
    table: Table
    leads: npt.NDArray[np.bool_]
    methods: npt.NDArray[np.intp]

    @classmethod
    def of(cls, old: Sequence[Profile], new: Sequence[Profile], kind: Kind, methods: Sequence[str]) -> _Drawn:
        table = table_of(old, new, kind)
        names = [unit.frame.name for unit in table.units]
        leads = [
            name in methods or unit.holder in methods for name, unit in zip(names, table.units, strict=True)
        ]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return cls(
            kind, table, np.array(leads, np.bool_), np.array([numbers[name] for name in names], np.intp)
        )

    def looked_at(self, old: Places, new: Places) -> _Look:
        """Compare some launches of the old and the new program, by their places."""
        ranking = ranking_of(self.table.of_launches(old, new), self.kind)
        leads = self.leads[ranking.places]
        at = int(leads.argmax()) if leads.any() else None
        rank = sys.maxsize if at is None else len(np.unique(self.methods[ranking.places[:at]]))
        named = ranking.is_cause
        return _Look(rank, bool((named & leads).any()), bool((named & ~leads).any()))
