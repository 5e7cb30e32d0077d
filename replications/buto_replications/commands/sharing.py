"""Share the work of an experiment among processes or hosts, and show how much is done.

``buto experiments run store``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.errors import EXIT_PASS
from buto_replications.commands.request import ExperimentsRequest
from buto_replications.commands.run_thesis import WorkProgress
from buto_replications.report import content
from buto_replications.store import recorded
from buto_replications.store.evaluation import Tests, evaluate
from buto_replications.store.tables import numbers_csv, tables
from buto_replications.workers import in_parallel

Task = TypeVar("Task")
Result = TypeVar("Result")


def done(
    function: Callable[[Task], list[Result]],
    tasks: Sequence[Task],
    name: str,
    request: ExperimentsRequest,
    console: Console,
) -> list[Result]:
    """Return the results of all tasks, in their order.

    Args:
        name: of the work, for the line that shows how much is done.
    """
    progress = WorkProgress(console, name)
    found = []
    try:
        for number, some in enumerate(in_parallel(function, tasks, request.workers), start=1):
            found.append(some)
            progress(number, len(tasks))
    finally:
        progress.clear()
    return list(chain.from_iterable(found))


_TESTS: dict[Tests, str] = {"jmh": "Predicted from benchmarks", "junit": "Predicted from unit tests"}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Predict the recorded versions of the store, print the tables for each kind of component tests, and
    write all numbers to a file for each.
    """
    with recorded.unpacked((request.data or recorded.RECORDED) / recorded.NAME) as (directory, index):
        for tests, title in _TESTS.items():
            found = evaluate(directory, index, tests)
            console.result(f"{title}\n")
            for table in tables(found, index):
                for line in content.lines(table):
                    console.result(line)
                console.result("")
            if found.lacking:
                console.info(f"not measured: {', '.join(found.lacking)}")
            path = request.out / f"store-{tests}.csv"
            write_file(path, numbers_csv(found).encode(), "--out")
            console.info(f"wrote {path}")
    return EXIT_PASS
