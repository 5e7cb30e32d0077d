"""Waivers of the change that a check judges: all commits since the one that trained its oracle.

The change under check is what differs from the program of the training. So the trailers of all commits since
then hold, those of the same property add up, and with the next oracle they are spent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import structs

from buto.actions import git
from buto.actions.unmatched import trailer_doubts
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.judging.verdict import Difference, Direction, Status, Verdict, Waived, Waiver
from buto.judging.waivers import LIVE_HEAP, TRAILER, allowance, trailer_of, waive, waivers_in
from buto.oracle import CheckedRuns, Oracle
from buto.report.sanitize import one_line
from buto.run.model import COMMIT
from buto.run.patterns import fits
from buto.run.properties import LIVE_CLASSES, title_of
from buto.run.units import format_change
from buto.steps import Action, Advice, Step

_DIRTY = "+dirty"
_MOST_REASON = 200
_MOST_AUTHOR = 60


def find_waivers(workspace: Workspace, known: Oracle, head: str = "HEAD") -> tuple[tuple[Waiver, ...], str]:
    """Return the waivers of the commits since the training, and why they are not known, in a sentence.

    Args:
        head: the last commit of the change.

    Raises:
        UsageError: a trailer is malformed; the advice has the right form.
    """
    return (
        waivers_between(workspace, known.commit, head) if known.commit else _uncounted(workspace, known, head)
    )


def _uncounted(workspace: Workspace, known: Oracle, head: str) -> tuple[tuple[Waiver, ...], str]:
    """Return that no trailer counts, if there are any since an oracle without a commit was committed."""
    if workspace.oracle_of is None:
        return (), ""
    try:
        base = git.last_change(workspace.oracle_of(known.test).resolve())
    except UsageError:
        # What is later than a training that was not committed, nobody knows.
        return (), ""
    waivers, lacking = waivers_between(workspace, base, head)
    if not any(waiver.test == known.test for waiver in waivers):
        return (), lacking
    text = Advice(
        "accept all that has changed: ",
        Step(Action.ACCEPT, known.test),
        "; and commit your files before the next training",
        fact=f"no {TRAILER} counts: the oracle knows no commit, since files had changed when it was trained",
    )
    return (), text


def waivers_between(workspace: Workspace, base: str, head: str) -> tuple[tuple[Waiver, ...], str]:
    """Return the waivers of the commits after one and up to another, as :func:`find_waivers`."""
    try:
        repository = git.repository_of(workspace.root, "")
        if not git.has_commit(repository, base) or not git.has_commit(repository, head):
            shallow = git.is_shallow(repository)
            text = f"no {TRAILER} counts: the commit before the change, {base[:12]}, is not in this clone"
            return (), f"{text} ({git.FETCH})" if shallow else text
        messages = git.messages_of(repository, base, head)
    except UsageError:
        # Without git there are no commits that could say anything.
        return (), ""
    return tuple(
        waiver for commit in messages for waiver in waivers_in(commit.text, commit.name, commit.author)
    ), ""


def apply_waivers(
    workspace: Workspace, known: Oracle, checked: CheckedRuns, allowed: Sequence[Waiver] = ()
) -> CheckedRuns:
    """Return a verdict without the findings that the commits of the change say are meant.

    Args:
        known: the oracle; the change is all since its commit.
        allowed: what no commit says, and adds to what they say: budgets.

    Raises:
        UsageError: a trailer is malformed, or a size has another unit than its property.
    """
    verdict = checked.verdict
    commits = {run.metadata.get(COMMIT) for run in checked.runs}
    if not verdict.findings or len(commits) != 1:
        return checked
    head = str(commits.pop() or "").removesuffix(_DIRTY)
    waivers, lacking = find_waivers(workspace, known, head) if head else ((), "")
    doubts = trailer_doubts(workspace, known.test, waivers, checked.runs)
    return _find_waived_by(checked, known.test, waivers, (*doubts, *_some(lacking)), allowed)


def apply_waivers_between(
    workspace: Workspace, checked: CheckedRuns, test: str, old: str, new: str
) -> CheckedRuns:
    """Return a comparison of two revisions without the findings that the commits between them say are meant.

    Args:
        test: the name that trailers give.
        old, new: the revisions.

    Raises:
        UsageError: as :func:`apply_waivers`.
    """
    if not checked.verdict.findings:
        return checked
    waivers, lacking = waivers_between(workspace, old, new)
    doubts = trailer_doubts(workspace, test, waivers, checked.runs)
    return _find_waived_by(checked, test, waivers, (*doubts, *_some(lacking)))


def _some(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _find_waived_by(
    checked: CheckedRuns,
    test: str,
    waivers: Sequence[Waiver],
    remarks: Sequence[str],
    allowed: Sequence[Waiver] = (),
) -> CheckedRuns:
    verdict = checked.verdict
    # A budget alone is the size that matters in these turns; beside a trailer it adds up.
    subjects = dict.fromkeys(waiver.subject for waiver in waivers)
    waived = waive(verdict, test, (*waivers, *_budgets_for(subjects, allowed)))
    texts = tuple(_text(waived_finding) for waived_finding in waived.waived)
    return structs.replace(checked, verdict=replace(waived, warnings=(*texts, *remarks, *waived.warnings)))


def _budgets_for(subjects: Iterable[str], allowed: Sequence[Waiver]) -> list[Waiver]:
    """Return the budget of each of these properties that has one; of several the last counts."""
    fitting = {
        subject: [waiver for waiver in allowed if fits(subject, waiver.subject)] for subject in subjects
    }
    return [structs.replace(budgets[-1], subject=subject) for subject, budgets in fitting.items() if budgets]


def _text(waived: Waived) -> str:
    size = waived.finding.size
    change = "" if size is None else format_change(size.old, size.new, waived.finding.unit)
    who = "; ".join(map(_who, waived.waivers))
    return f"accepted: {title_of(waived.finding.subject)} {change}, as said by {who}"


def _who(waiver: Waiver) -> str:
    if not waiver.commit:
        return one_line(waiver.reason, _MOST_REASON)
    author = one_line(waiver.author.partition(" <")[0], _MOST_AUTHOR)
    return f"{author} in {waiver.commit[:9]}: {one_line(waiver.reason, _MOST_REASON)}"


def trailer_size(waiver: Waiver) -> str:
    """Return the size of a waiver with its sign, as a trailer has it."""
    return f"{'+' if waiver.direction is Direction.MORE else '-'}{waiver.size}"


def trailer_for(test: str, finding: Difference, reason: str, before: Sequence[Waiver] = ()) -> str:
    """Return the trailer that waives a finding, with a tenth of room above its size.

    Args:
        before: waivers to which it adds: its size is only what these lack. Those of other tests, properties
            and directions do not count.

    Raises:
        UsageError: it has no size, these lack nothing, or one of them is of another unit.
    """
    size = finding.size
    if size is None or not size.change:
        raise UsageError(f"the change of {finding.subject} has no size that could be accepted")
    direction = Direction.MORE if size.change > 0 else Direction.LESS
    subject = (test, finding.subject, direction)
    same = [waiver for waiver in before if (waiver.test, waiver.subject, waiver.direction) == subject]
    room = 1.1
    allowed = allowance(finding, size.old, same)
    if same and allowed >= abs(size.change):
        raise UsageError(f"the change of {finding.subject} is accepted already, by trailers before")
    lacking = room * abs(size.change) - allowed
    text = f"{_rounded(100 * lacking / abs(size.old))}%" if size.old else _rounded(lacking)
    return trailer_of(Waiver(test, finding.subject, direction, text, reason))


MOST_TRAILERS = 5
"""Of one check; more say that it is not one change that is meant."""

ANY_REASON = "REASON"
"""What the author puts the reason in place of."""


def trailers_for(
    workspace: Workspace, known: Oracle, verdict: Verdict, allowed: Sequence[Waiver] = ()
) -> tuple[str, ...]:
    """Return the trailers that let a failed check pass; none if no trailers do, or they are too many.

    Args:
        known, allowed: as of :func:`apply_waivers`.
    """
    if verdict.status is not Status.REGRESSION or not known.commit:
        return ()
    findings: dict[str, Difference] = {}
    for finding in verdict.findings:
        if not isinstance(finding, Difference) or finding.size is None:
            return ()
        before = findings.get(finding.subject)
        if before is None or before.size is None or abs(before.size.change) < abs(finding.size.change):
            findings[finding.subject] = finding
    if LIVE_HEAP in findings:
        # Its trailer accepts them, too.
        findings.pop(LIVE_CLASSES.name, None)
    try:
        waivers, lacking = find_waivers(workspace, known)
        if lacking or len(findings) > MOST_TRAILERS:
            return ()
        return tuple(
            trailer_for(known.test, finding, ANY_REASON, (*waivers, *_budgets_for((subject,), allowed)))
            for subject, finding in findings.items()
        )
    except UsageError:
        return ()


def _rounded(size: float) -> str:
    return f"{float(f'{size:.2g}'):g}"


def said_before(
    workspace: Workspace, known: Oracle, finding: Difference, allowed: Sequence[Waiver] = ()
) -> tuple[Waiver, ...]:
    """Return what the next trailer of a finding adds to: the trailers up to now, and its budget.

    Args:
        known, allowed: as of :func:`apply_waivers`.

    Raises:
        UsageError: a trailer is malformed.
    """
    waivers, _ = find_waivers(workspace, known)
    return (*waivers, *_budgets_for((finding.subject,), allowed))


def fail_for(verdict: Verdict, name: str) -> Difference | None:
    """Return the finding of a property, by its full name; None if the check does not fail for it."""
    if verdict.status is not Status.REGRESSION:
        return None
    findings: Sequence[Difference] = [
        finding for finding in verdict.findings if isinstance(finding, Difference) and finding.subject == name
    ]
    return findings[0] if findings else None
