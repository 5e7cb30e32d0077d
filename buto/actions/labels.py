"""Labels of stored runs: given by people, read, and added where they follow from what commands find.

A person's own labels count before those that follow. The person's name is the one that git knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from buto import oracle
from buto.actions import git
from buto.actions.hooks import Finished
from buto.actions.labelled import check_reason
from buto.actions.project import Project
from buto.actions.stored import load_stored_runs, within
from buto.actions.workspace import Workspace
from buto.errors import BadFileError, JudgeError, UsageError
from buto.extensions import MissingExtraError
from buto.judging.story import story_of
from buto.judging.verdict import GROWTH, LIMIT, OUTSIDE, Status, Verdict
from buto.report import phrases
from buto.report.result import Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.run.labels import LABEL, Label, Labelling, LabelStore, current
from buto.run.model import SESSION, Run, run_set
from buto.run.store import RunSummary
from buto.steps import Action, Advice, Step, Usage


def person_at(directory: Path) -> str:
    """Return git's name of the person (``user.name``); empty if git knows none or is not installed."""
    try:
        return git.call(directory, "config", "user.name").stdout.strip()
    except UsageError:
        return ""


ALL, LAST = "all", "last"


class LabelRequest(Struct, frozen=True):
    """Which runs get which label.

    Attributes:
        which: ``all`` runs of the test; ``last`` for those of the newest command that recorded some; ids
            separated by commas; or ``FIRST..LAST``, where either end may be left out. Runs that were
            recorded for checks and invalid ones are among them.
        meant: of good runs, whether the program was changed on purpose, so that its check was right to fail.
    """

    test: str
    which: str
    label: Label
    reason: str = ""
    meant: bool = False


def label(project: Project, request: LabelRequest) -> Labelling:
    """Label stored runs; their earlier labels stay in the record.

    Raises:
        UsageError: the reason is too long, no run is in the range, or runs that are not good are meant.
        BadFileError: a run does not exist, or a stored label is damaged.
        StorageError: the label cannot be written.
    """
    check_reason(request.reason)
    if request.meant and request.label is not Label.GOOD:
        raise UsageError(
            f"only good runs can be those of a change that is meant, got {request.label.value}",
            advice=Advice(Usage(Action.LABEL)),
        )
    ids = _select_ids(project, request.test, request.which)
    person, now = person_at(project.files.root), datetime.now(UTC)
    return LabelStore(project.files.store).add(
        Labelling(request.test, ids, request.label, now, LABEL, person, request.reason, request.meant)
    )


def labels(project: Project, test: str) -> list[Labelling]:
    """Return all labellings of a test's runs by time; :func:`buto.run.labels.current` says which count.

    Raises:
        BadFileError: there is neither a label nor a run of the test, or a stored label is damaged.
    """
    labellings = LabelStore(project.files.store).all(test)
    if not labellings:
        _load_ids(project, test)
    return labellings


def _select_ids(project: Project, test: str, which: str) -> tuple[str, ...]:
    stored = _load_ids(project, test)
    if which == ALL:
        return tuple(stored)
    if which == LAST:
        sessions = {summary.id: _session(summary) for summary in project.store.summaries(test)}
        newest = sessions[max(sessions)]
        return tuple(run_id for run_id, session in sessions.items() if session == newest)
    if ".." in which:
        inside = tuple(within(stored, which))
        if not inside:
            raise UsageError(
                f"{project.store.root} holds no runs of {test!r} in {which}",
                advice=Advice(Step(Action.LIST_RUNS, test)),
            )
        return inside
    named = sorted({run_id.strip() for run_id in which.split(",")})
    for run_id in named:
        if run_id not in stored:
            raise BadFileError(
                f"there is no run {run_id!r} of {test!r} in {project.store.root}",
                advice=Advice(Step(Action.LIST_RUNS, test)),
            )
    return tuple(named)


def _session(summary: RunSummary) -> object:
    """Return what runs of one command share; of a run that cannot be read, its own id."""
    return summary.id if summary.head is None else summary.head.metadata.get(SESSION, summary.id)


