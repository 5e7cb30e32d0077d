"""The outcome of a call: a result for each test, the exit code, and the entry in the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from buto.actions.events import Failed, Reporter, Warned
from buto.actions.hooks import CONCLUDED, Finished
from buto.actions.launcher import Launcher
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
from buto.run.entries import ResultStore
from buto.run.model import Run
from buto.steps import Action

_WORST_FIRST = (EXIT_REGRESSION, EXIT_USAGE, EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS)
"""Exit codes, worst first. A regression comes first because the user asked about it."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a call.

    Attributes:
        command: the command that was called, as on the command line.
        results: one for each test, in the order in which they were carried out.
        exit_code: of a command that ends with this outcome.
        at: when it was complete; aware.
        left_out: tests that were left out; None if the call does not leave tests out.
        first_bad: of a bisection, the commit that it found.
        parent: of a bisection, the result of the commit before that; None if it was not judged.
    """

    command: str
    results: Sequence[Result]
    exit_code: int
    at: datetime
    left_out: Sequence[LeftOut] | None = None
    first_bad: Commit | None = None
    parent: Result | None = None


def conclude(action: Action, results: Sequence[Result], *, exit_code: int | None = None) -> CallOutcome:
    """Return the outcome of a call that ends now, by default with the worst exit code of its results."""
    code = worst_code(results) if exit_code is None else exit_code
    return CallOutcome(action.value, results, code, datetime.now(UTC))


def worst_code(results: Sequence[Result]) -> int:
    """Return the exit code of a command with these results; without results, that of a pass."""
    codes = [
        result.verdict.status.exit_code
        for result in results
        if result.error is None and result.verdict is not None
    ]
    codes += [result.error.exit_code for result in results if result.error is not None]
    return min(codes, key=_WORST_FIRST.index, default=EXIT_PASS)


def report_failure(
    test: str, path: Path | None, runs: Sequence[Run], error: ButoError, reporter: Reporter
) -> Result:
    """Report why a test could not be finished."""
    result = Result(test, path, runs, error=error)
    reporter(Failed(result))
    return result


def keep(launcher: Launcher, outcome: CallOutcome, reason: str = "") -> None:
    """Store each verdict and training for the history, and tell features of it; warn if that is not possible.

    A bisection is not in the history: its commits are of the past.

    Args:
        reason: of an acceptance, why the change is meant.
    """
    for result in outcome.results:
        if result.error is not None or not result.runs:
            continue
        if outcome.first_bad is None:
            document = result_document(outcome.command, [result], worst_code([result]), outcome.at)
            try:
                ResultStore(launcher.workspace.store).add(result.test, result_text(document).encode())
            except StorageError as error:
                launcher.report(Warned(result.test, f"{error.message}; buto history will not show it"))
        done = Finished(
            launcher.workspace, outcome.command, result, reason, outcome.first_bad, outcome.parent
        )
        CONCLUDED(result.test, launcher.report, done)
