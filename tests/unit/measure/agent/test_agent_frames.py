"""The channel's format, against an encoder written from its document and sharing nothing with the decoder."""

from __future__ import annotations

import math
import struct
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.measure import messages as channel
from buto.measure.channel import AgentRecorder
from buto.measure.messages import MAX_FRAME_BYTES, MAX_HELLO_BYTES, ChannelError, FrameDecoder
from buto.measure.recording import Recording
from buto.measure.target import Extra, LiveSet, MBeanSpec, Rounds, Target, Use
from buto.run.properties import Kind
from tests.support.jvm import speech


def decode(data: bytes) -> list[channel.Message]:
    decoder = FrameDecoder()
    messages = decoder.feed(data)
    assert decoder.n_pending == 0
    return messages


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
longs = st.integers(-(2**63), 2**63 - 1)
times = st.integers(-(2**62) + 1, 2**62 - 1)


@given(st.integers(0, 2**16 - 1), texts, longs, texts, texts, longs, longs, longs)
def test_hello_keeps_every_field(
    version: int, path: str, pid: int, command: str, java: str, nano: int, wall: int, start: int
) -> None:
    rest = {"version": version, "java": java, "nano": nano, "wall": wall, "start": start}
    data = speech.hello(pid, command, class_path=path, **rest)
    assert decode(data) == [channel.Hello(version, pid, command, path, java, nano, wall, start)]


@given(st.lists(st.tuples(times, st.lists(st.floats(), min_size=3, max_size=3)), max_size=5))
def test_samples_keep_every_bit(rows: list[tuple[int, list[float]]]) -> None:
    (samples,) = decode(speech.samples(rows, 3))
    assert isinstance(samples, channel.SamplesMessage)
    assert samples.times_ns.tolist() == [time for time, _ in rows]
    assert samples.values.shape == (len(rows), 3)
    np.testing.assert_array_equal(samples.values, np.array([row for _, row in rows]).reshape(-1, 3))


@given(st.lists(st.tuples(times, texts, texts, longs, texts, longs), max_size=4))
def test_notifications_keep_every_field(items: list[tuple[int, str, str, int, str, int]]) -> None:
    assert decode(speech.notifications(items)) == [
        channel.Notifications(tuple(channel.Emitted(*item) for item in items))
    ]


@given(st.data())
def test_messages_do_not_depend_on_how_the_bytes_are_cut(data: st.DataObject) -> None:
    stream = (
        speech.hello(1, "Main")
        + speech.columns(0, [("jvm.thread.count", "", 3), ("mbean[a:b=c]/Size", "", 1)])
        + speech.metadata([("jvm.version", "17")])
        + speech.reasons([(0, "why")])
        + speech.mark("main", 5)
        + speech.dropped(1, 2)
        + speech.frame(11)
        + speech.bye()
    )
    decoder = FrameDecoder()
    pieces: list[channel.Message] = []
    rest = stream
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        pieces += decoder.feed(rest[:n])
        rest = rest[n:]
    assert pieces == decode(stream)
    assert [type(piece).__name__ for piece in pieces] == [
        "Hello", "Columns", "Metadata", "Reasons", "MarkMessage", "Dropped", "Alive", "Bye",
    ]  # fmt: skip


def test_default_metrics_get_what_the_registry_knows_and_others_what_the_agent_says() -> None:
    (columns,) = decode(
        speech.columns(0, [("jvm.gc.time[Copy]", "", 3), ("mbean[a:b=c]/Jobs", "", 1), ("x", "By", 2)])
    )
    assert isinstance(columns, channel.Columns)
    gc, jobs, other = columns.properties
    assert (gc.unit, gc.kind, gc.lower) == ("s", Kind.COUNTER, 0.0)
    assert (jobs.unit, jobs.kind, jobs.lower) == ("1", Kind.COUNTER, -math.inf)
    assert (other.unit, other.kind) == ("By", Kind.CONSTANT)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (speech.frame(77), "unknown type 77"),
        (struct.pack(">I", 0), "a frame of 0 bytes"),
        (struct.pack(">IB", MAX_HELLO_BYTES + 1, 1), "a frame of 1048577 bytes"),
        (speech.frame(9, b"x"), "1 bytes after the end"),
        (speech.frame(7, struct.pack(">I", 50) + b"main"), "ends too early"),
        (speech.frame(7, struct.pack(">I", 2) + b"\xff\xfe" + bytes(8)), "not UTF-8"),
        (speech.frame(4, struct.pack(">II", 2**32 - 1, 2**32 - 1)), "ends too early"),
        (speech.frame(3, struct.pack(">I", 2**32 - 1)), "ends too early"),
        (speech.columns(0, [("x", "1", 4)]), "the kind 4"),
        (speech.columns(0, [("jvm.gc.tme[Copy]", "", 3)]), "jvm.gc.tme.* does not have"),
        (speech.columns(0, [("jvm.gc.time[Copy]", "ms", 3)]), "unit of its own, ms, for jvm.gc.time"),
        (speech.columns(0, [("jvm.thread.count", "{thread}", 0)]), "kind of its own for jvm.thread.count"),
    ],
)
def test_what_does_not_follow_the_format_is_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(ChannelError, match=complaint):
        FrameDecoder().feed(data)


