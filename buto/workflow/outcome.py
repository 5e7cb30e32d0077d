"""The outcome of a call: a result for each test, the exit code, and the entry in the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from buto.errors import (
    EXIT_BAD_FILE,
    EXIT_NOT_JUDGED,
    EXIT_PASS,
    EXIT_REGRESSION,
    EXIT_USAGE,
    ButoError,
    StorageError,
)
from buto.report.formats.json_result import result_document, result_text
from buto.report.result import Commit, LeftOut, Result
from buto.runs import Run
from buto.runs.results import ResultStore
from buto.steps import Action
from buto.workflow.advice.door import reword
from buto.workflow.events import Failed, OnEvent, Warned
from buto.workflow.labels.automatic import label_result
from buto.workflow.project import Project

if TYPE_CHECKING:  # only `buto why` needs what finds causes
    from buto.causes import Explanation

_WORST_FIRST = (EXIT_REGRESSION, EXIT_USAGE, EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS)
"""Exit codes, worst first. A regression comes first because the user asked about it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call.

    Attributes:
        command: the command that was called, as on the command line.
        results: one for each test, in the order in which they were carried out.
        exit_code: of a command that ends with this outcome.
        at: when it was complete; aware.
        left_out: tests that were left out; None if the call does not leave tests out.
        first_bad: of a bisection, the commit that it found.
        explanation: of a bisection, what that commit uses more of than its parent; None if not known.
    """

    command: str
    results: Sequence[Result]
    exit_code: int
    at: datetime
    left_out: Sequence[LeftOut] | None = None
    first_bad: Commit | None = None
    explanation: Explanation | None = None


def worst_code(results: Sequence[Result]) -> int:
    """Return the exit code of a command with these results; without results, that of a pass."""
    return min((_code(result) for result in results), key=_WORST_FIRST.index, default=EXIT_PASS)


def concluded(
    action: Action,
    results: Sequence[Result],
    *,
    exit_code: int | None = None,
    left_out: Sequence[LeftOut] | None = None,
    first_bad: Commit | None = None,
) -> Outcome:
    """Return the outcome of a call that ends now, by default with the worst exit code of its results."""
    code = worst_code(results) if exit_code is None else exit_code
    return Outcome(action.value, results, code, datetime.now(UTC), left_out, first_bad)


def failed(project: Project, test: str, runs: Sequence[Run], error: ButoError, on_event: OnEvent) -> Result:
    """Report why a test could not be finished, with advice in the words of the project's door."""
    reword(error, project.door)
    result = Result(test, project.oracle_path(test), runs, error=error)
    on_event(Failed(result))
    return result


def keep(project: Project, outcome: Outcome, on_event: OnEvent, reason: str = "") -> None:
    """Store each verdict and training for the history, and label its runs; warn if that is not possible.

    Args:
        reason: of an acceptance, why the change is meant.
    """
    store = ResultStore(project.files.store)
    for result in outcome.results:
        if result.error is not None or not result.runs:
            continue
        document = result_document(outcome.command, [result], worst_code([result]), outcome.at)
        try:
            store.add(result.test, result_text(document).encode())
        except StorageError as error:
            on_event(Warned(result.test, f"{error.message}; buto history will not show it"))
        label_result(project, outcome.command, result, on_event, reason)


def _code(result: Result) -> int:
    if result.error is not None:
        return result.error.exit_code
    return EXIT_PASS if result.verdict is None else result.verdict.status.exit_code
