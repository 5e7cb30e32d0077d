"""The worker of a host: joins a scheduler, and carries out one launch at a time.

While it lives, it knows its name, its directory, and which tasks nobody wants any more. Each function that a
client asks for is carried out as one task of Dask. A task returns expected errors instead of raising them:
Dask would log them with all arguments.
"""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import cast

import dask
from distributed import Worker, WorkerPlugin, get_worker

from buto.engine.launching import LaunchRequest, LocalEngine, News, Progressed
from buto.errors import ButoError, EngineLostError, StorageError
from buto.measure.journal import RecordingAbandonedError
from buto.measure.private_directory import private_directory
from buto.run.model import WORKER
from buto.run.names import encode_test
from buto.run.objects import PassingStorage
from buto.run.store import RunStore
from buto_cluster.connection import address_towards, check_address, unreachable
from buto_cluster.host import COMPUTING, DESCRIPTION, RESOURCE, TOPIC, Inputs, description, silence
from buto_cluster.staging import Staging

NAME = "buto"


class Presence(WorkerPlugin):  # type: ignore[misc]
    """Told by Dask when a task is taken back, because its client is gone or has cancelled it.

    Args:
        host: the worker's name.
        inputs: the directory for the files of programs.
        runs: the directory for temporary files of launches.
    """

    name = NAME

    def __init__(self, host: str, inputs: Path, runs: Path) -> None:
        self.host = host
        self.staging = Staging(inputs)
        self.passing = PassingStorage(runs)
        self.runs = RunStore(runs, self.passing)
        self._unwanted: dict[str, Event] = {}
        self._is_closing = False

    def unwanted(self, key: str) -> Event:
        """Return what is set when the task with this key is to end."""
        event = self._unwanted.setdefault(key, Event())
        if self._is_closing:
            event.set()
        return event

    def forget(self, key: str) -> None:
        self._unwanted.pop(key, None)

    def transition(self, key: str, start: str, finish: str, **more: object) -> None:
        """Called by Dask in the thread of the worker's event loop."""
        if start == "executing" and finish == "released":
            self.unwanted(key).set()

    def teardown(self, worker: Worker) -> None:
        """Called by Dask when the worker ends, also because it has lost its scheduler."""
        self._is_closing = True
        for event in tuple(self._unwanted.values()):
            event.set()
        self.passing.clear()


def presence() -> Presence:
    return cast(Presence, get_worker().plugins[NAME])


def report(message: dict[str, object]) -> None:
    get_worker().log_event(TOPIC, message)


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
    description_of_host = description(request.name, request.tags)
    worker = Worker(
        request.scheduler,
        nthreads=1,
        name=request.name,
        resources={RESOURCE: 1, COMPUTING: 1},
        memory_limit=0,
        local_directory=str(presence.runs.root),
        startup_information={DESCRIPTION: lambda worker: description_of_host},
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


INLINE_BYTES = 4 << 20
"""A larger run is fetched in pieces, so that the scheduler never holds all of it."""


@dataclass(frozen=True, slots=True)
class LaunchOrder:
    """A launch as it travels; not printed, for its environment may have secrets.

    Attributes:
        key: under which its progress is reported.
        report_s: time between two reports, at least.
    """

    key: str
    report_s: float
    launch: LaunchRequest = field(repr=False)
    inputs: Inputs = field(repr=False)


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing was launched: contents with these checksums must be sent before."""

    sha256s: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A run that is complete on its host, as the archive that it would be in a bucket.

    Attributes:
        size_bytes: of the archive.
        archive: empty if it is too large to be sent at once.
    """

    run_id: str
    size_bytes: int
    archive: bytes = field(repr=False)


def receive(sha256: str, pieces: Sequence[bytes], is_first: bool, is_last: bool) -> ButoError | None:
    try:
        presence().staging.receive(sha256, pieces, is_first=is_first, is_last=is_last)
    except ButoError as error:
        return error
    return None


def carry_out(order: LaunchOrder) -> Delivery | Missing | ButoError:
    """Launch a program and return its run, or why there is none.

    What is missing is not asked before: most launches find everything there, and save a task.
    """
    here, key = presence(), str(get_worker().get_current_task())
    is_unwanted = here.unwanted(key)
    next_s = 0.0

    def hear(news: News) -> None:
        nonlocal next_s
        if is_unwanted.is_set():
            raise RecordingAbandonedError("nobody wants this run any more")
        now_s = time.monotonic()
        if isinstance(news, Progressed) and now_s >= next_s:
            next_s = now_s + order.report_s
            progress = news.progress
            report(
                {
                    "key": order.key,
                    "elapsed_s": progress.elapsed_s,
                    "n_samples": progress.n_samples,
                    "stage": progress.stage,
                }
            )

    try:
        missing = here.staging.missing(order.inputs)
        if missing:
            return Missing(missing)
        launch = order.launch
        target = here.staging.place(launch.target, order.inputs)
        marks = {**launch.marks, WORKER: here.host}
        # Without a journal: a run that does not end here is recorded anew, on another host if need be.
        with LocalEngine(here.runs, hear, journal_s=math.inf) as engine:
            placed = replace(launch, target=target, marks=marks)
            engine.check(placed)
            engine.begin([placed])
            ended = engine.wait()
        assert ended is not None
        if ended.run is None:
            assert ended.error is not None
            return ended.error
        return _delivery(launch.test, ended.run.id)
    except ButoError as error:
        return error
    finally:
        here.forget(key)


def piece(test: str, run_id: str, offset: int) -> bytes:
    """Return a part of a run's archive, of INLINE_BYTES unless it is the last."""
    here = presence()
    return here.passing.piece(here.runs.key(test, run_id), offset, INLINE_BYTES)


def discard(test: str, run_id: str) -> None:
    here = presence()
    here.passing.delete_bundle(here.runs.key(test, run_id))


def _delivery(test: str, run_id: str) -> Delivery:
    here = presence()
    size_bytes = here.passing.size_bytes(here.runs.key(test, run_id))
    if size_bytes > INLINE_BYTES:
        return Delivery(run_id, size_bytes, b"")
    archive = piece(test, run_id, 0)
    discard(test, run_id)
    return Delivery(run_id, size_bytes, archive)
