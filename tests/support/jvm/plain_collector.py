"""The collector's side of the agent's channel, written from its document alone.

It imports nothing of buto, so that the agent is tested against java-probes/agent-channel.md and
not against code that may share its mistakes. Each step is a method, so that a test can stop, stall
or die between any two.
"""

from __future__ import annotations

import fcntl
import math
import os
import secrets
import select
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

HELLO, COLUMNS, METADATA, SAMPLES, NOTIFICATIONS, REASONS, MARK, DROPPED, BYE, HISTOGRAM, ALIVE = range(1, 12)
ACCEPT, DECLINE, GO, FAREWELL, LIVE_SET = range(65, 70)
NEVER, AT_EXIT, DURING = range(3)
PATIENCE_S = 120.0


class Rule(NamedTuple):
    """Which MBeans to read, as ACCEPT says it."""

    pattern: str
    attributes: Sequence[str] = ()
    metadata: Sequence[str] = ()
    notifications: bool = True


class Emitted(NamedTuple):
    """One notification as it came."""

    time: int
    type: str
    source: str
    sequence: int
    message: str
    stamp: int


@dataclass
class Heard:
    """Everything that an agent has sent so far."""

    hello: dict[str, object] = field(default_factory=dict)
    columns: list[tuple[str, str, int]] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    times: list[int] = field(default_factory=list)
    rows: list[tuple[float, ...]] = field(default_factory=list)
    notifications: list[Emitted] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    dropped: tuple[int, int] | None = None
    histograms: list[tuple[str, int, int, int, str]] = field(default_factory=list)
    types: list[int] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.columns]

    def series(self, name: str) -> list[float]:
        """The values of a column, NaN in rows that are older than it."""
        column = self.names.index(name)
        return [row[column] if column < len(row) else math.nan for row in self.rows]

    @property
    def ended(self) -> bool:
        return bool(self.types) and self.types[-1] == BYE


