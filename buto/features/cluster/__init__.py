"""Launches and computations on the hosts of a cluster, through a Dask scheduler."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from buto.errors import UsageError

if TYPE_CHECKING:
    from buto.engine.launching import EngineFor
    from buto.judging.protocol import Share


class ClusterHosts(NamedTuple):
    """What launches and computes there; see :class:`buto.actions.hooks.Hosts`."""

    engine_for: EngineFor
    share: Share


def hosts_at(scheduler: str) -> ClusterHosts:
    """Return the hosts of a scheduler; see :func:`buto.actions.engines.engine_for`."""
    require_dask()
    from buto.features.cluster.connection import cluster_at
    from buto.features.cluster.engine import ClusterEngine
    from buto.features.cluster.sharing import shared

    cluster = cluster_at(scheduler)
    return ClusterHosts(partial(ClusterEngine, cluster=cluster), partial(shared, cluster))


def require_dask() -> None:
    """Raise UsageError if Dask is not installed."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            "Dask, which shares work among several machines, is not installed",
            advice="pip install 'buto[dask]', on every host too",
        )
