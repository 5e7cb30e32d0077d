"""Checking: launch tests, or take stored runs, and judge them by their oracles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct, structs

from buto.actions.advice import is_of_process, next_steps, settings_warning
from buto.actions.base import Base, base_of_stored
from buto.actions.bases import base_of_change, keep_checked, watch_build
from buto.actions.events import Judged, Reporter, Told, Warned, ignore
from buto.actions.git import divide
from buto.actions.hooks import EXPLAINED, JUDGED
from buto.actions.launcher import Launcher
from buto.actions.limit import apply_limit, is_over_limit
from buto.actions.monitor import remember_alarm, search_step, watch_builds
from buto.actions.mood import remember_mood, with_mood
from buto.actions.no_growth import Examined, examine, recall, with_growth
from buto.actions.outcome import CallOutcome, conclude, keep, report_failure
from buto.actions.pins import with_places
from buto.actions.plan import PlanProgress, plan_check, procedure_of
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete, describe, group_sharing
from buto.actions.release import anchor_of
from buto.actions.stored import load_stored_runs, training_run_s, training_runs
from buto.actions.sums import budget_waivers, compute_used_budgets, divide_sum
from buto.actions.turns import (
    Dispute,
    TurnsResult,
    can_turn,
    find_reason,
    judge_by_oracle,
    load_turns,
    reason_against,
    reason_since_training,
    reason_stored,
    run_turns,
)
from buto.actions.unwritten import warn_of_launches
from buto.actions.waivers import apply_waivers, find_waivers
from buto.actions.without_turns import (
    NOT_FOR_NAMED,
    NOT_STORED,
    mark_without_turns,
    steps_without_turns,
    turns_for_stored,
)
from buto.actions.workspace import KnownOracle
from buto.errors import ButoError, JudgeError, StorageError, UsageError
from buto.judging.story import story_of
from buto.judging.verdict import Status, Waiver
from buto.measure.host import probe_of
from buto.measure.target import Extra
from buto.oracle import AGENT_KEY, CheckedRuns, Oracle
from buto.project.model import NoGrowth, TestConfig
from buto.report.check_report import check_report
from buto.report.panels import NO_RUNS
from buto.report.result import LeftOut, Result, reported
from buto.run.model import Run, RunSet, run_set
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
            warn_of_settings(known.oracle, ours, overrides.alpha, reporter)
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
    checking = _Checking(
        launcher,
        every,
        tests,
        request.runs,
        request.from_runs,
        request.with_training,
        request.always_turns,
        left_out,
        request.release,
    )
    return checking.carry_out()


def _no_growth(test: TestConfig, rounds: int) -> NoGrowth:
    configured = test.no_growth or NoGrowth()
    return structs.replace(configured, rounds=rounds)


class _Checking(Struct, frozen=True, eq=False):
    """What a request means in its project, with all that launches and verdicts need.

    Attributes:
        known: the oracles of the tests.
        tests: how to launch them, in the same order; empty if stored runs are judged.
        runs, from_runs, with_training, always_turns, release: see :class:`CheckRequest`.
        left_out: see :class:`CallOutcome`.
    """

    launcher: Launcher
    known: Sequence[KnownOracle]
    tests: Sequence[TestConfig]
    runs: int | None
    from_runs: str | None
    with_training: bool
    always_turns: bool
    left_out: Sequence[LeftOut] | None
    release: bool = False

    def _plan(self, test: TestConfig, known: KnownOracle) -> PlanProgress:
        workspace, report = self.launcher.workspace, self.launcher.report
        watched = watch_build(workspace, test, known.path)
        if not self.release:
            return plan_check(
                test,
                known,
                self.runs,
                always_turns=self.always_turns,
                look_over_builds=watch_builds(workspace, known.oracle, report),
                base=base_of_change(workspace, known.oracle, test, known.path, report),
                watched=watched,
            )
        plan = partial(plan_check, test, known, self.runs, always_turns=True, watched=watched)
        try:
            return plan(base=anchor_of(workspace, known.oracle, test, report))
        except JudgeError as error:
            return structs.replace(plan(), failure=error)

    def carry_out(self) -> CallOutcome:
        """Launch the tests or load their runs, judge them, and return the outcome."""
        launcher = self.launcher
        if self.from_runs is None:
            pairs = zip(self.tests, self.known, strict=True)
            cases = [self._plan(test, known) for test, known in pairs]
            _warn_of_another_agent(launcher, cases)
            _tell_what_is_ahead(launcher, cases)
            cases = complete(launcher, cases)
            turns = run_turns(launcher, _disputes(cases, launcher.workspace.root))
            results = [
                finish(launcher, case, with_training=self.with_training, turns=turns.get(case.name))
                for case in cases
            ]
        else:
            stored = [
                load_stored_runs(launcher.workspace, known.oracle.test, self.from_runs)
                for known in self.known
            ]
            how = (None, self.from_runs, self.with_training)
            results = [
                _result(launcher, known, runs, partial(judge_by_oracle, known.oracle, runs), *how)
                for known, runs in zip(self.known, stored, strict=True)
            ]
        outcome = replace(conclude(Action.CHECK, results), left_out=self.left_out)
        keep(launcher, outcome)
        return outcome


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
    ahead = [(case, case.check) for case, *_ in group_sharing(cases) if case.check is not None]
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
        turns: see :func:`decide`.
    """
    assert case.check is not None
    # A test that starts its program itself may start another one each time.
    test = None if case.plan.is_driven else case.test
    known, base = case.check.known, case.check.base
    result = _result(
        launcher,
        known,
        case.runs,
        case.judged,
        test,
        None,
        with_training,
        turns,
        base,
        limit_bytes=case.test.limit_bytes,
    )
    if test is not None and result.error is None:
        keep_checked(
            launcher.workspace, known.oracle, test, known.path, case.check.watched, case.valid().runs
        )
    return result


