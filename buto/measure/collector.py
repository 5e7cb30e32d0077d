"""The protocol that every collector follows."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from buto.measure.progress import OnTick

if TYPE_CHECKING:
    from buto.measure.hooks import LaunchHooks
    from buto.measure.journal import Journal
    from buto.run.model import Run


class Collector(Protocol):
    """Launches one target many times and records each launch.

    A context manager: the end of the ``with`` block releases what a collector keeps between launches.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        """Launch the target once and record it to its end.

        If the program timed out, was killed or returned an unexpected exit code, the run says so in
        ``quality.problems``.

        Args:
            test: name of the run's test.
            on_tick: receives the progress some ten times a second, in this thread; must return soon.
            hooks: called when the program starts and when it has ended.
            journal: saves to disk what was recorded so far.

        Raises:
            MeasureError: there is nothing to record: the command or its main class was not found, it
                started no JVM, or no sample arrived. The message quotes what the program printed.
            StorageError: the temporary directory cannot be written.
            KeyboardInterrupt: passed on after the program was stopped.
        """
