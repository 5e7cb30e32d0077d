"""One test while its runs come in: what to launch for it, by which policy, and what came so far.

A :class:`Plan` says what to launch. Its policy says what becomes of the runs: they are kept, train an oracle,
are checked as :mod:`buto.judging.procedure` has it, or are accepted. A :class:`PlanProgress` has the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field, structs

from buto import oracle
from buto.actions.base import Base
from buto.actions.kept import Watched
from buto.actions.workspace import KnownOracle
from buto.errors import ButoError, JudgeError, UsageError
from buto.judging import registry
from buto.judging.monitor import Alarm
from buto.judging.procedure import Do, Next, Procedure
from buto.judging.verdict import Status
from buto.measure.target import NOT_IN_TRAINING, Target
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import Unkept
from buto.project.model import TestConfig
from buto.run.model import PROGRAM, PURPOSE, MetadataValue, Run, RunSet, run_set
from buto.run.properties import LIVE_OBJECTS
from buto.run.window import PROGRAM_END
from buto.steps import Action, Advice, Setting

LookOverBuilds = Callable[[Oracle, Run], Alarm | None]


class Policy(Protocol):
    """What becomes of the runs of a test."""

    @property
    def existing(self) -> KnownOracle | None:
        """The oracle that the test has before its runs; None without one."""

    def advance(self, progress: PlanProgress) -> PlanProgress:
        """Return the state once runs came in, with as many wanted as are now known to be needed."""


class Keep(Struct, frozen=True):
    """Keeps the runs, and nothing else."""

    @property
    def existing(self) -> KnownOracle | None:
        return None

    def advance(self, progress: PlanProgress) -> PlanProgress:
        return progress


class Train(Struct, frozen=True):
    """Trains an oracle on the runs.

    Attributes:
        path: the file of the oracle.
        watched: the program before it was launched; None if it cannot be kept.
        adaptive: whether fewer runs than planned are enough if more would not sharpen what is learned.
        replaced: the oracle that what is learned replaces, for a change that is accepted; None in a training.
    """

    path: Path
    watched: Watched | None = None
    adaptive: bool = False
    replaced: KnownOracle | None = None

    @property
    def existing(self) -> KnownOracle | None:
        return self.replaced

    def advance(self, progress: PlanProgress) -> PlanProgress:
        if self.replaced is not None:
            progress = structs.replace(progress, runs=_of_one_program(progress.runs, progress.plan.purpose))
        done = self.adaptive and progress.missing and progress.is_enough_with(run_set([]))
        return structs.replace(progress, wanted=len(progress.valid())) if done else progress


class Check(Struct, frozen=True):
    """Judges the runs by an oracle, and has more of them launched as the procedure wants.

    Attributes:
        known: the oracle.
        procedure: the rule by which the runs are judged.
        accepts: whether runs that do not pass are learned from, with others if they are too few.
        watched: of a check that accepts, the program before it was launched.
        look_over_builds: returns the alarm over builds with this first run; None if no builds are compared.
        base: the old program of turns; None for that of the training.
    """

    known: KnownOracle
    procedure: Procedure
    accepts: bool = False
    watched: Watched | None = None
    look_over_builds: LookOverBuilds | None = None
    base: Base | None = None

    @property
    def existing(self) -> KnownOracle | None:
        return self.known

    def advance(self, progress: PlanProgress) -> PlanProgress:
        if progress.failure is not None or progress.missing:
            return progress
        # This may have waited for another buto, which was training.
        known = self.known.current()
        before = progress.checked if known is self.known else None
        judged = oracle.judge(known.oracle, progress.runs, before)
        if self.look_over_builds is not None and len(progress.valid()):
            judged = judged.with_alarm(self.look_over_builds(known.oracle, progress.valid().runs[0]))
        step = judged.next_step(self.procedure)
        steps = (*(progress.steps or (self.procedure.begin(),)), step)
        plan = structs.replace(progress.plan, policy=structs.replace(self, known=known))
        progress = structs.replace(progress, plan=plan, steps=steps, checked=judged.with_steps(steps))
        if step.do is Do.LAUNCH:
            return structs.replace(progress, wanted=progress.wanted + step.n)
        if self.accepts and judged.verdict.status is not Status.PASS:
            again = plan_acceptance(plan.test, known, progress.runs, self.watched)
            return structs.replace(again, plan=structs.replace(again.plan, is_driven=plan.is_driven))
        return progress


class Plan(Struct, frozen=True):
    """What to launch for one test.

    Attributes:
        test: how to launch it, and how to judge it.
        purpose: what the next runs are recorded for, see :data:`buto.run.model.PURPOSE`.
        policy: what becomes of them.
        is_driven: whether a test of the user's starts the program, so that buto alone cannot.
        place: called before each launch, returns how the program is launched where it stands then, see
            :class:`buto.actions.arms.Arm`; None for a program that stays where it is.
        marks: metadata that are written into each run.
        continues: the id of the run whose session the first run continues; None if it begins one.
    """

    test: TestConfig
    purpose: str
    policy: Policy = field(default_factory=Keep)
    is_driven: bool = False
    place: Callable[[], Target] | None = None
    marks: Mapping[str, MetadataValue] = field(default_factory=dict)
    continues: str | None = None

    @property
    def remembered(self) -> Mapping[str, Any] | None:
        """Return how the oracle stores that the program is started; None if only the user's test can."""
        return None if self.is_driven else self.test.written


