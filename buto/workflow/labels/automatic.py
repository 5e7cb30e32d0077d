"""Labels that follow from what commands find; a person's own labels count before them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from buto import oracle
from buto.errors import BadFileError, JudgeError, StorageError
from buto.report import words
from buto.report.result import Commit, Result
from buto.report.sanitize import MAX_TEXT, one_line
from buto.runs import Run, run_set
from buto.runs.labels import Label, Labelling, LabelStore, current
from buto.steps import Action
from buto.verdicts import Status, Verdict
from buto.workflow.events import OnEvent, Warned
from buto.workflow.labels.person import person_at
from buto.workflow.project import Project
from buto.workflow.project.stored import stored_runs

CONFIRMED = 2
"""Number of runs from which on a regression that they show together counts as confirmed."""

_BISECT = Action.BISECT.value
_PASSED_NOW = "the accepted oracle passes it"
_LEARNING = (Action.TRAIN.value, Action.ACCEPT.value)


def label_result(project: Project, command: str, result: Result, on_event: OnEvent, reason: str = "") -> None:
    """Label the runs of a training (good), or of a check that found a confirmed regression (bad).

    A change that is accepted makes those runs good, too, that failed their check since the last training
    and that the new oracle passes. Failure is only reported: what the command did remains.

    Args:
        reason: of an acceptance, why the change is meant.
    """
    valid = [run.id for run in result.runs if run.quality.valid]
    try:
        if command in _LEARNING:
            _add(project, result.test, valid, Label.GOOD, command, reason)
        if command == Action.ACCEPT.value:
            passed = _passed_now(project, result)
            _add(project, result.test, passed, Label.GOOD, command, reason or _PASSED_NOW)
        verdict = result.verdict
        if command == Action.CHECK.value and verdict is not None and _is_confirmed(verdict, valid):
            _add(project, result.test, valid, Label.BAD, command, words.headline(verdict))
    except (BadFileError, StorageError) as error:
        on_event(Warned(result.test, f"{error.message}; these runs get no label"))


def label_bisected(
    project: Project, commit: Commit, found: Result, parent: Result | None, on_event: OnEvent
) -> None:
    """Label the runs of the first bad commit bad, and those of its parent good if they passed."""
    name = f"{commit.short} {commit.subject}"
    try:
        _add(project, found.test, _valid(found.runs), Label.BAD, _BISECT, f"first bad commit: {name}")
        if parent is not None and parent.verdict is not None and parent.verdict.status is Status.PASS:
            good = _valid(parent.runs)
            _add(project, found.test, good, Label.GOOD, _BISECT, f"the commit before {name}")
    except (BadFileError, StorageError) as error:
        on_event(Warned(found.test, f"{error.message}; these runs get no label"))


def _is_confirmed(verdict: Verdict, valid: Sequence[str]) -> bool:
    """Return whether several runs show together that the program got worse."""
    is_worse = verdict.status is Status.REGRESSION and not verdict.is_welcome
    return is_worse and len(valid) >= CONFIRMED


def _passed_now(project: Project, result: Result) -> list[str]:
    """Return the runs of failed checks since the last training that the new oracle passes."""
    assert result.oracle is not None
    record = LabelStore(project.files.store).all(result.test)
    taught = [one.at for one in record if one.command in _LEARNING]
    # The newest is that of this acceptance.
    since = taught[-2] if len(taught) > 1 else None
    counts, stored = current(record), set(project.store.ids(result.test))
    learned = oracle.load(result.oracle)
    found: list[str] = []
    for one in record:
        failed = one.command == Action.CHECK.value and all(counts[run_id] is one for run_id in one.run_ids)
        if not failed or not stored.issuperset(one.run_ids) or (since is not None and one.at < since):
            continue
        try:
            runs = stored_runs(project, result.test, ",".join(one.run_ids))
            verdict = oracle.check(learned, run_set(runs))
        except (BadFileError, JudgeError):
            continue
        found += one.run_ids if verdict.status is Status.PASS else ()
    return found


def _valid(runs: Iterable[Run]) -> list[str]:
    return [run.id for run in runs if run.quality.valid]


def _add(
    project: Project, test: str, run_ids: Sequence[str], label: Label, command: str, reason: str = ""
) -> None:
    """Store a label unless all of these runs have it from the same command already."""
    store = LabelStore(project.files.store)
    counts = current(store.all(test))
    known = [counts.get(run_id) for run_id in run_ids]
    if all(one is not None and (one.label, one.command) == (label, command) for one in known):
        return
    person, text = person_at(project.files.root), one_line(reason, MAX_TEXT)
    meant = command == Action.ACCEPT.value
    store.add(Labelling(test, tuple(run_ids), label, datetime.now(UTC), command, person, text, meant))