def _result(
    launcher: Launcher,
    known: KnownOracle,
    runs: Sequence[Run],
    judge: Callable[[], CheckedRuns],
    test: TestConfig | None,
    from_runs: str | None,
    with_training: bool,
    turns: TurnsResult | None = None,
    base: Base | None = None,
    *,
    limit_bytes: int | None = None,
) -> Result:
    try:
        checked = judge()
        are_named = from_runs is not None
        turns = turns or settle(launcher, known, checked, test, are_named=are_named, base=base)
        examined = None
        if turns is None or turns.failure is None:
            run = checked.runs.runs[0]
            examined = recall(launcher.workspace, run) if test is None else examine(launcher, test, run)
        result = decide(
            launcher,
            known,
            checked,
            turns,
            test=test,
            from_runs=from_runs,
            with_training=with_training,
            base=base,
            examined=examined,
            limit_bytes=limit_bytes,
        )
    except StorageError:
        raise
    except ButoError as error:
        return report_failure(known.oracle.test, known.path, runs, error, launcher.report)
    describe(known.oracle.test, run_set(runs).valid(), launcher.report)
    return result


def settle(
    launcher: Launcher,
    known: KnownOracle,
    checked: CheckedRuns,
    test: TestConfig | None = None,
    *,
    are_named: bool = False,
    base: Base | None = None,
) -> TurnsResult | None:
    """Have turns of the old and the new program decide, if the runs do not.

    That is before the test fails, and where its oracle cannot judge this environment.

    Args:
        test: how to launch the present program; None for runs that are judged as they are, by the turns that
            were stored with them.
        are_named: whether a user named these runs, which then are all.
        base: the old program of turns; None for that of the training. Turns that were stored know theirs.

    Returns:
        What turns decided, or that there were none; None if the runs decide.
    """
    if test is None and not are_named:
        base = base_of_stored(checked.runs.runs)
    why = find_reason(checked, procedure_of(checked.oracle))
    if base is not None and len(checked.runs.valid()):
        why = reason_against(base, why, checked)
    if why is None and test is None and not are_named:
        why = reason_stored(checked)
    if why is None:
        return None
    if test is not None:
        return run_turns(launcher, [Dispute(test, checked, why, known.path, base)])[test.name]
    if are_named:
        return TurnsResult(mark_without_turns(checked, NOT_FOR_NAMED, warns=False))
    turns = load_turns(launcher.workspace, checked, why)
    return TurnsResult(turns or mark_without_turns(checked, NOT_STORED, warns=False))


