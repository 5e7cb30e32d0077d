"""Verdicts that turns should have decided and did not: they say so first, and how to get turns."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from buto.actions.advice import next_steps
from buto.actions.old_program import NAME_BUILD
from buto.judging.verdict import Status
from buto.oracle import CheckedRuns, Oracle
from buto.programs.named import UNKNOWN, Unkept
from buto.steps import Action, Step

NOT_FOR_NAMED = "runs that are named are judged as they are"
NOT_STORED = "no turns were launched with these runs"


def mark_without_turns(checked: CheckedRuns, reason: str, *, warns: bool = True) -> CheckedRuns:
    """Return a verdict that says there were no turns.

    Args:
        reason: why there were none, as a clause.
        warns: whether that is a warning; it is none where nothing was to be launched.
    """
    warnings = (f"without turns: {reason}",) if warns else ()
    verdict = checked.verdict
    verdict = replace(verdict, without_turns=reason, warnings=(*warnings, *verdict.warnings))
    return structs.replace(checked, verdict=verdict)


def turns_for_stored(known: Oracle, command: tuple[str, ...]) -> Step | str | None:
    """Return how to get turns where stored runs were judged; None if only a test of the user's launches it.

    Args:
        command: that was judged; empty if it is the one of the configuration or oracle.
    """
    if known.program == UNKNOWN:
        return None
    if isinstance(known.program, Unkept):
        return NAME_BUILD
    return Step(Action.CHECK, known.test, command=command, why="launches old and new in turns")


def steps_without_turns(
    checked: CheckedRuns,
    known: Oracle,
    from_runs: str | None,
    turns: Step | str | None,
    *,
    more: tuple[Step, ...] = (),
    command: tuple[str, ...] = (),
) -> tuple[Step | str, ...]:
    """Return the next steps after such a verdict: how to get turns is before the last one.

    Where nothing could be judged, it is the last one, which short texts show: it may be a regression, and
    training again would make that the expected.

    Args:
        known, from_runs, more, command: see :func:`buto.actions.advice.next_steps`.
        turns: how to get turns; None if there can be none.
    """
    steps = next_steps(known, checked.verdict, from_runs, more=more, command=command)
    # A pass has none.
    if not steps or not turns:
        return steps
    if checked.verdict.status is Status.INCONCLUSIVE:
        return (*steps, turns)
    return (*steps[:-1], turns, *steps[-1:])
