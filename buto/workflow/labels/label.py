"""Label stored runs, and read their labels."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from buto.errors import BadFileError, UsageError
from buto.runs import RunSummary
from buto.runs.labels import Label, Labelling, LabelStore
from buto.runs.labels.model import LABEL
from buto.runs.model import SESSION
from buto.steps import Action, Step
from buto.workflow.advice.door import worded
from buto.workflow.labels.person import person_at
from buto.workflow.project import Project

ALL, LAST = "all", "last"

MAX_REASON = 1000
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class LabelRequest:
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


@worded
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
            advice=project.door.usage(Action.LABEL),
        )
    ids = _selected(project, request.test, request.which)
    person, now = person_at(project.files.root), datetime.now(UTC)
    return LabelStore(project.files.store).add(
        Labelling(request.test, ids, request.label, now, LABEL, person, request.reason, request.meant)
    )


def check_reason(reason: str) -> None:
    """Raise UsageError if a reason is too long to be kept."""
    if len(reason) > MAX_REASON:
        raise UsageError(f"a reason must have at most {MAX_REASON} characters, got {len(reason)}")


@worded
def labels(project: Project, test: str) -> list[Labelling]:
    """Return all labellings of a test's runs by time; :func:`buto.runs.labels.current` says which count.

    Raises:
        BadFileError: there is neither a label nor a run of the test, or a stored label is damaged.
    """
    found = LabelStore(project.files.store).all(test)
    if not found:
        _stored(project, test)
    return found


def _selected(project: Project, test: str, which: str) -> tuple[str, ...]:
    stored = _stored(project, test)
    if which == ALL:
        return tuple(stored)
    if which == LAST:
        sessions = {one.id: _session(one) for one in project.store.summaries(test)}
        newest = sessions[max(sessions)]
        return tuple(run_id for run_id, session in sessions.items() if session == newest)
    if ".." in which:
        first, _, last = which.partition("..")
        inside = tuple(run_id for run_id in stored if first <= run_id and (not last or run_id <= last))
        if not inside:
            raise UsageError(
                f"{project.store.root} holds no runs of {test!r} in {which}",
                advice=project.door.step(Step(Action.LIST_RUNS, test)),
            )
        return inside
    named = sorted({run_id.strip() for run_id in which.split(",")})
    for run_id in named:
        if run_id not in stored:
            raise BadFileError(
                f"there is no run {run_id!r} of {test!r} in {project.store.root}",
                advice=project.door.step(Step(Action.LIST_RUNS, test)),
            )
    return tuple(named)


def _session(summary: RunSummary) -> object:
    """Return what runs of one command share; of a run that cannot be read, its own id."""
    return summary.id if summary.head is None else summary.head.marks.get(SESSION, summary.id)


def _stored(project: Project, test: str) -> list[str]:
    ids = project.store.ids(test)
    if not ids:
        raise BadFileError(
            f"{project.store.root} holds no runs of {test!r}",
            advice=project.door.step(Step(Action.LIST_RUNS)),
        )
    return ids
