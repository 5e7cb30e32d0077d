"""The engine that launches on the hosts of a cluster, one launch on each host at a time.

Secrets of the caller travel with a launch, so that its host masks them, too.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from msgspec import Struct, structs

from buto.engine.launching import Began, EndedLaunch, GivenBack, LaunchRequest, OnNews, Progressed
from buto.errors import ButoError, MeasureError, StorageError
from buto.measure.host import commit_of
from buto.measure.progress import Progress
from buto.run.model import COMMAND, COMMIT, SESSION, MetadataValue, Run
from buto.run.store import RunStore
from buto.version import __version__
from buto_cluster.connection import Cluster
from buto_cluster.conversation import Conversation, HostLostError, Placing, unplaced
from buto_cluster.host import Host, Inputs, inputs_of


def with_secrets(launch: LaunchRequest) -> LaunchRequest:
    """Return a launch that names the secrets which this machine knows and which occur in what travels.

    The value of a variable of this machine may be in the command, without the name that makes it a secret.
    """
    mask = launch.target.new_mask()
    secrets = tuple(sorted({value for text in _texts(launch) for value in mask.find_known(text)}))
    services = tuple(replace(service, secrets=secrets) for service in launch.setup.services)
    return replace(
        launch,
        target=replace(launch.target, secrets=secrets),
        setup=structs.replace(launch.setup, services=services),
        # A host launches the program from its own copy.
        place=None,
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str | os.PathLike):
        yield os.fspath(value)
    elif is_dataclass(value):
        for setting in fields(value):
            yield from _texts(getattr(value, setting.name))
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name))
    elif isinstance(value, Mapping):
        yield from _texts((*value.keys(), *value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _texts(item)


MOST_RETRIES = 3
"""How often a launch is carried out again after its host was lost."""

LOOK_S = 1.0
"""How often the engine looks which hosts answer."""

PATIENCE_S = 60.0
"""How long a launch waits for a host that fits, if there is none."""

REPORT_S = 1.0
"""How often a host reports the progress of a launch."""

_PAUSE_S_EACH = 0.005
"""A thousand hosts are looked at, and report, every five seconds, which all takes the scheduler's time."""

MOST_HOSTS = 4096
"""Each has a thread here while it measures."""


@dataclass(eq=False, slots=True)
class _Task:
    """A launch over all its attempts.

    Attributes:
        lost: names of the hosts that were lost while they carried it out.
        hopeless_since_s: since when no host fits; None if one does.
    """

    launch: LaunchRequest
    lost: list[str] = field(default_factory=list)
    hopeless_since_s: float | None = None


@dataclass(frozen=True, eq=False, slots=True)
class _Over:
    """An attempt has ended; ``run`` has its run or why there is none."""

    conversation: Conversation
    run: Future[Run]


