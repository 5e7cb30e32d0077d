"""Deciding about one test: turns where its runs do not decide, then the verdict and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from msgspec import Struct, structs

from buto.actions.advice import is_of_process, next_steps
from buto.actions.base import Base, base_of_stored
from buto.actions.events import Judged, Told
from buto.actions.hooks import EXPLAINED, JUDGED
from buto.actions.launcher import Launcher
from buto.actions.limit import apply_limit, is_over_limit
from buto.actions.monitor import remember_alarm, search_step
from buto.actions.mood import remember_mood
from buto.actions.no_growth import Examined, examine, recall, with_growth
from buto.actions.outcome import report_failure
from buto.actions.pins import with_places
from buto.actions.plan import procedure_of
from buto.actions.record import describe
from buto.actions.release import anchor_of
from buto.actions.stored import training_runs
from buto.actions.sums import budget_waivers, compute_used_budgets, divide_sum
from buto.actions.turns import (
    Dispute,
    TurnsResult,
    find_reason,
    load_turns,
    reason_against,
    reason_stored,
    run_turns,
)
from buto.actions.unmatched import settings_doubts
from buto.actions.waivers import apply_waivers, trailers_for
from buto.actions.without_turns import (
    NOT_FOR_NAMED,
    NOT_STORED,
    mark_without_turns,
    steps_without_turns,
    turns_for_stored,
)
from buto.actions.workspace import KnownOracle
from buto.errors import ButoError, JudgeError, StorageError
from buto.judging.story import story_of
from buto.judging.verdict import Status, Waiver
from buto.oracle import CheckedRuns, Oracle
from buto.project.model import TestConfig
from buto.report.check_report import check_report
from buto.report.panels import NO_RUNS
from buto.report.result import Result, reported
from buto.run.model import Run, RunSet, run_set
from buto.steps import Action, Advice, Step


class JudgedTest(Struct, frozen=True, eq=False):
    """A test, as its runs are judged.

    Attributes:
        known: its oracle.
        config: how to launch the present program, for turns and to explain a regression; None for runs that
            are judged as they are, by the turns that were stored with them.
        base: the old program of turns; None for that of the training. Turns that were stored know theirs.
        from_runs: the name of these runs in advice, if a user named them; they then are all.
        with_training: whether the report shows the training runs, which take time to load.
        limit_bytes: how much memory a run may need; None for what the configuration says.
        is_checked_out: whether the present program stands in a working tree of its revision.
    """

    known: KnownOracle
    config: TestConfig | None = None
    base: Base | None = None
    from_runs: str | None = None
    with_training: bool = False
    limit_bytes: int | None = None
    is_checked_out: bool = False

    @property
    def are_named(self) -> bool:
        """Whether a user named these runs."""
        return self.from_runs is not None


def result_of(
    launcher: Launcher,
    test: JudgedTest,
    runs: Sequence[Run],
    judge: Callable[[], CheckedRuns],
    turns: TurnsResult | None = None,
) -> Result:
    """Judge the runs of a test, report the verdict and what they measured, or why they cannot be judged.

    Args:
        judge: judges the runs by the oracle.
        turns: what turns decided; None if they were not needed, or were not tried yet.
    """
    name = test.known.oracle.test
    try:
        checked = judge()
        turns = turns or settle(launcher, test, checked)
        examined = None
        if turns is None or turns.failure is None:
            run = checked.runs.runs[0]
            examined = (
                recall(launcher.workspace, run)
                if test.config is None
                else examine(launcher, test.config, run)
            )
        result = decide(launcher, test, checked, turns, examined)
    except StorageError:
        raise
    except ButoError as error:
        return report_failure(name, test.known.path, runs, error, launcher.report)
    describe(name, run_set(runs).valid(), launcher.report)
    return result


def settle(launcher: Launcher, test: JudgedTest, checked: CheckedRuns) -> TurnsResult | None:
    """Have turns of the old and the new program decide, if the runs do not.

    That is before the test fails, and where its oracle cannot judge this environment.

    Returns:
        What turns decided, or that there were none; None if the runs decide.
    """
    base, is_stored = test.base, test.config is None and not test.are_named
    if is_stored:
        base = base_of_stored(checked.runs.runs)
    why = find_reason(checked, procedure_of(checked.oracle))
    if base is not None and len(checked.runs.valid()):
        why = reason_against(base, why, checked)
    if why is None and is_stored:
        why = reason_stored(checked)
    if why is None:
        return None
    if test.config is not None:
        dispute = Dispute(test.config, checked, why, test.known.path, base, test.is_checked_out)
        return run_turns(launcher, [dispute])[test.config.name]
    if test.are_named:
        return TurnsResult(mark_without_turns(checked, NOT_FOR_NAMED, warns=False))
    turns = load_turns(launcher.workspace, checked, why)
    return TurnsResult(turns or mark_without_turns(checked, NOT_STORED, warns=False))


def decide(
    launcher: Launcher,
    test: JudgedTest,
    checked: CheckedRuns,
    turns: TurnsResult | None,
    examined: Examined | None = None,
) -> Result:
    """Report the verdict on the runs of a test.

    Args:
        checked: the runs as the oracle judged them.
        turns: what turns decided, see :func:`settle`; None without any.
        examined: whether something grows; None if nobody looked.
    """
    known, base, from_runs = test.known, test.base, test.from_runs
    first, alarm, advice = checked.runs, checked.alarm, ""
    steps: tuple[Step | str, ...] | None = None
    if turns is not None:
        if turns.failure is not None:
            raise turns.failure
        checked, steps, advice = turns.checked, turns.steps, turns.advice
        remember_mood(launcher.workspace, known.oracle, turns.mood)
        if test.config is not None and checked.against is not None and base is None:
            remember_alarm(launcher.workspace, known.oracle, alarm, checked)
    checked = _with_doubts(_since_base(launcher, test, checked), test.config)
    if from_runs is not None and checked.against is not None:
        from_runs = ",".join(checked.verdict.run_ids)
    started_as = known.describe_start(checked.runs.runs)
    checked = structs.replace(checked, verdict=replace(checked.verdict, started_as=started_as))
    added = JUDGED(known.oracle.test, launcher.report, launcher.workspace, checked)
    # The code is looked for in what the verdict compares.
    old = known.oracle if base is None or checked.against is None else base.of(known.oracle)
    explained = []
    config = test.config
    if config is not None and config.explains and _is_accused(checked):
        explained = EXPLAINED(config.name, launcher.report, launcher, config, old, checked)
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
    allowed = test.limit_bytes or launcher.workspace.limits.get(known.oracle.test)
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
        _show_training(launcher, known.oracle) if test.with_training and checked.against is None else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=known.path,
        again=Advice(again),
        next_steps=[Advice(step) for step in steps],
        likes=tuple(like for addition in added for like in addition.likes),
        first=first,
        causes=tuple(cause for causes in explained for cause in causes),
        growth=growth,
        trailers=trailers_for(
            launcher.workspace,
            oracle_of_change(known.oracle, checked, base),
            verdict,
            budgets_of(known.oracle, base),
        ),
    )
    result = reported(report, known.path)
    launcher.report(Judged(result))
    return result


def _accept_each(checked: CheckedRuns) -> tuple[Step, ...]:
    """Return how to accept each change for which a release fails, the most minded one last."""
    subjects = dict.fromkeys(headline.finding.subject for headline in story_of(checked.verdict).headlines)
    accept = Step(Action.ACCEPT, checked.oracle.test, why="if the change is meant")
    return tuple(structs.replace(accept, only=subject) for subject in [*subjects][:3][::-1])


def _with_doubts(checked: CheckedRuns, config: TestConfig | None) -> CheckedRuns:
    """Return a verdict with what its settings name that is not there."""
    budget = {} if config is None else config.budget
    doubts = tuple(settings_doubts(checked.oracle.settings, budget, checked.runs))
    warnings = (*doubts, *checked.verdict.warnings)
    return structs.replace(checked, verdict=replace(checked.verdict, warnings=warnings))


def _since_base(launcher: Launcher, test: JudgedTest, checked: CheckedRuns) -> CheckedRuns:
    """Return a verdict without what is meant, and with what is known of the sum since the last release."""
    workspace, known, base = launcher.workspace, test.known.oracle, test.base
    checked = apply_waivers(
        workspace, oracle_of_change(known, checked, base), checked, budgets_of(known, base)
    )
    if base is not None and base.is_release:
        since = divide_sum(workspace, known, checked, base)
        return structs.replace(checked, verdict=replace(checked.verdict, since=since))
    if test.config is None or not test.config.budget:
        return checked
    try:
        anchor = anchor_of(workspace, known, test.config, launcher.report)
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
