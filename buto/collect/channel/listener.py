"""The collector's end of the agent's channel: listening socket, secrets, session file, connections."""

from __future__ import annotations

import hmac
import secrets
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from buto import jars
from buto.collect.channel.frames import ChannelError, FrameDecoder
from buto.collect.channel.messages import VERSION, Hello, Message
from buto.collect.process.private_directory import write_private_file
from buto.errors import MeasureError

GATE_MS = 5000
EXIT_MS = 2000
"""How long the agent may hold ``main`` and the exit for a slow collector, see docs/formats/agent-channel.md.
With six busy programs per core, both took up to a second."""

HELLO_S = 5.0
"""A connection without a valid HELLO after this time is closed."""

_RECEIVE_BYTES = 1024 * 1024
_SEND_S = 2.0


class AgentListener:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        """Whether no valid HELLO came in time."""
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
        messages = self._decoder.feed(data)
        if self.hello is None and messages:
            self.hello = self._checked_hello(messages[0])
        return messages

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
