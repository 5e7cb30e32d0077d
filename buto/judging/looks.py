"""When two programs that are launched in turns are compared, and what each comparison may decide.

Launches end as soon as the outcome is clear. The order of all launches is drawn before the first, so
that after any fixed number of them each way of dealing them out to the two programs is equally likely, given
how many each has had. So the p-value is exact at each look. It is multiplied by the number of looks that may
find a difference (Bonferroni); a look that finds none needs no such price, since it can only lose a finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Protocol

from buto.judging import rank
from buto.judging.rank import FEWEST_RUNS

SUSPICIOUS = 0.05
"""Largest p-value of three runs that turns follow. It may be larger than alpha, because the turns decide."""


class Strictness(Protocol):
    """Settings of a judge."""

    @property
    def alpha(self) -> float: ...

    @property
    def fail_on(self) -> str: ...


def smallest_p_value(n_first: int, n_second: int, settings: Strictness) -> float:
    """Return the p-value of the largest possible difference.

    With equally many runs of each program, every assignment has a mirror image with the same distance,
    unless only the worse direction counts.
    """
    mirrored = n_first == n_second and settings.fail_on == "any"
    return rank.smallest_p_value(comb(n_first + n_second, n_second), mirrored=mirrored)


def runs_needed(settings: Strictness, looks: int = 1) -> int:
    """Return the smallest number of runs of each program that can show a difference at their alpha.

    Args:
        looks: how often a difference may be found.
    """
    return rank.runs_needed(lambda n: looks * smallest_p_value(n, n, settings), settings.alpha)


@dataclass(frozen=True, slots=True)
class Look:
    """A number of launches after which the runs so far are compared.

    Attributes:
        n_runs: usable runs of both programs together.
        fewest: so many of each are needed; with fewer, this look is left out.
        passes: the p-value by rank above which no difference is expected any more.
        fails: whether a difference ends the launches here.
    """

    n_runs: int
    fewest: int
    passes: float
    fails: bool = True


FAILING_LOOKS = 2
"""How many of the looks may find a difference."""


def looks_of(settings: Strictness) -> tuple[Look, ...]:
    """Return when two programs in turns are compared; the last look always decides."""
    if settings.alpha < FAILING_LOOKS / rank.MOST_CHOICES:
        return (Look(2 * runs_needed(settings), FEWEST_RUNS, passes=0.0),)
    n_runs = runs_needed(settings, FAILING_LOOKS)
    return (
        Look(n_runs + 2, 3, passes=0.5, fails=False),
        Look(2 * n_runs + 1, FEWEST_RUNS, passes=0.25),
        Look(2 * n_runs + 8, FEWEST_RUNS, passes=0.0),
    )
