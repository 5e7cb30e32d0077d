"""Plain rivals of the prediction: a version is bad if a component test is slower, whatever calls it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from buto_predict.deviations import NEGLIGIBLE
from buto_predict.results.model import ComponentResult
from buto_replications.rivals import RIVALS, Rival
from buto_replications.store.evaluation import Tests, component_tests
from buto_replications.store.measured import RecordingEvaluation
from buto_replications.store.recorded import RecordingIndex
from buto_replications.store.simulated import JudgedVersion, VersionOutcome


@dataclass(frozen=True, slots=True)
class Right:
    """How often a method is right.

    Attributes:
        regressions, quiet: right verdicts on versions with and without a measured regression under a load,
            and how many there are.
        unchanged: the same of versions that must never be a regression.
    """

    method: str
    regressions: tuple[int, int]
    quiet: tuple[int, int]
    unchanged: tuple[int, int]


def rivals(
    directory: Path, index: RecordingIndex, tests: Tests, measured: RecordingEvaluation
) -> Iterator[Right]:
    """Yield how often each rival is right by component tests alone.

    Args:
        measured: tells which versions have a regression under which loads; each load counts.
    """
    old = component_tests(directory, index.old, tests)
    names = {version.version for version in (*measured.changed, *measured.unchanged)}
    new = {name: component_tests(directory, name, tests) for name in names}
    for rival in RIVALS:
        slower = {name for name, results in new.items() if fails(rival, old, results)}
        yield _right(rival.title, measured, slower)


def right_by_prediction(evaluation: RecordingEvaluation) -> Right:
    """Return how often the prediction is right; inconclusive is not."""
    return _count(
        "prediction",
        evaluation,
        lambda version: version.outcome in (VersionOutcome.FOUND, VersionOutcome.QUIET),
    )


def _right(title: str, evaluation: RecordingEvaluation, alarms: Collection[str]) -> Right:
    return _count(
        title, evaluation, lambda version: (version.version in alarms) is (version.truth >= NEGLIGIBLE)
    )


def _count(title: str, evaluation: RecordingEvaluation, is_right: Callable[[JudgedVersion], bool]) -> Right:
    groups = (
        [version for version in evaluation.changed if version.truth >= NEGLIGIBLE],
        [version for version in evaluation.changed if version.truth < NEGLIGIBLE],
        evaluation.unchanged,
    )
    bad, fine, same = ((sum(map(is_right, some)), len(some)) for some in groups)
    return Right(title, bad, fine, same)


def fails(rival: Rival, old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> bool:
    """Return whether any test of both versions is slower by this rival; faster ones are no alarm."""
    after = {result.name: result.times_s for result in new}
    both = [(result.times_s, after[result.name]) for result in old if result.name in after]
    n_old, n_new = (min(len(pair[place]) for pair in both) for place in (0, 1))
    prior = np.column_stack([before[:n_old] for before, _ in both])
    mean = np.array([[now[:n_new].mean() for _, now in both]])
    return bool(rival.worst(prior, np.maximum(mean, prior.mean(axis=0)), n_new)[0] > rival.limit)
