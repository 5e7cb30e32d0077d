"""What launches and computes for a project: this machine, or the hosts of a cluster."""

from __future__ import annotations

from buto.actions.hooks import HOSTS
from buto.engine.launching import EngineFor, LocalEngine
from buto.judging.protocol import Share, here


def engine_for(scheduler: str) -> EngineFor:
    """Return what creates the engine.

    Args:
        scheduler: address of a scheduler, ``local``, or empty for no cluster.

    Raises:
        UsageError: Dask is not installed.
        MeasureError: the scheduler does not answer.
    """
    return HOSTS.first()(scheduler).engine_for if scheduler else LocalEngine


def share_for(scheduler: str) -> Share:
    """Return what has work of analysis done: this process, or the hosts; see :func:`engine_for`."""
    return HOSTS.first()(scheduler).share if scheduler else here
