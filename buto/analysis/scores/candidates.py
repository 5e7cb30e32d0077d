"""The candidates behind one interface: from features and choices of runs to one score for each choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from buto.analysis.contrasts import Stable
from buto.analysis.evidence import largest_of_each
from buto.analysis.matching import BoolArray
from buto.analysis.scores.differences import Differences, differences, huber_weights
from buto.analysis.scores.likelihood import factors, mean_of_each
from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

LARGEST, ANY, EACH, FAMILIES = "largest", "any", "each", "families"

SHARE_OF_CHANGED = 0.05
"""Share of quantities, or of families, that a regression usually changes."""


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """What features are of.

    Attributes:
        quantity: shape (n_features,), the number of each feature's quantity, in increasing order.
        family: shape (n_quantities,), the family of each of these quantities, in the same order.
    """

    quantity: IntArray
    family: IntArray


@dataclass(frozen=True, slots=True)
class Candidate:
    """A score of choices of runs.

    Attributes:
        combination: ``largest``: the largest contrast of any feature. The others use Bayes factors: their
            mean over features is that of a quantity. ``any``: the mean over quantities, which is the
            likelihood that one of them has changed. ``each``: the product over quantities if each has changed
            with the probability SHARE_OF_CHANGED. ``families``: the same over families, each the mean of its
            quantities.
        huber: see :func:`buto.analysis.scores.differences.huber_weights`; None: all runs have weight 1.
        prior_freedom: see :func:`buto.analysis.scores.differences.differences`.
    """

    combination: str
    huber: float | None = None
    prior_freedom: float = 0.0

    def scores(
        self, stable: Stable, chosen: IntArray, groups: Groups, counts: BoolArray | None = None
    ) -> FloatArray:
        """Return the score of each choice, shape (n_choices,), the higher the more its runs differ.

        Args:
            stable: features of all runs, shape (n_runs, n_features).
            chosen: shape (n_choices, size).
            counts: shape (n_choices, n_features), whether a difference counts; None: all do.
        """
        return self.combined(self.of_each(stable, chosen, groups.quantity, counts), groups.family)

    def of_each(
        self, stable: Stable, chosen: IntArray, quantity: IntArray, counts: BoolArray | None = None
    ) -> FloatArray:
        """Return how much each quantity differs, shape (n_choices, n_quantities): t² or a Bayes factor."""
        weights = None if self.huber is None else huber_weights(stable, self.huber)
        return self.of_differences(differences(stable, chosen, weights, self.prior_freedom), quantity, counts)

    def of_differences(
        self, found: Differences, quantity: IntArray, counts: BoolArray | None = None
    ) -> FloatArray:
        """Return the same as :meth:`of_each` from differences that are known."""
        if self.combination == LARGEST:
            squared = found.squared_t if counts is None else np.where(counts, found.squared_t, 0.0)
            return largest_of_each(squared, quantity)
        factor = factors(found) if counts is None else np.where(counts, factors(found), 1.0)
        return mean_of_each(factor, quantity)

    def combined(self, of_each: FloatArray, family: IntArray) -> FloatArray:
        """Return the score of each choice from what :meth:`of_each` gives, shape (n_choices,)."""
        if self.combination == LARGEST:
            largest: FloatArray = np.log1p(of_each.max(axis=1))
            return largest
        if self.combination == ANY:
            likelihood: FloatArray = np.log(of_each.mean(axis=1))
            return likelihood
        if self.combination == FAMILIES:
            order = np.argsort(family, kind="stable")
            of_each = mean_of_each(of_each[:, order], np.unique(family, return_inverse=True)[1][order])
        summed: FloatArray = np.log1p(SHARE_OF_CHANGED * (of_each - 1)).sum(axis=1)
        return summed


CANDIDATES: Mapping[str, Candidate] = {
    "largest": Candidate(LARGEST),
    "largest-moderated": Candidate(LARGEST, prior_freedom=4.0),
    "likelihood": Candidate(ANY),
    "likelihood-robust": Candidate(ANY, huber=2.5),
    "likelihood-moderated": Candidate(ANY, prior_freedom=4.0),
    "likelihood-each": Candidate(EACH),
    "likelihood-families": Candidate(FAMILIES),
}
"""Candidates by name; ``docs/methods/next-method-design.md`` compares them."""
