"""One test while its runs come in: how many more are needed, and whether they are judged or learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from buto import oracle
from buto.actions.advice import Door
from buto.actions.kept import Watched
from buto.actions.stored import Known
from buto.errors import ButoError, JudgeError, UsageError
from buto.judging.alarms import N_CHECKED
from buto.judging.verdict import Status
from buto.measure.target import NOT_IN_TRAINING
from buto.oracle import Checked
from buto.project.model import TestConfig
from buto.run.model import PROGRAM, PURPOSE, MetadataValue, Run, RunSet, run_set
from buto.run.properties import LIVE_OBJECTS
from buto.run.window import PROGRAM_END
from buto.steps import Action

ENOUGH_JUDGED = 5
"""So many judged runs are learned from without further launches; fewer make an oracle that detects little."""


@dataclass(frozen=True, slots=True)
class Case:
    """The state of one test; :meth:`with_runs` gives the next one.

    Attributes:
        test: what to launch, and how to judge it.
        purpose: what the next runs are recorded for, see :data:`buto.run.model.PURPOSE`.
        planned: how many usable runs are wanted, as known so far.
        known: the oracle that judges the runs; None if they train an oracle.
        confirms: whether a single run that does not pass is confirmed by more.
        accepts: whether runs that do not pass are learned from, with others if they are too few.
        path: the file of the oracle that is learned; None if nothing is.
        replaced: the oracle that what is learned replaces; None without one.
        adaptive: whether fewer runs than planned are enough if more would not sharpen what is learned.
        is_driven: whether a test of the user's starts the program, so that buto alone cannot.
        watched: the program before it was launched; None if it cannot be kept.
        continues: the id of the run whose session the first run continues; None if it begins one.
        runs: the runs that are judged or trained on together, including unusable ones.
        failure: why there will be no more runs; None unless the test was given up.
        checked: the runs as they were judged when they were as many as were planned; None before.
    """

    test: TestConfig
    purpose: str
    planned: int
    known: Known | None = None
    confirms: bool = False
    accepts: bool = False
    path: Path | None = None
    replaced: Known | None = None
    adaptive: bool = False
    is_driven: bool = False
    watched: Watched | None = None
    continues: str | None = None
    runs: tuple[Run, ...] = ()
    failure: ButoError | None = None
    checked: Checked | None = None

    @property
    def name(self) -> str:
        return self.test.name

    @property
    def missing(self) -> int:
        """Return how many more usable runs are needed."""
        return 0 if self.failure is not None else max(0, self.planned - len(self.valid()))

    @property
    def session(self) -> str | None:
        """Return the id of the first of the runs that belong together; None without a run.

        Runs that were judged are no part of the training that learns from them, too.
        """
        mine = (run for run in self.runs if not (self.replaced and run.metadata.get(PURPOSE) != self.purpose))
        return next((run.id for run in mine), self.continues)

    @property
    def like(self) -> Mapping[str, MetadataValue]:
        """Return metadata of the test's earlier runs; empty if there are none."""
        if self.runs:
            return self.runs[0].metadata
        known = self.known or self.replaced
        return {} if known is None else known.oracle.environment.values

    @property
    def remembered(self) -> Mapping[str, Any] | None:
        """Return how the oracle stores that the program is started; None if only the user's test can."""
        return None if self.is_driven else self.test.written

    @property
    def why_more(self) -> str:
        """Return in a clause why the missing runs follow one that was judged; empty if they do not."""
        return (self.checked.why_more or "") if self.checked is not None and self.missing else ""

    def valid(self) -> RunSet:
        return run_set([run for run in self.runs if run.quality.valid])

    def enough(self, more: RunSet) -> bool:
        """Return whether these runs and the existing ones are enough for an adaptive test."""
        return oracle.enough_runs(run_set([*self.valid(), *more]), self.test.settings)

    def with_runs(self, runs: Sequence[Run], failure: ButoError | None = None) -> Case:
        """Return the state after further runs, including disturbed ones."""
        together = (*self.runs, *runs)
        if self.replaced is not None:
            together = _of_one_program(together, self.purpose)
        case = replace(self, runs=together, failure=failure)
        if failure is not None:
            return case
        known = case.known
        if known is None:
            done = case.adaptive and case.missing and case.enough(run_set([]))
            return replace(case, planned=len(case.valid())) if done else case
        if case.missing:
            return case
        judged = oracle.judge(known.oracle, case.runs, self.checked)
        case = replace(case, checked=judged)
        if case.confirms and judged.why_more is not None:
            return replace(case, planned=case.planned + N_CHECKED - 1, confirms=False)
        if case.accepts and judged.verdict.status is not Status.PASS:
            again = accepted(case.test, known, case.runs)
            return replace(again, is_driven=case.is_driven, watched=case.watched)
        return case

    def judged(self) -> Checked:
        """Return the runs as they were judged."""
        if self.failure is not None:
            raise self.failure
        if self.checked is None:
            raise JudgeError(f"{self.name}: no run was recorded")
        return self.checked


