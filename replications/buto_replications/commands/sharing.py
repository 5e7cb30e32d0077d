"""Share the work of an experiment among processes or hosts, and show how much is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

from buto.cli.console import Console
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_thesis import WorkProgress
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
