"""Follow one launch under the agent: a single-threaded event loop over its processes and connections.

Every wait is for a descriptor (the listening socket, a connection, the end of a process) and has
a deadline.
"""

from __future__ import annotations

import math
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass

from buto.measure import account, messages
from buto.measure.channel import AgentConnection, AgentListener, AgentRecorder
from buto.measure.collector import Following
from buto.measure.hooks import LaunchHooks
from buto.measure.host import run_queue_s
from buto.measure.hsperfdata import NoPerfData, hold_counters
from buto.measure.jvms import NO_PROGRAM, inner_pid, is_wanted, main_name
from buto.measure.launch import Ending, Launch
from buto.measure.messages import ChannelError
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import ROUND_OVER
from buto.run.model import AFTER_ROUND, AT_END

TICK_S = 0.1
FLUSH_S = 0.25
_SHARE_THAT_WAITS = 10
"""Samples of shorter intervals than FLUSH_S are sent together: after a tenth of the run so far, TICK_S at
least and FLUSH_S at most. A killed program loses no more than this. To wake for each sample takes as much
processor time as the agent takes to read it."""

_MAX_UNIDENTIFIED = 128
"""Most connections at once without a HELLO; one more closes the oldest."""


_HELPER_NS = 1_000_000_000
_LONGER = 4
"""A JVM that lives shorter, and so many times shorter than a later one, is a script's helper."""


@dataclass(slots=True)
class _Other:
    """A JVM that might have been measured, had it come first; ``ended_ns`` is 0 while it lives."""

    name: str
    began_ns: int
    ended_ns: int = 0


