"""What launches and computes for a project: this machine, or the hosts of a cluster.

A package adds a kind of cluster by the entry point ``dask`` of the group ``buto.hosts``. Its object is a
function that takes the address of a scheduler and returns :class:`Hosts`.
"""

from __future__ import annotations

from typing import Protocol, cast

from buto.engine.launching import EngineFor, LocalEngine
from buto.errors import UsageError
from buto.extensions import Extensions
from buto.judging.protocol import Share, here

EXTENSIONS = Extensions("buto.hosts", "kind of cluster", UsageError, {"dask": "cluster"})


class Hosts(Protocol):
    """The hosts of a cluster."""

    @property
    def engine_for(self) -> EngineFor:
        """What creates the engine that launches there."""

    @property
    def share(self) -> Share:
        """What has work of analysis done there."""


def engine_for(scheduler: str) -> EngineFor:
    """Return what creates the engine.

    Args:
        scheduler: address of a scheduler, ``local``, or empty for no cluster.

    Raises:
        UsageError: no package for clusters is installed, or it cannot be imported.
        MeasureError: the scheduler does not answer.
    """
    return _hosts_at(scheduler).engine_for if scheduler else LocalEngine


def share_for(scheduler: str) -> Share:
    """Return what has work of analysis done: this process, or the hosts; see :func:`engine_for`."""
    return _hosts_at(scheduler).share if scheduler else here


def _hosts_at(scheduler: str) -> Hosts:
    added = EXTENSIONS.find("dask")
    if added is None:
        raise UsageError(
            f"the scheduler {scheduler!r} needs the package buto-cluster, which is not installed",
            advice=f"{EXTENSIONS.missing('dask')}, on every host too",
        )
    _, hosts_at = added
    return cast(Hosts, hosts_at(scheduler))
