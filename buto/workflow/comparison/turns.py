"""Old and new in random turns: what a check does before it fails, and where its oracle cannot judge.

The program of the training is launched again beside the present one, in random order, and the runs of both
are compared (:mod:`buto.detectors.comparison`). If the two do not differ, every way of dealing the launches
out is as likely as the one that was drawn, whatever the machine did meanwhile: it may drift, be shared, or be
another one than in training. So the rank is an exact p-value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from buto import oracle
from buto.classify.metadata import compare_metadata
from buto.config import TestConfig
from buto.detectors import registry
from buto.detectors.calibrated.explanation import explain_comparison
from buto.detectors.comparison.detector import compare, comparing, runs_needed, turns_needed
from buto.detectors.explanation import Explanation
from buto.errors import ButoError, StorageError
from buto.oracle import Oracle
from buto.programs.model import Unkept
from buto.programs.store import NotHereError
from buto.runs import Run, RunSet, run_set
from buto.runs.metadata_text import metadata_texts
from buto.runs.model import PURPOSE, SESSION
from buto.steps import Action, Step
from buto.units import format_count, format_number
from buto.verdicts import Roles, Status, Verdict
from buto.workflow.advice.door import in_words
from buto.workflow.events import OnEvent, TurnsBegin
from buto.workflow.kept import old_test
from buto.workflow.launching.ending import bad_ending
from buto.workflow.project import Project
from buto.workflow.project.stored import TURNS, windowed
from buto.workflow.record import launch

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
        """Return the sentence on what decided."""
        turns = f"old and new in {n_old} + {n_new} random turns"
        if self.is_difference and status is Status.PASS:
            return f"{self.clause}, but {turns} do not: the machine is not as it was in training"
        if self.is_difference and status is Status.REGRESSION:
            return f"{self.clause}, and {turns} differ, too"
        return f"{self.clause}: {turns.replace(' in ', ' were launched in ', 1)}"


@dataclass(frozen=True, eq=False, slots=True)
class Turns:
    """What the turns gave.

    Attributes:
        verdict: of the new program's runs against the old one's.
        old, new: all runs, in the order of their launches.
        known: what the old program's runs show, for pictures.
    """

    verdict: Verdict
    old: tuple[Run, ...]
    new: tuple[Run, ...]
    known: Oracle

    @property
    def explanation(self) -> Explanation:
        """How the verdict came about."""
        return explain_comparison(self.verdict)


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The program of the training was kept, but cannot be launched: nothing is decided.

    Attributes:
        verdict: that of the oracle, as inconclusive.
        steps: what helps.
    """

    verdict: Verdict
    steps: tuple[Step, ...]


def by_oracle(known: Oracle, runs: Sequence[Run]) -> tuple[Verdict, Occasion | None]:
    """Return the verdict of the oracle alone on the runs of a check, and why turns should follow.

    Runs that were launched in turns say nothing here, unless there are no others.

    Args:
        runs: valid or not.

    Raises:
        JudgeError: they cannot be judged.
    """
    first = [run for run in runs if run.metadata.get(PURPOSE) != TURNS] or runs
    valid = run_set(first).valid()
    verdict = oracle.check(known, valid if len(valid) else run_set(first))
    return verdict, _occasion(known, verdict, valid)


def _occasion(known: Oracle, verdict: Verdict, runs: RunSet) -> Occasion | None:
    """Return why old and new should be launched in turns; None if the verdict stands.

    Args:
        verdict: of these runs, by the oracle alone.
    """
    if not registry.detector(known.settings.method).settles_in_turns:
        return None
    if any(one.source == oracle.METADATA_SOURCE for one in verdict.findings):
        return Occasion(f"another environment than in training ({_differences(known, runs)})")
    if verdict.p_value is None or verdict.needs_more:
        return None
    if verdict.status is Status.REGRESSION or verdict.p_value <= SUSPICIOUS:
        n_runs = format_count(len(verdict.run_ids), "run")
        p_value = format_number(verdict.p_value)
        return Occasion(f"{n_runs} differed from the training runs (p = {p_value})", is_difference=True)
    if verdict.runs_needed is not None:
        return Occasion("the training runs are too few to decide")
    return None


