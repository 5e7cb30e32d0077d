"""From a table of sums to the places of what rose, the likeliest first, and which of them are causes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.causes import differences
from buto.causes.units import FloatArray, Places, Table
from buto.profiles import Kind

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
    """Rank the units of a table."""
    grain = _GRAIN.get(kind.about.unit, 1.0)
    noise = 1.0 if kind.about.is_sampled else 0.0
    variance = differences.variances(
        table.old, table.new, noise * table.old_squares, noise * table.new_squares, grain
    )
    z = differences.deviations(table.old, table.new, variance)
    share = differences.shares(table.old, table.new)
    rise = table.new.mean(axis=0) - table.old.mean(axis=0)
    is_strong = differences.named(z, share, table.old, table.new)
    is_cause = is_strong & differences.exceeds_falls(z, rise)
    order = differences.ranked(z, rise, share)
    places = order[np.argsort(~is_cause[order], kind="stable")]
    return Ranking(places, is_cause[places], z[places], share[places], bool((is_strong & ~is_cause).any()))
