"""The messages of the agent's channel: frozen values, decoded from bytes, and the frames that go back.

The format is described in java-probes/agent-channel.md. The decoder is incremental, bounded, and strict about
every length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.errors import MeasureError
from buto.measure.target import Target
from buto.run.model import FloatArray
from buto.run.properties import METRICS, Kind, Property, property_for, split_name

VERSION = 5


class Hello(Struct, frozen=True):
    """A JVM has started and holds its ``main``. All times are those of sending.

    Attributes:
        command: the JVM's main class, jar or module, and the program's arguments.
        class_path: ``java.class.path``: the jar, of a program that is started by its jar.
    """

    version: int
    pid: int
    command: str
    class_path: str
    java_version: str
    nano_time_ns: int
    wall_ms: int
    jvm_start_ms: int


class Columns(Struct, frozen=True):
    """New columns after the ``first`` ones."""

    first: int
    properties: tuple[Property, ...]


class Metadata(Struct, frozen=True):
    entries: tuple[tuple[str, str], ...]


class SamplesMessage(Struct, frozen=True, eq=False):
    """``times_ns`` of shape (n_rows,), ``values`` of shape (n_rows, n_columns)."""

    times_ns: npt.NDArray[np.int64]
    values: FloatArray


class Emitted(Struct, frozen=True):
    """One notification; ``received_ns`` by the target's nanoTime, ``stamp_ms`` the emitter's own."""

    received_ns: int
    type: str
    source: str
    sequence: int
    message: str
    stamp_ms: int


class Notifications(Struct, frozen=True):
    items: tuple[Emitted, ...]


class Reasons(Struct, frozen=True):
    """Column numbers and why they could not be read."""

    entries: tuple[tuple[int, str], ...]


class MarkMessage(Struct, frozen=True):
    name: str
    time_ns: int


class Dropped(Struct, frozen=True):
    """Numbers of samples and notifications that could not be sent so far."""

    n_samples: int
    n_notifications: int


class Bye(Struct, frozen=True):
    pass


class Alive(Struct, frozen=True):
    """Nothing: the agent waits, and tries whether somebody still reads."""


class Histogram(Struct, frozen=True):
    """The live objects by class, as the JVM prints them; the largest classes only."""

    point: str
    time_ns: int
    instances: int
    size_bytes: int
    printed: str


Message = (
    Hello
    | Columns
    | Metadata
    | SamplesMessage
    | Notifications
    | Reasons
    | MarkMessage
    | Dropped
    | Bye
    | Histogram
    | Alive
)


def accept(capacity: int, flush_s: float, target: Target) -> bytes:
    """Return the frame that starts measuring a JVM.

    Args:
        capacity: of the pipe from the agent, bytes.
    """
    body = struct.pack(">IQI", capacity, round(target.interval_s * 1e9), round(flush_s * 1e3))
    during, period_s = 0, 0.0
    if target.rounds is not None:
        during = 3
    elif target.live_set is not None:
        period_s = target.live_set.period_s
        during = 2 if target.live_set.is_during else 1
    pace = round(period_s * 1e9) if target.rounds is None else target.rounds.share_bytes
    body += struct.pack(">BQ", during, pace)
    if target.rounds is not None:
        body += struct.pack(">II", target.rounds.every, target.rounds.most)
        body += _text(str(target.rounds.dump or ""))
    body += struct.pack(">H", len(target.mbeans))
    for spec in target.mbeans:
        body += _text(spec.pattern) + _texts(spec.attributes) + _texts(spec.metadata)
        body += struct.pack(">B", spec.notifications)
    if target.extra is not None:
        extra = target.extra
        body += struct.pack(">BQQ", extra.use.value, extra.amount, round(extra.spread_s * 1e9))
    return _frame(65, body)


def decline() -> bytes:
    """Return the frame that declines to measure a JVM."""
    return _frame(66)


def go() -> bytes:
    """Return the frame that opens the gate before ``main``, or lets the exit go on without the live set."""
    return _frame(67)


def live_set(point: str) -> bytes:
    """Return the frame that asks for the live set now; ``point`` says what this moment is."""
    return _frame(69, _text(point))


def farewell() -> bytes:
    """Return the frame that lets the JVM exit."""
    return _frame(68)


def _frame(type: int, body: bytes = b"") -> bytes:
    return struct.pack(">IB", len(body) + 1, type) + body


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">I", len(encoded)) + encoded


def _texts(texts: Sequence[str]) -> bytes:
    return struct.pack(">H", len(texts)) + b"".join(map(_text, texts))


MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_HELLO_BYTES = 1024 * 1024
"""Limit for the first frame, whose sender is not known to be an agent yet."""

_LATEST_NS = 1 << 62
"""The difference of any two smaller times fits into 64 bits."""

_KINDS = (Kind.GAUGE, Kind.COUNTER, Kind.CONSTANT)
_LISTED = 3
"""Instead of a kind: the property is in buto's table, which has its unit and kind."""

_LENGTH = struct.Struct(">I")


