"""Launching: the protocol that every engine follows, and the engine of this machine.

An engine carries out launches and stores their runs. The one of this machine launches one program after the
other. :func:`record_one` is one launch: with its services and its workload, until its run is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, structs

from buto.engine.placement import ANYWHERE, Placement
from buto.errors import ButoError, StorageError
from buto.measure.collector import Collector
from buto.measure.hooks import AllHooks, LaunchHooks
from buto.measure.host import IDLE
from buto.measure.journal import FIRST_WRITE_S, Journal
from buto.measure.launch import check_startable
from buto.measure.opener import open_collector
from buto.measure.progress import Closeable, OnTick, Progress
from buto.measure.quality import busy_host
from buto.measure.target import Target
from buto.measure.workload.model import Workload
from buto.measure.workload.services import Service
from buto.run.model import SESSION, MetadataValue, Run
from buto.run.store import RunStore
from buto.run.window import Window, with_window

if TYPE_CHECKING:
    from buto.measure.workload.serving import Services


class Setup(Struct, frozen=True):
    """What belongs to every run of a test besides its program.

    Attributes:
        services: run beside the program.
        window: the part of the run that is learned and judged; None for all of it.
        needs_idle: whether a loaded system is not valid on a machine that had no idle time left.
    """

    services: tuple[Service, ...] = ()
    window: Window | None = None
    needs_idle: bool = True


ALONE = Setup()
"""A program without anything beside it, of which the whole run counts."""


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """One launch that is wanted.

    Attributes:
        number: which of its test's usable runs it is for, from 1.
        marks: metadata that are written into the run.
        inputs: shell patterns of files that the program needs, if a host does not have them.
        inputs_from: the directory to which they are relative; None for the program's own.
        place: called just before the launch if it is on this machine, returns how the program is started
            then; raises ButoError if it must not be. None for a program that stays where it is.
    """

    test: str
    target: Target
    number: int = 1
    workload: Workload | None = None
    setup: Setup = ALONE
    marks: Mapping[str, MetadataValue] = field(default_factory=dict)
    where: Placement = ANYWHERE
    inputs: tuple[str, ...] = ()
    inputs_from: Path | None = None
    place: Callable[[], Target] | None = None


class EndedLaunch(Struct, frozen=True):
    """A launch that is over.

    Attributes:
        run: it is in the store, usable or not; None if there is none.
        error: why there is no run; None if there is one.
        begun: whether it had begun; False for a launch for which there will be no room.
    """

    launch: LaunchRequest
    run: Run | None = None
    error: ButoError | None = None
    begun: bool = True


class Began(Struct, frozen=True):
    """A launch begins; ``host`` is empty without a cluster."""

    launch: LaunchRequest
    host: str = ""


class Progressed(Struct, frozen=True):
    """Some time has passed in a launch."""

    launch: LaunchRequest
    progress: Progress
    host: str = ""


class GivenBack(Struct, frozen=True):
    """A host was lost in the middle of a launch, which is carried out again."""

    launch: LaunchRequest
    error: ButoError
    host: str = ""


News = Began | Progressed | GivenBack
OnNews = Callable[[News], None]
"""Called in the thread of the engine's user, while it waits."""


class Engine(Protocol):
    """Carries out launches, one or several at a time.

    A context manager: the end of the ``with`` block stops the launches that have not ended.
    """

    def check(self, launch: LaunchRequest) -> None:
        """Raise ButoError for a program that cannot be started, as far as known without a launch."""

    def begin(self, wanted: Sequence[LaunchRequest]) -> Sequence[LaunchRequest]:
        """Begin those launches for which there is room, in their order, and return them."""

    def wait(self) -> EndedLaunch | None:
        """Wait until a launch is over, begun or hopeless; None: begin may now find room for another.

        Raises:
            StorageError: a run cannot be stored.
            EngineLostError: no launch can be carried out any more.
            KeyboardInterrupt: the current programs were stopped.
        """

    def drop(self, test: str) -> None:
        """Stop the launches of a test that have not ended; nobody wants them any more."""


EngineFor = Callable[[RunStore, OnNews], AbstractContextManager[Engine]]
"""Creates the engine that stores its runs in a store."""