def _load_ids(project: Project, test: str) -> list[str]:
    ids = project.store.ids(test)
    if not ids:
        raise BadFileError(
            f"{project.store.root} holds no runs of {test!r}",
            advice=Advice(Step(Action.LIST_RUNS)),
        )
    return ids


CONFIRMED = 2
"""Number of runs from which on a regression that they show together counts as confirmed."""

_LEARNING = (Action.TRAIN.value, Action.ACCEPT.value)


def label_result(done: Finished) -> None:
    """Label the runs of a training (good), or of a check that found a confirmed regression (bad).

    A change that is accepted makes those runs good, too, that failed their check since the last training
    and that the new oracle passes. Of a bisection, the runs of the first bad commit are bad, and those of its
    parent good if they passed.
    """
    command, result, commit, parent = done.command, done.result, done.first_bad, done.parent
    verdict = result.verdict
    if commit is not None:
        name = f"{commit.short} {commit.subject}"
        _add(done, result.runs, Label.BAD, f"first bad commit: {name}")
        if parent is not None and parent.verdict is not None and parent.verdict.status is Status.PASS:
            _add(done, parent.runs, Label.GOOD, f"the commit before {name}")
    elif command in _LEARNING:
        _add(done, result.runs, Label.GOOD, done.reason)
        if command == Action.ACCEPT.value:
            passed = _find_passing(done.workspace, result)
            _add(done, passed, Label.GOOD, done.reason or "the accepted oracle passes it")
    elif command == Action.CHECK.value and verdict is not None:
        is_confirmed = len(run_set(result.runs).valid()) >= CONFIRMED
        if is_confirmed and _is_worse(verdict):
            _add(done, result.runs, Label.BAD, phrases.headline(verdict))


_NOT_OF_A_CHANGE = (GROWTH, LIMIT, OUTSIDE)
"""Sources of findings that tell nothing of how these runs differ from those of the training by their program.

What grows, or needs more than its limit, may have done so in training; what lies outside moved both programs.
"""


def _is_worse(verdict: Verdict) -> bool:
    """Return whether a check failed because the program changed, and not for the better."""
    findings = tuple(finding for finding in verdict.findings if finding.source not in _NOT_OF_A_CHANGE)
    if verdict.status is not Status.REGRESSION or (verdict.findings and not findings):
        return False
    return not story_of(replace(verdict, findings=findings)).is_welcome


def _find_passing(workspace: Workspace, result: Result) -> list[Run]:
    """Return the runs of failed checks since the last training that the new oracle passes."""
    assert result.oracle is not None
    record = LabelStore(workspace.store).all(result.test)
    taught = [labelling.at for labelling in record if labelling.command in _LEARNING]
    # The newest is that of this acceptance.
    since = taught[-2] if len(taught) > 1 else None
    counts, stored = current(record), set(workspace.runs.ids(result.test))
    learned = oracle.load(result.oracle)
    passing_runs: list[Run] = []
    for labelling in record:
        failed = labelling.command == Action.CHECK.value and all(
            counts[run_id] is labelling for run_id in labelling.run_ids
        )
        if (
            not failed
            or not stored.issuperset(labelling.run_ids)
            or (since is not None and labelling.at < since)
        ):
            continue
        try:
            runs = load_stored_runs(workspace, result.test, ",".join(labelling.run_ids))
            verdict = oracle.check(learned, run_set(runs))
        except (BadFileError, JudgeError, MissingExtraError):
            continue
        passing_runs += runs if verdict.status is Status.PASS else ()
    return passing_runs


def _add(done: Finished, runs: Sequence[Run], label: Label, reason: str) -> None:
    """Label the usable ones of some runs, unless all have that label from the same command already."""
    store, test, command = LabelStore(done.workspace.store), done.result.test, done.command
    ids = tuple(run.id for run in runs if run.quality.valid)
    counts = current(store.all(test))
    known = [counts.get(run_id) for run_id in ids]
    if all(
        labelling is not None and (labelling.label, labelling.command) == (label, command)
        for labelling in known
    ):
        return
    person, text = person_at(done.workspace.root), one_line(reason, MAX_TEXT)
    meant = command == Action.ACCEPT.value
    store.add(Labelling(test, ids, label, datetime.now(UTC), command, person, text, meant))
