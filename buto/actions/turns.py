"""Old and new in random turns: what a check does before it fails, and where its oracle cannot judge.

The program of the training is launched again beside the present one, in random order, and the runs of both
are compared (:mod:`buto.judging.comparison`). If the two do not differ, every way of dealing the launches
out is as likely as the one that was drawn, whatever the machine did meanwhile: it may drift, be shared, or be
another one than in training. So the rank is an exact p-value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from buto import oracle
from buto.actions.advice import Door, in_words
from buto.actions.case import Case
from buto.actions.ending import bad_ending
from buto.actions.events import OnEvent, Told
from buto.actions.kept import old_test
from buto.actions.record import grouped, launch_groups
from buto.actions.stored import TURNS, Site
from buto.errors import ButoError, JudgeError, StorageError
from buto.judging import registry
from buto.judging.classifiers import compare_metadata
from buto.judging.protocol import Comparison
from buto.judging.verdict import Roles, Status
from buto.oracle import Checked, Oracle
from buto.programs.named import Unkept
from buto.programs.store import NotHereError
from buto.project.model import TestConfig
from buto.run.model import PURPOSE, SESSION, Run, RunSet, run_set
from buto.run.names import metadata_texts
from buto.run.units import format_count, format_number
from buto.steps import Action, Step

SUSPICIOUS = 0.05
"""Largest p-value of three runs that turns follow. It may be larger than alpha, because the turns decide."""

OLD = "@trained"
"""Ends the name under which the runs of the old program are stored."""

ROLES = Roles("new", "runs of the new program", "old", "runs of the program of the training")

_START_IT = "start what it needs, as its database, and check again; or train again with a good program"

MOST_KEYS = 3
"""Keys of another environment that a sentence names."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why old and new should be launched in turns.

    Attributes:
        clause: as a clause.
        is_difference: whether the runs differ from those of the training.
    """

    clause: str
    is_difference: bool = False

    def decided(self, status: Status, n_old: int, n_new: int) -> str:
        turns = f"old and new in {n_old} + {n_new} random turns"
        if self.is_difference and status is Status.PASS:
            return f"{self.clause}, but {turns} do not: the machine is not as it was in training"
        if self.is_difference and status is Status.REGRESSION:
            return f"{self.clause}, and {turns} differ, too"
        return f"{self.clause}: {turns.replace(' in ', ' were launched in ', 1)}"


@dataclass(frozen=True, slots=True)
class Dispute:
    """A test that its oracle alone does not decide.

    Attributes:
        test: how to launch the present program.
        checked: the runs of the check so far; those of the turns continue their session.
        why: old and new should be launched in turns.
    """

    test: TestConfig
    checked: Checked
    why: Occasion

    def shares_turns_with(self, other: Dispute) -> bool:
        """Return whether one launch of the old program, and one of the present, serve both tests."""
        ours, theirs = self.checked.oracle, other.checked.oracle
        are_alike = (ours.program, ours.settings) == (theirs.program, theirs.settings)
        return are_alike and self.test.shares_launches_with(other.test)


@dataclass(frozen=True, slots=True)
class Settled:
    """What turns decided.

    Attributes:
        checked: the runs that decide.
        steps: what helps if they could not; None for what follows from the verdict.
        failure: why the present program cannot be launched; None if it can.
    """

    checked: Checked
    steps: tuple[Step, ...] | None = None
    failure: ButoError | None = None


def most_turns(known: Oracle) -> int:
    """Return how often at most old and new are each launched in turns; 0 if a check has none."""
    if isinstance(known.program, Unkept) or not registry.detector(known.settings.method).settles_in_turns:
        return 0
    return registry.comparison(known.settings).most


def by_oracle(known: Oracle, runs: Sequence[Run]) -> Checked:
    """Judge the stored runs of a check by the oracle alone, valid or not.

    Runs that were launched in turns say nothing here, unless there are no others.
    """
    first = [run for run in runs if run.metadata.get(PURPOSE) != TURNS] or runs
    return replace(oracle.judge(known, first), runs=run_set(runs))


def occasion(checked: Checked) -> Occasion | None:
    """Return why old and new should be launched in turns; None if the verdict of the oracle stands."""
    known, verdict = checked.oracle, checked.verdict
    if not registry.detector(known.settings.method).settles_in_turns:
        return None
    if any(one.source == oracle.METADATA_SOURCE for one in verdict.findings):
        return Occasion(f"another environment than in training ({_differences(checked)})")
    if verdict.p_value is None or verdict.needs_more:
        return None
    if verdict.status is Status.REGRESSION or verdict.p_value <= SUSPICIOUS:
        n_runs = format_count(len(verdict.run_ids), "run")
        p_value = format_number(verdict.p_value)
        return Occasion(f"{n_runs} differed from the training runs (p = {p_value})", is_difference=True)
    if verdict.runs_needed is not None:
        return Occasion("the training runs are too few to decide")
    return None


def settled_by_turns(site: Site, disputes: Sequence[Dispute], on_event: OnEvent) -> dict[str, Settled]:
    """Launch the program of the training and the present one in random turns, and compare their runs.

    The runs of the check so far count for nothing here, because they had no place in the random order: on a
    machine that drifts, or with cold caches, the first run of all differs from the others. They decide only
    where the program of the training was not kept. Tests that share launches share their turns.

    Returns:
        By test, what was decided.
    """
    settled: dict[str, Settled] = {}
    for group in grouped(disputes, Dispute.shares_turns_with):
        names = [one.test.name for one in group]
        settled |= zip(names, _settled(site, group, on_event), strict=True)
    return settled


def _settled(site: Site, group: Sequence[Dispute], on_event: OnEvent) -> list[Settled]:
    first, known = group[0].test, group[0].checked.oracle
    if isinstance(known.program, Unkept):
        program = known.program
        return [_without_turns(one.checked, program.reason, program.advice, site.door) for one in group]
    comparison = registry.comparison(known.settings)
    with ExitStack() as stack:
        try:
            old = old_test(site, known.program, first, stack, on_event)
        except StorageError:
            raise
        except NotHereError as error:
            # As in a clone without the cache of kept programs.
            return [
                _without_turns(one.checked, error.message, error.advice or "", site.door) for one in group
            ]
        except ButoError as error:
            return [_unsettled(one, error, site.door) for one in group]
        text = "launching the program of the training and the present one in random turns"
        for one in group:
            on_event(Told(one.test.name, f"{one.why.clause}; {text}, at most {comparison.most} runs of each"))
        sides: list[list[Case]] = [[], []]
        for one in group:
            session = _session(one.checked.runs.runs[0])
            theirs = replace(old, name=one.test.name + OLD, window=one.test.window)
            for side, test in zip(sides, (theirs, one.test), strict=True):
                side.append(Case(test, TURNS, comparison.most, continues=session))
        cases = launch_groups(site, sides, on_event, together=comparison)
    return [
        _decided(site, one, cases[one.test.name + OLD], cases[one.test.name], comparison) for one in group
    ]


def _decided(site: Site, dispute: Dispute, theirs: Case, ours: Case, comparison: Comparison) -> Settled:
    if ours.failure is not None:
        return Settled(dispute.checked, failure=ours.failure)
    if theirs.failure is not None:
        return _unsettled(dispute, theirs.failure, site.door, theirs.runs)
    try:
        return Settled(_compared(comparison, theirs.valid(), ours.valid(), dispute.why, dispute.test.name))
    except JudgeError as error:
        return Settled(dispute.checked, failure=error)


def stored_turns(site: Site, checked: Checked, why: Occasion) -> Checked | None:
    """Return the turns that these runs of a check were part of; None if there were none, or not enough."""
    known = checked.oracle
    new = run_set([run for run in checked.runs if run.metadata.get(PURPOSE) == TURNS]).valid()
    if not len(new):
        return None
    heads = (one.head for one in site.runs.summaries(known.test + OLD))
    session = _session(new.runs[0])
    ids = [head.id for head in heads if head is not None and head.metadata.get(SESSION) == session]
    old = run_set(site.load(known.test + OLD, ids)).valid()
    try:
        found = _compared(registry.comparison(known.settings), old, new, why, known.test)
    except JudgeError:
        return None
    return None if found.verdict.needs_more else found


def _session(run: Run) -> str:
    return str(run.metadata.get(SESSION, run.id))


def _differences(checked: Checked) -> str:
    """Return the keys that decide, each with its values in training and now."""
    known = checked.oracle
    metadata = registry.detector(known.settings.method)(known.settings).metadata
    found = {
        one.key: f"{one.key}: {' → '.join(metadata_texts(one.key, one.expected, one.observed))}"
        for run in checked.runs.valid()
        for one in compare_metadata(known.environment, run.metadata, metadata)
        if one.deciding
    }
    left = len(found) - MOST_KEYS
    return f"{', '.join(list(found.values())[:MOST_KEYS])}{f' and {left} more' if left > 0 else ''}"


def _compared(comparison: Comparison, old: RunSet, new: RunSet, why: Occasion, test: str) -> Checked:
    found = oracle.compare(comparison, old, new, test, ROLES)
    decided = why.decided(found.verdict.status, len(old), len(new))
    return replace(found, verdict=replace(found.verdict, reasons=(decided, *found.verdict.reasons)))


def _without_turns(checked: Checked, reason: str, advice: str, door: Door) -> Settled:
    """Return that the runs so far decide, with a warning."""
    helps = f" ({in_words(advice, door)})" if advice else ""
    warning = f"without turns: the program of the training was not kept: {reason}{helps}"
    verdict = replace(checked.verdict, warnings=(warning, *checked.verdict.warnings))
    return Settled(replace(checked, verdict=verdict))


def _unsettled(dispute: Dispute, error: ButoError, door: Door, runs: Sequence[Run] = ()) -> Settled:
    """Return that the old program was kept but cannot be launched, so nothing is decided, and what helps.

    Args:
        runs: of the old program, before it was given up.
    """
    checked = dispute.checked
    has_failed = bool(runs) and bad_ending(runs[-1].quality.problems) is not None
    what = "does not run any more" if has_failed else "cannot be launched"
    message = error.message.splitlines()[0]
    advice = _START_IT if has_failed else in_words(error.advice or "", door)
    reasons = (f"{dispute.why.clause}, and the program of the training {what}: {message}", advice)
    show = [Step(Action.SHOW_RUN, run.test, run_id=run.id) for run in runs[-1:]]
    train = Step(Action.TRAIN, checked.oracle.test, plain=True, why="a good program; replaces the oracle")
    verdict = replace(checked.verdict, status=Status.INCONCLUSIVE, reasons=reasons, needs_more="")
    return Settled(replace(checked, verdict=verdict), (*show, train))