@given(st.binary(max_size=300))
def test_noise_gives_messages_or_the_one_error(noise: bytes) -> None:
    decoder = FrameDecoder()
    try:
        decoder.feed(noise)
    except ChannelError:
        return
    assert decoder.n_pending <= len(noise)


@given(st.integers(0, 60), st.binary(min_size=1, max_size=1))
def test_a_damaged_byte_gives_messages_or_the_one_error(at: int, byte: bytes) -> None:
    data = bytearray(speech.hello(12, "Main") + speech.samples([(1, [2.0])], 1))
    data[at : at + 1] = byte
    with suppress(ChannelError):
        FrameDecoder().feed(bytes(data))


def test_larger_frames_are_taken_once_the_first_message_has_come() -> None:
    decoder = FrameDecoder()
    decoder.feed(speech.hello(1, "Main"))
    long = "x" * (2 * MAX_HELLO_BYTES)
    assert decoder.feed(speech.metadata([("key", long)])) == [channel.Metadata((("key", long),))]


def test_the_first_frame_may_be_larger_where_nobody_else_can_connect() -> None:
    long = "x" * (2 * MAX_HELLO_BYTES)
    data = speech.metadata([("key", long)])
    assert FrameDecoder(MAX_FRAME_BYTES).feed(data) == [channel.Metadata((("key", long),))]
    with pytest.raises(ChannelError):
        FrameDecoder().feed(data)


def test_accept_says_interval_flush_and_beans() -> None:
    spec = MBeanSpec("com.acme:*", attributes=("Größe",), metadata=("a", "b"), notifications=False)
    body = (
        struct.pack(">IQIBQH", 65536, 20_000_000, 100, 2, 1_500_000_000, 1)
        + speech.text("com.acme:*")
        + struct.pack(">H", 1) + speech.text("Größe")
        + struct.pack(">H", 2) + speech.text("a") + speech.text("b")
        + b"\0"
    )  # fmt: skip
    target = Target((), interval_s=0.02, mbeans=(spec,), live_set=LiveSet(1.5))
    assert channel.accept(65536, 0.1, target) == speech.frame(65, body)
    assert [channel.decline(), channel.go(), channel.farewell(), channel.live_set("warm")] == [
        speech.frame(66),
        speech.frame(67),
        speech.frame(68),
        speech.frame(69, speech.text("warm")),
    ]


@pytest.mark.parametrize(
    ("live_set", "expected"), [(None, b"\0"), (LiveSet(), b"\1"), (LiveSet(at_marks=True), b"\2")]
)
def test_accept_says_when_the_live_set_is_wanted(live_set: LiveSet | None, expected: bytes) -> None:
    accepted = channel.accept(4096, 0.1, Target((), live_set=live_set))
    assert accepted.endswith(expected + bytes(8) + bytes(2))


def test_accept_asks_for_more_use_only_if_the_target_does() -> None:
    plain = channel.accept(4096, 0.1, Target(()))
    asked = channel.accept(4096, 0.1, Target((), extra=Extra(Use.CPU, 5, 1.5)))
    assert asked == speech.frame(65, plain[5:] + struct.pack(">BQQ", 5, 5, 1_500_000_000))


def test_rounds_are_asked_for_with_their_share_and_a_file_for_the_heap() -> None:
    rounds = Rounds(12, every=3, share_bytes=4096, dump=Path("/tmp/heap.hprof"))
    asked = channel.accept(4096, 0.1, Target((), rounds=rounds))
    # Length, type, capacity, interval, longest flush; then what is counted.
    kind, share, every, most, length = struct.unpack_from(">BQIII", asked, 4 + 1 + 4 + 8 + 4)
    assert (kind, share, every, most) == (3, 4096, 3, 12)
    assert asked[-2 - length : -2] == b"/tmp/heap.hprof"


def test_the_mark_of_a_round_is_answered() -> None:
    recorder = AgentRecorder(Recording("shop"))
    assert recorder.receive(channel.MarkMessage("round", 7)) == channel.go()
    assert recorder.recording.marks_since(0) == (("round",), 1)
