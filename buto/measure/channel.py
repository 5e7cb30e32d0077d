"""The collector's end of the agent's channel: listening socket, secrets, session file, connections.

:class:`AgentRecorder` adds the messages of the measured JVM to a recording; it knows neither sockets nor
processes.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from buto import jars
from buto.errors import MeasureError
from buto.measure import messages
from buto.measure.diagnostic_command import class_histogram
from buto.measure.messages import VERSION, ChannelError, FrameDecoder, Hello, Message
from buto.measure.private_directory import write_private_file
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.run.properties import Kind

GATE_MS = 5000
EXIT_MS = 2000
"""How long the agent may hold ``main`` and the exit for a slow collector, see java-probes/agent-channel.md.
With six busy programs per core, both took up to a second."""

HELLO_S = 5.0
"""A connection without a valid HELLO after this time is closed."""

_RECEIVE_BYTES = 1024 * 1024
_SEND_S = 2.0


class AgentListener(Closeable):
    """Listens on 127.0.0.1, at a port of the system's choice, for the agents of one launch.

    Args:
        exit_ms: how long the agent may hold the exit.
        gate_ms: how long it may take until it measures.

    Attributes:
        agent: the agent's jar and the argument that lets it connect here.
        answer: the secret by which an agent recognises this listener.

    Raises:
        BadFileError: the agent's jar was not built.
        MeasureError: no port is free.
        StorageError: the session directory cannot be written.
    """

    def __init__(self, directory: Path, exit_ms: int = EXIT_MS, gate_ms: int = GATE_MS) -> None:
        self._secret, self.answer = secrets.token_hex(32), secrets.token_hex(32)
        jar = directory / "buto-agent.jar"
        jar.symlink_to(jars.path(jars.AGENT))
        session_file = directory / "session"
        try:
            self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        except OSError as error:
            raise MeasureError(
                f"no port of 127.0.0.1 is free for the agent to connect to: {error.strerror}",
                advice="see which ports are in use (ss -tan), and whether loopback is up (ip link set lo up)",
            ) from error
        try:
            self._socket.setblocking(False)
            lines = {
                "version": VERSION,
                "port": self._socket.getsockname()[1],
                "secret": self._secret,
                "answer": self.answer,
                "gate.ms": gate_ms,
                "exit.ms": exit_ms,
            }
            text = "".join(f"{key}={value}\n" for key, value in lines.items())
            write_private_file(session_file, text.encode())
        except BaseException:
            self._socket.close()
            raise
        self.agent = f"{jar}={session_file}"

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        """Return a descriptor that is readable when a connection is waiting."""
        return self._socket.fileno()

    def accept(self) -> AgentConnection | None:
        """Accept the next connection; return None if there is none."""
        try:
            connected, _ = self._socket.accept()
        except (BlockingIOError, ConnectionError):
            return None
        return AgentConnection(connected, self._secret)


class AgentConnection:
    """A connection of one JVM; of an unknown process until it has shown the secret.

    Attributes:
        hello: its HELLO; None until it has shown the secret.
        opened: when the connection was accepted, ``time.monotonic``.
        closed: whether either side has closed it.
        closed_ns: when that was seen, ``time.monotonic_ns``.
    """

    def __init__(self, connected: socket.socket, secret: str) -> None:
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connected
        self._secret = secret
        self._decoder = FrameDecoder()
        self.opened = time.monotonic()
        self.hello: Hello | None = None
        self.closed = False
        self.closed_ns = 0

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.closed_ns = time.monotonic_ns()
            self._socket.close()

    @property
    def is_overdue(self) -> bool:
        return self.hello is None and time.monotonic() - self.opened > HELLO_S

    def receive(self) -> list[Message]:
        """Return the messages that have arrived, at most 1 MiB at once, including the HELLO.

        Raises:
            ChannelError: the data is not a message, or the first message is not a valid HELLO.
        """
        try:
            data = self._socket.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return []
        except ConnectionError:
            data = b""
        if not data:
            self.close()
            return []
        arrived = self._decoder.feed(data)
        if self.hello is None and arrived:
            self.hello = self._checked_hello(arrived[0])
        return arrived

    def send(self, frame: bytes) -> None:
        """Send a short frame; :meth:`receive` notices a closed connection.

        Raises:
            MeasureError: the agent does not read it within two seconds.
        """
        self._socket.settimeout(_SEND_S)
        try:
            self._socket.sendall(frame)
        except ConnectionError:
            pass
        except TimeoutError as error:
            raise MeasureError(f"the agent has not read a message within {_SEND_S:g} s") from error
        finally:
            self._socket.setblocking(False)

    def _checked_hello(self, first: Message) -> Hello:
        if not isinstance(first, Hello):
            raise ChannelError("a message before HELLO")
        if not hmac.compare_digest(first.secret.encode(), self._secret.encode()):
            raise ChannelError("a wrong secret")
        if first.version != VERSION:
            raise ChannelError(f"version {first.version}, not {VERSION}")
        return first


_BLOCKED = "blocked "


class AgentRecorder:
    """Handles the messages of one JVM after its HELLO.

    Columns that the recording has before are not the agent's; its rows get NaN in them.

    Attributes:
        recording: receives everything.
        exiting: whether the exit hook has begun.
        complete: whether the exit hook took the last sample and everything has arrived.
        blocked: the MBean that kept the agent waiting when the program ended, and since when
            (``time.monotonic_ns``); None if there was none.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.exiting = False
        self.complete = False
        self._n_unsent_notifications = 0
        self.blocked: tuple[str, int] | None = None
        self._gate_open = False
        self._n_before = len(recording.columns)

    @property
    def n_lost_notifications(self) -> int:
        """Number of notifications that could not be sent or kept."""
        return self._n_unsent_notifications + self.recording.n_dropped_notifications

    @property
    def _n_columns(self) -> int:
        """Number of columns that the agent has announced."""
        return len(self.recording.columns) - self._n_before

    def receive(self, message: messages.Message) -> bytes | None:
        """Add one message to the recording.

        Returns:
            The frame to answer with, if any: GO to the first sample, FAREWELL to BYE.

        Raises:
            ChannelError: the message contradicts an earlier one.
            MeasureError: a property was announced twice.
        """
        recording = self.recording
        match message:
            case messages.Samples():
                if message.values.shape[1] > self._n_columns:
                    raise ChannelError(f"{message.values.shape[1]} columns, {self._n_columns} announced")
                n_rows, n_columns = message.values.shape
                rows = np.full((n_rows, self._n_before + n_columns), np.nan)
                rows[:, self._n_before :] = message.values
                if n_rows and message.times_ns[0] == recording.last_time_ns:
                    # The agent completes its last row; what was read from outside stays.
                    rows[0, : self._n_before] = recording.last_row()[: self._n_before]
                recording.add_rows(message.times_ns, rows)
                if recording.n_samples and not self._gate_open:
                    self._gate_open = True
                    return messages.go()
            case messages.Columns():
                if message.first != self._n_columns:
                    raise ChannelError(f"new columns from {message.first} on, not {self._n_columns}")
                recording.add_columns(message.properties)
            case messages.Metadata():
                recording.metadata.update(message.entries)
            case messages.Notifications():
                for item in message.items:
                    recording.add_notification(
                        item.received_ns, item.type, item.source, item.sequence, item.message
                    )
            case messages.Reasons():
                self._add_reasons(message)
            case messages.Mark():
                if message.name == "main":
                    recording.zero_ns = message.time_ns
                elif message.name == "exit":
                    self.exiting = True
                elif message.name.startswith(_BLOCKED):
                    self.blocked = message.name.removeprefix(_BLOCKED), message.time_ns
            case messages.Dropped():
                self._n_unsent_notifications = message.n_notifications
            case messages.Histogram():
                counted = class_histogram(
                    message.point, message.instances, message.size_bytes, message.printed
                )
                recording.add_histogram(message.time_ns, counted)
            case messages.Bye():
                self.complete = True
                return messages.farewell()
            case messages.Hello():
                raise ChannelError("a second HELLO")
        return None

    def add_last_state(self, time_ns: int, values: Mapping[str, float], source: str) -> bool:
        """Append a last row from another source, if no exit hook could run.

        Values of properties that the agent did not announce are left out, and so is a counter that
        would fall: both show that the source counts something else.

        Args:
            time_ns: of the JVM's end.
            values: property name to value.
            source: name of the source, for the NaN reason of all other columns.

        Returns:
            Whether a row was appended.
        """
        recording = self.recording
        known = {
            prop.name: values[prop.name]
            for prop in recording.columns
            if prop.name in values
            and not (prop.kind is Kind.COUNTER and values[prop.name] < recording.last_value(prop.name))
        }
        last_ns = recording.last_time_ns
        if not known or last_ns is None or time_ns <= last_ns:
            return False
        recording.add_row(time_ns, known)
        for prop in recording.columns:
            if prop.name not in known:
                recording.add_reason(
                    prop.name, f"the last sample comes from {source}, which does not have it"
                )
        return True

    def _add_reasons(self, message: messages.Reasons) -> None:
        columns = self.recording.columns[self._n_before :]
        for column, why in message.entries:
            if column >= len(columns):
                raise ChannelError(f"a reason for column {column} of {len(columns)}")
            self.recording.add_reason(columns[column].name, why)
