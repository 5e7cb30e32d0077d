"""The experiments with notifications (thesis, section 5.7, Tables 5.36 to 5.41).

Each number is the count of notifications of one run that the classifier of section 4.6 flags: too early, too
late, unknown, missing, or repeated. The classifier uses the mean plus and minus four deviations.

A departure from the thesis: training runs may have different notifications. The printed classifier refuses
such runs, but a program with many threads never does the same work twice in a fixed time. So a notification
that some but not all training runs had is neither expected nor flagged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.classifiers import BandLimits, NotificationKind, compare_notifications, learn_notifications
from buto.judging.thesis.pipeline import numbers_fit
from buto.run.model import FloatArray, IntArray, Notification, Run, RunSet
from buto.run.properties import Property
from buto_replications.thesis import published
from buto_replications.thesis.evaluation import divided
from buto_replications.thesis.grids import HALF, SIMPLE, SPLITS


@dataclass(frozen=True, eq=False, slots=True)
class FlaggedNotifications:
    """The number of flagged notifications of each run.

    Attributes:
        first: shape (n_test_runs,), in the first split.
        of_runs: shape (n_runs,), the mean over the splits in which a run was judged; NaN if there is none.
    """

    first: IntArray
    of_runs: FloatArray

    def mean_and_deviation(self) -> tuple[float, float]:
        """Return mean and deviation (ddof 1) over the runs of the first split, as in Tables 5.38 and 5.41."""
        spread = float(self.first.std(ddof=1)) if len(self.first) > 1 else float("nan")
        return float(self.first.mean()), spread

    def mean_and_error(self) -> tuple[float, float]:
        """Return mean and standard error over all runs, each of them one observation."""
        known = self.of_runs[~np.isnan(self.of_runs)]
        if len(known) < 2:
            return float("nan"), float("nan")
        return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


@dataclass(frozen=True, eq=False, slots=True)
class NotifiedRuns:
    """One of the two experiments, beside the thesis's numbers."""

    thesis: published.Notified
    positive: FlaggedNotifications
    negative: FlaggedNotifications


def notified_runs(runs: Mapping[str, RunSet], seed: int) -> tuple[NotifiedRuns, ...]:
    """Return the experiments whose variants were recorded; splits are those of the other experiments."""
    experiments = []
    for notified in published.NOTIFIED:
        if notified.training in runs and notified.negative in runs:
            usable = {name: runs[name].valid().runs for name in (notified.training, notified.negative)}
            if min(map(len, usable.values())) >= 4:
                experiments.append(_evaluate(notified, usable, seed))
    return tuple(experiments)


def _evaluate(notified: published.Notified, runs: Mapping[str, Sequence[Run]], seed: int) -> NotifiedRuns:
    n_runs = min(map(len, runs.values()))
    counts = {name: np.full((SPLITS, n_runs), np.nan) for name in runs}
    splits = divided(list(runs), n_runs, (HALF, None), SPLITS, seed)
    for row, split in enumerate(splits):
        training = [
            runs[notified.training][number].notifications for number in split.training[notified.training]
        ]
        classifier = Classifier(training)
        for name in runs:
            for number in split.test[name]:
                counts[name][row, number] = classifier.flagged(runs[name][number].notifications)
    return NotifiedRuns(
        notified,
        *(_sum(counts[name], splits[0].test[name]) for name in (notified.training, notified.negative)),
    )


class Classifier:
    """Flags notifications of a run that differ from those of the training runs."""

    def __init__(self, training: Sequence[Sequence[Notification]]) -> None:
        self._model = learn_notifications(training, _band, strict=False)
        self._seen = {
            (notification.type, notification.source, notification.sequence)
            for emitted in training
            for notification in emitted
        }

    def flagged(self, run: Sequence[Notification]) -> int:
        """Return how many notifications of a run differ from those of the training runs."""
        return sum(
            difference.kind is not NotificationKind.UNMATCHED
            or (difference.type, difference.source, difference.sequence) not in self._seen
            for difference in compare_notifications(self._model, run)
        )


def _sum(counts: FloatArray, first: IntArray) -> FlaggedNotifications:
    judged = (~np.isnan(counts)).sum(axis=0)
    means = np.where(judged > 0, np.nansum(counts, axis=0) / np.maximum(judged, 1), np.nan)
    return FlaggedNotifications(counts[0, first].astype(np.int64), means)


def _band(values: FloatArray) -> BandLimits:
    n = values.shape[1]
    bounds = numbers_fit(values, [Property("time", "s")] * n, SIMPLE)
    return BandLimits(bounds.expected[0], bounds.lower[0], bounds.upper[0])
