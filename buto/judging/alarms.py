"""What is known of a detector's errors: how often it fails an unchanged program, and what change it detects.

The first is counted on runs of the program itself (an A/A test). The second is the strength of a detector:
the smallest lasting change of each quantity that a check would detect.
"""

from __future__ import annotations

from math import ceil, floor, isfinite

import numpy as np
from msgspec import Struct

from buto.judging.binomial import at_least, largest_rate
from buto.run.model import FloatArray, IntArray
from buto.run.properties import Property
from buto.run.units import format_percent, format_quantity

IMPROBABLE = 0.025
"""How often an oracle that keeps its alpha is reported as one that does not."""

OFTEN = 0.5
"""A run that differs in this share of its splits is named."""


class Alarms(Struct, frozen=True, eq=False):
    """How often unchanged runs failed.

    Attributes:
        by_run: shape (n_runs,), of each run under test the share of its splits in which it failed; or of each
            environment the share of its runs.
    """

    by_run: FloatArray

    @property
    def rate(self) -> float:
        """Share of all splits that failed."""
        return float(self.by_run.mean())

    @property
    def error(self) -> float:
        """Standard error of the rate, clustered by run or environment; 0 if all had the same result."""
        return float(self.by_run.std(ddof=1) / np.sqrt(len(self.by_run)))

    @property
    def at_most(self) -> float:
        """The largest rate that this many runs leave possible (Clopper and Pearson, one-sided 97.5 %)."""
        n = len(self.by_run)
        return largest_rate(ceil(self.rate * n - 1e-9), n, IMPROBABLE)

    def exceeds(self, alpha: float) -> bool:
        """Return whether this many failures are unlikely for an oracle that keeps this alpha.

        By the binomial distribution of as many independent checks as there are runs. A run that fails in
        a part of its splits only counts in part, which scatters less: the test is a cautious one.
        """
        failed = floor(self.rate * len(self.by_run) + 1e-9)
        return failed > 0 and at_least(failed, len(self.by_run), alpha) < IMPROBABLE


class InOrder(Struct, frozen=True, eq=False):
    """False alarms of checks in the order of time: training runs in a row, judged runs later.

    Attributes:
        n_checks: how many checks were judged.
        turning: of checks that turns would follow.
        failing: of checks without turns that fail.
        n_sessions: number of sessions in which the runs were made; a longer pause separates two of them.
        later: of checks without turns, in a later session than all of their training, that fail; None if
            there is none.
    """

    n_checks: int
    turning: Alarms
    failing: Alarms
    n_sessions: int = 1
    later: Alarms | None = None


class Selftest(Struct, frozen=True, eq=False):
    """The result of a self-test.

    Attributes:
        n_training: how many runs trained each oracle.
        n_splits: number of splits for each run under test.
        alpha: the promised share.
        turning: of checks that turns would follow.
        failing: of checks without turns that fail. With turns, at most a share alpha of those fails that
            turns follow.
        followed: share of checks that two more runs would have followed.
        in_order: the same in the order of time; None if that was not measured.
        left_out: of checks without turns that fail, on each environment by runs of all others, one share
            for each environment; None if that was not measured.
        not_left_out: why environments are not in ``left_out``; empty if all are, or if the detector does not
            know environments.
    """

    n_training: int
    n_splits: int
    alpha: float
    turning: Alarms
    failing: Alarms
    followed: float
    in_order: InOrder | None = None
    left_out: Alarms | None = None
    not_left_out: tuple[str, ...] = ()

    def often(self) -> IntArray:
        """Return the runs that differ in most of their splits, most often first."""
        order = np.argsort(-self.turning.by_run, kind="stable")
        often: IntArray = order[self.turning.by_run[order] >= OFTEN]
        return often


def runs_to_tell(alpha: float) -> int:
    """Return how many runs distinguish the rate of an oracle that keeps alpha from twice that rate.

    That is, a standard error of half the difference.
    """
    return ceil(4 * 2 * alpha * (1 - 2 * alpha) / alpha**2)


TIMES_LEVEL = 10.0
"""Changes are searched up to this many times a quantity's level."""


class Strength(Struct, frozen=True):
    """The smallest change of one quantity that a check would detect.

    Attributes:
        quantity: the property; its unit is that of the numbers below.
        level: of the training runs: the mean of their means, or of a counter's totals.
        more, less: the smallest change in each direction that is detected in nine tenths of checks;
            infinite if no reasonable change is, such as one below zero.
        usual: whether everybody wants to know of this quantity.
    """

    quantity: Property
    level: float
    more: float
    less: float
    usual: bool = True

    @property
    def smallest(self) -> float:
        """The smaller of both."""
        return min(self.more, self.less)


class Strengths(Struct, frozen=True):
    """The strength of a detector.

    Attributes:
        found: one for each quantity; only for the usual ones unless all were requested and are not too many.
        n_quantities: number of all quantities.
        too_many: whether only the usual ones are found because finding all would take too long.
    """

    found: tuple[Strength, ...] = ()
    n_quantities: int = 0
    too_many: bool = False


def smallest_change(more: float, less: float, level: float, unit: str) -> str:
    """Return the smallest detected change, as ``±838 KiB (13.5 %)``; empty if none is detected."""
    sign, size = ("±", max(more, less)) if isfinite(more) and isfinite(less) else ("+", more)
    if not isfinite(size):
        sign, size = "-", less
    if not isfinite(size):
        return ""
    share = f" ({format_percent(size / abs(level))})" if level else ""
    return f"{sign}{format_quantity(size, unit)}{share}"
