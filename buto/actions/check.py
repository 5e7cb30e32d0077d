"""Checking: launch tests, or take stored runs, and judge them by their oracles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import Struct, structs

from buto.actions.advice import changed_settings, settings_warning
from buto.actions.commit_programs import base_of_change, keep_checked, watch_build
from buto.actions.decide import JudgedTest, result_of
from buto.actions.events import Reporter, Told, Warned, ignore
from buto.actions.git import divide
from buto.actions.launcher import Launcher
from buto.actions.monitor import watch_builds
from buto.actions.mood import with_mood
from buto.actions.outcome import CallOutcome, conclude, keep
from buto.actions.plan import PlanProgress, plan_check, procedure_of
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete, group_sharing
from buto.actions.release import anchor_of
from buto.actions.stored import load_runs_of_one_program, name_training, training_run_s
from buto.actions.turns import (
    Dispute,
    TurnsResult,
    can_turn,
    find_reason,
    judge_by_oracle,
    reason_against,
    reason_since_training,
    run_turns,
)
from buto.actions.unwritten import warn_of_launches
from buto.actions.waivers import find_waivers
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import JudgeError, UsageError
from buto.measure.host import probe_of
from buto.measure.target import Extra
from buto.oracle import AGENT_KEY, Oracle
from buto.project.model import NoGrowth, TestConfig
from buto.report.result import LeftOut, Result
from buto.run.model import Run
from buto.run.units import format_count, format_seconds
from buto.steps import Action, Advice, Step


class CheckRequest(Struct, frozen=True):
    """What to check.

    Attributes:
        names: tests; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: how many runs to judge together; None for one, and two more if it does not pass.
        from_runs: stored runs to judge instead of launching, as :func:`load_stored_runs` has it.
        changed_since: a git revision; tests whose inputs have not changed since are left out.
        with_training: whether the report shows the training runs, which take time to load.
        always_turns: whether turns follow each first run, to try them.
        extra: what the agent uses on top of the present program, to try whether the check finds it; of
            :mod:`buto.actions.live` only.
        release: whether the sum since the last release is judged: in turns with its program.
        never_grows: over how many rounds nothing may grow; None for what the configuration says.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    from_runs: str | None = None
    changed_since: str | None = None
    with_training: bool = False
    always_turns: bool = False
    extra: Extra | None = None
    release: bool = False
    never_grows: int | None = None