class ClusterEngine:
    """Launches through a scheduler; see :class:`buto.engine.launching.Engine`.

    Only this process writes into the store, and only the run of the newest attempt: a run that arrives from
    a host that was given up is dropped.

    Args:
        look_s, patience_s: see the constants.
    """

    def __init__(
        self,
        store: RunStore,
        on_news: OnNews,
        *,
        cluster: Cluster,
        look_s: float = LOOK_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._store = store
        self._on_news = on_news
        self._cluster = cluster
        self._look_s = look_s
        self._patience_s = patience_s
        self._placing = Placing()
        self._hosts: Mapping[str, Host] = {}
        self._next_look_s = 0.0
        self._running: dict[str, tuple[_Task, Conversation]] = {}
        self._again: list[_Task] = []
        self._waiting: dict[str, _Task] = {}
        self._ended: deque[EndedLaunch] = deque()
        self._marks: dict[str, Mapping[str, MetadataValue]] = {}
        self._sessions: dict[str, str] = {}
        self._threads = ThreadPoolExecutor(MOST_HOSTS, thread_name_prefix="buto-host")
        self._arrived: SimpleQueue[_Over | Mapping[str, Any]] = SimpleQueue()

    def __enter__(self) -> Self:
        self._cluster.listen(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if not isinstance(error, StorageError):
                self._store_arrived()
        finally:
            running, self._running = self._running, {}
            for _, conversation in running.values():
                conversation.cancel()
            self._threads.shutdown()

    def _store_arrived(self) -> None:
        """Store the runs that have arrived complete and that nobody has waited for."""
        with suppress(Empty):
            while True:
                arrived = self._arrived.get_nowait()
                if isinstance(arrived, _Over) and arrived.run.exception() is None:
                    task, _ = self._running.pop(arrived.conversation.key, (None, None))
                    if task is not None:
                        self._stored(arrived.run.result(), task.launch)

    def _hear(self, report: Mapping[str, Any]) -> None:
        """Keep a report of a worker, unless it is about a launch of somebody else; in a thread of Dask."""
        if report["key"] in self._running:
            self._arrived.put(report)

    def check(self, launch: LaunchRequest) -> None:
        """Find the inputs that will be sent; see :class:`buto.engine.launching.Engine`."""
        _inputs(launch)

    def begin(self, wanted: Sequence[LaunchRequest]) -> Sequence[LaunchRequest]:
        self._look()
        waiting = {launch.test: self._waiting.get(launch.test, _Task(launch)) for launch in wanted}
        self._waiting = {}
        begun = []
        for launch in wanted:
            task = waiting[launch.test]
            task.launch = launch
            if self._start(task):
                begun.append(launch)
            else:
                self._waiting[launch.test] = task
        return begun

    def wait(self) -> EndedLaunch | None:
        while not self._ended:
            with suppress(Empty):
                self._receive(self._arrived.get(timeout=self._look_s))
            self._look()
            self._again = [task for task in self._again if not self._start(task)]
            self._give_up_hopeless()
            if not self._ended and any(map(self._host_for, self._waiting.values())):
                return None
        return self._ended.popleft()

    def drop(self, test: str) -> None:
        self._again = [task for task in self._again if task.launch.test != test]
        self._waiting.pop(test, None)
        self._ended = deque(ended for ended in self._ended if ended.launch.test != test)
        for key, (task, conversation) in tuple(self._running.items()):
            if task.launch.test == test:
                del self._running[key]
                conversation.cancel()

    def _host_for(self, task: _Task) -> Host | None:
        busy = {conversation.host.address for _, conversation in self._running.values()}
        return self._placing.choose(task.launch, self._hosts, busy)

    def _start(self, task: _Task) -> bool:
        """Begin an attempt if there is a host for it; return whether it has begun, or has ended at once."""
        host = self._host_for(task)
        if host is None:
            return False
        try:
            inputs = _inputs(task.launch)
        except ButoError as error:
            # They have changed since they were checked: this ends the test, and no other.
            self._ended.append(EndedLaunch(task.launch, error=error))
            return True
        self._placing.bind(task.launch, host)
        task.hopeless_since_s = None
        marks = {**self._marks_of(task.launch), **task.launch.marks}
        target = replace(task.launch.target, asks_git=False)
        launch = with_secrets(replace(task.launch, marks=marks, target=target))
        conversation = Conversation(self._cluster, launch, inputs, host, report_s=self._pause_s(REPORT_S))
        self._running[conversation.key] = task, conversation
        self._on_news(Began(task.launch, host.name))
        run = self._threads.submit(conversation.carry_out)
        run.add_done_callback(lambda run: self._arrived.put(_Over(conversation, run)))
        return True

    def _receive(self, arrived: _Over | Mapping[str, Any]) -> None:
        """Take note of a report of a worker, or of the end of an attempt."""
        if not isinstance(arrived, _Over):
            if arrived["key"] in self._running:
                self._report(*self._running[arrived["key"]], arrived)
            return
        task, conversation = self._running.pop(arrived.conversation.key, (None, arrived.conversation))
        if task is None:
            return
        try:
            run = self._stored(arrived.run.result(), task.launch)
        except HostLostError as error:
            self._give_back(task, conversation.host, error)
        except StorageError:
            raise
        except ButoError as error:
            self._ended.append(EndedLaunch(task.launch, error=error))
        else:
            self._ended.append(EndedLaunch(task.launch, run))

    def _report(self, task: _Task, conversation: Conversation, message: Mapping[str, Any]) -> None:
        timeout_s = task.launch.target.timeout_s
        progress = Progress(message["elapsed_s"], timeout_s, message["n_samples"], message["stage"])
        self._on_news(Progressed(task.launch, progress, conversation.host.name))

    def _stored(self, run: Run, launch: LaunchRequest) -> Run:
        if SESSION not in launch.marks:
            # Of runs of one test that began together, the first to arrive begins the session.
            first = self._sessions.setdefault(launch.test, run.id)
            run = replace(run, metadata={**run.metadata, SESSION: first})
        self._store.add(run)
        return run

    def _look(self) -> None:
        """Look which hosts answer, and give back the launches of those that do not."""
        now_s = time.monotonic()
        if now_s < self._next_look_s:
            return
        self._hosts = self._cluster.hosts()
        self._next_look_s = now_s + self._pause_s(self._look_s)
        for key, (task, conversation) in tuple(self._running.items()):
            host = conversation.host
            if host.address not in self._hosts:
                del self._running[key]
                conversation.cancel()
                self._give_back(task, host, HostLostError(f"the host {host.name} was lost in mid-run"))

    def _pause_s(self, shortest_s: float) -> float:
        return max(shortest_s, len(self._hosts) * _PAUSE_S_EACH)

    def _give_back(self, task: _Task, host: Host, error: HostLostError) -> None:
        """Have a launch carried out again, on this host only if it answers."""
        self._hosts = {
            address: machine for address, machine in self._hosts.items() if address != host.address
        }
        self._next_look_s = 0.0
        task.lost.append(host.name)
        if len(task.lost) <= MOST_RETRIES:
            self._on_news(GivenBack(task.launch, error, host.name))
            self._again.append(task)
            return
        lost = MeasureError(
            f"the hosts of one launch were lost {len(task.lost)} times in mid-run: {', '.join(task.lost)}",
            advice="read the output of buto worker on one of them",
        )
        self._ended.append(EndedLaunch(task.launch, error=lost))

    def _give_up_hopeless(self) -> None:
        """Give up launches for which there was no host for a long time, idle or not."""
        now_s = time.monotonic()
        for task in (*self._again, *self._waiting.values()):
            if self._placing.fitting(task.launch, self._hosts):
                task.hopeless_since_s = None
            elif task.hopeless_since_s is None:
                task.hopeless_since_s = now_s
            elif now_s - task.hopeless_since_s >= self._patience_s:
                task.hopeless_since_s = None
                has_begun = task in self._again
                if has_begun:
                    self._again = [other for other in self._again if other is not task]
                self._ended.append(
                    EndedLaunch(task.launch, error=self._find_unplaced(task.launch), begun=has_begun)
                )

    def _find_unplaced(self, launch: LaunchRequest) -> MeasureError:
        others = [f"{version.name} has buto {version.version}" for version in self._cluster.other_versions()]
        more = f"; not used: {', '.join(others)}, and this is {__version__}" if others else ""
        tags = "".join(f" --tag {tag}" for tag in launch.where.labels.tags)
        return MeasureError(
            unplaced(launch.where, list(self._hosts.values())) + more,
            advice=f"on a host that fits: buto worker --scheduler {self._cluster.address}{tags}",
        )

    def _marks_of(self, launch: LaunchRequest) -> Mapping[str, MetadataValue]:
        """Return metadata that a host cannot know: the commit and the command as they are here."""
        if launch.test not in self._marks:
            target = launch.target
            command = target.new_mask().command(target.command)
            self._marks[launch.test] = {COMMIT: commit_of(target.directory), COMMAND: command}
        return self._marks[launch.test]


def _inputs(launch: LaunchRequest) -> Inputs:
    return inputs_of(launch.target, launch.inputs, launch.inputs_from)
