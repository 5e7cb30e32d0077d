"""Work of analysis on the hosts of a cluster, through joblib's backend for Dask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

from distributed import CancelledError, KilledWorker
from joblib import Parallel, delayed

from buto.errors import EngineLostError, MeasureError
from buto_cluster.connection import Cluster

PATIENCE_S = 60.0
"""How long work waits for a host, if there is none."""

_LOOKS = 12
"""How often it looks in this time whether there is one."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def shared(
    cluster: Cluster,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    /,
    *,
    patience_s: float = PATIENCE_S,
) -> Iterator[Result]:
    """Yield the function's result for each task, in the order of the tasks.

    A task takes a host as a launch does: a host computes one at a time, and never while it measures. What a
    lost host computed is computed again, also by a host that has joined since.

    Args:
        function: of a module, as is all that the tasks have: hosts import it by name.
        patience_s: see PATIENCE_S.

    Raises:
        MeasureError: the cluster has no host, or hosts are lost whenever they compute one of the tasks.
        EngineLostError: the scheduler does not answer any more.
    """
    if not cluster.hosts():
        raise _no_host(cluster, "that can compute")
    with cluster.computing():
        parallel = Parallel(n_jobs=-1, return_as="generator", batch_size=1)
    with _watch(cluster, patience_s) as is_hopeless:
        try:
            yield from parallel(delayed(function)(task) for task in tasks)
        except KilledWorker as error:
            raise MeasureError(
                f"hosts were lost whenever they computed a part: {error}",
                advice="read the output of buto worker on one of them",
            ) from error
        except (CancelledError, OSError, TypeError) as error:
            # joblib takes the error of a cancelled task for its result, and then cannot iterate over it.
            if cluster.is_lost():
                raise cluster.lost() from error
            if is_hopeless.is_set():
                raise _no_host(cluster, f"any more, for {patience_s:g} s") from error
            raise


@contextmanager
def _watch(cluster: Cluster, patience_s: float) -> Iterator[Event]:
    """Cancel the work of the block when there has been no host for a long time; the event then is set.

    Dask alone would wait for ever.
    """
    is_over, is_hopeless = Event(), Event()

    def watch() -> None:
        seen_s = time.monotonic()
        while not is_over.wait(patience_s / _LOOKS):
            if _has_host(cluster):
                seen_s = time.monotonic()
            elif time.monotonic() - seen_s >= patience_s:
                is_hopeless.set()
                cluster.cancel_computing()
                return

    thread = Thread(target=watch, name="buto-watch", daemon=True)
    thread.start()
    try:
        yield is_hopeless
    finally:
        is_over.set()
        thread.join()


def _has_host(cluster: Cluster) -> bool:
    try:
        return bool(cluster.hosts())
    except EngineLostError:
        return False


def _no_host(cluster: Cluster, more: str) -> MeasureError:
    return MeasureError(
        f"the cluster {cluster.address} has no host {more}",
        advice=f"on a machine with this version of buto: buto worker --scheduler {cluster.address}",
    )
