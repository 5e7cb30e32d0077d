"""A run on a machine that training does not know, among training runs whose environment was held out.

The score is the logarithm of the largest contrast. Tests of one environment share what is special in it, so
scores are compared at the level of environments. Few environments cannot show a small share by rank: if there
are three, a new one has the highest score in a quarter of all cases. So scores of environments are assumed to
follow Student's t, with a deviation that is learned from them and shrunk to a usual one.

There are two scores: of the numbers that are exact, and of all. The smaller p-value counts, doubled. No
p-value of a score is below SMALLEST_TAIL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from buto.judging.environments import Environment
from buto.judging.rank import TIE, as_high, largest_of_each, students_t
from buto.run.model import BoolArray, FloatArray, IntArray
from buto_replications.detectors.machines.groups import Dependences, Expected, Groups, expected_elsewhere

SOFTENING = 0.1
"""Added before the logarithm, which is undefined for runs that are equal in everything."""

DEVIATION_OF_LARGEST = 0.34
"""Usual deviation of the logarithm of the largest contrast between runs of an unchanged program."""

SMALLEST_TAIL = 0.001
"""Smallest p-value of the tail; no assumption on the tail of a few scores justifies a smaller one."""

PRIOR_WEIGHT = 4
"""Weight of the usual deviation of scores, as a number of environments."""

MOST_ENVIRONMENTS = 40
"""Largest number of environments that a verdict asks for."""


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """Scores of prior tests whose environment was held out.

    Attributes:
        each: by environment, shape (n_checks,).
    """

    each: tuple[FloatArray, ...]

    @property
    def mean(self) -> float:
        return float(np.mean([score.mean() for score in self.each]))

    @property
    def deviation(self) -> float:
        """Standard deviation of the score of one test of another environment."""
        n = len(self.each)
        between = float(np.var([score.mean() for score in self.each], ddof=1))
        within = float(np.mean([score.var() for score in self.each]))
        squares = PRIOR_WEIGHT * DEVIATION_OF_LARGEST**2 + (n - 1) * (between + within)
        return sqrt(squares / (PRIOR_WEIGHT + n - 1))

    def p_value(self, score: float) -> float:
        """Return the share of tests of an unchanged program that score as high on machines not seen.

        At least the share of the prior tests that do, and at least SMALLEST_TAIL.
        """
        return max(self.share(score), self.tail(score, len(self.each)), SMALLEST_TAIL)

    def share(self, score: float) -> float:
        """Return the share of prior tests that score as high, as the mean over environments."""
        return float(np.mean([as_high(kind_score, score) for kind_score in self.each]))

    def limit(self, level: float) -> float:
        """Return the smallest contrast whose p-value is at most a level.

        No p-value is below SMALLEST_TAIL. For a lower level the result is larger than any real contrast.
        """
        low, high = self.mean, self.mean + 100.0
        while high - low > TIE:
            middle = (low + high) / 2
            low, high = (middle, high) if self.p_value(middle) > level else (low, middle)
        return exp(high) - SOFTENING

    def needed(self, score: float, level: float) -> int | None:
        """Return how many environments are needed to show that the p-value of a score is at most a level.

        None if the environments of the prior tests show it, if too many prior tests score as high, or if
        MOST_ENVIRONMENTS are too few.
        """
        if self.share(score) > level or self.tail(score, len(self.each)) <= level:
            return None
        more = range(len(self.each) + 1, MOST_ENVIRONMENTS + 1)
        return next((n for n in more if self.tail(score, n) <= level), None)

    def tail(self, score: float, n: int) -> float:
        """Return the share of Student's t beyond a score, if these were the scores of ``n`` environments."""
        freedom = 2 * ((PRIOR_WEIGHT + n - 1) // 2)
        t = (self.mean - score) / (self.deviation * sqrt(1 + 1 / n))
        return float(students_t(freedom, np.array(t)))


@dataclass(frozen=True, eq=False, slots=True)
class HeldOutTest:
    """A test on a machine that was not seen, among prior tests whose environment was held out.

    Attributes:
        kinds: by kind of numbers, which numbers are of it, shape (n_numbers,), the scores of the prior tests,
            and that of the test.
    """

    kinds: tuple[tuple[BoolArray, Scores, float], ...]

    @property
    def p_value(self) -> float:
        return min(1.0, len(self.kinds) * min(scores.p_value(score) for _, scores, score in self.kinds))

    def stands_out(self, alpha: float) -> bool:
        """Whether the test differs from the prior tests, or more environments could show that it does."""
        return self.p_value <= alpha or self.needed(alpha) is not None

    def needed(self, alpha: float) -> int | None:
        """Return how many environments are needed to show that the test differs; None as in Scores."""
        level = alpha / len(self.kinds)
        numbers = [scores.needed(score, level) for _, scores, score in self.kinds]
        return min((ranked_test for ranked_test in numbers if ranked_test is not None), default=None)

    def limits(self, alpha: float) -> FloatArray:
        """Return the contrast beyond which a number alone makes the test differ, shape (n_numbers,)."""
        of_kinds = [
            np.where(which, scores.limit(alpha / len(self.kinds)), np.inf) for which, scores, _ in self.kinds
        ]
        limits: FloatArray = np.min(of_kinds, axis=0)
        return limits


def elsewhere(
    contrast: FloatArray, held_out: Sequence[FloatArray], exact: BoolArray, read: BoolArray
) -> HeldOutTest:
    """Compare a test with prior tests whose environment was held out.

    Args:
        contrast: of the test, shape (n_numbers,).
        held_out: of the tests of each environment, shape (n_checks, n_numbers).
        exact, read: shape (n_numbers,), which numbers are exact, and which the test has. Each environment is
            judged by the numbers that are the same in the others, which are not always those of the test.
    """
    kinds = [kept for kept in (read & exact, read) if kept.any()]
    return HeldOutTest(
        tuple(
            (
                which,
                Scores(tuple(_score(rows[:, which]) for rows in held_out)),
                float(_score(contrast[which])),
            )
            for which in kinds
        )
    )


def _score(contrast: FloatArray) -> FloatArray:
    score: FloatArray = np.log(SOFTENING + np.abs(contrast).max(axis=-1))
    return score


Counts = Callable[[FloatArray, FloatArray], BoolArray]
"""Says which numbers count, shape (n_numbers,), given those of a run and what is expected of it."""


@dataclass(frozen=True, eq=False, slots=True)
class RankedRun:
    """A run among the training runs.

    Attributes:
        expected: what the training runs expect of it.
        judged: shape (n_numbers,), which numbers count.
        contrast: shape (n_numbers,), zero where a number does not count.
        limits: shape (n_numbers,), from which contrast a number is off by itself.
        quantity: shape (n_quantities,), the numbers of the quantities that count.
        reach: shape (n_quantities,), the largest share of its limit that a number of each quantity has.
        p_value: of the whole run.
        highest: whether it differs, or more environments could show that it does.
        needed: how many environments would show that the run differs; None if there are enough, or if none
            would.
    """

    expected: Expected
    judged: BoolArray
    contrast: FloatArray
    limits: FloatArray
    quantity: IntArray
    reach: FloatArray
    p_value: float
    highest: bool
    needed: int | None


def ranked(
    groups: Groups,
    taught: Dependences,
    held_out: Sequence[FloatArray],
    exact: BoolArray,
    quantity: IntArray,
    environment: Environment,
    values: FloatArray,
    alpha: float,
    counts: Counts,
) -> RankedRun | None:
    """Rank a run; None if nothing that can be judged was read.

    Args:
        taught: how numbers depend on the machine.
        held_out: contrasts of the training runs of each environment, shape (n_checks, n_numbers).
        exact: shape (n_numbers,), which numbers the machine hardly changes.
        quantity: shape (n_numbers,), the quantity of each number, in increasing order.
        values: of the run, shape (n_numbers,); NaN for what could not be read.
        counts: which of the run's differences count. Those of the training runs all do: if what is too small
            to matter were left out of them, the tail of their scores would be too thin.
    """
    known_here = ~np.isnan(values)
    read = taught.judged & known_here
    if not read.any():
        return None
    expected = expected_elsewhere(groups, taught, environment, values)
    counting = taught.judged & counts(values, expected.centre)
    contrast = np.where(counting, expected.contrast(values), 0.0)
    compared = elsewhere(contrast, held_out, exact, known_here)
    limits = compared.limits(alpha)
    share = np.divide(np.abs(contrast), limits, out=np.full(len(limits), np.inf), where=limits > 0)
    share = np.where(contrast == 0, 0.0, share)
    return RankedRun(
        expected,
        taught.judged,
        contrast,
        limits,
        np.unique(quantity[read]),
        largest_of_each(share[None, read], quantity[read])[0],
        compared.p_value,
        compared.stands_out(alpha),
        None if compared.p_value <= alpha else compared.needed(alpha),
    )
