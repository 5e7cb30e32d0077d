"""The collector's end of the agent's channel: lines of two named pipes, session file, connections.

Named pipes, because an agent reads and writes them as plain files: a socket would initialise the network
classes of the program before ``main`` can configure them. :class:`AgentRecorder` adds the messages of the
measured JVM to a recording; it knows neither pipes nor processes.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np

from buto import jars
from buto.errors import MeasureError, StorageError
from buto.measure import messages
from buto.measure.diagnostic_command import class_histogram
from buto.measure.messages import VERSION, ChannelError, FrameDecoder, Hello, Message
from buto.measure.private_directory import write_private_file
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.run.model import AFTER_ROUND
from buto.run.properties import Kind

GATE_MS = 5000
EXIT_MS = 2000
"""How long the agent may hold ``main`` and the exit for a slow collector, see java-probes/agent-channel.md.
With six busy programs per core, both took up to a second."""

HELLO_S = 5.0
"""A connection without a valid HELLO after this time is closed."""

N_LINES = 4
"""Lines that are kept ready for the next JVMs; the agent looks for as many."""

_MAX_SILENT = 128
"""Most lines that wait for a first word; one more closes the oldest."""

_PIPE_BYTES = 1024 * 1024
"""Of the measured JVM's pipe, if the system allows so much: a slow collector has longer to read."""

_RECEIVE_BYTES = 1024 * 1024
_SEND_S = 2.0


class AgentListener(Closeable):
    """Keeps lines ready for the agents of one launch, in a private directory.

    Args:
        exit_ms: how long the agent may hold the exit.
        gate_ms: how long it may take until it measures.
        recording: a directory in which it has the JVM record what happens to virtual threads; None for not.

    Attributes:
        agent: the agent's jar and the argument that lets it connect here.

    Raises:
        BadFileError: the agent's jar was not built.
        StorageError: the session directory cannot be written, or has no named pipes.
    """

    def __init__(
        self, directory: Path, exit_ms: int = EXIT_MS, gate_ms: int = GATE_MS, recording: Path | None = None
    ) -> None:
        jar = directory / "buto-agent.jar"
        jar.symlink_to(jars.path(jars.AGENT))
        session_file = directory / "session"
        lines = {"version": VERSION, "lines": directory, "gate.ms": gate_ms, "exit.ms": exit_ms}
        if recording is not None:
            lines["recording"] = recording
        write_private_file(session_file, "".join(f"{key}={value}\n" for key, value in lines.items()).encode())
        self.agent = f"{jar}={session_file}"
        self._directory = directory
        self._lines: dict[int, _Line] = {}
        self._arrivals = select.epoll()
        try:
            self.prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._lines.clear()
        self._arrivals.close()

    def fileno(self) -> int:
        """Return a descriptor that is readable when a connection is waiting."""
        return self._arrivals.fileno()

    def accept(self) -> AgentConnection | None:
        """Accept the next connection; return None if there is none."""
        arrived = self._arrivals.poll(0, 1)
        if not arrived:
            return None
        line = self._lines.pop(arrived[0][0])
        self._arrivals.unregister(line.up)
        self.prepare()
        return AgentConnection(line)

    def prepare(self) -> None:
        """Replace the lines that were taken; some stay silent. Call this often while a JVM may come."""
        # Nothing is created in a directory that was given to the owner of another JVM.
        if self._directory.stat().st_uid != os.geteuid():
            return
        for number in range(N_LINES):
            place = self._directory / f"line-{number}"
            if not place.exists():
                line = _Line(place)
                self._lines[line.up] = line
                self._arrivals.register(line.up, select.EPOLLIN)
        while len(self._lines) > _MAX_SILENT:
            self._lines.pop(next(iter(self._lines))).close()


class _Line:
    """Two pipes in a directory, which an agent takes by renaming it.

    Attributes:
        up: descriptor of the pipe from the agent.
        down: of the pipe to it.
    """

    def __init__(self, directory: Path) -> None:
        # An agent sees the line when it is complete.
        hidden = directory.with_name(f".{directory.name}")
        try:
            with ExitStack() as undo:
                hidden.mkdir(mode=0o700)
                undo.callback(shutil.rmtree, hidden, ignore_errors=True)
                os.mkfifo(hidden / "up", 0o600)
                os.mkfifo(hidden / "down", 0o600)
                self.up = os.open(hidden / "up", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                undo.callback(os.close, self.up)
                # Both ends: one alone cannot be opened before the agent has opened the other.
                self.down = os.open(hidden / "down", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
                hidden.rename(directory)
                undo.pop_all()
        except OSError as error:
            raise StorageError(
                f"named pipes cannot be created in {directory.parent}: {error.strerror}",
                advice="allow more open files (ulimit -n), free some space there, or set TMPDIR to a "
                "directory that can be written",
            ) from error

    def close(self) -> None:
        os.close(self.up)
        os.close(self.down)


class AgentConnection:
    """A connection of one JVM; of an unknown process until its HELLO.

    Attributes:
        hello: its HELLO; None until it has come.
        opened: when the connection was accepted, ``time.monotonic``.
        closed: whether either side has closed it.
        closed_ns: when that was seen, ``time.monotonic_ns``.
    """

    def __init__(self, line: _Line) -> None:
        self._line = line
        self._decoder = FrameDecoder()
        self.opened = time.monotonic()
        self.hello: Hello | None = None
        self.closed = False
        self.closed_ns = 0

    def fileno(self) -> int:
        return -1 if self.closed else self._line.up

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.closed_ns = time.monotonic_ns()
            self._line.close()

    def enlarge(self) -> int:
        """Let the agent send more at once; return the capacity of its pipe, bytes."""
        with suppress(OSError):
            fcntl.fcntl(self._line.up, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        return fcntl.fcntl(self._line.up, fcntl.F_GETPIPE_SZ)

    @property
    def is_overdue(self) -> bool:
        return self.hello is None and time.monotonic() - self.opened > HELLO_S

    def receive(self) -> list[Message]:
        """Return the messages that have arrived, at most 1 MiB at once, including the HELLO.

        Raises:
            ChannelError: the data is not a message, or the first message is not a valid HELLO.
        """
        try:
            data = os.read(self._line.up, _RECEIVE_BYTES)
        except BlockingIOError:
            return []
        if not data:
            self.close()
            return []
        arrived = self._decoder.feed(data)
        if self.hello is None and arrived:
            self.hello = self._check_hello(arrived[0])
        return arrived

    def send(self, frame: bytes) -> None:
        """Send a short frame; :meth:`receive` notices a closed connection.

        Raises:
            MeasureError: the agent does not read it within two seconds.
        """
        deadline = time.monotonic() + _SEND_S
        while frame:
            try:
                frame = frame[os.write(self._line.down, frame) :]
            except BlockingIOError:
                room = select.poll()
                room.register(self._line.down, select.POLLOUT)
                if not room.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise MeasureError(f"the agent has not read a message within {_SEND_S:g} s") from None

    def _check_hello(self, first: Message) -> Hello:
        if not isinstance(first, Hello):
            raise ChannelError("a message before HELLO")
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
            case messages.SamplesMessage():
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
            case messages.MarkMessage():
                if message.name == "main":
                    recording.zero_ns = message.time_ns
                elif message.name == "exit":
                    self.exiting = True
                elif message.name == AFTER_ROUND:
                    recording.add_mark(message.time_ns, AFTER_ROUND)
                    return messages.go()
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
            case messages.Alive():
                pass
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
