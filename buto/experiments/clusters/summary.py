"""How many runs of each kind fail, by detector: what decides whether load cancels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from buto.experiments.bed.effects import HIGH
from buto.experiments.bed.labels import Labels
from buto.experiments.clusters.comparison import ALPHA, Outcome
from buto.verdicts import Status

OTHER_MIX = "writes"
"""In the label of a load with another mix of requests."""

OTHER_LOAD = "unchanged, other load in all"


@dataclass(frozen=True, slots=True)
class Kind:
    """Runs that should be judged alike.

    Attributes:
        title: what they are.
        changed: whether they have a fault.
        n_runs: how many there are.
        failed, inconclusive: by detector, how many of them are.
    """

    title: str
    changed: bool
    n_runs: int
    failed: Mapping[str, int]
    inconclusive: Mapping[str, int]

    @property
    def expected(self) -> float:
        """How many unchanged runs fail on average if the share alpha of them does."""
        return ALPHA * self.n_runs

    @property
    def standard_error(self) -> float:
        """Standard error of this number, if runs fail independently."""
        return sqrt(self.expected * (1 - ALPHA))


def kinds(found: Sequence[Outcome]) -> list[Kind]:
    """Return the kinds of these runs, in the order in which they appear.

    Runs under another load are counted in two kinds, and all together in a third.
    """
    of_title: dict[str, list[Outcome]] = {}
    for one in found:
        of_title.setdefault(_title(one.checked.labels), []).append(one)
    other = [one for one in found if one.checked.labels.role == "other-load"]
    if other:
        of_title[OTHER_LOAD] = other
    return [_kind(title, some) for title, some in of_title.items()]


def _title(labels: Labels) -> str:
    match labels.role:
        case "fault" | "steady-fault":
            return f"{labels.role}, {'high' if labels.fault.endswith(HIGH) else 'low'}"
        case "other-load":
            return "unchanged, another mix" if OTHER_MIX in labels.load else "unchanged, other rates"
        case "steady":
            return "unchanged, steady rates"
        case _:
            return "unchanged"


def _kind(title: str, some: Sequence[Outcome]) -> Kind:
    def count(status: Status) -> dict[str, int]:
        names = some[0].verdicts
        return {name: sum(one.verdicts[name].status is status for one in some) for name in names}

    changed = not title.startswith("unchanged")
    return Kind(title, changed, len(some), count(Status.REGRESSION), count(Status.INCONCLUSIVE))
