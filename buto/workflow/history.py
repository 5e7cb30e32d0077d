"""The results of a test's checks over time."""

from __future__ import annotations

from buto.errors import BadFileError
from buto.report.history import Entry, stored_entries
from buto.runs.results import ResultStore
from buto.steps import Action, Step
from buto.workflow.advice.door import worded
from buto.workflow.project import Project


@worded
def history(project: Project, test: str) -> list[Entry]:
    """Return the checks and trainings of a test, oldest first.

    Raises:
        BadFileError: there are no results, or one is damaged.
    """
    entries = stored_entries(ResultStore(project.files.store), test)
    if not entries:
        raise BadFileError(
            f"{project.files.store} holds no results of {test!r}",
            advice=project.door.step(Step(Action.CHECK, test, plain=True)),
        )
    return entries
