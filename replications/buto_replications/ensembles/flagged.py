"""What a method says of a run of the bed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.verdict import Status
from buto.run.properties import Property
from buto_replications.detectors.ensemble.rules import BoolArray


@dataclass(frozen=True, slots=True)
class Flagged:
    """What a method says of a run.

    Attributes:
        counters: the flagged ones; none if it cannot judge.
        status: of the whole test; None if the method cannot judge, for example another environment.
    """

    counters: frozenset[str]
    status: Status | None


NOT_JUDGED = Flagged(frozenset(), None)


def flagged(properties: Sequence[Property], which: BoolArray) -> Flagged:
    """Return these counters as flagged: a regression if there are any, else a pass."""
    names = frozenset(properties[place].name for place in np.flatnonzero(which).tolist())
    return Flagged(names, Status.REGRESSION if names else Status.PASS)
