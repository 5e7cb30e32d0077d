"""Draws of launches that are compared one by one as ``buto why`` compares them, with tables of their own."""

import numpy as np

from buto.causes.explain import causes_of
from buto.causes.model import Tier
from buto_replications.causes.programs import FoundShares


def found_in(old, new, kind, methods, *, pairs, draws, seed):
    """What :func:`buto_replications.causes.programs.found_in` returns if no other kind has events."""
    source = np.random.default_rng(seed)
    hits = np.zeros(4)
    for _ in range(draws):
        before = [old[at] for at in source.choice(len(old), pairs, replace=False)]
        after = [new[at] for at in source.choice(len(new), pairs, replace=False)]
        found = causes_of(before, after, kind, with_flame=False).found
        names = list(dict.fromkeys(cause.method for cause in found))
        rank = min((names.index(method) for method in methods if method in names), default=1000)
        named = [cause.method for cause in found if cause.tier is Tier.CAUSE]
        hits += (
            rank == 0,
            rank < 3,
            any(cause in methods for cause in named),
            any(cause not in methods for cause in named),
        )
    return FoundShares(draws, *(float(share) for share in hits / draws), 0.0)


def alarms_in(unchanged, kind, *, pairs, draws, seed):
    """Return the share of draws in which anything of this kind is named."""
    source = np.random.default_rng(seed)
    n_named = 0
    for _ in range(draws):
        chosen = [unchanged[at] for at in source.choice(len(unchanged), 2 * pairs, replace=False)]
        found = causes_of(chosen[:pairs], chosen[pairs:], kind, with_flame=False).found
        n_named += any(cause.tier is Tier.CAUSE for cause in found)
    return n_named / draws
