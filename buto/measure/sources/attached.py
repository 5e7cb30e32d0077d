"""The agent in a JVM that already runs: loaded into it, and followed to its end or that of the recording.

:class:`Received` keeps what the agent has sent; it knows neither sockets nor processes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from buto.errors import MeasureError
from buto.measure import account, messages
from buto.measure.channel import AgentConnection, AgentListener
from buto.measure.diagnostic_command import load_agent
from buto.measure.jvms import inner_pid
from buto.measure.messages import ChannelError
from buto.measure.private_directory import give_to_owner, private_directory
from buto.measure.process_group import is_alive
from buto.measure.progress import Closeable
from buto.measure.target import Target
from buto.run.properties import Property


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One sample.

    Attributes:
        time_ns: ``time.monotonic_ns`` at which the JVM took it.
        values: by name; NaN: could not be read.
    """

    time_ns: int
    values: Mapping[str, float]


class Received:
    """The messages of one agent after its HELLO, of which only the newest row is kept.

    Attributes:
        properties: of the columns, by name, in the order of the agent.
        reasons: why columns could not be read, by name.
        metadata: of the JVM.
        row: the newest one; None before the first.
    """

    def __init__(self) -> None:
        self.properties: dict[str, Property] = {}
        self.reasons: dict[str, str] = {}
        self.metadata: dict[str, str] = {}
        self.row: Row | None = None

    def add(self, message: messages.Message) -> bytes | None:
        """Take over one message.

        Returns:
            The frame to answer with, if any: GO to the first sample, FAREWELL to BYE.

        Raises:
            ChannelError: the message contradicts an earlier one.
        """
        match message:
            case messages.Samples():
                return self._add_rows(message)
            case messages.Columns():
                if message.first != len(self.properties):
                    raise ChannelError(f"new columns from {message.first} on, not {len(self.properties)}")
                self.properties |= {prop.name: prop for prop in message.properties}
            case messages.Metadata():
                self.metadata |= dict(message.entries)
            case messages.Reasons():
                names = list(self.properties)
                for column, why in message.entries:
                    if column >= len(names):
                        raise ChannelError(f"a reason for column {column} of {len(names)}")
                    self.reasons[names[column]] = why
            case messages.Bye():
                return messages.farewell()
            case messages.Hello():
                raise ChannelError("a second HELLO")
        return None

    def _add_rows(self, samples: messages.Samples) -> bytes | None:
        n_rows, n_columns = samples.values.shape
        if n_columns > len(self.properties):
            raise ChannelError(f"{n_columns} columns, {len(self.properties)} announced")
        if not n_rows:
            return None
        is_first = self.row is None
        values = dict(zip(self.properties, samples.values[-1].tolist(), strict=False))
        self.row = Row(int(samples.times_ns[-1]), values)
        return messages.go() if is_first else None


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
        MeasureError: no port is free, or the process has ended.
        StorageError: its session file cannot be written.
    """

    def __init__(self, pid: int, interval_s: float) -> None:
        self.pid = pid
        self.received = Received()
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

    def row(self, within_s: float) -> Row:
        """Return the newest row; wait for one if the newest is older than an interval and a half.

        Raises:
            MeasureError: none came in time, or none can come any more, see ``has_ended``.
        """
        deadline = time.monotonic() + within_s
        while self._has_arrived(0.0):
            self._receive()
        while not self._is_fresh():
            if self.has_ended:
                raise MeasureError(self._why_ended())
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise MeasureError(f"process {self.pid} did not answer within {within_s:g} s")
            if self._has_arrived(left_s):
                self._receive()
        assert self.received.row is not None
        return self.received.row

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
        if self.received.row is None:
            return f"process {self.pid} runs, but its agent has sent no sample"
        return f"process {self.pid} runs, but its agent does not send any more"

    def _is_fresh(self) -> bool:
        row = self.received.row
        if row is None or self.has_ended:
            return False
        return time.monotonic_ns() - row.time_ns <= 1.5e9 * self._interval_s

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
                answer = self.received.add(message)
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
            connection.send(
                messages.accept(self._listener.answer, 0.0, Target((), interval_s=self._interval_s))
            )
