"""A prediction beside the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import isnan

from buto.verdicts import Status
from buto_predict.deviations import NEGLIGIBLE


class Outcome(Enum):
    """A prediction beside the truth."""

    FOUND = "found"
    QUIET = "rightly quiet"
    MISSED = "missed"
    FALSE_ALARM = "false alarm"
    UNDECIDED = "inconclusive"


@dataclass(frozen=True, slots=True)
class Judged:
    """One version under one load.

    Attributes:
        version: its name.
        location: the component that was changed; empty for none.
        intensity: by how much.
        truth, predicted: the largest Cliff's delta of any endpoint; NaN if none could be predicted.
    """

    version: str
    location: str
    intensity: float
    load: str
    truth: float
    predicted: float
    status: Status

    @property
    def outcome(self) -> Outcome:
        """What the status is worth."""
        if self.status is Status.INCONCLUSIVE:
            return Outcome.UNDECIDED
        alarm = self.status is Status.REGRESSION
        if self.truth >= NEGLIGIBLE:
            return Outcome.FOUND if alarm else Outcome.MISSED
        return Outcome.FALSE_ALARM if alarm else Outcome.QUIET

    @property
    def agrees(self) -> bool:
        """Whether the predicted delta alone is on the right side, as the paper counts; not without one."""
        return not isnan(self.predicted) and (self.predicted >= NEGLIGIBLE) == (self.truth >= NEGLIGIBLE)


def counts(judged: Iterable[Judged]) -> str:
    """Return how many there are of each outcome, in words."""
    found = Counter(one.outcome for one in judged)
    return ", ".join(f"{found[outcome]} {outcome.value}" for outcome in Outcome if found[outcome]) or "none"
