"""Labelled runs of the past that are like the judged ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from buto.judging.likeness import distances, nearest
from buto.judging.readable import Level
from buto.run.labels import ACCEPT, Label, Labelling
from buto.run.model import FloatArray

MOST = 3
"""Labelled runs that are named."""

SMALLEST = 1e-3
"""Share of a level that a deviation is never less than."""


@dataclass(frozen=True, slots=True)
class LabelledRuns:
    """Runs of the past with one label.

    Attributes:
        at: start of the first.
        labelling: the label that counts.
        levels: property to the median of its level.
        before: the same of the runs that they were judged by; None if that is not known.
    """

    run_ids: tuple[str, ...]
    at: datetime
    labelling: Labelling
    levels: Mapping[str, float]
    before: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Like:
    """Labelled runs in which about the same changed as in the judged runs.

    Attributes:
        distance: 0 for the same change, 1 if no change at all would be as like.
    """

    run_ids: tuple[str, ...]
    at: datetime
    labelling: Labelling
    distance: float

    def __str__(self) -> str:
        reason = f": {self.labelling.reason}" if self.labelling.reason else ""
        return f"{self.at:%Y-%m-%d}, {kind_of(self.labelling)}{reason}"


def kind_of(labelling: Labelling) -> str:
    """Return in a word or two what a label says of a change."""
    if labelling.label is Label.BAD:
        return "regression"
    if labelling.command == ACCEPT:
        return "accepted"
    return "meant" if labelling.meant else "false alarm"


def likes(
    levels: Mapping[str, float], expected: Iterable[Level], labelled: Sequence[LabelledRuns]
) -> tuple[Like, ...]:
    """Return the labelled runs that changed like these, the nearest first; each text once.

    Args:
        levels: of the judged runs, property to the median of its level.
        expected: what the oracle expects, for the change of the judged runs and the scale of all changes.
    """
    known = [one for one in expected if np.isfinite([one.expected, one.deviation]).all()]
    names = [one.prop.name for one in known]
    centre = np.array([one.expected for one in known])
    unit = np.array([max(one.deviation, SMALLEST * abs(one.expected), 1e-300) for one in known])

    def change(to: Mapping[str, float], since: Mapping[str, float] | None) -> FloatArray:
        before = centre if since is None else np.array([since.get(name, np.nan) for name in names])
        after = np.array([to.get(name, np.nan) for name in names])
        found: FloatArray = (after - before) / unit
        return found

    if not known or not labelled:
        return ()
    ours = change(levels, None)
    others = np.array([change(one.levels, one.before) for one in labelled])
    far = distances(ours, others)
    found: dict[str, Like] = {}
    for place in nearest(ours, others, len(labelled)):
        one = labelled[place]
        like = Like(one.run_ids, one.at, one.labelling, float(far[place]))
        # A check and the acceptance after it say the same.
        found.setdefault(str(like), like)
    return tuple(found.values())[:MOST]
