"""Share work among processes; results come in the order of the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from buto.errors import UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

Watch = Callable[[int, int], None]
"""Called after each part of the work with the number of finished parts and of all parts."""


def in_parallel(function: Callable[[Task], Result], tasks: Iterable[Task], workers: int) -> Iterator[Result]:
    """Yield the function's result for each task.

    Raises:
        UsageError: there is more than one worker, and joblib is not installed.
    """
    if workers == 1:
        yield from map(function, tasks)
        return
    try:
        from joblib import Parallel, delayed
        from joblib.externals.loky import get_reusable_executor
    except ModuleNotFoundError as error:
        raise UsageError(
            "joblib, which shares the work among processes, is not installed",
            advice="pip install 'buto[experiments]', or use one process with --workers 1",
        ) from error
    try:
        yield from Parallel(workers, return_as="generator", batch_size=1)(
            delayed(function)(task) for task in tasks
        )
    finally:
        # Idle workers would otherwise live as long as this process.
        get_reusable_executor().shutdown(kill_workers=True)
