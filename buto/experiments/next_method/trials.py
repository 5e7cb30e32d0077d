"""What one check of the evaluation was about, and what it said: one row of ``next.csv``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from buto.experiments.next_method.checks import Check, Way
from buto.experiments.next_method.rates import Rate, rate


@dataclass(frozen=True, slots=True)
class Trial:
    """One check.

    Attributes:
        part: which figure it belongs to.
        method: a preset.
        name: what trained, with its host.
        case: what was judged: another variant or version, or how unchanged runs were chosen.
        runs: the ids of the runs under test, in the order of their launches.
        times: for how many experiments it counts.
        check: what the method said.
    """

    part: str
    method: str
    name: str
    case: str
    runs: tuple[str, ...]
    times: int
    check: Check

    @property
    def first(self) -> str:
        """Of one program, all checks with this first run are one observation."""
        return f"{self.name}/{self.runs[0]}"


def share(trials: Iterable[Trial], way: Way, alpha: float, *, by_name: bool = False) -> Rate:
    """Return the share of checks that fail, with its standard error.

    Args:
        by_name: whether all checks of one program are one observation, instead of those of one first run.
    """
    return rate((one.name if by_name else one.first, one.check.fails(way, alpha)) for one in trials)