class PlanProgress(Struct, frozen=True):
    """How far a plan is; :meth:`with_runs` gives the next state.

    Attributes:
        wanted: how many usable runs are wanted, as known so far.
        runs: the runs that are judged or trained on together, including unusable ones.
        failure: why there will be no more runs; None unless the test was given up.
        checked: the runs as they were judged when they were as many as were wanted; None before.
        steps: what was decided so far, and why.
    """

    plan: Plan
    wanted: int
    runs: tuple[Run, ...] = ()
    failure: ButoError | None = None
    checked: CheckedRuns | None = None
    steps: tuple[Next, ...] = ()

    @property
    def test(self) -> TestConfig:
        return self.plan.test

    @property
    def name(self) -> str:
        return self.plan.test.name

    @property
    def training(self) -> Train | None:
        """How an oracle is trained on the runs; None if none is."""
        policy = self.plan.policy
        return policy if isinstance(policy, Train) else None

    @property
    def check(self) -> Check | None:
        """How the runs are judged; None if they are not."""
        policy = self.plan.policy
        return policy if isinstance(policy, Check) else None

    @property
    def oracle_path(self) -> Path | None:
        """Return the file of the oracle that judges the runs or learns from them; None without one."""
        if self.check is not None:
            return self.check.known.path
        return None if self.training is None else self.training.path

    @property
    def is_acceptance(self) -> bool:
        return self.training is not None and self.training.replaced is not None

    @property
    def missing(self) -> int:
        """Return how many more usable runs are needed."""
        return 0 if self.failure is not None else max(0, self.wanted - len(self.valid()))

    @property
    def session(self) -> str | None:
        """Return the id of the first of the runs that belong together; None without a run.

        Runs that were judged are no part of the training that learns from them, too.
        """
        purpose = self.plan.purpose
        mine = (run for run in self.runs if not (self.is_acceptance and run.metadata.get(PURPOSE) != purpose))
        return next((run.id for run in mine), self.plan.continues)

    @property
    def like(self) -> Mapping[str, MetadataValue]:
        """Return metadata of the test's earlier runs; empty if there are none."""
        if self.runs:
            return self.runs[0].metadata
        known = self.plan.policy.existing
        return {} if known is None else known.oracle.environment.values

    @property
    def why_more(self) -> str:
        """Return in a clause why the missing runs follow one that was judged; empty if they do not."""
        return self.checked.verdict.needs_more if self.checked is not None and self.missing else ""

    def valid(self) -> RunSet:
        return run_set([run for run in self.runs if run.quality.valid])

    def is_enough_with(self, more: RunSet) -> bool:
        """Return whether these runs and the existing ones are enough for an adaptive test."""
        return oracle.enough_runs(run_set([*self.valid(), *more]), self.test.settings)

    def with_runs(self, runs: Sequence[Run], failure: ButoError | None = None) -> PlanProgress:
        """Return the state after further runs, including disturbed ones."""
        after = structs.replace(self, runs=(*self.runs, *runs), failure=failure)
        return self.plan.policy.advance(after)

    def judged(self) -> CheckedRuns:
        """Return the runs as they were judged."""
        if self.failure is not None:
            raise self.failure
        if self.checked is None:
            raise JudgeError(f"{self.name}: no run was recorded")
        return self.checked