def decide(
    launcher: Launcher,
    known: KnownOracle,
    checked: CheckedRuns,
    turns: TurnsResult | None,
    *,
    test: TestConfig | None = None,
    from_runs: str | None = None,
    with_training: bool = False,
    base: Base | None = None,
    examined: Examined | None = None,
    limit_bytes: int | None = None,
) -> Result:
    """Report the verdict on the runs of a test.

    Args:
        checked: the runs as the oracle judged them.
        turns: what turns decided, see :func:`settle`; None without any.
        test: how to launch the present program, to explain a regression; None if it is not launched.
        from_runs: the name of these runs in advice; None for those of the newest check.
        with_training: see :class:`CheckRequest`.
        base: the old program of these turns; None for that of the training.
        examined: whether something grows; None if nobody looked.
        limit_bytes: how much memory a run may need; None for what the configuration says.
    """
    first, alarm, advice = checked.runs, checked.alarm, ""
    steps: tuple[Step | str, ...] | None = None
    if turns is not None:
        if turns.failure is not None:
            raise turns.failure
        checked, steps, advice = turns.checked, turns.steps, turns.advice
        remember_mood(launcher.workspace, known.oracle, turns.mood)
        if test is not None and checked.against is not None and base is None:
            remember_alarm(launcher.workspace, known.oracle, alarm, checked)
    checked = _since_base(launcher, known.oracle, checked, base, test)
    if from_runs is not None and checked.against is not None:
        from_runs = ",".join(checked.verdict.run_ids)
    started_as = known.describe_start(checked.runs.runs)
    checked = structs.replace(checked, verdict=replace(checked.verdict, started_as=started_as))
    added = JUDGED(known.oracle.test, launcher.report, launcher.workspace, checked)
    # The code is looked for in what the verdict compares.
    old = known.oracle if base is None or checked.against is None else base.of(known.oracle)
    explained = []
    if test is not None and test.explains and _is_accused(checked):
        explained = EXPLAINED(test.name, launcher.report, launcher, test, old, checked)
    command = known.other_command(checked.runs.runs)
    is_release = base is not None and base.is_release
    release = base.name if base is not None and is_release else ""
    again = Step(Action.CHECK, known.oracle.test, release=release, command=command)
    helpful = tuple(step for addition in added for step in addition.steps)
    if alarm is not None and not is_release and checked.verdict.status is Status.REGRESSION:
        helpful = (*search_step(known.oracle, alarm), *helpful)
    if is_release and steps is None:
        # To train anew moves no anchor.
        steps = _accept_each(checked)
    elif steps is None and checked.verdict.without_turns:
        how = advice or turns_for_stored(known.oracle, command)
        steps = steps_without_turns(checked, known.oracle, from_runs, how, more=helpful, command=command)
    elif steps is None:
        steps = next_steps(known.oracle, checked.verdict, from_runs, more=helpful, command=command)
    allowed = limit_bytes or launcher.workspace.limits.get(known.oracle.test)
    checked = apply_limit(checked, (*first, *checked.runs), allowed)
    if is_over_limit(checked.verdict) and not any(map(is_of_process, checked.runs)):
        steps = (*steps, Step(Action.SIZE, known.oracle.test, why="how much it needs"))
    verdict = with_growth(with_places(checked.verdict, checked.runs.runs), examined)
    growth = None if examined is None else examined.growth
    if growth is not None and growth.judged.grown:
        look = Step(Action.GROW, known.oracle.test, command=command, why="shows all that grows")
        steps = (look, *steps)
    report = check_report(
        structs.replace(checked, verdict=verdict),
        _show_training(launcher, known.oracle) if with_training and checked.against is None else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=known.path,
        again=Advice(again),
        next_steps=[Advice(step) for step in steps],
        likes=tuple(like for addition in added for like in addition.likes),
        first=first,
        causes=tuple(cause for causes in explained for cause in causes),
        growth=growth,
    )
    result = reported(report, known.path)
    launcher.report(Judged(result))
    return result


def _accept_each(checked: CheckedRuns) -> tuple[Step, ...]:
    """Return how to accept each change for which a release fails, the most minded one last."""
    subjects = dict.fromkeys(headline.finding.subject for headline in story_of(checked.verdict).headlines)
    accept = Step(Action.ACCEPT, checked.oracle.test, why="if the change is meant")
    return tuple(structs.replace(accept, only=subject) for subject in [*subjects][:3][::-1])


def _since_base(
    launcher: Launcher, known: Oracle, checked: CheckedRuns, base: Base | None, test: TestConfig | None
) -> CheckedRuns:
    """Return a verdict without what is meant, and with what is known of the sum since the last release."""
    workspace = launcher.workspace
    checked = apply_waivers(
        workspace, oracle_of_change(known, checked, base), checked, budgets_of(known, base)
    )
    if base is not None and base.is_release:
        since = divide_sum(workspace, known, checked, base)
        return structs.replace(checked, verdict=replace(checked.verdict, since=since))
    if test is None or not test.budget:
        return checked
    try:
        anchor = anchor_of(workspace, known, test, launcher.report)
    except JudgeError as error:
        launcher.report(Told(known.test, f"no budget is told: {error.message}", detail=True))
        return checked
    is_by_base = base is not None and checked.against is not None
    since = compute_used_budgets(workspace, known, checked, anchor, is_by_base=is_by_base)
    return structs.replace(checked, verdict=replace(checked.verdict, since=since))


def oracle_of_change(known: Oracle, checked: CheckedRuns, base: Base | None) -> Oracle:
    """Return the oracle with the program since which the commits of a change count.

    Turns with a base judge this change alone; all else is what changed since the training.
    """
    is_by_base = base is not None and (base.is_release or checked.against is not None)
    return base.of(known) if base is not None and is_by_base else known


def budgets_of(known: Oracle, base: Base | None) -> tuple[Waiver, ...]:
    """Return the budgets to which trailers add: those of a release, and else none."""
    return budget_waivers(known.test, base) if base is not None and base.is_release else ()


def _show_training(launcher: Launcher, known: Oracle) -> RunSet:
    """Return the training runs for a report, and say if some are no longer there."""
    runs = training_runs(launcher.workspace, known)
    if len(runs) < len(known.run_ids):
        text = f"{len(runs)} of its {len(known.run_ids)} training runs are stored here, for the report"
        launcher.report(Told(known.test, text))
    return runs


def _is_accused(checked: CheckedRuns) -> bool:
    return checked.verdict.status is Status.REGRESSION and not story_of(checked.verdict).is_welcome


def warn_of_settings(known: Oracle, test: TestConfig, alpha: float | None, reporter: Reporter) -> None:
    """Report settings of a test that differ from those with which its oracle was trained."""
    warning = settings_warning(known, test.settings, alpha)
    if warning is not None:
        reporter(Warned(test.name, warning))
