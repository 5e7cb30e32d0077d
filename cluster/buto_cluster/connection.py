"""The connection to a scheduler, and which hosts answer.

The process has one connection to each cluster, which ends with the process. An address is one of a scheduler,
or ``local`` for a cluster of one host, this machine (``--scheduler local``); here is whether one can be used,
and which of this machine leads to a scheduler. joblib's backend for Dask is here as the hosts of a cluster
need it.
"""

from __future__ import annotations

import atexit
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from distributed import Client, Future, LocalCluster
from distributed.comm import get_address_host, parse_address
from distributed.comm.registry import get_backend
from distributed.security import Security
from distributed.utils import ensure_ip, get_ip, get_ipv6
from joblib._dask import DaskDistributedBackend  # joblib has no public name for it

from buto.errors import EngineLostError, MeasureError, UsageError
from buto.version import __version__
from buto_cluster.host import COMPUTING, RESOURCE, TOPIC, Host, hosts_of, silence

_TLS = "tls"


def check_address(address: str, role: str) -> None:
    """Raise UsageError if an address cannot be understood, or its certificates are missing.

    Dask would leave half a connection behind, which complains when the process ends.

    Args:
        role: ``client`` or ``worker``; each has a certificate of its own.
    """
    try:
        scheme, place = parse_address(address)
        get_backend(scheme).get_address_host(place)
        connection = Security().get_connection_args(role)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{address} cannot be used as the address of a scheduler: {error}",
            advice="tcp://HOST:PORT, or tls://HOST:PORT; cluster/README.md#tls shows how",
        ) from error
    if scheme == _TLS and connection.get("ssl_context") is None:
        raise UsageError(
            f"{address} needs a certificate, and none is configured for a {role}",
            advice="cluster/README.md#tls names the variables, as DASK_DISTRIBUTED__COMM__TLS__CA_FILE",
        )


def address_towards(scheduler: str) -> str:
    """Return the address of this machine through which a scheduler is reached."""
    try:
        host = ensure_ip(get_address_host(scheduler))
        return str(get_ipv6(host) if ":" in host else get_ip(host))
    except OSError as error:
        raise unreachable(scheduler, error) from error


def unreachable(address: str, error: Exception) -> MeasureError:
    return MeasureError(
        f"the scheduler {address} does not answer: {error}",
        advice="dask scheduler (starts one); cluster/README.md shows how to set up a cluster",
    )


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
        """Return the hosts that answer and have this version of buto, by the addresses of their workers."""
        return {host.address: host for host in self._answering() if host.version == __version__}

    def other_versions(self) -> list[Host]:
        """Return the hosts that answer but have another version of buto, which cannot work with this one."""
        return [host for host in self._answering() if host.version != __version__]

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

        backend = HostsBackend(client=self._client, resources={RESOURCE: 1, COMPUTING: 1})
        block: AbstractContextManager[None] = parallel_config(backend=backend)
        return block

    def cancel_computing(self) -> None:
        """Cancel all work of this connection; who waits for it gets an error."""
        self._client.cancel([Future(key, self._client) for key in tuple(self._client.futures)])

    def is_lost(self) -> bool:
        return bool(self._client.status != "running")

    def close(self) -> None:
        """End the connection; the scheduler then takes back all launches that have not ended."""
        self._client.close()

    def listen(self, handler: Callable[[Mapping[str, Any]], None]) -> None:
        """Have a function called for every report of a worker, in a thread of Dask."""
        self._client.subscribe_topic(TOPIC, lambda event: handler(event[1]))


def connect(address: str) -> Cluster:
    """Return a connection to a scheduler, which ends with the process."""
    silence()
    check_address(address, "client")
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False, name="buto")
    except OSError as error:
        raise unreachable(address, error) from error
    atexit.register(client.close)
    return Cluster(client, address)


_FEWEST_JOBS = 2


class HostsBackend(DaskDistributedBackend):  # type: ignore[misc]
    """Has work done by hosts also if there is only one.

    For a single job, joblib does not ask its backend, and this process would do the work itself.
    """

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Return how many jobs the hosts do at the same time, but two at least."""
        return max(_FEWEST_JOBS, int(super().effective_n_jobs(n_jobs)))


START_S = 60.0
_POLL_S = 0.05
_STOP_S = 10.0


def start() -> Cluster:
    """Start a scheduler in this process and a worker beside it; both end with this process."""
    scheduler = loopback_scheduler()
    atexit.register(scheduler.close)
    address = str(scheduler.scheduler_address)
    cluster = connect(address)
    words = ["worker", "--scheduler", address, "--name", socket.gethostname(), "--no-doctor"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "buto", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(_stop, worker)
    deadline_s = time.monotonic() + START_S
    while not cluster.hosts():
        if worker.poll() is not None:
            assert worker.stderr is not None
            said = worker.stderr.read().decode(errors="replace").strip()
            raise MeasureError(f"the worker of this machine ended at once:\n{said}")
        if time.monotonic() > deadline_s:
            raise MeasureError(f"the worker of this machine did not join within {START_S:g} s")
        time.sleep(_POLL_S)
    return cluster


def loopback_scheduler() -> LocalCluster:
    """Start a scheduler without workers, which only this machine can reach."""
    # Without a host, Dask's status page listens on all interfaces.
    return LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50)


def _stop(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()
    try:
        worker.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


LOCAL = "local"
"""In place of an address: a scheduler of its own, with this machine as its only host."""


@cache
def cluster_at(address: str) -> Cluster:
    """Return the cluster of a scheduler; MeasureError if it does not answer."""
    return start() if address == LOCAL else connect(address)
