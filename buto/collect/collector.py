"""What every collector does, and how one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from buto.collect.hooks import Companion
from buto.collect.record.journal import Journal
from buto.collect.record.recording import Progress
from buto.collect.target import Target
from buto.errors import UsageError
from buto.runs import Run

OnTick = Callable[[Progress], None]


class Collector(Protocol):
    """Launches one target many times and records each launch.

    A context manager: what a collector keeps between launches ends with the ``with`` block.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        companion: Companion | None = None,
        journal: Journal | None = None,
    ) -> Run:
        """Launch the target once and record it to its end.

        A program that timed out, was killed or returned another exit code than expected gives a run
        that says so in ``quality.problems``.

        Args:
            test: name of the test that the run belongs to.
            on_tick: called some ten times a second, in this thread; must return soon.
            companion: goes along with this launch.
            journal: keeps on disk what was recorded so far.

        Raises:
            MeasureError: there is nothing to record: the command or its main class was not found, it
                started no JVM, or no sample arrived. The message quotes what the program printed.
            StorageError: the temporary directory cannot be written.
            KeyboardInterrupt: passed on, after the program was stopped.
        """


def open_collector(target: Target) -> Collector:
    """The collector that ``target.collector`` names.

    Raises:
        UsageError: there is none of that name.
    """
    if target.collector == "agent":
        from buto.collect.agent.collector import AgentCollector

        return AgentCollector(target)
    if target.collector == "jmx":
        from buto.collect.jmx.collector import JmxCollector

        return JmxCollector(target)
    raise UsageError(f"there is no collector {target.collector!r}", advice="use agent or jmx")
