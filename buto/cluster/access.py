"""Which cluster an address means. The process has one connection to each, which ends with the process."""

from __future__ import annotations

from functools import cache

from buto.cluster import local
from buto.cluster.connection import Cluster, connect

LOCAL = "local"
"""In place of an address: a scheduler of its own, with this machine as its only host."""


@cache
def cluster_at(address: str) -> Cluster:
    """Return the cluster of a scheduler; MeasureError if it does not answer."""
    return local.start() if address == LOCAL else connect(address)
