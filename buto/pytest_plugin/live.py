"""A launch that is recorded in a thread of its own while the test runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from buto.collect.hooks import LaunchHooks, Program
from buto.collect.progress import OnTick, Progress
from buto.collect.record.journal import RecordingAbandonedError
from buto.errors import MeasureError
from buto.runs import Problem, Run

Record = Callable[[OnTick, LaunchHooks], Run]
"""Launches once, records to the end, and stores the run."""

_END_S = 60.0
"""Time in seconds for ending the program and storing its run, in addition to the program's own time limit."""


class LiveLaunch:
    """One launch, from :meth:`start` to :meth:`finish` or :meth:`abandon`.

    The recording thread also starts the program, because the program is killed when the thread that
    started it ends.
    """

    def __init__(self, record: Record, timeout_s: float) -> None:
        self._record = record
        self._patience_s = timeout_s + _END_S
        self._program: Program | None = None
        self._begun = threading.Event()
        self._over = threading.Event()
        self._abandoned = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="buto-record")
        self._run: Future[Run] | None = None

    def start(self) -> Program:
        """Launch, and wait for the program's ``main``.

        Raises:
            ButoError: the program did not reach ``main``.
        """
        self._run = self._thread.submit(self._record, self._tick, self)
        self._run.add_done_callback(self._ended)
        self._begun.wait(self._patience_s)
        if self._program is None:
            self.finish()
            raise MeasureError("the program ended before the start of its main was observed")
        return self._program

    @property
    def is_over(self) -> bool:
        """Return whether the program has ended."""
        return self._over.is_set()

    def finish(self) -> Run:
        """Wait for the program's end.

        Raises:
            ButoError: the run could not be recorded or stored.
        """
        assert self._run is not None
        try:
            return self._run.result(self._patience_s)
        except TimeoutError:
            raise MeasureError("the program did not end, even long after its time limit") from None
        finally:
            self._thread.shutdown(wait=False)

    def abandon(self) -> None:
        """End the program and drop the run; does nothing after :meth:`finish`."""
        self._abandoned.set()
        self._thread.shutdown(wait=True)

    def program_started(self, program: Program) -> None:
        """See :class:`LaunchHooks`."""
        self._program = program
        self._begun.set()

    def program_ended(self) -> tuple[Problem, ...]:
        """See :class:`LaunchHooks`."""
        self._over.set()
        return ()

    def cpu_s(self) -> float:
        """See :class:`LaunchHooks`; the test itself is part of buto's own process."""
        return 0.0

    def _ended(self, run: Future[Run]) -> None:
        self._over.set()
        self._begun.set()

    def _tick(self, progress: Progress) -> None:
        if self._abandoned.is_set():
            raise RecordingAbandonedError("the test ended before its program")