def record_one(
    collector: Collector,
    test: str,
    store: RunStore,
    marks: Mapping[str, MetadataValue],
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    setup: Setup = ALONE,
    *,
    journal_s: float = FIRST_WRITE_S,
) -> Run:
    """Launch once, with its services beside it, and store the run, valid or not.

    If recording fails midway, the part before is kept, unless it is very short; see
    :class:`buto.measure.journal.Journal`.

    Args:
        marks: written into the run's metadata; a run without a session begins one.
        journal_s: from this time on what was recorded is saved, in case that buto is killed.

    Raises:
        MeasureError: there is nothing to record, or a service does not get ready.
        UsageError: a service has no template or user.
        StorageError: the run cannot be stored.
    """
    with (
        running_services(setup.services, on_tick) as beside,
        Journal(store, marks, first_write_s=journal_s) as journal,
    ):
        if beside is not None:
            hooks = beside if hooks is None else AllHooks((beside, hooks))
            on_tick = beside.on_each_tick(on_tick)
        run = collector.record(test, on_tick, hooks, journal)
        outputs = {} if beside is None else beside.stop()
        run = replace(run, metadata={**run.metadata, SESSION: run.id, **marks}, outputs=outputs)
        if hooks is not None and setup.needs_idle:
            run = _unless_busy(run)
        if setup.window is not None:
            run = with_window(run, setup.window)
        store.add(run)
    return run


def _unless_busy(run: Run) -> Run:
    """Return a run of a loaded system; not valid if the machine had no idle time left."""
    busy = busy_host(run.metadata.get(IDLE), run.outcome.duration_s)
    if busy is None:
        return run
    return replace(run, quality=structs.replace(run.quality, problems=(*run.quality.problems, busy)))


def running_services(
    services: Sequence[Service], on_tick: OnTick | None
) -> AbstractContextManager[Services | None]:
    """Return what runs services during its block; None in place of no services."""
    if not services:
        return nullcontext()
    # Imported here: few tests have services.
    from buto.measure.workload.serving import running

    return running(services, on_tick)


def hooks_of(workload: Workload | None) -> AbstractContextManager[Callable[[], LaunchHooks] | None]:
    """Return what creates the hooks of each launch; None without a workload."""
    if workload is None:
        return nullcontext()
    # Imported here: it brings JMX along, and few tests have a workload.
    from buto.measure.workload.driver import workload_hooks

    return workload_hooks(workload)


class LocalEngine(Closeable):
    """Launches in this process; see :class:`buto.engine.launching.Engine`.

    A test's collectors, one for each place of its program, and what its workload needs stay open from the
    first launch to the end.

    Args:
        collector_for: how to open a collector.
        check: raises a ButoError for a program that cannot be started.
        journal_s: from this time on a launch is saved, in case that buto is killed.
    """

    def __init__(
        self,
        store: RunStore,
        on_news: OnNews,
        *,
        collector_for: Callable[[Target], Collector] = open_collector,
        check: Callable[[Target], None] = check_startable,
        journal_s: float = FIRST_WRITE_S,
    ) -> None:
        self._check = check
        self._store = store
        self._on_news = on_news
        self._collector_for = collector_for
        self._journal_s = journal_s
        self._held = ExitStack()
        self._collectors: dict[str, list[tuple[Target, Collector]]] = {}
        self._hooks: dict[str, Callable[[], LaunchHooks] | None] = {}
        self._next: LaunchRequest | None = None

    def close(self) -> None:
        self._held.close()

    def check(self, launch: LaunchRequest) -> None:
        self._check(launch.target)

    def begin(self, wanted: Sequence[LaunchRequest]) -> Sequence[LaunchRequest]:
        if self._next is not None or not wanted:
            return ()
        self._next = wanted[0]
        return wanted[:1]

    def wait(self) -> EndedLaunch | None:
        """Carry out the launch that was begun; see :class:`buto.engine.launching.Engine`."""
        launch, self._next = self._next, None
        if launch is None:
            return None
        try:
            return self._carry_out(launch)
        except StorageError:
            raise
        except ButoError as error:
            return EndedLaunch(launch, error=error)

    def drop(self, test: str) -> None:
        if self._next is not None and self._next.test == test:
            self._next = None

    def _carry_out(self, launch: LaunchRequest) -> EndedLaunch:
        test = launch.test
        collector = self._collector(test, launch.target if launch.place is None else launch.place())
        if test not in self._hooks:
            self._hooks[test] = self._held.enter_context(hooks_of(launch.workload))
        self._on_news(Began(launch))

        def tick(progress: Progress) -> None:
            self._on_news(Progressed(launch, progress))

        new_hooks = self._hooks[test]
        hooks = None if new_hooks is None else new_hooks()
        run = record_one(
            collector,
            test,
            self._store,
            launch.marks,
            tick,
            hooks,
            launch.setup,
            journal_s=self._journal_s,
        )
        return EndedLaunch(launch, run)

    def _collector(self, test: str, target: Target) -> Collector:
        known = self._collectors.setdefault(test, [])
        for other, collector in known:
            if other == target:
                return collector
        collector = self._held.enter_context(self._collector_for(target))
        known.append((target, collector))
        return collector
