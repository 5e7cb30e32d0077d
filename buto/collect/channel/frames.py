"""Decode the agent's bytes into messages: incremental, bounded, and strict about every length."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

from buto.collect.channel.messages import (
    Bye,
    Columns,
    Dropped,
    Emitted,
    Hello,
    Histogram,
    Mark,
    Message,
    Metadata,
    Notifications,
    Reasons,
    Samples,
)
from buto.errors import MeasureError
from buto.properties import METRICS, Kind, Property, property_for, split_name

MAX_FRAME_BYTES = 16 * 1024 * 1024
MAX_HELLO_BYTES = 1024 * 1024
"""Limit for the first frame, whose sender has not shown the secret yet."""

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
    return Hello(version, body.text(), body.number("q"), body.text(), body.text(), *body.unpack("qqq"))


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


def _metadata(body: _Body) -> Metadata:
    return Metadata(tuple((body.text(), body.text()) for _ in range(body.number("I"))))


def _samples(body: _Body) -> Samples:
    n_rows, n_columns = body.unpack("II")
    words = np.frombuffer(body.take(n_rows * (1 + n_columns) * 8), dtype=">i8")
    rows = words.reshape(n_rows, 1 + n_columns)
    if not ((rows[:, 0] > -_LATEST_NS) & (rows[:, 0] < _LATEST_NS)).all():
        raise ChannelError("an impossible time")
    return Samples(rows[:, 0].astype(np.int64), rows[:, 1:].view(">f8").astype(np.float64))


def _notifications(body: _Body) -> Notifications:
    return Notifications(tuple(_emitted(body) for _ in range(body.number("I"))))


def _emitted(body: _Body) -> Emitted:
    received = body.time()
    return Emitted(received, body.text(), body.text(), body.number("q"), body.text(), body.number("q"))


def _reasons(body: _Body) -> Reasons:
    return Reasons(tuple((body.number("I"), body.text()) for _ in range(body.number("I"))))


def _mark(body: _Body) -> Mark:
    return Mark(body.text(), body.time())


def _dropped(body: _Body) -> Dropped:
    return Dropped(*body.unpack("QQ"))


def _bye(body: _Body) -> Bye:
    return Bye()


def _histogram(body: _Body) -> Histogram:
    point, time_ns = body.text(), body.time()
    instances, size_bytes = body.unpack("QQ")
    return Histogram(point, time_ns, instances, size_bytes, body.text())


_READERS: dict[int, Callable[[_Body], Message]] = {
    1: _hello,
    2: _columns,
    3: _metadata,
    4: _samples,
    5: _notifications,
    6: _reasons,
    7: _mark,
    8: _dropped,
    9: _bye,
    10: _histogram,
}