def check(project: Project, request: CheckRequest, reporter: Reporter = ignore) -> CallOutcome:
    """Judge tests by their oracles. If one test cannot be judged, the others still are.

    Returns:
        A result for each test; it is also in the history.

    Raises:
        UsageError, BadFileError: see :class:`Project`.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action = Action.CHECK
    overrides = request.overrides
    names = project.names(request.names, action, overrides)
    if request.release and request.from_runs is not None:
        raise UsageError("a release is judged in turns, which stored runs are not")
    names, left_out = divide(project, names, request.changed_since, reporter)
    launcher = project.launcher(reporter)
    every = [
        with_mood(launcher.workspace, project.load_known(name, action, overrides.alpha)) for name in names
    ]
    for known in every:
        ours = project.find_test(known.oracle.test)
        if ours is not None:
            warn_of_settings(launcher.workspace, known.oracle, ours, overrides.alpha, reporter)
            if request.from_runs is None:
                warn_of_launches(known.oracle, ours, overrides, reporter)
        # A trailer in a wrong form is an error before anything is launched.
        find_waivers(launcher.workspace, known.oracle)
    tests: list[TestConfig] = []
    if request.from_runs is None:
        tests = [project.test(known.oracle.test, action, overrides, known.oracle) for known in every]
        if request.never_grows is not None:
            tests = [replace(test, no_growth=_no_growth(test, request.never_grows)) for test in tests]
        if request.extra is not None:
            # What is tried is whether the check sees what the agent adds.
            tests = [
                replace(test, target=replace(test.target, extra=request.extra), no_growth=None)
                for test in tests
            ]
    return _Checking(launcher, request, every, tests, left_out).carry_out()


def _no_growth(test: TestConfig, rounds: int) -> NoGrowth:
    configured = test.no_growth or NoGrowth()
    return structs.replace(configured, rounds=rounds)


class _Checking(Struct, frozen=True, eq=False):
    """What a request means in its project, with all that launches and verdicts need.

    Attributes:
        known: the oracles of the tests.
        tests: how to launch them, in the same order; empty if stored runs are judged.
        left_out: see :class:`CallOutcome`.
    """

    launcher: Launcher
    request: CheckRequest
    known: Sequence[KnownOracle]
    tests: Sequence[TestConfig]
    left_out: Sequence[LeftOut] | None

    def _plan(self, test: TestConfig, known: KnownOracle) -> PlanProgress:
        workspace, report = self.launcher.workspace, self.launcher.report
        watched = watch_build(workspace, test, known.path)
        if not self.request.release:
            return plan_check(
                test,
                known,
                self.request.runs,
                always_turns=self.request.always_turns,
                look_over_builds=watch_builds(workspace, known.oracle, report),
                base=base_of_change(workspace, known.oracle, test, known.path, report),
                watched=watched,
            )
        plan = partial(plan_check, test, known, self.request.runs, always_turns=True, watched=watched)
        try:
            return plan(base=anchor_of(workspace, known.oracle, test, report))
        except JudgeError as error:
            return structs.replace(plan(), failure=error)

    def carry_out(self) -> CallOutcome:
        """Launch the tests or load their runs, judge them, and return the outcome."""
        launcher = self.launcher
        if self.request.from_runs is None:
            pairs = zip(self.tests, self.known, strict=True)
            cases = [self._plan(test, known) for test, known in pairs]
            _warn_of_another_agent(launcher, cases)
            _tell_what_is_ahead(launcher, cases)
            cases = complete(launcher, cases)
            turns = run_turns(launcher, _disputes(cases, launcher.workspace.root))
            results = [
                finish(launcher, case, with_training=self.request.with_training, turns=turns.get(case.name))
                for case in cases
            ]
        else:
            stored = [_load_new_runs(launcher, known.oracle, self.request.from_runs) for known in self.known]
            results = [
                result_of(
                    launcher,
                    JudgedTest(
                        known, from_runs=self.request.from_runs, with_training=self.request.with_training
                    ),
                    runs,
                    partial(judge_by_oracle, known.oracle, runs),
                )
                for known, runs in zip(self.known, stored, strict=True)
            ]
        outcome = replace(conclude(Action.CHECK, results), left_out=self.left_out)
        keep(launcher, outcome)
        return outcome


def _load_new_runs(launcher: Launcher, known: Oracle, which: str) -> list[Run]:
    """Return the stored runs that a user named, without those that trained the oracle if there are others.

    What the oracle has learned passes whatever it is, and would hide beside it what is new.
    """
    named = load_runs_of_one_program(launcher.workspace, known.test, which, launcher.report)
    new = [run for run in named if run.id not in known.run_ids]
    if not new:
        these = "the run" if len(named) == 1 else f"the {len(named)} runs"
        text = Advice(
            "to check the program as it is now: ",
            Step(Action.CHECK, known.test),
            fact=f"{these} trained the oracle, so their verdict tells nothing",
        )
        launcher.report(Warned(known.test, text))
        return named
    if len(new) < len(named):
        trained = f"{len(named) - len(new)} of {format_count(len(named), 'named run')} trained the oracle"
        launcher.report(Warned(known.test, f"{trained}, and left out"))
    return new


def _warn_of_another_agent(launcher: Launcher, cases: Sequence[PlanProgress]) -> None:
    """Say before the launches which oracles another build of buto's agent has trained: turns follow."""
    for case in cases:
        known = None if case.check is None else case.check.known.oracle
        if known is None or known.fitted.judges_environments or not known.metadata.is_deciding(AGENT_KEY):
            continue
        trained = known.environment.values.get(AGENT_KEY)
        now = probe_of(case.test.target.collector)
        if None not in (trained, now) and trained != now:
            text = Advice(
                "another build of buto's agent trained the oracle, so each check takes turns until you train "
                "again with the program as it was: ",
                Step(Action.TRAIN, case.name, plain=True),
            )
            launcher.report(Warned(case.name, text))


