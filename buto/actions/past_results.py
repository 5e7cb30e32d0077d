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
        (test, verdict)
        for test in ResultStore(workspace.store).tests()
        if (verdict := _failed_verdict(workspace, test)) is not None
    ]
    if not failed and not trained:
        step = Step(Action.TRAIN, "NAME", command=("java", "..."), plain=True)
        return UsageError("there is no oracle yet, so no change of one to accept", advice=Advice(step))
    if not failed:
        return UsageError(
            "no test was named, and none failed its newest check",
            advice=Advice("name the test to train anew: ", Step(Action.ACCEPT, trained[0], plain=True)),
        )
    lines = [f"{test} failed its newest check {_describe(verdict)}" for test, verdict in failed]
    steps = [step for test, verdict in failed for step in _ways_to_accept(test, verdict)][:_MOST_ADVISED]
    return UsageError(
        "\n".join(("name the test whose change is meant:", *lines)), advice=Advice(*_alternatives(steps))
    )


_MOST_ADVISED = 3


def _failed_verdict(workspace: Workspace, test: str) -> StoredVerdict | None:
    """Return the verdict of the newest result of a test if that is of a check that failed; else None."""
    try:
        newest = next(past_results(workspace, test), None)
    except BadFileError:
        # The command that is asked for the test says so.
        return None
    if newest is None or newest.command != Action.CHECK.value or newest.test.verdict is None:
        return None
    return newest.test.verdict if newest.test.verdict.status == Status.REGRESSION.value else None


def _describe(verdict: StoredVerdict) -> str:
    leading = format_list(list(map(title_of, leading_subjects(verdict)))) or "what its report says"
    since = f"of the sum since {verdict.release} " if verdict.release else ""
    return f"{since}for {leading}"


def _ways_to_accept(test: str, verdict: StoredVerdict) -> list[Step]:
    """Return the steps that accept what a check failed for; training anew moves no release."""
    if not verdict.release:
        return [Step(Action.ACCEPT, test)]
    return [Step(Action.ACCEPT, test, only=subject) for subject in leading_subjects(verdict)[:_MOST_ADVISED]]


def _alternatives(steps: Sequence[Step]) -> list[str | Step]:
    return [part for step in steps for part in (" or: ", step)][1:]


def warn_of_failed_check(workspace: Workspace, test: str, reporter: Reporter) -> None:
    """Say what the newest check of a test failed for, if it did: a training makes that the expected."""
    try:
        newest = next(past_results(workspace, test), None)
    except BadFileError:
        # Training needs no history, and replaces none.
        return
    if newest is None or newest.test.verdict is None or newest.command != Action.CHECK.value:
        return
    verdict = newest.test.verdict
    if verdict.status == Status.REGRESSION.value:
        text = (
            f"the newest check failed {_describe(verdict)} ({newest.finished:%Y-%m-%d %H:%M} UTC), and "
            "training makes what the program uses now the expected; to accept what that check judged "
            "instead: "
        )
        reporter(Warned(test, Advice(text, *_alternatives(_ways_to_accept(test, verdict)))))
