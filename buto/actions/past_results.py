"""The results of a test that the history has, the newest first, and what a training should say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buto.actions.events import Reporter, Warned
from buto.actions.workspace import Workspace
from buto.errors import BadFileError, UsageError
from buto.judging.verdict import Status
from buto.report.stored_result import StoredResult, StoredVerdict, result_of
from buto.run.entries import ResultStore
from buto.run.properties import title_of
from buto.run.units import format_list
from buto.steps import Action, Advice, Step


def past_results(workspace: Workspace, test: str) -> Iterator[StoredResult]:
    """Yield the results of a test, the newest first; BadFileError if one cannot be read."""
    store = ResultStore(workspace.store)
    for name in reversed(store.all(test)):
        with store.reading(test, name) as content:
            result = result_of(content)
        yield result


def leading_subjects(verdict: StoredVerdict) -> list[str]:
    """Return the properties of the headlines of a verdict; without any, those of its findings."""
    places = [headline.finding for headline in verdict.headlines] or range(len(verdict.findings))
    return list(dict.fromkeys(verdict.findings[place].subject for place in places))


def acceptance_error(workspace: Workspace, trained: Sequence[str]) -> UsageError:
    """Return the error of an acceptance that names no test, with the tests that failed their newest check.

    Args:
        trained: the tests that have an oracle.
    """
    failed = [
        (test, leading)
        for test in ResultStore(workspace.store).tests()
        if (leading := _reason_of_failure(workspace, test))
    ]
    if not failed and not trained:
        step = Step(Action.TRAIN, "NAME", command=("java", "..."), plain=True)
        return UsageError("there is no oracle yet, so no change of one to accept", advice=Advice(step))
    if not failed:
        return UsageError(
            "no test was named, and none failed its newest check",
            advice=Advice("name the test to train anew: ", Step(Action.ACCEPT, trained[0], plain=True)),
        )
    lines = [f"{test} failed its newest check for {leading}" for test, leading in failed]
    steps = [Step(Action.ACCEPT, test) for test, _ in failed[:_MOST_ADVISED]]
    parts = [part for step in steps for part in (" or: ", step)]
    return UsageError("\n".join(("name the test whose change is meant:", *lines)), advice=Advice(*parts[1:]))


_MOST_ADVISED = 3


def _reason_of_failure(workspace: Workspace, test: str) -> str:
    """Return what the newest result of a test failed for, if that is of a check; else an empty text."""
    try:
        newest = next(past_results(workspace, test), None)
    except BadFileError:
        # The command that is asked for the test says so.
        return ""
    if newest is None or newest.command != Action.CHECK.value or newest.test.verdict is None:
        return ""
    verdict = newest.test.verdict
    if verdict.status != Status.REGRESSION.value:
        return ""
    return format_list(list(map(title_of, leading_subjects(verdict)))) or "what its report says"


def warn_of_failed_check(workspace: Workspace, test: str, reporter: Reporter) -> None:
    """Say what the newest check of a test failed for, if it did: a training makes that the expected."""
    try:
        newest = next(past_results(workspace, test), None)
    except BadFileError:
        # Training needs no history, and replaces none.
        return
    if newest is None or newest.test.verdict is None or newest.command != Action.CHECK.value:
        return
    if newest.test.verdict.status == Status.REGRESSION.value:
        titles = format_list(list(map(title_of, leading_subjects(newest.test.verdict))))
        text = (
            f"the newest check failed for {titles} ({newest.finished:%Y-%m-%d %H:%M} UTC), and training "
            "makes what the program uses now the expected; to accept what that check judged instead: "
        )
        reporter(Warned(test, Advice(text, Step(Action.ACCEPT, test))))
