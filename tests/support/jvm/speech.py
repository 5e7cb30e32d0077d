"""The agent's half of the channel, written plainly from its document. Imports nothing of buto."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def frame(type: int, body: bytes = b"") -> bytes:
    return struct.pack(">IB", len(body) + 1, type) + body


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">I", len(encoded)) + encoded


def hello(
    pid: int,
    command: str,
    *,
    class_path: str = "",
    version: int = 5,
    java: str = "17",
    nano: int = 0,
    wall: int = 0,
    start: int = 0,
) -> bytes:
    body = struct.pack(">Hq", version, pid) + text(command) + text(class_path) + text(java)
    return frame(1, body + struct.pack(">qqq", nano, wall, start))


def columns(first: int, items: Sequence[tuple[str, str, int]]) -> bytes:
    body = struct.pack(">II", first, len(items))
    for name, unit, kind in items:
        body += text(name) + text(unit) + bytes([kind])
    return frame(2, body)


def metadata(items: Sequence[tuple[str, str]]) -> bytes:
    return frame(3, struct.pack(">I", len(items)) + b"".join(text(k) + text(v) for k, v in items))


def samples(rows: Sequence[tuple[int, Sequence[float]]], n_columns: int) -> bytes:
    body = struct.pack(">II", len(rows), n_columns)
    for time_ns, values in rows:
        body += struct.pack(f">q{n_columns}d", time_ns, *values)
    return frame(4, body)


def notifications(items: Sequence[tuple[int, str, str, int, str, int]]) -> bytes:
    body = struct.pack(">I", len(items))
    for received, type, source, sequence, message, stamp in items:
        body += struct.pack(">q", received) + text(type) + text(source)
        body += struct.pack(">q", sequence) + text(message) + struct.pack(">q", stamp)
    return frame(5, body)


def reasons(items: Sequence[tuple[int, str]]) -> bytes:
    return frame(
        6, struct.pack(">I", len(items)) + b"".join(struct.pack(">I", c) + text(w) for c, w in items)
    )


def mark(name: str, time_ns: int) -> bytes:
    return frame(7, text(name) + struct.pack(">q", time_ns))


def dropped(n_samples: int, n_notifications: int) -> bytes:
    return frame(8, struct.pack(">QQ", n_samples, n_notifications))


def bye() -> bytes:
    return frame(9)
