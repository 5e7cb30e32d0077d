"""Whether something grows in every round of a program's work, as a part of a check.

One launch more is counted in rounds, see :mod:`buto.actions.grow`; what grows is a finding of the check. It
is compared with nothing, so no oracle learns it, and no acceptance ends it. The counted run belongs to the
session of the check, so that a report judges it again.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from buto.actions.aside import name_aside
from buto.actions.grow import judge_run, look_for_growth
from buto.actions.launcher import Launcher
from buto.actions.stored import session_of
from buto.actions.workspace import Workspace
from buto.errors import ButoError, StorageError, UsageError
from buto.judging.verdict import GROWTH, Effect, Statement, Status, Verdict
from buto.project.model import TestConfig
from buto.report.growth import GrowthReport
from buto.run.model import Run
from buto.steps import Action, Advice


class Examined(Struct, frozen=True):
    """What is known of growth: what grows, or why that is not known."""

    growth: GrowthReport | None = None
    failure: ButoError | None = None


def examine(launcher: Launcher, test: TestConfig, checked: Run) -> Examined | None:
    """Launch a test once more and look what grows; None if things may grow.

    Args:
        checked: a run of the check.

    Raises:
        StorageError: the store cannot be written.
    """
    if test.no_growth is None:
        return None
    try:
        return Examined(look_for_growth(launcher, test, test.no_growth, checked).growth)
    except StorageError:
        raise
    except ButoError as error:
        return Examined(failure=error)


def recall(workspace: Workspace, checked: Run) -> Examined | None:
    """Judge the counted run of a check again; None if there is none.

    Args:
        checked: a run of the check.
    """
    name = name_aside(checked.test, Action.GROW)
    try:
        heads = [summary.head for summary in workspace.runs.summaries(name)]
    except UsageError:
        return None  # A test of the longest name has no runs aside: theirs would be longer.
    ids = [head.id for head in heads if head is not None and session_of(head) == session_of(checked)]
    if not ids:
        return None
    try:
        return Examined(judge_run(workspace.runs.load(name, ids[-1])))
    except ButoError as error:
        return Examined(failure=error)


def with_growth(verdict: Verdict, examined: Examined | None) -> Verdict:
    """Return a verdict that also fails if something grows, and does not pass if that is not known."""
    if examined is None:
        return verdict
    if examined.failure is not None:
        return _not_known(verdict, examined.failure)
    growth = examined.growth
    if growth is None or not growth.judged.grown:
        return verdict
    finding = Statement(GROWTH, GROWTH, growth.run_id, effect=Effect.WORSE, text=growth.amount)
    if verdict.status is Status.REGRESSION:
        return replace(verdict, findings=(*verdict.findings, finding))
    undecided = tuple(Advice("what changed could not be judged: ", reason) for reason in verdict.reasons)
    # What was not enough to fail, or could not be decided, is nothing that this check fails for.
    return replace(
        verdict,
        status=Status.REGRESSION,
        findings=(finding,),
        reasons=(),
        warnings=(*verdict.warnings, *(undecided if verdict.status is Status.INCONCLUSIVE else ())),
        without_turns="",
    )


def _not_known(verdict: Verdict, failure: ButoError) -> Verdict:
    advice = (": ", failure.advice) if failure.advice else ()
    text = Advice(f"whether something grows is not known: {failure.message}", *advice)
    if verdict.status is Status.REGRESSION:
        return replace(verdict, warnings=(*verdict.warnings, text))
    findings = () if verdict.status is Status.PASS else verdict.findings
    reasons = () if verdict.status is Status.PASS else verdict.reasons
    return replace(verdict, status=Status.INCONCLUSIVE, findings=findings, reasons=(*reasons, text))
