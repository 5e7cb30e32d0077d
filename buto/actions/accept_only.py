"""Accepting one named finding: the trailer for the commit that means it. The oracle stays as it is."""

from __future__ import annotations

from msgspec import Struct

from buto.actions import git
from buto.actions.base import base_of_stored
from buto.actions.decide import JudgedTest, budgets_of, oracle_of_change, settle
from buto.actions.events import Reporter, ignore
from buto.actions.monitor import recall_alarm
from buto.actions.mood import judge_as_then
from buto.actions.project import Project
from buto.actions.stored import newest_check
from buto.actions.waivers import fail_for, said_before, trailer_for
from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Status
from buto.steps import Action, Advice, Step


class AcceptOnlyRequest(Struct, frozen=True):
    """What to accept.

    Attributes:
        test: a test whose newest check fails.
        subject: the full name of the property that it fails for.
        reason: why that is meant.
        commits: whether an empty commit with the trailer is made.
    """

    test: str
    subject: str
    reason: str
    commits: bool = False


def accept_only(project: Project, request: AcceptOnlyRequest, reporter: Reporter = ignore) -> str:
    """Return the trailer that waives one finding of the newest check; with ``commits``, commit it.

    Raises:
        UsageError: there is no reason, the finding has no size, or git cannot commit.
        JudgeError: the newest check does not fail for this property.
        BadFileError: there is no oracle.
    """
    test = request.test
    if len(request.reason.strip().splitlines()) != 1:
        raise UsageError("one line must say why the change is meant", advice="--reason TEXT")
    known = project.load_known(test, Action.ACCEPT)
    launcher = project.launcher(reporter)
    runs = newest_check(launcher.workspace, test)
    if not runs:
        raise JudgeError(f"no check was recorded for {test!r}", advice=Advice(Step(Action.CHECK, test)))
    checked = recall_alarm(launcher.workspace, judge_as_then(launcher.workspace, known.oracle, runs))
    turns = settle(launcher, JudgedTest(known), checked)
    checked = turns.checked if turns is not None else checked
    verdict = checked.verdict
    finding = fail_for(verdict, request.subject)
    if verdict.status is not Status.REGRESSION:
        raise JudgeError(
            f"the newest check of {test!r} does not fail: it is {verdict.status.value}",
            advice=Advice("check again: ", Step(Action.CHECK, test)),
        )
    if finding is None:
        names = ", ".join(dict.fromkeys(each.subject for each in verdict.findings)) or "nothing"
        raise JudgeError(
            f"the newest check of {test!r} does not fail for {request.subject!r}, but for {names}",
            advice="name a property as the check names it",
        )
    base = base_of_stored(runs)
    since, budgets = oracle_of_change(known.oracle, checked, base), budgets_of(known.oracle, base)
    if not since.commit:
        raise UsageError(
            f"no trailer counts for {test!r}: its oracle knows no commit, since files had changed when it "
            "was trained",
            advice=Advice(
                "accept all that has changed: ",
                Step(Action.ACCEPT, test),
                "; and commit your files before the next training",
            ),
        )
    before = said_before(launcher.workspace, since, finding, budgets)
    trailer = trailer_for(test, finding, request.reason.strip(), before)
    if request.commits:
        _commit(project, test, trailer)
    return trailer


def _commit(project: Project, test: str, trailer: str) -> None:
    """Make a commit with the trailer and without any file, whatever is staged."""
    repository = git.repository_of(
        project.files.root, "leave --commit out, and put the trailer into a commit"
    )
    message = f"Accept a change of what {test} uses\n\n{trailer}\n"
    git.output_of(repository, "commit", "--allow-empty", "--only", "--quiet", "--message", message)
