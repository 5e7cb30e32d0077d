"""The engine of this machine: launches one program after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from buto.collect.collector import Collector
from buto.collect.hooks import LaunchHooks
from buto.collect.opener import open_collector
from buto.collect.process.launch import check_startable
from buto.collect.progress import Progress
from buto.collect.record.journal import FIRST_WRITE_S
from buto.collect.target import Target
from buto.engine.protocol import Began, Ended, Launch, OnNews, Progressed
from buto.engine.recording import hooks_of, record_one
from buto.errors import ButoError, StorageError
from buto.runs.store import RunStore


class LocalEngine:
    """Launches in this process; see :class:`buto.engine.protocol.Engine`.

    A test's collector and what its workload needs stay open from its first launch to the end.

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
        self._collectors: dict[str, Collector] = {}
        self._hooks: dict[str, Callable[[], LaunchHooks] | None] = {}
        self._next: Launch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, trace)

    def check(self, launch: Launch) -> None:
        """See :class:`buto.engine.protocol.Engine`."""
        self._check(launch.target)

    def begin(self, wanted: Sequence[Launch]) -> Sequence[Launch]:
        """See :class:`buto.engine.protocol.Engine`."""
        if self._next is not None or not wanted:
            return ()
        self._next = wanted[0]
        return wanted[:1]

    def wait(self) -> Ended | None:
        """Carry out the launch that was begun; see :class:`buto.engine.protocol.Engine`."""
        launch, self._next = self._next, None
        if launch is None:
            return None
        try:
            return self._carried_out(launch)
        except StorageError:
            raise
        except ButoError as error:
            return Ended(launch, error=error)

    def drop(self, test: str) -> None:
        """See :class:`buto.engine.protocol.Engine`."""
        if self._next is not None and self._next.test == test:
            self._next = None

    def _carried_out(self, launch: Launch) -> Ended:
        test = launch.test
        if test not in self._collectors:
            self._collectors[test] = self._held.enter_context(self._collector_for(launch.target))
        if test not in self._hooks:
            self._hooks[test] = self._held.enter_context(hooks_of(launch.workload))
        self._on_news(Began(launch))

        def tick(progress: Progress) -> None:
            self._on_news(Progressed(launch, progress))

        new_hooks = self._hooks[test]
        hooks = None if new_hooks is None else new_hooks()
        run = record_one(
            self._collectors[test],
            test,
            self._store,
            launch.marks,
            tick,
            hooks,
            launch.setup,
            journal_s=self._journal_s,
        )
        return Ended(launch, run)
