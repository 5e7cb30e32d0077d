"""A program that speaks the agent's channel by itself, well or badly: ``peer.py BEHAVIOUR``.

It finds the session file where a JVM would: in JAVA_TOOL_OPTIONS.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4]))
from tests.support.jvm import speech
from tests.support.jvm.line import Line

COLUMNS = [("jvm.thread.count", "", 3), ("jvm.class.loaded", "", 3)]


def session() -> dict[str, str]:
    found = re.search(r"-javaagent:[^=]*=(\S+)", os.environ["JAVA_TOOL_OPTIONS"])
    assert found is not None
    return dict(line.split("=", 1) for line in Path(found[1]).read_text().splitlines())


def connect() -> Line:
    return Line(session())


def hello(*, pid: int = 0, version: int = 5, command: str = "Peer") -> bytes:
    return speech.hello(pid or os.getpid(), command, version=version)


def sample(time_ns: int, classes: float) -> bytes:
    return speech.samples([(time_ns, [3.0, classes])], 2)


def begin(channel: Line) -> int:
    """The conversation up to ``main``; gives its time."""
    channel.sendall(hello())
    channel.expect(65)
    channel.sendall(speech.columns(0, COLUMNS) + speech.metadata([("jvm.vm.version", "0")]))
    channel.sendall(sample(time.monotonic_ns(), 10))
    channel.expect(67)
    zero = time.monotonic_ns()
    channel.sendall(speech.mark("main", zero))
    return zero


def run(channel: Line, zero: int, *, n: int = 5, last_words: bytes = b"") -> None:
    for tick in range(1, n + 1):
        time.sleep(max(0.0, (zero + tick * 50_000_000 - time.monotonic_ns()) * 1e-9))
        channel.sendall(sample(time.monotonic_ns(), 10 + tick))
    channel.sendall(speech.mark("exit", time.monotonic_ns()) + last_words + speech.bye())
    channel.expect(68)


def main(behaviour: str) -> None:
    if behaviour == "no words":
        for _ in range(3):
            connect().close()
        connect().sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return
    if behaviour == "crowd":
        strangers = [connect() for _ in range(30)]
        assert strangers
        return
    channel = connect()
    if behaviour == "other version":
        channel.sendall(hello(version=4))
        channel.await_end()
    elif behaviour == "half a hello":
        channel.sendall(hello(command="P" * 5000)[:9])
        channel.await_end(b"P")
    elif behaviour == "no sample":
        channel.sendall(hello())
        channel.expect(65)
    elif behaviour == "no start":
        channel.sendall(hello())
        channel.expect(65)
        channel.sendall(speech.columns(0, COLUMNS) + sample(time.monotonic_ns(), 10))
        channel.expect(67)
    elif behaviour == "nonsense":
        begin(channel)
        channel.sendall(speech.frame(77))
        time.sleep(30)
    elif behaviour == "too many columns":
        begin(channel)
        channel.sendall(speech.samples([(time.monotonic_ns(), [1.0, 2.0, 3.0])], 3))
        time.sleep(30)
    elif behaviour == "silent":
        begin(channel)
        channel.close()
        time.sleep(3)
    elif behaviour == "gap":
        zero = begin(channel)
        time.sleep(1.3)
        run(channel, zero + 1_300_000_000)
    elif behaviour == "loses notifications":
        run(channel, begin(channel), last_words=speech.dropped(0, 17))
    elif behaviour == "grows":
        zero = begin(channel)
        channel.sendall(
            speech.columns(2, [("mbean[a:b=c]/Size", "", 0)])
            + speech.reasons([(0, "why not")])
            + speech.notifications([(zero + 1000, "t", "a:b=c", 1, "said", 0)])
        )
        run(channel, zero, n=1, last_words=speech.samples([(time.monotonic_ns(), [1.0, 12.0, 5.0])], 3))
    elif behaviour == "well":
        run(channel, begin(channel))
    else:
        raise ValueError(behaviour)


main(sys.argv[1])
