"""Old and new in random turns: what a check does before it fails, and where its oracle cannot judge.

The program of the training is launched again beside the present one, in random order, and the runs of both
are compared (:mod:`buto.judging.comparison`). If the two do not differ, every way of dealing the launches
out is as likely as the one that was drawn, whatever the machine did meanwhile: it may drift, be shared, or be
another one than in training. So the rank is an exact p-value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, structs

from buto import oracle
from buto.actions import git
from buto.actions.arms import Assumption, StageError, settings_for, stage_arms
from buto.actions.base import Base, base_of_stored
from buto.actions.ending import bad_ending
from buto.actions.events import Told
from buto.actions.launcher import Launcher
from buto.actions.old_program import choose_old_program, describe_build, identity, mark_assumption
from buto.actions.old_target import old_target
from buto.actions.outside import candidates
from buto.actions.plan import Plan, PlanProgress, procedure_of
from buto.actions.record import group_alike, launch_groups
from buto.actions.stored import TURNS, session_of
from buto.actions.without_turns import mark_without_turns
from buto.actions.workspace import Workspace
from buto.errors import ButoError, JudgeError, StorageError, UsageError
from buto.judging import registry
from buto.judging.beyond import Beyond
from buto.judging.classifiers import compare_metadata
from buto.judging.monitor import Alarm
from buto.judging.procedure import Do, Procedure, Why
from buto.judging.protocol import Comparison
from buto.judging.verdict import OUTSIDE, Roles, Status
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import Unkept
from buto.project.model import TestConfig
from buto.report.outside import BOTH, both_changed
from buto.run.model import PURPOSE, Run, RunSet, run_set
from buto.run.names import metadata_texts
from buto.run.properties import title_of
from buto.run.units import format_count, format_number, format_share
from buto.run.window import cut_set_to_window
from buto.steps import Action, Step

OLD = "@trained"
"""Ends the name under which the runs of the old program are stored."""

ROLES = Roles("new", "runs of the new program", "old", "runs of the old program")

_START_IT = "start what it needs, as its database, and check again; or train again with a good program"

MOST_KEYS = 2
"""Keys of another environment that a sentence names."""


class TurnsReason(Struct, frozen=True):
    """Why old and new should be launched in turns.

    Attributes:
        clause: as a clause.
        is_difference: whether the runs differ from those of the training.
        is_alike: whether the runs so far are of the environment of the training, and say what to look at.
        since: of a difference that the last builds show, since which one, in words; else empty.
        base: what the old program is called, where it is not that of the training; else empty.
        trained: of the program of the training, how long ago that was, in words; empty if it is not known.
    """

    clause: str
    is_difference: bool = False
    is_alike: bool = True
    since: str = ""
    base: str = ""
    trained: str = ""

    def describe(self, status: Status, n_old: int, n_new: int) -> str:
        times = f"launched {n_old} and {n_new} times in random order"
        turns = f"{self.base or 'old'} and new program, {times},"
        if self.is_difference and status is Status.PASS and self.base:
            return f"{turns} do not differ: what differs from the training came before this change"
        if self.is_difference and status is Status.PASS:
            return f"{turns} do not differ: the machine is not as in training (train again for short checks)"
        if self.is_difference and status is Status.REGRESSION:
            age = f"; the old one is that of the training, {self.trained}" if self.trained else ""
            return f"{turns} differ{f', {self.since}' if self.since else age}"
        return f"{self.clause}: {self.base or 'old'} and new program were {times}"


class Dispute(Struct, frozen=True):
    """A test that its oracle alone does not decide.

    Attributes:
        test: how to launch the present program.
        checked: the runs of the check so far; those of the turns continue their session.
        why: old and new should be launched in turns.
        path: the file of the oracle.
        base: the old program; None for that of the training.
        is_checked_out: whether the present program stands in a working tree of its revision.
    """

    test: TestConfig
    checked: CheckedRuns
    why: TurnsReason
    path: Path
    base: Base | None = None
    is_checked_out: bool = False

    @property
    def old(self) -> Oracle:
        """The oracle, with the old program of these turns as its program."""
        known = self.checked.oracle
        return known if self.base is None else self.base.of(known)

    @property
    def sizes(self) -> Mapping[str, str]:
        """Sizes that matter in these turns, in place of those of the oracle."""
        return {} if self.base is None else self.base.sizes

    def shares_turns_with(self, other: Dispute) -> bool:
        """Return whether one launch of the old program, and one of the present, serve both tests."""
        ours, theirs = self.old, other.old
        mine, others = ((side.program, side.settings, *identity(side)) for side in (ours, theirs))
        is_same = mine == others and self.sizes == other.sizes
        return is_same and self.test.shares_launches_with(other.test)


class TurnsResult(Struct, frozen=True):
    """What turns decided.

    Attributes:
        checked: the runs that decide.
        steps: what helps if they could not; None for what follows from the verdict.
        advice: how to get turns if there were none.
        failure: why the present program cannot be launched; None if it can.
        mood: runs of the old program that say in which mood the machine is: those of turns that cleared runs
            which differed from training.
    """

    checked: CheckedRuns
    steps: tuple[Step, ...] | None = None
    advice: str = ""
    failure: ButoError | None = None
    mood: tuple[Run, ...] = ()


def can_turn(workspace: Workspace, known: Oracle, test: TestConfig) -> bool:
    """Return whether old and new can be launched in turns, as far as that is known before."""
    return not isinstance(choose_old_program(workspace, known, test).program, Unkept)


def judge_by_oracle(known: Oracle, runs: Sequence[Run]) -> CheckedRuns:
    """Judge the stored runs of a check by the oracle alone, valid or not.

    Runs that were launched in turns say nothing here, unless there are no others.
    """
    first = [run for run in runs if run.metadata.get(PURPOSE) != TURNS] or runs
    return structs.replace(oracle.judge(known, first), runs=run_set(runs))


def find_reason(checked: CheckedRuns, procedure: Procedure) -> TurnsReason | None:
    """Return why old and new should be launched in turns; None if the verdict stands without them.

    Also where they cannot be, because the old program was not kept, so that it can be said.
    """
    step = checked.next_step(structs.replace(procedure, has_turns=True))
    if step.do is not Do.TURNS:
        return None
    clauses = {
        Why.TOO_FEW: "the training runs are too few to decide",
        Why.ASKED: "turns are wanted",
    }
    if step.why is Why.ELSEWHERE:
        clause = f"another environment than in training ({_differences(checked)})"
        return TurnsReason(clause, is_alike=False)
    if step.why in clauses:
        return TurnsReason(clauses[step.why])
    if checked.alarm is not None and step.why is Why.MONITOR:
        return TurnsReason(alarm_clause(checked.alarm), is_difference=True, since=since_clause(checked.alarm))
    verdict = checked.verdict
    n_runs = format_count(len(verdict.run_ids), "run")
    p_value = "" if verdict.p_value is None else f" (p = {format_number(verdict.p_value)})"
    clause = f"{n_runs} differed from the training runs{p_value}"
    # The builds before may say since when, also where this check would have launched turns without them.
    since = "" if checked.alarm is None else since_clause(checked.alarm)
    return TurnsReason(clause, is_difference=True, since=since)


def reason_against(base: Base, why: TurnsReason | None, checked: CheckedRuns) -> TurnsReason | None:
    """Return why another old program than that of the training should be launched in turns.

    A release is always judged in turns, whatever the first run shows.

    Args:
        why: as for the program of the training; None for no reason.
    """
    if not base.is_release:
        return None if why is None else structs.replace(why, base=base.name, since="")
    looked = checked.verdict.looked
    is_alike = looked is None or not looked.is_elsewhere
    return TurnsReason(f"the sum since {base.name}", is_alike=is_alike, base=base.name)


def reason_since_training(why: TurnsReason, known: Oracle, root: Path) -> TurnsReason:
    """Return why the program of the training should be launched in turns, with how old it is.

    Args:
        root: a directory of the working tree; without git, or without the commit of the training, nothing
            is said.
    """
    try:
        repository = git.repository_of(root, "")
    except UsageError:
        return why
    if not known.commit or not git.is_ancestor(repository, known.commit, "HEAD"):
        return why
    n_commits = len(git.commits_after(repository, known.commit))
    return structs.replace(why, trained=f"{format_count(n_commits, 'commit')} ago") if n_commits else why


def reason_stored(checked: CheckedRuns) -> TurnsReason | None:
    """Return why these runs were launched in turns with another program than the trained one; else None."""
    base = base_of_stored(checked.runs.runs)
    return None if base is None else TurnsReason(f"turns with {base.name}", base=base.name)


def alarm_clause(alarm: Alarm) -> str:
    """Return what the monitor over builds has seen, as a clause."""
    quantity = alarm.quantity
    change = f"{title_of(quantity.name)} {format_share(alarm.old, alarm.new, quantity.unit)}"
    p_value = f"p = {format_number(alarm.p_value)}"
    return (
        f"the first runs of the last {alarm.window} builds differ from {alarm.n_before} before ({change}, "
        f"{p_value})"
    )


def since_clause(alarm: Alarm) -> str:
    """Return since which build that is so, with the commits that came with it."""
    among = f": {'; '.join(alarm.commits)}" if alarm.commits else ""
    return f"since the build of {alarm.since.commit[:9]}{among}"


def comparison_for(
    checked: CheckedRuns,
    why: TurnsReason,
    assumption: Assumption | None,
    sizes: Mapping[str, str] | None = None,
) -> Comparison:
    """Return what compares old and new in turns, knowing what was launched before.

    In another environment that says nothing. Nor is there anything to know where all runs are of turns.

    Args:
        assumption: why the arms are not alike; None if they are.
        sizes: sizes that matter, by property, in place of those of the oracle.
    """
    known = checked.oracle
    first = _first_runs(checked)
    before = known.fitted.before(cut_set_to_window(first)) if why.is_alike and len(first) else None
    return registry.comparison(settings_for(known.settings, assumption, sizes or {}), before=before)


def _first_runs(checked: CheckedRuns) -> RunSet:
    """Return the usable runs of a check that were not launched in turns."""
    return run_set([run for run in checked.runs.valid() if run.metadata.get(PURPOSE) != TURNS])


def run_turns(launcher: Launcher, disputes: Sequence[Dispute]) -> dict[str, TurnsResult]:
    """Launch the program of the training and the present one in random turns, and compare their runs.

    The runs of the check so far count for nothing here, because they had no place in the random order: on a
    machine that drifts, or with cold caches, the first run of all differs from the others. They decide only
    where the program of the training was not kept. Tests that share launches share their turns.

    Returns:
        By test, what was decided.
    """
    settled: dict[str, TurnsResult] = {}
    for group in group_alike(disputes, Dispute.shares_turns_with):
        names = [dispute.test.name for dispute in group]
        settled |= zip(
            names,
            _run_group(launcher, group),
            strict=True,
        )
    return settled


def _run_group(launcher: Launcher, group: Sequence[Dispute]) -> list[TurnsResult]:
    first, known, base = group[0].test, group[0].old, group[0].base
    with ExitStack() as stack:
        try:
            chosen = choose_old_program(launcher.workspace, known, first)
            if isinstance(chosen.program, Unkept) and base is not None and base.is_release:
                # A first run like those of the training says nothing of the sum since a release.
                lost = JudgeError(
                    f"the program of the release {base.name} cannot be launched: {chosen.program.reason}",
                    advice=chosen.program.advice or None,
                )
                return [TurnsResult(dispute.checked, failure=lost) for dispute in group]
            if isinstance(chosen.program, Unkept):
                return [settle_without_turns(dispute.checked, chosen.program) for dispute in group]
            for event in (describe_build(dispute.test.name, chosen) for dispute in group):
                if event is not None:
                    launcher.report(event)
            before = old_target(first, known, launcher.workspace.base_of(first.name))
            runs = group[0].checked.runs.runs
            arms = stage_arms(
                launcher,
                chosen.program,
                before,
                first,
                runs[-1],
                group[0].path,
                stack,
                is_checked_out=group[0].is_checked_out,
            )
            arms = arms if base is None else arms.against(base)
        except StorageError:
            raise
        except StageError as error:
            return [TurnsResult(dispute.checked, failure=error) for dispute in group]
        except ButoError as error:
            return [_leave_undecided(dispute, error) for dispute in group]
        comparisons = [
            comparison_for(dispute.checked, dispute.why, arms.assumption, dispute.sizes) for dispute in group
        ]
        most = comparisons[0].most
        old = "the old" if base is None else base.name
        text = f"launching {old} and the new program in random turns"
        for dispute in group:
            launcher.report(
                Told(dispute.test.name, f"{dispute.why.clause}; {text}, at most {most} runs of each")
            )
        sides: list[list[PlanProgress]] = [[], []]
        for dispute in group:
            session, name = session_of(dispute.checked.runs.runs[0]), dispute.test.name
            for side, arm, called in zip(sides, (arms.old, arms.new), (name + OLD, name), strict=True):
                test = replace(arm.test, name=called, window=dispute.test.window)
                plan = Plan(test, TURNS, place=arm.place, marks=arm.marks, continues=session)
                side.append(PlanProgress(plan, most))
        cases = launch_groups(launcher, sides, together=comparisons)
    decided = [
        _decide(
            launcher.workspace, dispute, cases[dispute.test.name + OLD], cases[dispute.test.name], comparison
        )
        for dispute, comparison in zip(group, comparisons, strict=True)
    ]
    return [
        structs.replace(result, checked=mark_assumption(result.checked, chosen.assumes)) for result in decided
    ]


def _decide(
    workspace: Workspace, dispute: Dispute, theirs: PlanProgress, ours: PlanProgress, comparison: Comparison
) -> TurnsResult:
    for failure in (ours.failure, theirs.failure):
        if failure is not None and (failure is ours.failure or isinstance(failure, StageError)):
            return TurnsResult(dispute.checked, failure=failure)
    if theirs.failure is not None:
        return _leave_undecided(dispute, theirs.failure, theirs.runs)
    try:
        compared = _compare(comparison, theirs.valid(), ours.valid(), dispute.why, dispute.checked)

        def find_changed() -> str:
            return both_changed(
                candidates(workspace, dispute.test, dispute.checked.oracle, ours.valid().runs)
            )

        if dispute.base is not None:
            # Both may be beyond training by what came before: that is what the base is for.
            return TurnsResult(compared)
        compared = _beside_training(
            compared, theirs.valid(), ours.valid(), dispute.why, dispute.checked, find_changed
        )
        is_cleared = dispute.why.is_difference and compared.verdict.status is Status.PASS
        return TurnsResult(compared, mood=tuple(theirs.valid()) if is_cleared else ())
    except JudgeError as error:
        return TurnsResult(dispute.checked, failure=error)


def _beside_training(
    compared: CheckedRuns,
    old: RunSet,
    new: RunSet,
    why: TurnsReason,
    checked: CheckedRuns,
    changed: Callable[[], str],
) -> CheckedRuns:
    """Return what turns say if both programs are beyond training in counters that no machine moves.

    Then something that both read has changed, which no order of launches shows. In another environment that
    may be the reason, and it is named.

    Args:
        compared: old and new, as turns alone decide.
        changed: says what may have changed.
    """
    known, verdict = checked.oracle, compared.verdict
    procedure = procedure_of(known)
    decided = verdict.steps[-1]
    both = _beyond_in_both(known, old, new) if decided.do is Do.PASS else ()
    moved = _find_moved_by_machine(known, old, new) if both else frozenset()
    levels = [beyond for beyond in both if beyond.quantity.name not in moved]
    step = procedure.after_turns(
        decided, are_outside=bool(both), is_known=not why.is_alike, is_busier=not levels
    )
    if step == decided:
        return compared
    accusing = levels if step.do is Do.FAIL else both
    findings = [beyond.as_finding(new.runs[-1].id, OUTSIDE) for beyond in accusing]
    if step.do is Do.PASS:
        where = f"in another environment than in training ({_differences(checked)})"
        if step.why is Why.BUSIER:
            where = "where threads wait longer for a core than in training, and what they do varies with that"
        reason = f"old and new program do the same {where}"
        verdict = replace(verdict, noted=(*findings, *verdict.noted), reasons=(reason, *verdict.reasons))
        return structs.replace(compared, verdict=replace(verdict, steps=(*verdict.steps, step)))
    verdict = replace(
        verdict,
        status=Status.REGRESSION,
        findings=tuple(findings),
        reasons=(changed(), *verdict.reasons),
        steps=(*verdict.steps, step),
    )
    return structs.replace(compared, verdict=verdict)


def _beyond_in_both(known: Oracle, old: RunSet, new: RunSet) -> tuple[Beyond, ...]:
    """Return what is beyond training on the same side in all runs of both programs, of the new one's runs."""
    sides = {
        beyond.quantity.name: beyond.is_above
        for beyond in known.fitted.beyond_training(cut_set_to_window(old))
    }
    return tuple(
        beyond
        for beyond in known.fitted.beyond_training(cut_set_to_window(new))
        if sides.get(beyond.quantity.name) is beyond.is_above
    )