class Body:
    """Takes a frame's body apart."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def number(self, code: str) -> int:
        (value,) = struct.unpack_from(">" + code, self.content, self.at)
        self.at += struct.calcsize(">" + code)
        assert isinstance(value, int)
        return value

    def text(self) -> str:
        length = self.number("I")
        value = self.content[self.at : self.at + length]
        assert len(value) == length
        self.at += length
        return value.decode()

    def floats(self, count: int) -> tuple[float, ...]:
        values = struct.unpack_from(f">{count}d", self.content, self.at)
        self.at += 8 * count
        return values


class PlainCollector:
    """Has two lines for agents, and reads the first. Leaving it as a context manager closes every pipe."""

    def __init__(
        self,
        directory: Path,
        *,
        gate_ms: int = 120_000,
        exit_ms: int = 120_000,
        capacity: int = 1 << 16,
    ) -> None:
        self.heard = Heard()
        self.live_set, self.live_set_ms = NEVER, 0
        self.extra: tuple[int, int, float] | None = None
        self.at_end: Callable[[PlainCollector], None] | None = PlainCollector.ask_for_live_set
        self.lines = directory / f"lines-{secrets.token_hex(4)}"
        for number in range(2):
            for name in ("up", "down"):
                (self.lines / f"line-{number}").mkdir(parents=True, exist_ok=True)
                os.mkfifo(self.lines / f"line-{number}" / name)
        self.up: int | None = os.open(self.lines / "line-0" / "up", os.O_RDONLY | os.O_NONBLOCK)
        self.down = os.open(self.lines / "line-0" / "down", os.O_RDWR)
        self.capacity = fcntl.fcntl(self.up, fcntl.F_SETPIPE_SZ, capacity)
        self.session_file = directory / f"session-{secrets.token_hex(4)}"
        self.session_file.write_text(f"version=5\nlines={self.lines}\ngate.ms={gate_ms}\nexit.ms={exit_ms}\n")

    def __enter__(self) -> PlainCollector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.up is not None:
            os.close(self.up)
            os.close(self.down)
            self.up = None

    def greet(self) -> None:
        """Waits for an agent and reads its HELLO."""
        assert self.read() == HELLO

    @property
    def n_free_lines(self) -> int:
        return len(list(self.lines.glob("line-*")))

    def accept(self, interval_ms: float = 20, flush_ms: int = 20, rules: Sequence[Rule] = ()) -> None:
        body = struct.pack(">IQI", self.capacity, round(interval_ms * 1e6), flush_ms)
        body += struct.pack(">BQH", self.live_set, round(self.live_set_ms * 1e6), len(rules))
        for rule in rules:
            body += _text(rule.pattern) + _texts(rule.attributes) + _texts(rule.metadata)
            body += struct.pack(">B", rule.notifications)
        if self.extra is not None:
            use, amount, spread_s = self.extra
            body += struct.pack(">BQQ", use, amount, round(spread_s * 1e9))
        self.send(ACCEPT, body)

    def prepare(self, interval_ms: float = 20, flush_ms: int = 20, rules: Sequence[Rule] = ()) -> None:
        """From the connection to the first sample, the gate still shut."""
        self.greet()
        self.accept(interval_ms, flush_ms, rules)
        while not self.heard.rows:
            self.read()

    def start(self, interval_ms: float = 20, flush_ms: int = 20, rules: Sequence[Rule] = ()) -> None:
        """From the connection to the open gate."""
        self.prepare(interval_ms, flush_ms, rules)
        self.send(GO)

    def read_until(self, satisfied: Callable[[Heard], object]) -> Heard:
        """Reads frames until what was heard satisfies; fails at the end of the stream."""
        while not satisfied(self.heard):
            assert self.read() != 0, "the stream ended too early"
        return self.heard

    def finish(self) -> Heard:
        """Reads to the end; answers the last sample as ``at_end`` says, and BYE with FAREWELL."""
        is_answered = self.live_set == NEVER or self.at_end is None
        while kind := self.read():
            if kind == SAMPLES and "exit" in self.heard.marks and not is_answered:
                is_answered = True
                assert self.at_end is not None
                self.at_end(self)
            if self.heard.ended:
                self.send(FAREWELL)
        return self.heard

    def ask_for_live_set(self, point: str = "end") -> None:
        """Asks for the live set, at the exit or for the moment after the next sample."""
        self.send(LIVE_SET, _text(point))

    def send(self, kind: int, body: bytes = b"") -> None:
        self.send_bytes(struct.pack(">IB", 1 + len(body), kind) + body)

    def send_bytes(self, words: bytes) -> None:
        assert os.write(self.down, words) == len(words)

    def read(self) -> int:
        """Reads one frame, other than ALIVE, and returns its type; 0 at the end of the stream."""
        kind = self._read()
        while kind == ALIVE:
            kind = self._read()
        return kind

    def _read(self) -> int:
        header = self._exactly(4)
        if header is None:
            return 0
        (length,) = struct.unpack(">I", header)
        assert 1 <= length <= 16 << 20
        content = self._exactly(length)
        assert content is not None, "the stream ended within a frame"
        body = Body(content[1:])
        self._note(content[0], body)
        assert body.at == len(body.content), f"frame {content[0]} is longer than its body"
        if content[0] != ALIVE:
            self.heard.types.append(content[0])
        return content[0]

    def _exactly(self, count: int) -> bytes | None:
        assert self.up is not None
        deadline = time.monotonic() + PATIENCE_S
        received = b""
        while len(received) < count:
            arrival = select.poll()
            arrival.register(self.up, select.POLLIN)
            assert arrival.poll((deadline - time.monotonic()) * 1000), "the agent says nothing"
            part = os.read(self.up, count - len(received))
            if not part:
                return None
            received += part
        return received

    def _note(self, kind: int, body: Body) -> None:
        heard = self.heard
        if kind == HELLO:
            assert body.number("H") == 5
            heard.hello = {"pid": body.number("q"), "command": body.text(), "class_path": body.text()}
            heard.hello |= {"java": body.text(), "nano": body.number("q")}
            heard.hello |= {"wall_ms": body.number("q"), "start_ms": body.number("q")}
        elif kind == COLUMNS:
            assert body.number("I") == len(heard.columns)
            for _ in range(body.number("I")):
                heard.columns.append((body.text(), body.text(), body.number("B")))
        elif kind == METADATA:
            for _ in range(body.number("I")):
                key = body.text()
                heard.metadata[key] = body.text()
        elif kind == SAMPLES:
            rows, columns = body.number("I"), body.number("I")
            assert columns == len(heard.columns)
            for _ in range(rows):
                heard.times.append(body.number("q"))
                heard.rows.append(body.floats(columns))
        elif kind == NOTIFICATIONS:
            for _ in range(body.number("I")):
                time, type_, source = body.number("q"), body.text(), body.text()
                sequence, message, stamp = body.number("q"), body.text(), body.number("q")
                heard.notifications.append(Emitted(time, type_, source, sequence, message, stamp))
        elif kind == REASONS:
            for _ in range(body.number("I")):
                name = heard.names[body.number("I")]
                assert name not in heard.reasons, f"a second reason for {name}"
                heard.reasons[name] = body.text()
        elif kind == MARK:
            name = body.text()
            heard.marks[name] = body.number("q")
        elif kind == DROPPED:
            heard.dropped = (body.number("Q"), body.number("Q"))
        elif kind == HISTOGRAM:
            point, time, count, size = body.text(), body.number("q"), body.number("Q"), body.number("Q")
            heard.histograms.append((point, time, count, size, body.text()))
        else:
            assert kind in (BYE, ALIVE), f"unknown frame {kind}"


def _text(value: str) -> bytes:
    return struct.pack(">I", len(value.encode())) + value.encode()


def _texts(values: Sequence[str]) -> bytes:
    return struct.pack(">H", len(values)) + b"".join(map(_text, values))
