"""Waivers of the change that a check judges: all commits since the one that trained its oracle.

The change under check is what differs from the program of the training. So the trailers of all commits since
then hold, those of the same property add up, and with the next oracle they are spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from buto.actions import git
from buto.actions.workspace import Workspace
from buto.errors import UsageError
from buto.judging.verdict import Difference, Direction, Verdict, Waived, Waiver
from buto.judging.waivers import TRAILER, trailer_of, waive, waivers_in
from buto.oracle import CheckedRuns, Oracle
from buto.report.sanitize import one_line
from buto.run.model import COMMIT
from buto.run.patterns import fits
from buto.run.properties import title_of
from buto.run.units import format_change

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
    return waivers_between(workspace, known.commit, head) if known.commit else ((), "")


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
    return _find_waived_by(checked, known.test, waivers, lacking, allowed)


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
    return _find_waived_by(checked, test, *waivers_between(workspace, old, new))


def _find_waived_by(
    checked: CheckedRuns, test: str, waivers: Sequence[Waiver], lacking: str, allowed: Sequence[Waiver] = ()
) -> CheckedRuns:
    verdict = checked.verdict
    # A budget alone is the size that matters in these turns; beside a trailer it adds up.
    subjects = dict.fromkeys(waiver.subject for waiver in waivers)
    fitting = {
        subject: [waiver for waiver in allowed if fits(subject, waiver.subject)] for subject in subjects
    }
    more = [structs.replace(budgets[-1], subject=subject) for subject, budgets in fitting.items() if budgets]
    waived = waive(verdict, test, (*waivers, *more))
    texts = tuple(_text(waived_finding) for waived_finding in waived.waived) + ((lacking,) if lacking else ())
    return structs.replace(checked, verdict=replace(waived, warnings=(*texts, *waived.warnings)))


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


def trailer_for(test: str, finding: Difference, reason: str) -> str:
    """Return the trailer that waives a finding, with a tenth of room above its size.

    Raises:
        UsageError: it has no size.
    """
    size = finding.size
    if size is None or not size.change:
        raise UsageError(f"the change of {finding.subject} has no size that could be accepted")
    share = abs(size.change / size.old) if size.old else 0.0
    room = 1.1
    text = (
        f"{float(f'{100 * share * room:.2g}'):g}%"
        if share
        else f"{float(f'{abs(size.change) * room:.2g}'):g}"
    )
    direction = finding.direction
    return trailer_of(Waiver(test, finding.subject, direction, text, reason))


def fail_for(verdict: Verdict, name: str) -> Difference | None:
    """Return the finding of a property, by its full name; None if the check does not fail for it."""
    findings: Sequence[Difference] = [
        finding for finding in verdict.findings if isinstance(finding, Difference) and finding.subject == name
    ]
    return findings[0] if findings else None