class ChannelError(MeasureError):
    """The data does not follow the channel's format."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the agent sent something that does not follow the channel's format: {what}",
            advice="if the JVM's command line has no agent of another buto, please report this defect",
        )


class FrameDecoder:
    """Takes bytes in pieces of any size and returns whole messages.

    Holds at most one frame, of 16 MiB.

    Args:
        first_bytes: the most that the first frame may have; 1 MiB as long as anybody may have connected.
    """

    def __init__(self, first_bytes: int = MAX_HELLO_BYTES) -> None:
        self._buffer = bytearray()
        self._limit = first_bytes

    @property
    def n_pending(self) -> int:
        """Number of bytes of an incomplete frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Message]:
        """Add bytes; return the messages that are complete now, in order.

        Raises:
            ChannelError: unknown type, wrong length, text that is not UTF-8, number out of range.
        """
        self._buffer += data
        messages = []
        start = 0
        while len(self._buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if not 1 <= length <= self._limit:
                raise ChannelError(f"a frame of {length} bytes")
            end = start + _LENGTH.size + length
            if len(self._buffer) < end:
                break
            messages.append(_message(bytes(self._buffer[start + _LENGTH.size : end])))
            self._limit = MAX_FRAME_BYTES
            start = end
        del self._buffer[:start]
        return messages


class _Body:
    """Reads one frame from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def unpack(self, layout: str) -> tuple[int, ...]:
        packed = struct.Struct(">" + layout)
        return packed.unpack(self.take(packed.size))

    def number(self, layout: str) -> int:
        return self.unpack(layout)[0]

    def time(self) -> int:
        time_ns = self.number("q")
        if not -_LATEST_NS < time_ns < _LATEST_NS:
            raise ChannelError(f"the impossible time {time_ns} ns")
        return time_ns

    def text(self) -> str:
        try:
            return self.take(self.number("I")).decode()
        except UnicodeDecodeError:
            raise ChannelError("a text that is not UTF-8") from None

    def take(self, length: int) -> bytes:
        if length > len(self._data) - self._at:
            raise ChannelError("a frame that ends too early")
        self._at += length
        return self._data[self._at - length : self._at]

    def end(self) -> None:
        if self._at != len(self._data):
            raise ChannelError(f"{len(self._data) - self._at} bytes after the end of a message")


def _message(frame: bytes) -> Message:
    body = _Body(frame)
    type = body.number("B")
    read = _READERS.get(type)
    if read is None:
        raise ChannelError(f"a message of the unknown type {type}")
    message = read(body)
    body.end()
    return message


def _hello(body: _Body) -> Hello:
    version = body.number("H")
    return Hello(version, body.number("q"), body.text(), body.text(), body.text(), *body.unpack("qqq"))


def _columns(body: _Body) -> Columns:
    first, n = body.unpack("II")
    return Columns(first, tuple(_property(body) for _ in range(n)))


def _property(body: _Body) -> Property:
    """Read a property: a default one by its name alone, any other with its unit and kind."""
    name, unit, kind = body.text(), body.text(), body.number("B")
    is_default = split_name(name)[0] in METRICS
    if kind == _LISTED:
        if not is_default:
            raise ChannelError(f"the default property {name}, which the table of properties does not have")
        if unit:
            raise ChannelError(f"a unit of its own, {unit}, for {name}, which the table of properties has")
        return property_for(name)
    if kind > _LISTED:
        raise ChannelError(f"the kind {kind} of the property {name}")
    if is_default:
        raise ChannelError(f"a kind of its own for {name}, which the table of properties has")
    return Property(name, unit or "1", _KINDS[kind])


def _samples(body: _Body) -> SamplesMessage:
    n_rows, n_columns = body.unpack("II")
    words = np.frombuffer(body.take(n_rows * (1 + n_columns) * 8), dtype=">i8")
    rows = words.reshape(n_rows, 1 + n_columns)
    if not ((rows[:, 0] > -_LATEST_NS) & (rows[:, 0] < _LATEST_NS)).all():
        raise ChannelError("an impossible time")
    return SamplesMessage(rows[:, 0].astype(np.int64), rows[:, 1:].view(">f8").astype(np.float64))


def _emit(body: _Body) -> Emitted:
    received = body.time()
    return Emitted(received, body.text(), body.text(), body.number("q"), body.text(), body.number("q"))


def _histogram(body: _Body) -> Histogram:
    point, time_ns = body.text(), body.time()
    instances, size_bytes = body.unpack("QQ")
    return Histogram(point, time_ns, instances, size_bytes, body.text())


_READERS: dict[int, Callable[[_Body], Message]] = {
    1: _hello,
    2: _columns,
    3: lambda body: Metadata(tuple((body.text(), body.text()) for _ in range(body.number("I")))),
    4: _samples,
    5: lambda body: Notifications(tuple(_emit(body) for _ in range(body.number("I")))),
    6: lambda body: Reasons(tuple((body.number("I"), body.text()) for _ in range(body.number("I")))),
    7: lambda body: MarkMessage(body.text(), body.time()),
    8: lambda body: Dropped(*body.unpack("QQ")),
    9: lambda _: Bye(),
    10: _histogram,
    11: lambda _: Alive(),
}
