"""What a worker knows while it lives: its name, its directory, and which tasks nobody wants any more."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import cast

from distributed import Worker, WorkerPlugin, get_worker

from buto.cluster.host import TOPIC
from buto.cluster.worker.staging import Staging
from buto.runs.storage.passing import PassingStorage
from buto.runs.store import RunStore

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
        """Note that a task has ended."""
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
    """Return the presence of the worker that carries out the current task."""
    return cast(Presence, get_worker().plugins[NAME])


def report(message: dict[str, object]) -> None:
    """Tell all clients about the current task."""
    get_worker().log_event(TOPIC, message)
