"""A cluster without Dask's processes: hosts that a test starts and stops, and answers that it writes down."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from distributed import CancelledError

from buto.engine.launching import LaunchRequest
from buto.errors import ButoError, EngineLostError
from buto.run.model import WORKER, Run
from buto.run.objects import PassingStorage
from buto.run.store import RunStore
from buto.version import __version__
from buto_cluster import worker
from buto_cluster.host import Host
from tests.support.runs.examples import full_run

SILENT = "silent"
"""What a host does that never answers."""


def host(name: str, version: str = __version__, tags: tuple[str, ...] = (), **facts: Any) -> Host:
    """A host of one class, unless facts say otherwise."""
    usual = {"host.cpu.model": "EPYC", "host.cores": 4}
    return Host(f"tcp://{name}:1", name, tags, {**usual, **facts}, version)


class Answer:
    """What a submitted task gives; in place of Dask's future."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.is_cancelled = False
        self._value: Any = None
        self._done = threading.Event()

    def give(self, value: Any) -> None:
        """Let the task end; too late for one that was cancelled."""
        self._value = value
        self._done.set()

    def cancel(self, force: bool = False) -> None:
        self.is_cancelled = True
        self._done.set()

    def cancelled(self) -> bool:
        return self.is_cancelled

    def result(self) -> Any:
        assert self._done.wait(20.0), f"nobody ended {self.key}"
        if self.is_cancelled:
            raise CancelledError(self.key)
        return self._value


@dataclass
class ScriptedCluster:
    """A cluster of the protocol of :class:`buto_cluster.connection.Cluster`.

    Attributes:
        directory: of the hosts.
        present: the hosts that answer, by name.
        does: what a host does with a launch: a run, an error, or SILENT.
        launched: host and test of each launch, in their order.
        open: launches that never ended.
        n_tasks: how many were submitted.
    """

    directory: Path
    present: dict[str, Host]
    does: Callable[[str, LaunchRequest], Run | ButoError | str] = lambda name, launch: full_run()
    address: str = "tcp://scheduler:8786"
    is_lost: bool = False
    launched: list[tuple[str, str]] = field(default_factory=list)
    open: list[Answer] = field(default_factory=list)
    n_looks: int = 0
    n_tasks: int = 0
    on_look: Callable[[int], None] = lambda number: None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # What a host has until it has arrived.
        self.passing = PassingStorage(self.directory)
        self.runs = RunStore(self.directory, self.passing)
        weakref.finalize(self, self.passing.clear)

    def hosts(self) -> Mapping[str, Host]:
        self.n_looks += 1
        self.on_look(self.n_looks)
        if self.is_lost:
            raise EngineLostError("the scheduler is lost")
        return {
            machine.address: machine for machine in self.present.values() if machine.version == __version__
        }

    def other_versions(self) -> list[Host]:
        return [machine for machine in self.present.values() if machine.version != __version__]

    def listen(self, handler: Callable[[Mapping[str, Any]], None]) -> None:
        self.handler = handler

    def submit(self, key: str, address: str, function: Callable[..., Any], *arguments: Any) -> Answer:
        answer = Answer(arguments[0].key if function is worker.carry_out else key)
        self.n_tasks += 1
        if function is worker.carry_out:
            self._launch(answer, address, arguments[0].launch)
        elif function is worker.piece:
            test, run_id, offset = arguments
            answer.give(self.passing.piece(self.runs.key(test, run_id), offset, worker.INLINE_BYTES))
        elif function is worker.discard:
            answer.give(self.passing.delete_bundle(self.runs.key(*arguments)))
        else:
            raise AssertionError(f"unexpected task {function}")
        return answer

    def _launch(self, answer: Answer, address: str, launch: LaunchRequest) -> None:
        name = address.removeprefix("tcp://").partition(":")[0]
        with self._lock:
            self.launched.append((name, launch.test))
            number = len(self.launched)
            done = self.does(name, launch)
        if isinstance(done, str):
            self.open.append(answer)
            return
        if isinstance(done, ButoError):
            answer.give(done)
            return
        run = replace(
            done,
            id=f"20260101T000000.{number:03d}Z-0000",
            test=launch.test,
            metadata={**done.metadata, **launch.marks, WORKER: name},
        )
        answer.give(self.delivered(run))

    def delivered(self, run: Run) -> worker.Delivery:
        """What a host returns for a run."""
        self.runs.add(run)
        key = self.runs.key(run.test, run.id)
        size = self.passing.size_bytes(key)
        if size > worker.INLINE_BYTES:
            return worker.Delivery(run.id, size, b"")
        archive = self.passing.piece(key, 0, size)
        self.passing.delete_bundle(key)
        return worker.Delivery(run.id, size, archive)


def names(*hosts: Host) -> dict[str, Host]:
    """Hosts by name."""
    return {machine.name: machine for machine in hosts}
