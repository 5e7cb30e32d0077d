"""Flagged notifications, by hand."""

import numpy as np
import pytest

from buto.run.model import Notification, RunSet
from buto_replications.thesis.notifications import Classifier, Flagged, notified_runs
from replications.tests.support.variants import a_data_set, variant_run


def emitted(*times_s):
    """Notifications 1, 2, 3 and so on."""
    return tuple(
        Notification(time_s, "milestone", "bean", number, "") for number, time_s in enumerate(times_s, 1)
    )


TRAINING = [emitted(1.0, 2.0), emitted(1.2, 2.2, 3.0), emitted(1.1, 2.1)]
"""Number 1 comes at 1.1 s with a deviation of .1 s, number 2 a second later, number 3 in one run only."""


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (emitted(1.1, 2.1), 0),
        (emitted(1.49, 2.49), 0),
        (emitted(1.51, 2.1), 1),
        (emitted(0.69, 2.51), 2),
        (emitted(1.1), 1),
        (emitted(), 2),
        # What one training run had is neither expected nor flagged; what none had is flagged.
        (emitted(1.1, 2.1, 9.0), 0),
        (emitted(1.1, 2.1, 3.0, 4.0), 1),
        ((*emitted(1.1, 2.1), *emitted(1.1)), 1),
    ],
)
def test_counted_by_hand(run, expected):
    assert Classifier(TRAINING).flagged(run) == expected


def test_means_deviations_and_errors():
    flagged = Flagged(np.array([1, 3]), np.array([1.0, 2.0, np.nan, 3.0, 2.0]))
    assert flagged.mean_and_deviation() == (2.0, pytest.approx(np.sqrt(2)))
    assert flagged.mean_and_error() == (2.0, pytest.approx(np.sqrt(2 / 3) / 2))


def test_both_experiments_of_the_thesis():
    different, similar = notified_runs(a_data_set(12), seed=1)
    assert different.thesis.figure == "5.11" and similar.thesis.figure == "5.12"
    # Milestones of another variant come at other times; those of the same are within four deviations.
    assert different.positive.mean_and_deviation()[0] < 1 < 5 < different.negative.mean_and_deviation()[0]
    assert len(different.positive.first) == len(different.negative.first) == 6


def test_splits_are_reproducible_and_too_few_runs_say_nothing():
    runs = a_data_set(8, ("consumerproducer-v0", "consumerproducer-v4"))
    one, other = notified_runs(runs, seed=2), notified_runs(runs, seed=2)
    assert [list(each.positive.of_runs) for each in one] == [list(each.positive.of_runs) for each in other]
    few = {name: RunSet(tuple(variant_run(name, number) for number in range(3))) for name in runs}
    assert notified_runs(few, seed=2) == ()
