"""Give any bytes to each reader. It may refuse them (a ButoError); everything else is a fault of buto.

``assert`` says what must not follow from any bytes: above all, that something passes.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from buto import oracle
from buto.errors import ButoError
from buto.judging.verdict import Status
from buto.measure.channel import AgentRecorder
from buto.measure.journal import recover
from buto.measure.messages import Bye, ChannelError, FrameDecoder, Hello
from buto.measure.recording import Recording
from buto.project import config
from buto.run import journal
from buto.run.journal import MAGIC, place_of, unfinished
from buto.run.journal import VERSION as JOURNAL_VERSION
from buto.run.model import Outcome, Quality, run_set
from buto.run.store import RunStore
from buto.run.tables import DOCUMENT, NOTIFICATIONS, SAMPLES, STDERR, STDOUT
from perf.fuzz import examples, speech
from perf.fuzz.edits import Source, edited, edited_bytes

RAW = b"\0"
"""The first byte of what is read as it is; any other says in which way an example is changed."""


@dataclass(frozen=True)
class Reader:
    """One reader.

    Attributes:
        seeds: inputs to begin with.
        read: gives any bytes to it in a directory of its own; whether they were taken. AssertionError and all
            that is not a ButoError is a fault.
    """

    seeds: tuple[bytes, ...]
    read: Callable[[bytes, Path], bool]


def _refusable(read: Callable[[bytes, Path], None]) -> Callable[[bytes, Path], bool]:
    def reader(data: bytes, directory: Path) -> bool:
        try:
            read(data, directory)
        except ButoError as error:
            refused = error
        else:
            return True
        assert refused.message.encode()
        return False

    return reader


def _json(data: Any) -> bytes:
    return json.dumps(data).encode()


def read_config(data: bytes, directory: Path) -> None:
    """Read a configuration: as it is, or JSON, which is YAML as well."""
    path = directory / "buto.yaml"
    source = Source(data)
    raw = source.byte(4) == 0
    path.write_bytes(source.rest() if raw else _json(edited(examples.CONFIG, source)))
    read = config.load(path, {"HOME": "/home/somebody"})
    assert read.tests
    for test in read.tests.values():
        assert test.target.command[0]
        assert 0 < test.target.interval_s < test.target.timeout_s


def read_oracle(data: bytes, directory: Path) -> None:
    """Read an oracle, which then judges: a disturbed run, or one of another test, must never pass."""
    path, example = directory / "oracle.json", directory / "example.json"
    if not example.exists():
        oracle.save(example, examples.oracle(), ())
    source = Source(data)
    if source.byte(4) == 0:
        path.write_bytes(source.rest())
    else:
        examples.rewrite(path, edited(examples.whole(example), source))
    read = oracle.load(path)
    for run in (examples.disturbed(9), examples.run(9, test="another"), examples.run(9, leak=40.0)):
        try:
            verdict = oracle.check(read, run_set([run]))
        except ButoError:
            continue
        assert run.quality.valid or verdict.status is not Status.PASS
        assert run.test == read.test
    again = directory / "again.json"
    oracle.save(again, read, ())
    assert oracle.load(again).test == read.test


def read_run(data: bytes, directory: Path) -> None:
    """Read a run in a store; a file that was changed without its digest in run.json must be refused."""
    source = Source(data)
    way = source.byte(6)
    good = examples.run(3)
    place = directory / "runs" / good.test / good.id
    if not place.exists():
        RunStore(directory).add(good)
        for path in list(place.iterdir()):
            (directory / f"good-{path.name}").write_bytes(path.read_bytes())
    files = {name: (directory / f"good-{name}").read_bytes() for name in (DOCUMENT, *_BESIDE)}
    honest = {**files}
    document = json.loads(files[DOCUMENT])
    if way == 0:
        files[DOCUMENT] = source.rest()
    elif way == 1:
        document = edited(document, source)
        files[DOCUMENT] = json.dumps(document).encode()
    else:
        name = (SAMPLES, NOTIFICATIONS, STDOUT, SAMPLES)[way - 2]
        files[name] = edited_bytes(files[name], source)
        if way != 5:
            content = files[name]
            document["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            files[DOCUMENT] = json.dumps(document).encode()
    for name, content in files.items():
        (place / name).write_bytes(content)
    store = RunStore(directory)
    assert store.ids(good.test) == [good.id]
    (summary,) = store.summaries(good.test)
    assert summary.size_bytes is not None
    run = store.load(good.test, good.id)
    assert way != 5 or files == honest
    assert (run.test, run.id) == (good.test, good.id)
    verdict = oracle.check(examples.oracle(), run_set([run]))
    assert run.quality.valid or verdict.status is not Status.PASS


_BESIDE = (SAMPLES, NOTIFICATIONS, STDOUT, STDERR)


def read_channel(data: bytes, directory: Path) -> None:
    """Read a conversation with an agent: nothing is accepted without its secret, nothing is complete without
    BYE.
    """
    source = Source(data)
    raw = source.byte(4) == 0
    stream = source.rest() if raw else speech.framed(source)
    decoder, recorder, hello = FrameDecoder(), AgentRecorder(Recording("test")), None
    ended = False
    for start in range(0, len(stream), 997):
        for message in decoder.feed(stream[start : start + 997]):
            if hello is None:
                if not isinstance(message, Hello) or message.secret != speech.SECRET:
                    raise ChannelError("no HELLO")
                hello = message
                continue
            recorder.receive(message)
            ended = ended or isinstance(message, Bye)
    assert decoder.n_pending <= 16 * 2**20 + 4
    assert recorder.complete == ended
    run = recorder.recording.finish(Outcome(0, duration_s=1.0), Quality())
    store = RunStore(directory)
    store.add(run)
    read = store.load(run.test, run.id)
    assert read.values.tobytes() == run.values.tobytes()
    store.delete(run.test, [run.id])


def read_journal(data: bytes, directory: Path) -> None:
    """Read what a killed buto left of a recording; a recovered run must never be judged."""
    source = Source(data)
    way = source.byte(4)
    content = source.rest() if way == 0 else MAGIC % JOURNAL_VERSION
    if way == 1:
        content += edited_bytes(b"".join(map(journal.encode, examples.entries())), source)
    elif way > 1:
        content += b"".join(map(_entry, map(partial(edited, source=source), examples.entry_documents())))
    store = RunStore(directory)
    place = place_of(store, examples.TEST, examples.run(3).id)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    (left,) = unfinished(store, [examples.TEST])
    run = recover(store, left)
    assert not place.exists()
    if run is not None:
        assert not run.quality.valid
        assert store.load(run.test, run.id).values.tobytes() == run.values.tobytes()
        store.delete(run.test, [run.id])


def _entry(document: Any) -> bytes:
    """Return an entry with its length and checksum, whatever its document contains."""
    text = _json(document)
    body = zlib.compress(struct.pack("<I", len(text)) + text + examples.ENTRY_ARRAYS)
    return struct.pack("<II", len(body), zlib.crc32(body)) + body


READERS = {
    "config": Reader(
        (RAW + examples.CONFIG_TEXT.encode(), RAW + _json(examples.CONFIG), b"\1"), _refusable(read_config)
    ),
    "oracle": Reader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_oracle)),
    "run": Reader(tuple(bytes([way]) + bytes(range(30)) for way in range(6)), _refusable(read_run)),
    "journal": Reader(
        (b"\1", b"\2", b"\2" + bytes(range(1, 30)), RAW + b"buto-journal 1\n"), _refusable(read_journal)
    ),
    "channel": Reader(
        (
            RAW + b"".join(speech.GOOD),
            b"\1\1" + bytes(range(1, 10)),
            b"\1\1\1\2\3\4\5\6\7\x18\x10" + bytes(16),
        ),
        _refusable(read_channel),
    ),
}
