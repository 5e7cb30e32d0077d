"""The end of train and check: what is said of several tests, the files, the history, the exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.errors import StorageError
from buto.report.formats.json_result import result_document, result_text
from buto.report.result import LEFT_OUT, LeftOut, Result
from buto.runs.results import ResultStore


def finish(
    results: Sequence[Result],
    args: Namespace,
    console: Console,
    left_out: Sequence[LeftOut] | None = None,
) -> int:
    """Say how each of several tests went, write the reports and the history, and return the exit code.

    Args:
        left_out: the tests that the command did not look at; None if it was not asked to leave any out.

    Raises:
        StorageError: a report cannot be written. A history that cannot be written is only warned of.
    """
    lines = [(result.test, result.status) for result in results]
    lines += [(one.test, LEFT_OUT) for one in left_out or ()]
    if len(lines) > 1:
        width = max(len(test) for test, _ in lines)
        console.result("")
        for test, became in lines:
            console.result(f"{test:<{width}}  {became}")
    done = reports.finished(results, args, reports.worst_code(results), left_out=left_out)
    keep(done, args, console)
    reports.write_reports(done, args, console)
    return done.exit_code


def keep(done: reports.Finished, args: Namespace, console: Console) -> None:
    """Store each result that says something, for ``buto history``; only warn where it cannot be."""
    store = ResultStore(args.store)
    for result in done.results:
        if result.error is not None or not result.runs:
            continue
        document = result_document(done.command, [result], reports.worst_code([result]), done.at)
        try:
            store.add(result.test, result_text(document).encode())
        except StorageError as error:
            console.warning(f"{error.message}; buto history will not show it")