def _find_moved_by_machine(known: Oracle, old: RunSet, new: RunSet) -> frozenset[str]:
    """Return counters that only a busier machine has moved beyond training, in the runs of each program."""
    of_old, of_new = (known.fitted.moved_by_machine(cut_set_to_window(side)) for side in (old, new))
    return of_old & of_new


def load_turns(workspace: Workspace, checked: CheckedRuns, why: TurnsReason) -> CheckedRuns | None:
    """Return the turns that these runs of a check were part of; None if there were none, or not enough."""
    known = checked.oracle
    new = run_set([run for run in checked.runs if run.metadata.get(PURPOSE) == TURNS]).valid()
    if not len(new):
        return None
    heads = (summary.head for summary in workspace.runs.summaries(known.test + OLD))
    session = session_of(new.runs[0])
    ids = [head.id for head in heads if head is not None and session_of(head) == session]
    old = run_set(workspace.load(known.test + OLD, ids)).valid()
    base = base_of_stored(new.runs)
    why = why if base is None else structs.replace(why, base=base.name)
    sizes = {} if base is None else base.sizes
    try:
        compared = _compare(comparison_for(checked, why, Assumption.of(new), sizes), old, new, why, checked)
    except JudgeError:
        return None
    if compared.verdict.needs_more:
        return None
    if base is not None:
        return compared
    # What is around the program now says nothing of what was around it then.
    return _beside_training(compared, old, new, why, checked, lambda: BOTH)


