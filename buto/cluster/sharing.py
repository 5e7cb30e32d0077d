"""Work of analysis on the hosts of a cluster, through joblib's backend for Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from distributed import CancelledError, KilledWorker
from joblib import Parallel, delayed

from buto.cluster.connection import Cluster
from buto.errors import MeasureError

Task = TypeVar("Task")
Result = TypeVar("Result")


def shared(
    cluster: Cluster, function: Callable[[Task], Result], tasks: Iterable[Task], /
) -> Iterator[Result]:
    """Yield the function's result for each task, in the order of the tasks.

    A task takes a host as a launch does: a host computes one at a time, and never while it measures. What a
    lost host computed is computed again.

    Args:
        function: of a module, as is all that the tasks have: hosts import it by name.

    Raises:
        MeasureError: the cluster has no host, or hosts are lost whenever they compute one of the tasks.
        EngineLostError: the scheduler does not answer any more.
    """
    hosts = list(cluster.hosts())
    if not hosts:
        raise MeasureError(
            f"the cluster {cluster.address} has no host that can compute",
            advice=f"on a machine with this version of buto: buto worker --scheduler {cluster.address}",
        )
    with cluster.computing(hosts):
        parallel = Parallel(n_jobs=-1, return_as="generator", batch_size=1)
    try:
        yield from parallel(delayed(function)(task) for task in tasks)
    except KilledWorker as error:
        raise MeasureError(
            f"hosts were lost whenever they computed a part: {error}",
            advice="see why on one of them, in the output of its buto worker",
        ) from error
    except (CancelledError, OSError, TypeError) as error:
        # joblib takes the error of a task that was cancelled for its result, and then cannot iterate over it.
        if cluster.is_lost():
            raise cluster.lost() from error
        raise
