"""The connection to a scheduler, and which hosts answer."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from distributed import Client, Future

from buto.cluster.address import check_address, unreachable
from buto.cluster.host import COMPUTING, RESOURCE, TOPIC, Host, hosts_of
from buto.cluster.logs import silence
from buto.errors import EngineLostError
from buto.version import __version__

CONNECT_S = 10.0
SILENT_S = 30.0
"""A host of which the scheduler has heard nothing for so long is lost: cut off, stopped, or starved."""

RECONNECT_S = 5.0
"""How long Dask may try to connect again to a scheduler that was lost."""

_ANSWER_S = 20.0
"""How long the scheduler may take to list its workers."""


class Cluster:
    """A connection to a scheduler.

    Args:
        silent_s: see :data:`SILENT_S`.

    Attributes:
        address: of the scheduler.
    """

    def __init__(self, client: Client, address: str, silent_s: float = SILENT_S) -> None:
        self.address = address
        self._client = client
        self._silent_s = silent_s
        self._heard: dict[str, tuple[float, float]] = {}
        self._lost_since_s: float | None = None

    def hosts(self) -> Mapping[str, Host]:
        """Return the hosts that answer and have this version of buto, by the addresses of their workers.

        Raises:
            EngineLostError: the scheduler does not answer.
        """
        return {one.address: one for one in self._answering() if one.version == __version__}

    def other_versions(self) -> list[Host]:
        """Return the hosts that answer but have another version of buto, which cannot work with this one."""
        return [one for one in self._answering() if one.version != __version__]

    def _answering(self) -> list[Host]:
        workers = self._workers()
        now_s = time.monotonic()
        for address, worker in workers.items():
            # The scheduler's clock is another one: only changes count.
            seen = float(worker["last_seen"])
            if self._heard.get(address, (0.0, now_s))[0] != seen:
                self._heard[address] = (seen, now_s)
        self._heard = {address: heard for address, heard in self._heard.items() if address in workers}
        hosts = hosts_of(workers)
        return [host for host in hosts.values() if now_s - self._heard[host.address][1] < self._silent_s]

    def _workers(self) -> Mapping[str, Mapping[str, Any]]:
        if self._client.status != "running":
            return self._reconnecting()
        self._lost_since_s = None
        try:
            answer = self._client.sync(self._client.scheduler.identity, callback_timeout=_ANSWER_S)
        except OSError as error:
            raise self.lost() from error
        workers: Mapping[str, Mapping[str, Any]] = answer["workers"]
        return workers

    def _reconnecting(self) -> Mapping[str, Mapping[str, Any]]:
        """Return that there are no workers, for as long as Dask may connect again."""
        now_s = time.monotonic()
        self._lost_since_s = self._lost_since_s or now_s
        if self._client.status == "closed" or now_s - self._lost_since_s > RECONNECT_S:
            raise self.lost()
        return {}

    def lost(self) -> EngineLostError:
        """Return the error for a scheduler that does not answer any more."""
        return EngineLostError(
            f"the scheduler {self.address} does not answer any more",
            advice=f"start it again (dask scheduler), then its hosts: buto worker --scheduler {self.address}",
        )

    def submit(self, key: str, host: str, function: Callable[..., object], *arguments: object) -> Future:
        """Submit a task to a host; it waits there until no other JVM is measured.

        Args:
            key: unique for ever.
            host: address of the worker.
        """
        return self._client.submit(
            function,
            *arguments,
            key=key,
            workers=[host],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            pure=False,
            retries=0,
        )

    def computing(self) -> AbstractContextManager[None]:
        """Return a block in which new work of joblib is work of all hosts, also of those that join later."""
        # Imported here: launches do not need it.
        from joblib import parallel_config

        from buto.cluster.backend import HostsBackend

        backend = HostsBackend(client=self._client, resources={RESOURCE: 1, COMPUTING: 1})
        block: AbstractContextManager[None] = parallel_config(backend=backend)
        return block

    def cancel_computing(self) -> None:
        """Cancel all work of this connection; who waits for it gets an error."""
        self._client.cancel([Future(key, self._client) for key in tuple(self._client.futures)])

    def is_lost(self) -> bool:
        """Return whether there is no connection to the scheduler now."""
        return bool(self._client.status != "running")

    def close(self) -> None:
        """End the connection; the scheduler then takes back all launches that have not ended."""
        self._client.close()

    def listen(self, handler: Callable[[Mapping[str, Any]], None]) -> None:
        """Have a function called for every report of a worker, in a thread of Dask."""
        self._client.subscribe_topic(TOPIC, lambda event: handler(event[1]))


def connect(address: str) -> Cluster:
    """Return a connection to a scheduler, which ends with the process.

    Raises:
        UsageError: it is no address, or its certificates are missing.
        MeasureError: the scheduler does not answer.
    """
    silence()
    check_address(address, "client")
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False, name="buto")
    except OSError as error:
        raise unreachable(address, error) from error
    atexit.register(client.close)
    return Cluster(client, address)