def procedure_of(
    known: Oracle, runs: int | None = None, *, always_turns: bool = False, can_turn: bool | None = None
) -> Procedure:
    """Return the rule by which runs are judged, if the old program can be launched.

    Args:
        runs: how many are judged together; None for one, and two more if it is suspicious.
        always_turns: see :class:`buto.judging.procedure.Procedure`.
        can_turn: whether the old program can be launched; None for whether training kept it.
    """
    can_launch = not isinstance(known.program, Unkept) if can_turn is None else can_turn
    has_turns = can_launch and registry.detector(known.settings.method).settles_in_turns
    return Procedure(registry.alpha_of(known.settings), runs, has_turns, always_turns=always_turns)


def plan_runs(test: TestConfig, purpose: str, n: int) -> PlanProgress:
    """Plan so many usable runs of a test, which are kept for a purpose."""
    return PlanProgress(Plan(test, purpose), n)


def plan_check(
    test: TestConfig,
    known: KnownOracle,
    runs: int | None = None,
    *,
    purpose: Action = Action.CHECK,
    accepts: bool = False,
    always_turns: bool = False,
    look_over_builds: LookOverBuilds | None = None,
    base: Base | None = None,
    watched: Watched | None = None,
) -> PlanProgress:
    """Plan a check by this many runs; None for one run, and two more if it is suspicious."""
    # What a window without the end lacks is no sign that training gave up.
    has_end = test.window is None or test.window.end.mark == PROGRAM_END
    why_not = NOT_IN_TRAINING if has_end and LIVE_OBJECTS in known.oracle.fitted.left_out else ""
    test = _counting(test, gives_up=False, why_not=why_not)
    # What a base is for is turns, whatever the training has kept.
    can_turn = True if base is not None else None
    procedure = procedure_of(known.oracle, runs, always_turns=always_turns, can_turn=can_turn)
    policy = Check(known, procedure, accepts, watched, look_over_builds, base)
    return PlanProgress(Plan(test, purpose.value, policy), procedure.begin().n)


def plan_training(test: TestConfig, path: Path, watched: Watched | None = None) -> PlanProgress:
    """Plan a training with as many runs as the test specifies."""
    test = _counting(test, gives_up=True)
    return PlanProgress(Plan(test, Action.TRAIN.value, Train(path, watched, test.adaptive)), test.runs)


def plan_acceptance(
    test: TestConfig,
    replaced: KnownOracle,
    runs: Sequence[Run] = (),
    watched: Watched | None = None,
    *,
    n_wanted: int | None = None,
) -> PlanProgress:
    """Plan to learn a test again from these runs, and from launches where they are too few.

    Args:
        n_wanted: how many runs to learn from; None for these runs alone if they are as many as the oracle has
            learned from, else for as many as training takes, and never fewer than that.
    """
    test, n_before = _counting(test, gives_up=True), len(replaced.oracle.run_ids)
    policy = Train(replaced.path, watched, test.adaptive, replaced)
    n_planned = test.runs if n_wanted is not None else max(test.runs, n_before)
    progress = PlanProgress(Plan(test, Action.ACCEPT.value, policy), n_planned, tuple(runs))
    n_runs = len(progress.valid())
    fewest = max(oracle.fewest_runs(test.settings), n_before)
    is_enough = n_wanted is None and n_runs >= fewest
    return (structs.replace(progress, wanted=n_runs) if is_enough else progress).with_runs(())


def _counting(test: TestConfig, *, gives_up: bool, why_not: str = "") -> TestConfig:
    """Return a test with another rule for counting its live objects at the end, if they are counted.

    A training gives up if counting takes too long, and its checks do as it did: so runs that are compared are
    alike, and a leak that makes counting slow is still found.
    """
    live_set = test.target.live_set
    if live_set is None or live_set.is_during:
        return test
    live_set = structs.replace(live_set, gives_up=gives_up, why_not=why_not)
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


def check_number_of_runs(test: TestConfig) -> None:
    """Raise UsageError, before any launch, if fewer runs are wanted than an oracle needs."""
    ten = Setting("runs", "10")
    if test.adaptive and oracle.auto_runs(test.settings) is None:
        raise UsageError(
            f"{test.name}: runs: auto needs method: calibrated, got {test.settings.method}",
            advice=Advice("give a number of runs: ", ten, "; or leave out judge: method"),
        )
    fewest = oracle.fewest_runs(test.settings)
    if test.runs < fewest:
        raise UsageError(
            f"{test.name}: an oracle needs at least {fewest} runs, got {test.runs}",
            advice=Advice("10 runs are a good number: ", ten),
        )