def checked(test: TestConfig, known: Known, runs: int | None = None, *, accepts: bool = False) -> Case:
    """Return a test to be judged by this many runs; None for one run, which is confirmed if it fails."""
    # What a window without the end lacks is no sign that training gave up.
    has_end = test.window is None or test.window.end.mark == PROGRAM_END
    why_not = NOT_IN_TRAINING if has_end and LIVE_OBJECTS in known.oracle.fitted.left_out else ""
    test = _counting(test, gives_up=False, why_not=why_not)
    return Case(test, Action.CHECK.value, runs or 1, known, confirms=runs is None, accepts=accepts)


def learned(test: TestConfig, path: Path, watched: Watched | None = None) -> Case:
    """Return a test to be trained, with as many runs as it specifies."""
    case = Case(_counting(test, gives_up=True), Action.TRAIN.value, test.runs, path=path, watched=watched)
    return replace(case, adaptive=test.adaptive)


def accepted(
    test: TestConfig,
    replaced: Known,
    runs: Sequence[Run] = (),
    watched: Watched | None = None,
    *,
    n_wanted: int | None = None,
) -> Case:
    """Return a test to be learned again from these runs, and from launches where they are too few.

    Args:
        n_wanted: how many runs to learn from; None for these runs alone if they are ENOUGH_JUDGED, else
            for as many as training takes.
    """
    case = learned(test, replaced.path, watched)
    case = replace(case, purpose=Action.ACCEPT.value, replaced=replaced, runs=tuple(runs))
    n_runs = len(case.valid())
    fewest = max(oracle.fewest_runs(test.settings), min(ENOUGH_JUDGED, test.runs))
    is_enough = n_wanted is None and n_runs >= fewest
    return replace(case, planned=n_runs).with_runs(()) if is_enough else case.with_runs(())


def _counting(test: TestConfig, *, gives_up: bool, why_not: str = "") -> TestConfig:
    """Return a test with another rule for counting its live objects at the end, if they are counted.

    A training gives up if counting takes too long, and its checks do as it did: so runs that are compared are
    alike, and a leak that makes counting slow is still found.
    """
    live_set = test.target.live_set
    if live_set is None or live_set.is_during:
        return test
    live_set = replace(live_set, gives_up=gives_up, why_not=why_not)
    return replace(test, target=replace(test.target, live_set=live_set))


def _of_one_program(runs: tuple[Run, ...], purpose: str) -> tuple[Run, ...]:
    """Return the runs without those that were judged before if they are of another program than the new ones.

    Args:
        purpose: of the new ones.
    """
    new = tuple(run for run in runs if run.metadata.get(PURPOSE) == purpose)
    old = [run for run in runs if run.metadata.get(PURPOSE) != purpose]
    before, now = ({run.metadata.get(PROGRAM) for run in some} - {None} for some in (old, new))
    return new if before and now and before.isdisjoint(now) else runs


def check_number_of_runs(test: TestConfig, door: Door) -> None:
    """Raise UsageError, before any launch, if fewer runs are wanted than an oracle needs."""
    ten = door.setting("runs", "10")
    if test.adaptive and oracle.auto_runs(test.settings) is None:
        raise UsageError(
            f"{test.name}: runs: auto needs method: calibrated, got {test.settings.method}",
            advice=f"give a number of runs: {ten}; or leave out judge: method",
        )
    fewest = oracle.fewest_runs(test.settings)
    if test.runs < fewest:
        raise UsageError(
            f"{test.name}: an oracle needs at least {fewest} runs, got {test.runs}",
            advice=f"10 runs are a good number: {ten}",
        )