def _differences(checked: CheckedRuns) -> str:
    """Return the keys that decide, each with its values in training and now."""
    known = checked.oracle
    metadata = registry.detector(known.settings.method)(known.settings).metadata
    texts = {
        difference.key: f"{difference.key}: "
        + " → ".join(metadata_texts(difference.key, difference.expected, difference.observed))
        for run in checked.runs.valid()
        for difference in compare_metadata(known.environment, run.metadata, metadata)
        if difference.deciding
    }
    left = len(texts) - MOST_KEYS
    return f"{', '.join(list(texts.values())[:MOST_KEYS])}{f' and {left} more' if left > 0 else ''}"


def _compare(
    comparison: Comparison, old: RunSet, new: RunSet, why: TurnsReason, checked: CheckedRuns
) -> CheckedRuns:
    compared = oracle.compare(comparison, old, new, checked.oracle.test, ROLES)
    decided = why.describe(compared.verdict.status, len(old), len(new))
    assumption = Assumption.of(new)
    warnings = (
        compared.verdict.warnings if assumption is None else (assumption.warning, *compared.verdict.warnings)
    )
    compared = compared.with_steps((*checked.verdict.steps, *compared.verdict.steps))
    verdict = replace(compared.verdict, reasons=(decided, *compared.verdict.reasons), warnings=warnings)
    return structs.replace(compared, verdict=verdict)