def take_turns(
    project: Project,
    test: TestConfig,
    known: Oracle,
    why: Occasion,
    verdict: Verdict,
    first: Sequence[Run],
    on_event: OnEvent,
) -> Turns | Unsettled | Unkept:
    """Launch the program of the training and the present one in random turns, and compare their runs.

    The runs of the check so far count for nothing here, because they had no place in the random order: on a
    machine that drifts, or with cold caches, the first run of all differs from the others.

    Args:
        why: see :func:`by_oracle`.
        verdict: of the runs of the check so far.
        first: these runs; those of the turns continue their session.

    Raises:
        ButoError: the present program cannot be measured.
        StorageError, Interrupted: see :func:`buto.workflow.record.record`.
    """
    program = known.program
    if isinstance(program, Unkept):
        return program
    settings = comparing(known.settings)
    n_turns = turns_needed(settings)
    with ExitStack() as stack:
        try:
            old = replace(old_test(project, program, test, stack, on_event), name=test.name + OLD)
        except StorageError:
            raise
        except NotHereError as error:
            # Without the old program, a check is what it is without turns, as in a clone without the cache.
            return Unkept(error.message, error.advice or "")
        except ButoError as error:
            return _unsettled(project, known, why, verdict, error)
        on_event(TurnsBegin(test.name, why.clause, n_turns))
        collected = launch(
            project,
            [old, test],
            {old.name: n_turns, test.name: n_turns},
            TURNS,
            on_event,
            sessions=dict.fromkeys((old.name, test.name), _session(first[0])),
            together=True,
        )
    theirs, ours = collected[old.name], collected[test.name]
    if ours.failure is not None:
        raise ours.failure
    if theirs.failure is not None:
        return _unsettled(project, known, why, verdict, theirs.failure, theirs.runs)
    return _judged(known, why, theirs.valid(), ours.valid())


def stored_turns(project: Project, known: Oracle, why: Occasion, runs: Sequence[Run]) -> Turns | None:
    """Return the turns that these runs of a check were part of; None if there were none, or not enough."""
    new = run_set([run for run in runs if run.metadata.get(PURPOSE) == TURNS]).valid()
    if not len(new):
        return None
    heads = (one.head for one in project.store.summaries(known.test + OLD))
    ids = [head.id for head in heads if head is not None and head.marks.get(SESSION) == _session(new.runs[0])]
    old = run_set(windowed(project, project.store.open_set(known.test + OLD, ids))).valid()
    if min(len(old), len(new)) < runs_needed(comparing(known.settings)):
        return None
    return _judged(known, why, old, new)


def _session(run: Run) -> str:
    return str(run.metadata.get(SESSION, run.id))


def _differences(known: Oracle, runs: RunSet) -> str:
    """Return the keys that decide, each with its values in training and now."""
    metadata = registry.detector(known.settings.method)(known.settings).metadata
    found = {
        one.key: f"{one.key}: {' → '.join(metadata_texts(one.key, one.expected, one.observed))}"
        for run in runs
        for one in compare_metadata(known.environment, run.metadata, metadata)
        if one.deciding
    }
    left = len(found) - MOST_KEYS
    return f"{', '.join(list(found.values())[:MOST_KEYS])}{f' and {left} more' if left > 0 else ''}"


def _judged(known: Oracle, why: Occasion, old: RunSet, new: RunSet) -> Turns:
    settings = comparing(known.settings)
    found = compare(old, new, settings)
    decided = why.decided(found.status, len(old), len(new))
    verdict = replace(found, roles=ROLES, reasons=(decided, *found.reasons))
    shown = replace(oracle.train(old, settings), test=known.test, warnings=())
    return Turns(verdict, old.runs, new.runs, shown)


def _unsettled(
    project: Project,
    known: Oracle,
    why: Occasion,
    verdict: Verdict,
    error: ButoError,
    runs: Sequence[Run] = (),
) -> Unsettled:
    """Return that the old program cannot be launched, and what helps.

    Args:
        runs: of the old program, before it was given up.
    """
    has_failed = bool(runs) and bad_ending(runs[-1].quality.problems) is not None
    what = "does not run any more" if has_failed else "cannot be launched"
    message = error.message.splitlines()[0]
    advice = _START_IT if has_failed else in_words(error.advice or "", project.door)
    reasons = (f"{why.clause}, and the program of the training {what}: {message}", advice)
    show = [Step(Action.SHOW_RUN, run.test, run_id=run.id) for run in runs[-1:]]
    train = Step(Action.TRAIN, known.test, plain=True, why="a good program; replaces the oracle")
    unsettled = replace(verdict, status=Status.INCONCLUSIVE, reasons=reasons, needs_more="")
    return Unsettled(unsettled, (*show, train))