def _tell_what_is_ahead(launcher: Launcher, cases: Sequence[PlanProgress]) -> None:
    """Say which launches follow at least and at most, and how long they take if the training runs tell."""
    launched = [case for case in cases if case.failure is None]
    ahead = [(case, case.check) for case, *_ in group_sharing(launched) if case.check is not None]
    if not ahead:
        return
    first = ahead[0][1].procedure.ahead
    runs, more = first.first, first.more
    tests = [(case, policy.known.oracle) for case, policy in ahead]
    turns = [
        procedure_of(known, can_turn=can_turn(launcher.workspace, known, case.test)).ahead.turns
        for case, known in tests
    ]
    steps = [
        format_count(runs, "run"),
        f"{more} more if it looks different" if more else "",
        f"then old and new in turns, at most {max(turns)} + {max(turns)} runs" if any(turns) else "",
    ]
    rounds = {test.no_growth.rounds for case, _ in tests if (test := case.test).no_growth is not None}
    if rounds:
        number = f"{max(rounds)} " if len(tests) == 1 else ""
        where = "" if len(tests) == 1 else " where nothing may grow"
        steps.append(f"then 1 more whose {number}rounds are counted{where}")
    took_s = [training_run_s(launcher.workspace, known) for _, known in tests]
    known_s = [seconds for seconds in took_s if seconds is not None]
    if len(known_s) == len(took_s):
        counted_s = sum(
            one_s for (case, _), one_s in zip(tests, known_s, strict=True) if case.test.no_growth is not None
        )
        least_s = runs * sum(known_s) + counted_s
        most_s = counted_s + sum(
            (runs + more + 2 * n) * one_s for n, one_s in zip(turns, known_s, strict=True)
        )
        least, most = format_seconds(least_s), format_seconds(most_s)
        steps.append(f"{least} to {most} if each takes as long as in training")
    alone = ahead[0][0].name if len(ahead) == 1 else ""
    each = "" if alone else f"{len(ahead)} programs, of each "
    launcher.report(Told(alone, each + ", ".join(filter(None, steps))))


def _disputes(cases: Sequence[PlanProgress], root: Path) -> list[Dispute]:
    """Return the tests whose runs do not decide."""
    disputes = []
    for case in cases:
        if case.failure is None and case.checked is not None and case.check is not None:
            why = find_reason(case.checked, case.check.procedure)
            known, base = case.check.known, case.check.base
            if base is not None and len(case.checked.runs.valid()):
                why = reason_against(base, why, case.checked)
            elif why is not None:
                why = reason_since_training(why, known.oracle, root)
            disputes += [] if why is None else [Dispute(case.test, case.checked, why, known.path, base)]
    return disputes


def finish(
    launcher: Launcher, case: PlanProgress, *, with_training: bool = False, turns: TurnsResult | None = None
) -> Result:
    """Report the verdict on the runs of a case and what they measured, or why they cannot be judged.

    Args:
        turns: what turns decided; None if they were not needed, or were not tried yet.
    """
    assert case.check is not None
    # A test that starts its program itself may start another one each time.
    test = None if case.plan.is_driven else case.test
    known = case.check.known
    judged = JudgedTest(
        known, test, case.check.base, with_training=with_training, limit_bytes=case.test.limit_bytes
    )
    result = result_of(launcher, judged, case.runs, case.judged, turns)
    if test is not None and result.error is None:
        keep_checked(
            launcher.workspace, known.oracle, test, known.path, case.check.watched, case.valid().runs
        )
    return result


def warn_of_settings(
    workspace: Workspace, known: Oracle, test: TestConfig, alpha: float | None, reporter: Reporter
) -> None:
    """Report settings of a test that differ from those with which its oracle was trained."""
    changed = changed_settings(known, test.settings, alpha)
    if changed:
        reporter(Warned(test.name, settings_warning(known.test, changed, name_training(workspace, known))))
