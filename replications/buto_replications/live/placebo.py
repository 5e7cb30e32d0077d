"""Whether two arms that hold one program differ in exact counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from buto.run.model import BoolArray, FloatArray
from buto_replications.live.journal import Counters

DRAWS = 20_000
"""Of labels: the smallest p-value is 1 in 20,001."""

TOTAL_ALPHA = 0.01
"""Chance that any of all placebos is called unlike, if all arms are alike."""


@dataclass(frozen=True, slots=True)
class Block:
    """The launches of one check, whose labels were drawn together; at least one of each arm."""

    old: tuple[Counters, ...]
    new: tuple[Counters, ...]


@dataclass(frozen=True, slots=True)
class Unequal:
    """A counter that is equal in all plain launches, and not in so many launches of the arms."""

    name: str
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Placebo:
    """How far two arms are apart.

    Attributes:
        n_old, n_new: launches of each.
        unequal: counters that plain launches repeat and the arms do not.
        p_value: of the largest difference of any counter; 1 if none varies.
        furthest: the counter with this difference; empty if none varies.
        ratio: its mean of the new arm divided by that of the old one; NaN if that is 0, or if none varies.
    """

    n_old: int
    n_new: int
    unequal: tuple[Unequal, ...]
    p_value: float
    furthest: str
    ratio: float


def compare_arms(
    plain: Sequence[Counters], blocks: Sequence[Block], seed: int, draws: int = DRAWS
) -> Placebo:
    """Compare the arms of checks of a program that did not change.

    There is one permutation test for all counters together: labels are dealt anew within each block, and the
    statistic is the largest standardised difference of mean ranks of any counter, so that the number of
    counters needs no correction. Blocks may have ended early because their check was decided; p may then be
    too small, at most by a factor of about two.

    Args:
        plain: at least one launch.
        blocks: at least one. A counter that some launch lacks is left out.
    """
    launches = [counters for block in blocks for counters in (*block.old, *block.new)]
    is_new = np.array([label for block in blocks for label in _labels(block)])
    names = sorted(set.intersection(*(set(counters) for counters in (*plain, *launches))))
    values, known = _table(launches, names), _table(plain, names)
    moves = (known == known[0]).all(axis=0) & (values != known[0])
    unequal = tuple(
        Unequal(name, int(moved[~is_new].sum()), int(moved[is_new].sum()))
        for name, moved in zip(names, moves.T, strict=True)
        if moved.any()
    )
    varying = np.flatnonzero((values != values[0]).any(axis=0))
    n_old, n_new = int((~is_new).sum()), int(is_new.sum())
    if not len(varying):
        return Placebo(n_old, n_new, unequal, 1.0, "", float("nan"))
    sizes = [len(block.old) + len(block.new) for block in blocks]
    p_value, place = _test(values[:, varying], is_new, sizes, seed, draws)
    column = values[:, varying[place]]
    old_mean = float(column[~is_new].mean())
    ratio = float(column[is_new].mean()) / old_mean if old_mean else float("nan")
    return Placebo(n_old, n_new, unequal, p_value, names[varying[place]], ratio)


def _table(launches: Sequence[Counters], names: Sequence[str]) -> FloatArray:
    """Return the counters, shape (n_launches, n_counters)."""
    rows = [[counters[name] for name in names] for counters in launches]
    return np.array(rows, dtype=float).reshape(len(launches), len(names))


def _labels(block: Block) -> list[bool]:
    return [False] * len(block.old) + [True] * len(block.new)


def _test(
    values: FloatArray, is_new: BoolArray, sizes: Sequence[int], seed: int, draws: int
) -> tuple[float, int]:
    """Return the p-value and the column with the largest difference; values (n_launches, n_counters)."""
    parts = np.split(np.arange(len(values)), np.cumsum(sizes)[:-1])
    centred = np.empty_like(values)
    variance = np.zeros(values.shape[1])
    for part in parts:
        ranks = rankdata(values[part], axis=0)
        centred[part] = ranks - ranks.mean(axis=0)
        n, new = len(part), int(is_new[part].sum())
        variance += new * (n - new) / (n * (n - 1)) * (centred[part] ** 2).sum(axis=0)
    scale = np.where(variance > 0, np.sqrt(variance), np.inf)
    observed = np.abs(is_new.astype(float) @ centred) / scale
    source = np.random.default_rng(seed)
    dealt = np.empty((draws, len(values)))
    for part in parts:
        order = source.random((draws, len(part))).argsort(axis=1)
        dealt[:, part] = is_new[part][order]
    largest = (np.abs(dealt @ centred) / scale).max(axis=1)
    # Sums of the same ranks in another order differ in the last digit.
    as_large = int((largest >= observed.max() - 1e-9).sum())
    return (1 + as_large) / (1 + draws), int(observed.argmax())
