"""The worker of a host: joins a scheduler, and carries out one launch at a time."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dask
from distributed import Worker

from buto.cluster.address import address_towards, check_address, unreachable
from buto.cluster.host import COMPUTING, DESCRIPTION, RESOURCE, description
from buto.cluster.logs import silence
from buto.cluster.worker.presence import Presence
from buto.collect.process.private_directory import private_directory
from buto.errors import EngineLostError, StorageError
from buto.runs.names import encode_test

JOIN_S = 60.0
"""How long a worker waits for its scheduler to answer."""

QUIET = {
    # Dask looks at its own threads a hundred times a second, which would disturb what is measured.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.gil.enabled": False,
}


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """How to start a worker.

    Attributes:
        scheduler: its address.
        name: of this host in the cluster.
        tags: for which tests may ask.
        directory: where inputs of programs are kept between launches.
    """

    scheduler: str
    name: str
    tags: tuple[str, ...]
    directory: Path


def serve(request: WorkerRequest, on_joined: Callable[[str], None]) -> None:
    """Work until Ctrl-C or SIGTERM.

    Args:
        on_joined: called with the worker's address when it has joined.

    Raises:
        StorageError: another worker of this name runs on this machine, or a directory cannot be written.
        UsageError: the scheduler's address cannot be used.
        MeasureError: the scheduler does not answer.
        EngineLostError: the scheduler was lost; a program that was measured has been stopped.
    """
    silence()
    check_address(request.scheduler, "worker")
    with _only_one(request.name), private_directory() as runs, dask.config.set(QUIET):
        directory = request.directory / encode_test(request.name)
        asyncio.run(_serve(request, Presence(request.name, directory, runs), on_joined))


async def _serve(request: WorkerRequest, presence: Presence, on_joined: Callable[[str], None]) -> None:
    told = description(request.name, request.tags)
    worker = Worker(
        request.scheduler,
        nthreads=1,
        name=request.name,
        resources={RESOURCE: 1, COMPUTING: 1},
        memory_limit=0,
        local_directory=str(presence.runs.root),
        startup_information={DESCRIPTION: lambda worker: told},
        plugins=(presence,),
        # Without a host, Dask listens on all interfaces, also for status pages, which it cannot do without.
        host=address_towards(request.scheduler),
        dashboard=False,
        dashboard_address="127.0.0.1:0",
        death_timeout=JOIN_S,
    )
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    try:
        try:
            await worker
        except OSError as error:
            raise unreachable(request.scheduler, error) from error
        on_joined(worker.address)
        ends = [asyncio.create_task(worker.finished()), asyncio.create_task(stopped.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not stopped.is_set():
            raise EngineLostError(
                f"the scheduler {request.scheduler} was lost, or has sent this worker away",
                advice=f"start it again: buto worker --scheduler {request.scheduler}",
            )
    finally:
        await worker.close()


@contextmanager
def _only_one(name: str) -> Iterator[None]:
    """Hold the lock of a host: two workers on it would measure two programs at the same time."""
    place = Path(tempfile.gettempdir()) / f"buto-worker-{encode_test(name)}.lock"
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise StorageError(
            f"{place} cannot be written: {error.strerror}", advice="set TMPDIR to another directory"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StorageError(
                f"another worker of the name {name} runs on this machine: two programs would be measured at "
                "the same time",
                advice=f"fuser {place} (shows its process)",
            ) from error
        yield
    finally:
        os.close(descriptor)
