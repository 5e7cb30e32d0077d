"""Compute one p-value from scores: how ordinary is the score of the runs under test among all scores?

If no run differs, each choice of k runs is equally likely to have the highest score. The share of choices
that score at least as high as the runs under test is then an exact p-value, for any distribution of the
features (a permutation test). It cannot be smaller than one divided by the number of choices: with three runs
under test and ten training runs there are 286.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

TIE = 1e-9


@dataclass(frozen=True, slots=True)
class Significance:
    """A p-value by rank.

    Attributes:
        p_value: share of all choices that score at least as high as the runs under test.
        n_choices: how many choices there are.
        smallest: the smallest possible p-value; doubled if another choice always has the same score.
    """

    p_value: float
    n_choices: int
    smallest: float

    @property
    def highest(self) -> bool:
        """Whether no other choice has as high a score."""
        return self.p_value * self.n_choices < 1.5


def significance(score: FloatArray, *, mirrored: bool = False) -> Significance:
    """Return how ordinary the first of these scores is among all of them.

    Args:
        score: shape (n_choices,); the runs under test come first.
        mirrored: whether another choice always has the same score.
    """
    return Significance(float(ranks(score)), len(score), (2 if mirrored else 1) / len(score))


def ranks(score: FloatArray) -> FloatArray:
    """Return the share of choices that score at least as high as the first, shape (...).

    Args:
        score: shape (..., n_choices).
    """
    rank: FloatArray = (score >= score[..., :1] - TIE).sum(axis=-1) / score.shape[-1]
    return rank


def largest_of_each(contrast: FloatArray, quantity: IntArray) -> FloatArray:
    """Return the largest absolute contrast of each quantity's features, shape (n_choices, n_quantities).

    Args:
        contrast: shape (n_choices, n_features).
        quantity: shape (n_features,), the number of each feature's quantity, in increasing order.
    """
    starts = np.flatnonzero(np.diff(quantity, prepend=-1))
    largest: FloatArray = np.maximum.reduceat(np.abs(contrast), starts, axis=1)
    return largest
