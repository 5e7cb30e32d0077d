"""The messages of the agent's channel as frozen values, and the frames that the collector sends.

The format is described in docs/formats/agent-channel.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.collect.target import Target
from buto.properties import Property
from buto.runs import FloatArray

VERSION = 4


@dataclass(frozen=True, slots=True)
class Hello:
    """A JVM has started and holds its ``main``. All times are those of sending.

    Attributes:
        command: the JVM's main class, jar or module, and the program's arguments.
    """

    version: int
    secret: str
    pid: int
    command: str
    java_version: str
    nano_time_ns: int
    wall_ms: int
    jvm_start_ms: int


@dataclass(frozen=True, slots=True)
class Columns:
    """New columns after the ``first`` ones."""

    first: int
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Metadata:
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """``times_ns`` of shape (n_rows,), ``values`` of shape (n_rows, n_columns)."""

    times_ns: npt.NDArray[np.int64]
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Emitted:
    """One notification; ``received_ns`` by the target's nanoTime, ``stamp_ms`` the emitter's own."""

    received_ns: int
    type: str
    source: str
    sequence: int
    message: str
    stamp_ms: int


@dataclass(frozen=True, slots=True)
class Notifications:
    items: tuple[Emitted, ...]


@dataclass(frozen=True, slots=True)
class Reasons:
    """Column numbers and why they could not be read."""

    entries: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Mark:
    name: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Numbers of samples and notifications that could not be sent so far."""

    n_samples: int
    n_notifications: int


@dataclass(frozen=True, slots=True)
class Bye:
    pass


@dataclass(frozen=True, slots=True)
class Histogram:
    """The live objects by class, as the JVM prints them; the largest classes only."""

    point: str
    time_ns: int
    instances: int
    size_bytes: int
    printed: str


Message = Hello | Columns | Metadata | Samples | Notifications | Reasons | Mark | Dropped | Bye | Histogram


def accept(answer: str, flush_s: float, target: Target) -> bytes:
    """Return the frame that starts measuring a JVM; ``answer`` must be that of its session file."""
    body = _text(answer) + struct.pack(">QI", round(target.interval_s * 1e9), round(flush_s * 1e3))
    during, period_s = 0, 0.0
    if target.live_set is not None:
        period_s = target.live_set.period_s
        during = 2 if target.live_set.is_during else 1
    body += struct.pack(">BQH", during, round(period_s * 1e9), len(target.mbeans))
    for spec in target.mbeans:
        body += _text(spec.pattern) + _texts(spec.attributes) + _texts(spec.metadata)
        body += struct.pack(">B", spec.notifications)
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
