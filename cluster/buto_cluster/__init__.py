"""Launches and computations on the hosts of a cluster, through a Dask scheduler."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from buto.engine.launching import EngineFor
    from buto.judging.protocol import Share


class ClusterHosts(NamedTuple):
    """What launches and computes there; see :class:`buto.actions.engines.Hosts`."""

    engine_for: EngineFor
    share: Share


def hosts_at(scheduler: str) -> ClusterHosts:
    """Return the hosts of a scheduler; see :func:`buto.actions.engines.engine_for`."""
    # Imported here: Dask takes a while, and the command of this package shows its help without it.
    from buto_cluster.connection import cluster_at
    from buto_cluster.engine import ClusterEngine
    from buto_cluster.sharing import shared

    cluster = cluster_at(scheduler)
    return ClusterHosts(partial(ClusterEngine, cluster=cluster), partial(shared, cluster))
