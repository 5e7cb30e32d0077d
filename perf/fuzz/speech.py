"""The messages of an agent in a good conversation, and a fuzzer's bytes as frames of valid lengths."""

from __future__ import annotations

import struct

from perf.fuzz.edits import ByteSource


def frame(type: int, body: bytes = b"") -> bytes:
    return struct.pack(">IB", len(body) + 1, type) + body


def text(value: str) -> bytes:
    return struct.pack(">I", len(value.encode())) + value.encode()


HELLO = frame(
    1,
    struct.pack(">Hq", 5, 7)
    + text("com.acme.Main --orders 5")
    + text("app.jar")
    + text("17")
    + struct.pack(">qqq", 10, 20, 30),
)
COLUMNS = frame(
    2,
    struct.pack(">II", 0, 2)
    + (text("jvm.thread.count") + text("") + b"\3")
    + (text("mbean[a:b=c]/D") + text("1") + b"\1"),
)
METADATA = frame(3, struct.pack(">I", 1) + text("jvm.vm.name") + text("a JVM"))
SAMPLES = frame(4, struct.pack(">IIqddqdd", 2, 2, 100, 1.0, 2.0, 200, 3.0, float("nan")))
NOTIFICATIONS = frame(
    5,
    struct.pack(">Iq", 1, 150)
    + text("full")
    + text("a:b=c")
    + struct.pack(">q", 1)
    + text("very")
    + struct.pack(">q", 5),
)
REASONS = frame(6, struct.pack(">II", 1, 1) + text("not there"))
MARK = frame(7, text("main") + struct.pack(">q", 90))
DROPPED = frame(8, struct.pack(">QQ", 0, 3))
BYE = frame(9)

GOOD = (HELLO, COLUMNS, METADATA, SAMPLES, MARK, NOTIFICATIONS, REASONS, DROPPED, SAMPLES, BYE)


def framed(source: ByteSource) -> bytes:
    """Return good frames in any order, and invented bodies, each with its right length."""
    stream = b"".join(GOOD[: source.byte(len(GOOD) + 1)])
    while source.left:
        choice = source.byte(24)
        if choice < len(GOOD):
            stream += GOOD[choice]
        else:
            body = bytes(source.byte() for _ in range(min(source.byte(96), source.left)))
            stream += frame(choice % 11, body)
    return stream
