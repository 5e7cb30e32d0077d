"""The labelled histories on which the engine is measured, each with the rows of tables to measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.detectors.history.engine import N_FOLDS, Examples
from buto_replications.detectors.history.learners import require_learners
from buto_replications.history.recorded import Program, bed_faults, groups_of, programs, releases
from buto_replications.history.replay import History, Plan, replayed
from buto_replications.history.series import in_order, recorded_series
from buto_replications.history.synthetic import PAPER_SIZE, synthetic_history
from buto_replications.history.tables import Measured, Trial, measured, paper_trials, replay_trials

PROGRAMS = "replayed programs"

BED_PLAN = Plan(versions=2000, repeats=1, runs=1, fewest_changed=1)
"""There is one run of each fault at each intensity."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelledHistory:
    """A history and what is measured on it."""

    name: str
    examples: Examples
    trials: tuple[Trial, ...]

    def __str__(self) -> str:
        n_rows, n_columns = self.examples.target.shape
        n_groups = len(set(self.examples.group.tolist()))
        return (
            f"{self.name}: {n_rows} rows of {n_groups} groups, {n_columns} numbers each, "
            f"{self.examples.abnormal.mean():.1%} abnormal; {N_FOLDS} folds that divide no configuration"
        )

    def measured(self, trial: Trial, seed: int) -> Measured:
        """Return what a trial yields."""
        return measured(self.examples, trial, seed, N_FOLDS)


def histories(data: Path | None, seed: int) -> Iterator[LabelledHistory]:
    """Yield the made-up history and the replayed ones; all data sets are read before the first.

    Args:
        data: the directory of the packed data sets; None for those of buto's repository.

    Raises:
        UsageError: scikit-learn is not installed.
        BadFileError: a data set is missing or damaged.
    """
    require_learners()
    place = checkout.recorded(data, DATA)
    some, libraries, series, faults = (
        programs(place),
        releases(place),
        recorded_series(place),
        bed_faults(place),
    )
    yield LabelledHistory("made up", synthetic_history(PAPER_SIZE, seed), tuple(paper_trials()))
    plan = Plan()
    replay = _replayed(some, plan, seed)
    yield _deviating(PROGRAMS, replay)
    yield LabelledHistory(PROGRAMS, replay.examples, tuple(paper_trials()))
    yield _deviating("releases of libraries", _replayed(libraries, plan, seed))
    yield _deviating("series of releases", in_order(series))
    yield _deviating("faults of Keycloak", _replayed(faults, BED_PLAN, seed))


def _replayed(recorded: Sequence[Program], plan: Plan, seed: int) -> History:
    usable = [one for one in recorded if plan.pools_of(one.good, one.changed)]
    return replayed(groups_of(usable), plan, seed)


def _deviating(name: str, history: History) -> LabelledHistory:
    return LabelledHistory(f"{name}, as deviations", history.deviating, tuple(replay_trials(history)))
