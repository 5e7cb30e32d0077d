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
from buto.config import TestConfig
from buto.detectors import registry
from buto.detectors.calibrated.explanation import explain_comparison
from buto.detectors.comparison.detector import compare, comparing, turns_needed
from buto.detectors.explanation import Explanation
from buto.errors import ButoError, StorageError
from buto.oracle import Oracle
from buto.runs import Run, RunSet
from buto.steps import Action
from buto.units import format_count, format_number
from buto.verdicts import Roles, Status, Verdict
from buto.workflow.events import OnEvent, TurnsBegin
from buto.workflow.kept import old_test
from buto.workflow.project import Project
from buto.workflow.record import launch

SUSPICIOUS = 0.05
"""Largest p-value of three runs that turns follow. It may be larger than alpha, because the turns decide."""

OLD = "@trained"
"""Ends the name under which the runs of the old program are stored."""

ROLES = Roles("new", "runs of the new program", "old", "runs of the program of the training")


@dataclass(frozen=True, eq=False, slots=True)
class Turns:
    """What the turns gave.

    Attributes:
        verdict: of the new program's runs against the old one's; inconclusive if the old one does not start.
        old, new: all runs, in the order of their launches.
        known: what the old program's runs show, for pictures; None if there are too few.
    """

    verdict: Verdict
    old: tuple[Run, ...]
    new: tuple[Run, ...]
    known: Oracle | None

    @property
    def explanation(self) -> Explanation:
        """How the verdict came about."""
        return explain_comparison(self.verdict)


def why_turns(known: Oracle, verdict: Verdict) -> str:
    """Return, in a clause, why old and new should be launched in turns; empty if the verdict stands.

    Args:
        verdict: of the runs of a check by the oracle alone.
    """
    if not registry.detector(known.settings.method).settles_in_turns:
        return ""
    if any(one.source == oracle.METADATA_SOURCE for one in verdict.findings):
        return "this is not the environment of the training"
    if verdict.p_value is None or verdict.needs_more:
        return ""
    if verdict.status is Status.REGRESSION or verdict.p_value <= SUSPICIOUS:
        runs = format_count(len(verdict.run_ids), "run")
        return f"{runs} differ from the training runs (p = {format_number(verdict.p_value)})"
    if verdict.runs_needed is not None:
        return "the training runs are too few to decide"
    return ""


def take_turns(
    project: Project,
    test: TestConfig,
    known: Oracle,
    why: str,
    first: Sequence[Run],
    on_event: OnEvent,
) -> Turns | None:
    """Launch the program of the training and the present one in random turns, and compare their runs.

    Args:
        why: see :func:`why_turns`.
        first: the runs of the check so far; those of the present program continue their session.

    Returns:
        None if training has kept no program that can be launched.

    Raises:
        ButoError: the present program cannot be measured.
        StorageError, Interrupted: see :func:`buto.workflow.record.record`.
    """
    settings = comparing(known.settings)
    n_turns = turns_needed(settings)
    with ExitStack() as stack:
        try:
            kept = old_test(project, known, test, stack, on_event)
        except StorageError:
            raise
        except ButoError as error:
            return Turns(_not_started(error), (), tuple(first), None)
        if kept is None:
            return None
        old = replace(kept, name=test.name + OLD)
        on_event(TurnsBegin(test.name, why, n_turns))
        collected = launch(
            project,
            [old, test],
            {old.name: n_turns, test.name: n_turns},
            Action.CHECK.value,
            on_event,
            sessions={test.name: first[0].id} if first else None,
            together=True,
        )
    theirs, ours = collected[old.name], collected[test.name]
    if ours.failure is not None:
        raise ours.failure
    if theirs.failure is not None:
        return Turns(_not_started(theirs.failure), theirs.runs, ours.runs, None)
    return _judged(known, why, theirs.valid(), ours.valid())


def _judged(known: Oracle, why: str, old: RunSet, new: RunSet) -> Turns:
    settings = comparing(known.settings)
    found = compare(old, new, settings)
    before = f"{why}; old and new were then launched in {len(old)} and {len(new)} random turns, which decide"
    verdict = replace(found, roles=ROLES, warnings=(before, *found.warnings))
    shown = replace(oracle.train(old, settings), test=known.test, warnings=())
    return Turns(verdict, old.runs, new.runs, shown)


def _not_started(error: ButoError) -> Verdict:
    reason = f"the program of the training cannot be launched any more: {error.message.splitlines()[0]}"
    return Verdict(Status.INCONCLUSIVE, "comparison", reasons=(reason,), roles=ROLES)
