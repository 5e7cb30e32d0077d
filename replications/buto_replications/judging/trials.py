"""Trials: what each check of the evaluation was about, and what it said; a row of ``judge.csv``.

A share of trials has a standard error that is clustered by run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import nan

import numpy as np

from buto_replications.judging.checks import Check


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of trials.

    Attributes:
        value: NaN if there are no trials.
        error: standard error; all trials with the same first run under test are one observation.
        n_trials, n_runs: how many there are.
    """

    value: float
    error: float
    n_trials: int
    n_runs: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


def rate(values: Iterable[tuple[str, bool]]) -> Rate:
    """Return the share of true values, with the linearised standard error of a ratio over clusters.

    Args:
        values: the cluster of each, and whether it is true.
    """
    listed = list(values)
    if not listed:
        return Rate(nan, nan, 0, 0)
    names, place = np.unique([name for name, _ in listed], return_inverse=True)
    true = np.array([value for _, value in listed], dtype=float)
    share = float(true.mean())
    residual = np.bincount(place, weights=true) - share * np.bincount(place)
    n = len(names)
    error = float(np.sqrt(n / (n - 1) * (residual**2).sum()) / len(listed)) if n > 1 else nan
    return Rate(share, error, len(listed), n)


@dataclass(frozen=True, slots=True)
class Trial:
    """One check.

    Attributes:
        part: which figure it belongs to.
        name: what trained, with its host.
        case: what was judged: another variant or version, or how unchanged runs were chosen.
        runs: the ids of the runs under test, in the order of their launches.
        times: for how many experiments it counts.
        check: what the judge said.
        named: the property that a failure names first; empty without one.
    """

    part: str
    name: str
    case: str
    runs: tuple[str, ...]
    times: int
    check: Check
    named: str = ""

    @property
    def first(self) -> str:
        """Of one program, all checks with this first run are one observation."""
        return f"{self.name}/{self.runs[0]}"


def share(trials: Iterable[Trial], is_true: Callable[[Check], bool], *, by_name: bool = False) -> Rate:
    """Return the share of checks of which something is true, with its standard error.

    Args:
        by_name: whether all checks of one program are one observation, instead of those of one first run.
    """
    return rate((one.name if by_name else one.first, is_true(one.check)) for one in trials)
