"""Hooks into one launch: code that acts on the program while it is measured, as a workload or a test does."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Protocol

from buto.measure.jvms import local_jvm
from buto.measure.launch import Launch
from buto.measure.private_directory import listening
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.measure.samples import Track
from buto.run.model import Problem

MARK = "buto.mark."
"""Prefix of the type of a notification that is a mark on the time axis and not the program's own."""

MARK_SOURCE = "buto:type=Mark"

_PORT = re.compile(r":(\d+)/")


class MBeanConnection(Protocol):
    """An open connection to the MBeans of one JVM."""

    def invoke(self, bean: str, operation: str, *arguments: Any, within_s: float = ...) -> Any:
        """Invoke an operation and return its result as a plain value.

        Raises:
            MeasureError: there is no such MBean or operation, it threw, or took too long.
        """


class MeasuredProgram:
    """A launched program while it is measured. Usable from any thread until the program's end.

    Attributes:
        pid: of the measured JVM.
        recording: of its run.
        connection: to its MBeans, if the collector has one; else None.
    """

    def __init__(
        self, pid: int, launch: Launch, recording: Recording, connection: MBeanConnection | None
    ) -> None:
        self.pid = pid
        self.connection = connection
        self._launch = launch
        self.recording = recording
        self._marks: Counter[str] = Counter()

    def mark_at(self, time_ns: int, name: str, message: str = "") -> None:
        """Mark another time, ``time.monotonic_ns``, on the time axis; this mark is not judged."""
        self.recording.add_mark(time_ns, name, message)

    def mark(self, name: str, message: str = "", *, judged: bool = True) -> None:
        """Mark the current time on the time axis.

        Args:
            name: for example ``load.start``; notifications of the same name are numbered.
            judged: whether the mark is also a notification, which is learned and judged like others.
        """
        now_ns = time.monotonic_ns()
        self.mark_at(now_ns, name, message)
        if not judged:
            return
        self._marks[name] += 1
        self.recording.add_notification(now_ns, MARK + name, MARK_SOURCE, self._marks[name], message)

    def stop(self) -> None:
        """Ask the program to end (SIGTERM); return at once."""
        self._launch.terminate()

    def kill(self) -> None:
        """Kill the program (SIGKILL); return at once."""
        self._launch.kill()

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        """Return a track of the recording, for numbers that are read beside the JVM's samples.

        Args:
            from_first: whether its counters count from their first reading.
        """
        return self.recording.track(name, interval_s, from_first=from_first)

    def without_tracks(self) -> MeasuredProgram:
        """Return the same program, of which tracks are not recorded: their numbers are nobody's."""
        return _Uncharted(self.pid, self._launch, self.recording, self.connection)

    def members(self) -> list[int]:
        """Return the ids of all living processes of the command."""
        return self._launch.members()

    def ports(self) -> tuple[int, ...]:
        """Return the TCP ports at which the JVM listens now, in increasing order, without its JMX port."""
        jvm = local_jvm(self.pid)
        jmx_port = _PORT.search((jvm and jvm.remote_address) or "")
        return tuple(port for port in listening(self.pid) if jmx_port is None or port != int(jmx_port[1]))


class _Uncharted(MeasuredProgram):
    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        return Track(name, interval_s, from_first=from_first)


class LaunchHooks(Protocol):
    """Called for one launch, in the collector's thread. Those that need not act inherit from this."""

    def program_started(self, program: MeasuredProgram) -> None:
        """Act when the program's ``main`` begins; must return at once."""

    def program_ended(self) -> tuple[Problem, ...]:
        """Act when the program has ended or was given up; called once after :meth:`program_started`.

        Whatever drove the program must have ended when this returns.

        Returns:
            What failed, which makes the run invalid.
        """

    def cpu_s(self) -> float:
        """Return the processor time so far, seconds, of processes beside the program that go on.

        They belong to the measurement: their time is not load by others.
        """
        return 0.0


class AllHooks:
    """Several hooks of one launch, called in their order."""

    def __init__(self, hooks: Sequence[LaunchHooks]) -> None:
        self._hooks = hooks

    def program_started(self, program: MeasuredProgram) -> None:
        for hook in self._hooks:
            hook.program_started(program)

    def program_ended(self) -> tuple[Problem, ...]:
        """See :class:`LaunchHooks`. All hooks are called, also if one of them fails."""
        problems: list[Problem] = []
        with ExitStack() as others:
            for hook in reversed(self._hooks):
                others.callback(lambda hooks: problems.extend(hooks.program_ended()), hook)
        return tuple(problems)

    def cpu_s(self) -> float:
        return sum(hook.cpu_s() for hook in self._hooks)


class HookCaller(Closeable):
    """Calls each hook of one launch at most once. Does nothing if there are no hooks."""

    def __init__(self, hooks: LaunchHooks | None, launch: Launch, recording: Recording) -> None:
        self._hooks = hooks
        self._launch = launch
        self._recording = recording
        self._started = self._ended = False
        self._cpu_s = 0.0 if hooks is None else hooks.cpu_s()

    def start(self, pid: int, connection: MBeanConnection | None = None) -> None:
        """Call ``program_started`` if the program's start is known by now and was not reported before."""
        if self._hooks is None or self._started or self._recording.zero_ns is None:
            return
        self._started = True
        self._hooks.program_started(MeasuredProgram(pid, self._launch, self._recording, connection))

    def cpu_s(self) -> float:
        """Return the processor time of what the hooks run beside the program, seconds since the launch."""
        return 0.0 if self._hooks is None else self._hooks.cpu_s() - self._cpu_s

    def end(self) -> tuple[Problem, ...]:
        """Call ``program_ended`` if the program was started; return the problems that it reports."""
        if self._hooks is None or not self._started or self._ended:
            return ()
        self._ended = True
        return self._hooks.program_ended()

    def close(self) -> None:
        """End the hooks of a launch that failed."""
        self.end()
