"""The experiments with notifications (thesis, section 5.7, Tables 5.36 to 5.41).

Each number is how many notifications of one run are flagged by the classifier of section 4.6: too early
or too late, unknown, missing, or twice. It learns with the mean plus and minus four deviations.

A departure: training runs need not have the same notifications. As printed, the classifier refuses them
otherwise, and what a program of many threads manages in a fixed time is never twice the same. So a
notification that some but not all training runs had is neither expected nor flagged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.pipeline import numbers_fit
from buto.analysis.timepoints import IntArray
from buto.classify.notifications import (
    Limits,
    NotificationKind,
    compare_notifications,
    learn_notifications,
)
from buto.experiments.thesis import published
from buto.experiments.thesis.evaluation import divided
from buto.experiments.thesis.grids import HALF, SIMPLE, SPLITS
from buto.properties import Property
from buto.runs import FloatArray, Notification, Run, RunSet


@dataclass(frozen=True, eq=False, slots=True)
class Flagged:
    """How many notifications of each run were flagged.

    Attributes:
        first: shape (n_test_runs,), in the first split.
        of_runs: shape (n_runs,), of each run the mean over the splits that it was judged in, NaN if none.
    """

    first: IntArray
    of_runs: FloatArray

    def mean_and_deviation(self) -> tuple[float, float]:
        """Over the runs of the first split, as in Tables 5.38 and 5.41; ddof 1."""
        spread = float(self.first.std(ddof=1)) if len(self.first) > 1 else float("nan")
        return float(self.first.mean()), spread

    def mean_and_error(self) -> tuple[float, float]:
        """Over all runs, each of them one observation."""
        known = self.of_runs[~np.isnan(self.of_runs)]
        if len(known) < 2:
            return float("nan"), float("nan")
        return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


@dataclass(frozen=True, eq=False, slots=True)
class NotifiedRuns:
    """One of the two experiments, beside the thesis's numbers."""

    thesis: published.Notified
    positive: Flagged
    negative: Flagged


def notified_runs(runs: Mapping[str, RunSet], seed: int) -> tuple[NotifiedRuns, ...]:
    """Both experiments, as far as their variants were recorded; same splits as in the other experiments."""
    found = []
    for one in published.NOTIFIED:
        if one.training in runs and one.negative in runs:
            usable = {name: runs[name].valid().runs for name in (one.training, one.negative)}
            if min(map(len, usable.values())) >= 4:
                found.append(_evaluated(one, usable, seed))
    return tuple(found)


def _evaluated(one: published.Notified, runs: Mapping[str, Sequence[Run]], seed: int) -> NotifiedRuns:
    n_runs = min(map(len, runs.values()))
    counts = {name: np.full((SPLITS, n_runs), np.nan) for name in runs}
    splits = divided(list(runs), n_runs, (HALF, None), SPLITS, seed)
    for row, split in enumerate(splits):
        training = [runs[one.training][number].notifications for number in split.training[one.training]]
        classifier = Classifier(training)
        for name in runs:
            for number in split.test[name]:
                counts[name][row, number] = classifier.flagged(runs[name][number].notifications)
    return NotifiedRuns(
        one, *(_summed(counts[name], splits[0].test[name]) for name in (one.training, one.negative))
    )


class Classifier:
    """What the training runs emitted, as a judge of other runs."""

    def __init__(self, training: Sequence[Sequence[Notification]]) -> None:
        self._model = learn_notifications(training, _band, _band, strict=False)
        self._seen = {(one.type, one.source, one.sequence) for emitted in training for one in emitted}

    def flagged(self, run: Sequence[Notification]) -> int:
        """How many notifications of a run are not as in the training runs."""
        return sum(
            difference.kind is not NotificationKind.UNMATCHED
            or (difference.type, difference.source, difference.sequence) not in self._seen
            for difference in compare_notifications(self._model, run)
        )


def _summed(counts: FloatArray, first: IntArray) -> Flagged:
    judged = (~np.isnan(counts)).sum(axis=0)
    means = np.where(judged > 0, np.nansum(counts, axis=0) / np.maximum(judged, 1), np.nan)
    return Flagged(counts[0, first].astype(np.int64), means)


def _band(values: FloatArray) -> Limits:
    n = values.shape[1]
    bounds = numbers_fit(values, [Property("time", "s")] * n, np.zeros(n), SIMPLE)
    return Limits(bounds.expected[0], bounds.lower[0], bounds.upper[0])