class EventLoop(Following):
    """Follows one launch to its end.

    Attributes:
        recorder: of the measured JVM; None until one was chosen.
        run_queue_s: how long its threads had waited for a core when it began to exit, if known.
    """

    def __init__(
        self,
        launch: Launch,
        recording: Recording,
        hooks: LaunchHooks | None,
        on_tick: OnTick | None,
        listener: AgentListener,
    ) -> None:
        super().__init__(launch, recording, hooks, on_tick)
        self.recorder: AgentRecorder | None = None
        self.run_queue_s: float | None = None
        self._was_read_last = False
        self._listener = listener
        self._marks_seen = 0
        self._rivals: list[_Other] = []
        self._is_counting = False
        self._measured: AgentConnection | None = None
        self._connections: set[AgentConnection] = set()
        self._selector = self._held.enter_context(selectors.DefaultSelector())
        self._watch(launch.fileno(), self._command_ended)
        self._watch(listener.fileno(), self._accept)

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
        super().close()

    @property
    def end_ns(self) -> int:
        """When the measured JVM's end was seen, ``time.monotonic_ns``; 0 if there was none."""
        return self.dead_ns or (self._measured.closed_ns if self._measured else 0)

    @property
    def silence_ns(self) -> int:
        """How long before its JVM's end the agent closed the connection without a BYE; 0 if it did not."""
        if self._measured is None or not self._measured.closed:
            return 0
        if self.recorder is None or self.recorder.complete:
            return 0
        return max(0, self.end_ns - self._measured.closed_ns)

    def run(self) -> Ending:
        ticked = -math.inf
        while True:
            now = time.monotonic()
            pause_s = self._pause_s()
            # Samples often come with the same period: tick when awake for them, and not once more.
            if now >= ticked + pause_s / 2:
                self._tick()
                ticked = now
            ending = self.launch.poll()
            is_over = ending is not None and self._is_over()
            events = self._selector.select(0.0 if is_over else max(0.0, ticked + 1.5 * pause_s - now))
            if ending is not None and is_over and not events:
                return ending
            for key, _ in events:
                key.data()

    def _pause_s(self) -> float:
        """Return how long from one tick to the next: about as long as samples wait."""
        wanted, zero_ns = self.launch.target.live_set, self.recording.zero_ns
        if zero_ns is None or (wanted is not None and wanted.at_marks):
            return TICK_S
        age_s = (time.monotonic_ns() - zero_ns) * 1e-9
        return min(FLUSH_S, max(TICK_S, age_s / _SHARE_THAT_WAITS))

    def _watch(self, descriptor: int, then: Callable[[], None]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, then)

    def _tick(self) -> None:
        if self._measured is None:
            self._listener.prepare()
        self._ask_for_live_sets()
        for connection in [each for each in self._connections if each.is_overdue]:
            self._drop(connection)
        stage = "starting"
        if self.recorder is not None:
            stage = "ending" if self.recorder.exiting or self.dead_ns else "running"
        self._look(stage)

    def _ask_for_live_sets(self) -> None:
        """Ask the agent for the live set at each new mark, if the target wants that."""
        live_set, rounds = self.launch.target.live_set, self.launch.target.rounds
        names, self._marks_seen = self.recording.marks_since(self._marks_seen)
        if rounds is not None:
            names = tuple(AFTER_ROUND for name in names if name == ROUND_OVER)
        elif live_set is None or not live_set.at_marks:
            names = ()
        if not names or self._measured is None or self.recorder is None:
            return
        is_running = self.recording.zero_ns is not None and not self.recorder.exiting
        if is_running and not self._measured.closed:
            for name in names:
                self._measured.send(messages.live_set(name))

    def _is_over(self) -> bool:
        if self._measured is not None and self._jvm_end is None:
            return self._measured.closed
        return super()._is_over()

    def _command_ended(self) -> None:
        self._selector.unregister(self.launch.fileno())
        self.launch.poll()

    def _accept(self) -> None:
        connection = self._listener.accept()
        if connection is not None:
            unidentified = [each for each in self._connections if each.hello is None]
            if len(unidentified) >= _MAX_UNIDENTIFIED:
                self._drop(min(unidentified, key=lambda each: each.opened))
            self._connections.add(connection)
            self._watch(connection.fileno(), lambda: self._arrived(connection))

    def _arrived(self, connection: AgentConnection) -> None:
        descriptor = connection.fileno()
        if descriptor < 0:  # closed in favour of another connection meanwhile
            return
        was_known = connection.hello is not None
        try:
            arrived = connection.receive()
            if connection.hello is not None and not was_known:
                arrived = arrived[1:]
                self._handle_hello(connection, connection.hello)
            if connection is self._measured and self.recorder is not None:
                for message in arrived:
                    self._handle(connection, self.recorder, message)
                # Once for all that arrived together, so that the newest row has it.
                if (
                    any(isinstance(message, messages.SamplesMessage) for message in arrived)
                    and not self.recorder.exiting
                ):
                    self._read_outside(self.recorder)
        except ChannelError:
            if connection is self._measured:
                raise
            connection.close()
        if connection.closed:
            self._selector.unregister(descriptor)
            self._connections.discard(connection)

    def _handle_hello(self, connection: AgentConnection, hello: messages.Hello) -> None:
        target = self.launch.target
        is_command = self.launch.line.direct and hello.pid == self.launch.pid and target.jvm is None
        if self._measured is not None or not (
            is_command or is_wanted(hello.command, target.jvm, hello.class_path)
        ):
            if self._measured is not None:
                self._follow_other(hello)
            self.others.append(main_name(hello.command, hello.class_path) or NO_PROGRAM)
            connection.send(messages.decline())
            connection.close()
            return
        flush_s = 0.0 if target.interval_s >= FLUSH_S else FLUSH_S
        connection.send(messages.accept(connection.enlarge(), flush_s, target))
        self._measured, self.command, self.class_path = connection, hello.command, hello.class_path
        self.recorder = AgentRecorder(self.recording)
        self._hold(hello)

    def _follow_other(self, hello: messages.Hello) -> None:
        """Note how long a JVM lives that came after the measured one and might have been measured as well."""
        pid = self._find_seen_pid(hello.pid)
        if pid is None or not is_wanted(hello.command, self.launch.target.jvm, hello.class_path):
            return
        pidfd = account.open_pidfd(pid)
        if pidfd is not None:
            self._held.callback(os.close, pidfd)
            other = _Other(main_name(hello.command, hello.class_path), time.monotonic_ns())
            self._rivals.append(other)
            self._watch(pidfd, lambda: self._other_ended(pidfd, other))

    def _other_ended(self, pidfd: int, other: _Other) -> None:
        self._selector.unregister(pidfd)
        other.ended_ns = time.monotonic_ns()

    @property
    def program_behind(self) -> str | None:
        """The program that came after a short helper, which was measured in its place; None without one."""
        if self.recording.zero_ns is None:
            return None
        measured_ns = self.end_ns - self.recording.zero_ns
        now_ns = time.monotonic_ns()
        lives = [((other.ended_ns or now_ns) - other.began_ns, other.name) for other in self._rivals]
        longest_ns, name = max(lives, default=(0, ""))
        is_helper = measured_ns < _HELPER_NS and longest_ns > _LONGER * measured_ns
        return name if is_helper and name != self.program else None

    def _hold(self, hello: messages.Hello) -> None:
        """Open the JVM's process and performance counters, to see its course and its end from outside."""
        pid = self._find_seen_pid(hello.pid)
        self.pid = hello.pid if pid is None else pid
        pidfd = None if pid is None else self._hold_process(pid)
        if pidfd is None:
            self._read_from_outside(None, NoPerfData(f"process {hello.pid} cannot be seen from here"))
            return
        self._watch(pidfd, lambda: self._jvm_ended(pidfd))
        self._read_from_outside(pid, hold_counters(self._held, hello.pid, hello.jvm_start_ms))

    def _find_seen_pid(self, own: int) -> int | None:
        """Return the process of the command that has this id for itself: in a container, ids differ."""
        if self.launch.owns(own) and inner_pid(own) == own:
            return own
        return next((pid for pid in self.launch.members() if inner_pid(pid) == own), None)

    def _read_outside(self, recorder: AgentRecorder, *, is_rare: bool = False) -> None:
        """Read the JVM from outside, at a rare moment all that can be read; at its exit, only once."""
        if self.outside is not None and not self._was_read_last:
            self._was_read_last = recorder.exiting or recorder.complete
            self.outside.read(is_last=self._was_read_last or is_rare)

    def _jvm_ended(self, pidfd: int) -> None:
        self._selector.unregister(pidfd)
        self.dead_ns = time.monotonic_ns()

    def _handle(
        self, connection: AgentConnection, recorder: AgentRecorder, message: messages.Message
    ) -> None:
        answer = recorder.receive(message)
        is_last = (
            recorder.exiting and isinstance(message, messages.SamplesMessage) and not self._was_read_last
        )
        if is_last and self.pid is not None:
            self.run_queue_s = run_queue_s(self.pid)
        if answer is not None or is_last:
            # While the program waits for the answer.
            self._read_outside(recorder, is_rare=isinstance(message, messages.MarkMessage))
        if is_last and self.launch.target.live_set is not None:
            answer = self._live_set_or_not()
        if isinstance(message, messages.Bye) and self._is_counting:
            self._is_counting = False
            self._limit.resume()
            if self.outside is not None:
                self.outside.leave_out()
        if answer is not None:
            connection.send(answer)
        if self.pid is not None:
            self.hooks.start(self.pid)

    def _live_set_or_not(self) -> bytes:
        """Return the answer to the last sample, for which the agent waits if the live set is wanted."""
        if self._limit.has_passed:
            return messages.go()
        self._is_counting = True
        self._limit.pause()
        return messages.live_set(AT_END)

    def _drop(self, connection: AgentConnection) -> None:
        self._selector.unregister(connection.fileno())
        self._connections.discard(connection)
        connection.close()
