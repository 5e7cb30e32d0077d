"""The agent in a JVM that already runs: loaded into it, and followed to its end or that of the recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from buto.errors import MeasureError
from buto.measure import account, messages
from buto.measure.channel import AgentConnection, AgentListener, AgentRecorder
from buto.measure.diagnostic_command import load_agent
from buto.measure.jvms import inner_pid
from buto.measure.messages import ChannelError
from buto.measure.private_directory import give_to_owner, private_directory
from buto.measure.process_group import is_alive
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.measure.samples import IntArray
from buto.measure.target import Target
from buto.run.model import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class AttachedSample:
    """One sample.

    Attributes:
        time_ns: ``time.monotonic_ns`` at which the JVM took it.
        values: by name; NaN: could not be read.
    """

    time_ns: int
    values: Mapping[str, float]


class Newest(Recording):
    """What one agent has sent, of which only the newest row is kept."""

    def __init__(self) -> None:
        super().__init__("")

    def add_rows(self, times_ns: IntArray, values: FloatArray) -> None:
        super().add_rows(times_ns, values)
        self._times = [block[-1:] for block in self._times[-1:]]
        self._values = [block[-1:] for block in self._values[-1:]]

    @property
    def row(self) -> AttachedSample | None:
        """The newest one; None before the first."""
        if self.last_time_ns is None:
            return None
        return AttachedSample(
            self.last_time_ns, dict(zip(self._columns, self.last_row().tolist(), strict=False))
        )

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why columns could not be read, by name."""
        return self._reasons


_LOAD_S = 15.0
"""How long a JVM may take to load the agent."""

_GREETING_MS = 60_000
"""How long it may take from there to its first sample. Nothing in the JVM waits for that."""

_LOOK_S = 0.05
"""Interval between two looks whether the JVM has refused to load the agent or a connection stays silent."""

_EXIT_S = 0.5
"""How long a JVM that closes its connection because it ends may take from there to its end."""


class AttachedAgent(Closeable):
    """The agent in one running JVM. The end of the ``with`` block lets it go.

    The agent does not hold the exit of the JVM: the samples of its last interval may be lost.

    Args:
        pid: of a JVM on this machine.
        interval_s: time between two samples.

    Attributes:
        received: what it has sent so far.
        has_ended: whether no further sample can come.

    Raises:
        BadFileError: the agent's jar was not built.
        MeasureError: the process has ended.
        StorageError: its session file cannot be written.
    """

    def __init__(self, pid: int, interval_s: float) -> None:
        self.pid = pid
        self.received = Newest()
        self._recorder = AgentRecorder(self.received)
        self.has_ended = False
        self._interval_s = interval_s
        self._begun = time.monotonic()
        self._refusal: MeasureError | None = None
        self._connection: AgentConnection | None = None
        with ExitStack() as undo:
            directory = undo.enter_context(private_directory())
            self._listener = undo.enter_context(AgentListener(directory, exit_ms=0, gate_ms=_GREETING_MS))
            try:
                give_to_owner(directory, pid)
            except FileNotFoundError as error:
                raise MeasureError(f"process {pid} has ended") from error
            self._held = undo.pop_all()
        # In a thread, because a JVM can take longer than one reading may, and must not be asked twice.
        self._loading = threading.Thread(target=self._load, name=f"buto-load-{pid}", daemon=True)
        self._loading.start()

    def row(self, within_s: float) -> AttachedSample:
        """Return the newest row; wait for one if the newest is older than an interval and a half.

        Raises:
            MeasureError: none came in time, or none can come any more, see ``has_ended``.
        """
        called_ns = time.monotonic_ns()
        deadline = time.monotonic() + within_s
        while self._has_arrived(0.0):
            self._receive()
            # An agent may send faster than this reads.
            if (self.received.last_time_ns or 0) >= called_ns or time.monotonic() >= deadline:
                break
        while not self._is_fresh():
            if self.has_ended:
                raise MeasureError(self._why_ended())
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise MeasureError(f"process {self.pid} did not answer within {within_s:g} s")
            if self._has_arrived(left_s):
                self._receive()
        row = self.received.row
        assert row is not None
        return row

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._held.close()
        self._loading.join(_LOOK_S)

    def _load(self) -> None:
        try:
            load_agent(self.pid, self._listener.agent, _LOAD_S)
        except MeasureError as refusal:
            self._refusal = refusal

    def _why_ended(self) -> str:
        deadline = time.monotonic() + _EXIT_S
        while is_alive(self.pid) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
        if not is_alive(self.pid):
            return f"process {self.pid} has ended"
        if self.received.last_time_ns is None:
            return f"process {self.pid} runs, but its agent has sent no sample"
        return f"process {self.pid} runs, but its agent does not send any more"

    def _is_fresh(self) -> bool:
        newest_ns = self.received.last_time_ns
        if newest_ns is None or self.has_ended:
            return False
        return time.monotonic_ns() - newest_ns <= 1.5e9 * self._interval_s

    def _has_arrived(self, within_s: float) -> bool:
        """Wait for the connection or for what it sends; return whether there is any.

        Raises:
            MeasureError: the JVM does not load the agent.
        """
        if self.has_ended:
            return False
        self._drop_silent()
        if self._connection is not None:
            wait_s = min(within_s, _LOOK_S) if self._connection.hello is None else within_s
            return account.readable(self._connection.fileno(), wait_s)
        if self._refusal is not None:
            self.has_ended = True
            raise self._refusal
        self.has_ended = time.monotonic() - self._begun > _LOAD_S + _GREETING_MS / 1000
        return account.readable(self._listener.fileno(), min(within_s, _LOOK_S))

    def _drop_silent(self) -> None:
        """Close a connection without a HELLO after its time, so that the next one is accepted."""
        connection = self._connection
        if connection is None or not connection.is_overdue:
            return
        # A HELLO may have come since the last reading.
        if not account.readable(connection.fileno(), 0.0):
            connection.close()
            self._connection = None

    def _receive(self) -> None:
        if self._connection is None:
            self._connection = self._listener.accept()
            return
        connection, was_known = self._connection, self._connection.hello is not None
        try:
            arrived = connection.receive()
            if not was_known and connection.hello is not None:
                arrived = arrived[1:]
                self._answer(connection, connection.hello)
            for message in arrived:
                answer = self._recorder.receive(message)
                if answer is not None:
                    connection.send(answer)
        except ChannelError:
            if was_known:
                self.has_ended = True
                raise
            connection.close()
        if connection.closed:
            self._connection = None
            self.has_ended = was_known or not is_alive(self.pid)

    def _answer(self, connection: AgentConnection, hello: messages.Hello) -> None:
        if hello.pid != inner_pid(self.pid):
            connection.send(messages.decline())
            connection.close()
        else:
            wanted = Target((), interval_s=self._interval_s)
            connection.send(messages.accept(connection.enlarge(), 0.0, wanted))
