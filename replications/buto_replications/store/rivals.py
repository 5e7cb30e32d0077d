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
from buto_replications.store.measured import Evaluation
from buto_replications.store.recorded import Index
from buto_replications.store.simulated import Judged, Outcome


@dataclass(frozen=True, slots=True)
class Right:
    """How often a method is right.

    Attributes:
        found, quiet: right verdicts on versions with and without a measured regression under a load, and how
            many there are.
        unchanged: the same of versions that must never be a regression.
    """

    method: str
    found: tuple[int, int]
    quiet: tuple[int, int]
    unchanged: tuple[int, int]


def rivals(directory: Path, index: Index, tests: Tests, measured: Evaluation) -> Iterator[Right]:
    """Yield how often each rival is right by component tests alone.

    Args:
        measured: tells which versions have a regression under which loads; each load counts.
    """
    old = component_tests(directory, index.old, tests)
    names = {one.version for one in (*measured.changed, *measured.unchanged)}
    new = {name: component_tests(directory, name, tests) for name in names}
    for rival in RIVALS:
        slower = {name for name, results in new.items() if fails(rival, old, results)}
        yield _right(rival.title, measured, slower)


def right_by_prediction(found: Evaluation) -> Right:
    """Return how often the prediction is right; inconclusive is not."""
    return _counted("prediction", found, lambda one: one.outcome in (Outcome.FOUND, Outcome.QUIET))


def _right(title: str, found: Evaluation, alarms: Collection[str]) -> Right:
    return _counted(title, found, lambda one: (one.version in alarms) is (one.truth >= NEGLIGIBLE))


def _counted(title: str, found: Evaluation, is_right: Callable[[Judged], bool]) -> Right:
    groups = (
        [one for one in found.changed if one.truth >= NEGLIGIBLE],
        [one for one in found.changed if one.truth < NEGLIGIBLE],
        found.unchanged,
    )
    bad, fine, same = ((sum(map(is_right, some)), len(some)) for some in groups)
    return Right(title, bad, fine, same)


def fails(rival: Rival, old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> bool:
    """Return whether any test of both versions is slower by this rival; faster ones are no alarm."""
    after = {one.name: one.times_s for one in new}
    both = [(one.times_s, after[one.name]) for one in old if one.name in after]
    n_old, n_new = (min(len(pair[place]) for pair in both) for place in (0, 1))
    prior = np.column_stack([before[:n_old] for before, _ in both])
    mean = np.array([[now[:n_new].mean() for _, now in both]])
    return bool(rival.worst(prior, np.maximum(mean, prior.mean(axis=0)), n_new)[0] > rival.limit)
