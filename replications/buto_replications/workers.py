"""Share work among processes or hosts; results come in the order of the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from buto.errors import UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

Watch = Callable[[int, int], None]
"""Called after each part of the work with the number of finished parts and of all parts."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the work.

    Attributes:
        processes: how many of this machine share it; 1: this one does all of it.
        scheduler: address of a Dask scheduler whose hosts do it instead; empty for none.
    """

    processes: int = 1
    scheduler: str = ""


ALONE = Workers()


def in_parallel(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: Workers
) -> Iterator[Result]:
    """Yield the function's result for each task.

    Raises:
        UsageError: joblib or Dask, which the workers need, is not installed.
        MeasureError: the scheduler does not answer, or has no host.
    """
    if workers.scheduler or workers.processes == 1:
        # Imported here, for it brings along what launches.
        from buto.actions.engines import share_for

        yield from share_for(workers.scheduler)(function, tasks)
        return
    try:
        from joblib import Parallel, delayed
        from joblib.externals.loky import get_reusable_executor
    except ModuleNotFoundError as error:
        raise UsageError(
            "joblib, which shares the work among processes, is not installed",
            advice="pip install joblib, or use one process with --workers 1",
        ) from error
    try:
        yield from Parallel(workers.processes, return_as="generator", batch_size=1)(
            delayed(function)(task) for task in tasks
        )
    finally:
        # Idle workers would otherwise live as long as this process.
        get_reusable_executor().shutdown(kill_workers=True)
