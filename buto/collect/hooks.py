"""What goes along with one launch: a workload, or a test that drives the program while it is measured."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from buto.collect.closeable import Closing
from buto.collect.jvm.local_jvm import local_jvm
from buto.collect.process.ports import listening

if TYPE_CHECKING:
    from buto.collect.jmx.connection import JmxConnection
    from buto.collect.jmx.worker_client import Worker
    from buto.collect.process.launch import Launch
    from buto.collect.record.recording import Recording

MARK = "buto.mark."
"""How the type of every notification begins that is a mark on the time axis and not the program's."""

MARK_SOURCE = "buto:type=Mark"

BAD_COMPANION = "its workload"
"""How every problem begins that a companion finds."""

_PORT = re.compile(r":(\d+)/")

Connect = Callable[["Worker"], AbstractContextManager["JmxConnection"]]
"""How the MBeans of the measured JVM are reached, through a worker of the caller's."""


class Program:
    """A launched program while it is measured. May be used from any thread, until its companion's end.

    Attributes:
        pid: of the measured JVM.
        connect: opens a connection to its MBeans; raises MeasureError if they cannot be reached.
    """

    def __init__(self, pid: int, launch: Launch, recording: Recording, connect: Connect) -> None:
        self.pid = pid
        self.connect = connect
        self._launch = launch
        self._recording = recording
        self._marks: Counter[str] = Counter()

    def mark(self, name: str, message: str = "") -> None:
        """Note on the time axis that something happens now; kept with the run's notifications.

        Args:
            name: as ``load.start``; marks of one name are numbered.
        """
        now_ns = time.monotonic_ns()
        self._marks[name] += 1
        self._recording.add_notification(now_ns, MARK + name, MARK_SOURCE, self._marks[name], message)

    def stop(self) -> None:
        """Ask the program to end (SIGTERM); returns at once."""
        self._launch.terminate()

    def ports(self) -> tuple[int, ...]:
        """The TCP ports at which the JVM listens now, in increasing order; not the one of its JMX agent."""
        jvm = local_jvm(self.pid)
        of_jmx = _PORT.search((jvm and jvm.remote_address) or "")
        return tuple(port for port in listening(self.pid) if of_jmx is None or port != int(of_jmx[1]))


class Companion(Protocol):
    """Told of one launch, in the thread of the collector."""

    def begun(self, program: Program) -> None:
        """The program's ``main`` begins. Must return at once."""

    def ended(self) -> tuple[str, ...]:
        """The program has ended, or is given up. Called once after :meth:`begun`, never without it.

        What the companion started must have ended when it returns.

        Returns:
            What makes the run invalid, each beginning with :data:`BAD_COMPANION`.
        """


class Accompanied(Closing):
    """Tells a companion of one launch, each thing once; of nothing if there is none."""

    def __init__(self, companion: Companion | None, launch: Launch, recording: Recording) -> None:
        self._companion = companion
        self._launch = launch
        self._recording = recording
        self._begun = False

    def begin(self, pid: int, connect: Connect) -> None:
        """To be called whenever the program's start may have become known."""
        if self._companion is None or self._begun or self._recording.zero_ns is None:
            return
        self._begun = True
        self._companion.begun(Program(pid, self._launch, self._recording, connect))

    def end(self) -> tuple[str, ...]:
        """What the companion says of the run."""
        companion, self._companion = self._companion, None
        return () if companion is None or not self._begun else companion.ended()

    def close(self) -> None:
        """End a companion of a launch that failed."""
        self.end()
