"""Labelled runs of the past that are like the judged ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np
from msgspec import Struct

from buto.judging.features import TOTAL
from buto.judging.likeness import distances, nearest
from buto.judging.readable import Level
from buto.run.labels import ACCEPT, Label, Labelling
from buto.run.model import FloatArray
from buto.run.properties import Kind, Nature, nature_of

MOST = 3
"""Labelled runs that are named."""

SMALLEST = 1e-3
"""Share of a level that a deviation is never less than."""


class LabelledRuns(Struct, frozen=True):
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


class Like(Struct, frozen=True):
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
    levels: Mapping[str, float],
    expected: Iterable[Level],
    labelled: Sequence[LabelledRuns],
    before: Mapping[str, float] | None = None,
) -> tuple[Like, ...]:
    """Return the labelled runs that changed like these, the nearest first; each text once.

    Args:
        levels: of the judged runs, property to the median of its level.
        expected: what the oracle expects, for the scale of all changes.
        before: levels of the training runs, as ``levels``; None if they are not known. Then what the oracle
            expects takes their place, of the properties of which it expects the same number.
    """
    known = [level for level in expected if np.isfinite([level.expected, level.deviation]).all()]
    names = [level.prop.name for level in known]
    centre = np.array([level.expected if _is_level(level) else np.nan for level in known])
    unit = np.array([max(level.deviation, SMALLEST * abs(level.expected), 1e-300) for level in known])

    def change(to: Mapping[str, float], since: Mapping[str, float] | None) -> FloatArray:
        before = centre if since is None else np.array([since.get(name, np.nan) for name in names])
        after = np.array([to.get(name, np.nan) for name in names])
        steps: FloatArray = (after - before) / unit
        return steps

    if not known or not labelled:
        return ()
    ours = change(levels, before)
    others = np.array([change(runs.levels, runs.before) for runs in labelled])
    far = distances(ours, others)
    by_text: dict[str, Like] = {}
    for place in nearest(ours, others, len(labelled)):
        labelled_run = labelled[place]
        like = Like(labelled_run.run_ids, labelled_run.at, labelled_run.labelling, float(far[place]))
        # A check and the acceptance after it say the same.
        by_text.setdefault(str(like), like)
    return tuple(by_text.values())[:MOST]


def _is_level(expected: Level) -> bool:
    """Return whether this number of a run is its level, see :func:`buto.report.levels.levels`.

    Not the largest value of a gauge, for one: held against a mean, it would be a change where there is none.
    What is counted at the exit alone has one value, which is every number of it.
    """
    number = TOTAL if expected.prop.kind is Kind.COUNTER else "mean"
    return expected.number == number or nature_of(expected.prop) is Nature.LIVE
