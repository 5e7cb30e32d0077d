"""What launches and computes for a project: this machine, or the hosts of a cluster."""

from __future__ import annotations

import importlib.util
from functools import partial

from buto.engine.launching import EngineFor, LocalEngine
from buto.errors import UsageError
from buto.judging.protocol import Share, here


def engine_for(scheduler: str) -> EngineFor:
    """Return what creates the engine.

    Args:
        scheduler: address of a scheduler, ``local``, or empty for no cluster.

    Raises:
        UsageError: Dask is not installed.
        MeasureError: the scheduler does not answer.
    """
    if not scheduler:
        return LocalEngine
    require_dask()
    from buto.cluster.connection import cluster_at
    from buto.cluster.engine import ClusterEngine

    return partial(ClusterEngine, cluster=cluster_at(scheduler))


def share_for(scheduler: str) -> Share:
    """Return what has work of analysis done: by this process, or by the hosts of a scheduler.

    Args:
        scheduler: see :func:`engine_for`.

    Raises:
        UsageError: Dask is not installed.
        MeasureError: the scheduler does not answer.
    """
    if not scheduler:
        return here
    require_dask()
    from buto.cluster.connection import cluster_at
    from buto.cluster.sharing import shared

    return partial(shared, cluster_at(scheduler))


def require_dask() -> None:
    """Raise UsageError if Dask is not installed."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            "Dask, which shares work among several machines, is not installed",
            advice="pip install 'buto[dask]', on every host too",
        )
