"""What one check of the evaluation was about, and what it said: one row of ``judge.csv``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from buto.experiments.judging.checks import Check
from buto.experiments.judging.rates import Rate, rate


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