def settle_without_turns(checked: CheckedRuns, program: Unkept) -> TurnsResult:
    """Return that the runs so far decide, without turns, and how to get these; a pass needs none."""
    if checked.verdict.status is Status.PASS:
        return TurnsResult(checked)
    return TurnsResult(mark_without_turns(checked, program.reason), advice=program.advice)


def _leave_undecided(dispute: Dispute, error: ButoError, runs: Sequence[Run] = ()) -> TurnsResult:
    """Return that the old program was kept but cannot be launched, so nothing is decided, and what helps.

    Args:
        runs: of the old program, before it was given up.
    """
    checked = dispute.checked
    has_failed = bool(runs) and bad_ending(runs[-1].quality.problems) is not None
    what = "does not run any more" if has_failed else "cannot be launched"
    message = error.message.splitlines()[0]
    advice = _START_IT if has_failed else error.advice or ""
    reasons = (f"{dispute.why.clause}, and the old program {what}: {message}", advice)
    show = [Step(Action.SHOW_RUN, run.test, run_id=run.id) for run in runs[-1:]]
    train = Step(Action.TRAIN, checked.oracle.test, plain=True, why="a good program; replaces the oracle")
    verdict = replace(checked.verdict, status=Status.INCONCLUSIVE, reasons=reasons, needs_more="")
    return TurnsResult(structs.replace(checked, verdict=verdict), (*show, train))
