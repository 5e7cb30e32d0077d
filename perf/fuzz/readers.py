"""Give any bytes to each reader. It may refuse them (a ButoError); everything else is a fault of buto.

``assert`` says what must not follow from any bytes: above all, that something passes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec import structs

from buto import oracle
from buto.actions.commit_programs import builds_in, find_used_programs
from buto.actions.monitor import AlarmStore, search_step
from buto.actions.mood import with_mood
from buto.actions.workspace import KnownOracle, Workspace
from buto.causes.action import newest_subjects
from buto.causes.explain import explain
from buto.causes.profiles import ProfileKind, ProfileStore
from buto.causes.report import explanation_lines
from buto.errors import BadFileError, ButoError
from buto.judging.verdict import Status
from buto.judging.waivers import trailer_of, waive, waivers_in
from buto.measure.channel import AgentRecorder
from buto.measure.journal import recover
from buto.measure.messages import Bye, ChannelError, FrameDecoder, Hello
from buto.measure.recording import Recording
from buto.programs.candidates import candidates
from buto.programs.stage import Stage
from buto.programs.store import ProgramStore
from buto.programs.surroundings import SurroundingsStore
from buto.project import config
from buto.report.formats.listings import labels_csv, labels_json
from buto.report.formats.trackers import otava_text
from buto.report.history import load_entries, usual_properties
from buto.report.outside import both_changed
from buto.report.terminal.history import history_lines, label_lines
from buto.run import journal
from buto.run.archive import PackedBundle, first_member
from buto.run.entries import ResultStore
from buto.run.journal import MAGIC, find_unfinished, place_of
from buto.run.journal import VERSION as JOURNAL_VERSION
from buto.run.labels import LabelStore
from buto.run.model import Outcome, Quality, run_set
from buto.run.store import RunStore
from buto.run.tables import DOCUMENT, NOTIFICATIONS, SAMPLES, STDERR, STDOUT
from perf.fuzz import examples, speech
from perf.fuzz.edits import ByteSource, edited, edited_bytes

RAW = b"\0"
"""The first byte of what is read as it is; any other says in which way an example is changed."""


@dataclass(frozen=True)
class FuzzedReader:
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
    source = ByteSource(data)
    raw = source.byte(4) == 0
    path.write_bytes(source.rest() if raw else _json(edited(examples.CONFIG, source)))
    read = config.load(path, {"HOME": "/home/somebody"})
    assert read.tests
    for test in read.tests.values():
        assert not test.target.command or test.target.command[0]
        assert 0 < test.target.interval_s < test.target.timeout_s


def read_oracle(data: bytes, directory: Path) -> None:
    """Read an oracle, which then judges: a disturbed run, or one of another test, must never pass."""
    path, example = directory / "oracle.json", directory / "example.json"
    if not example.exists():
        oracle.save(example, examples.oracle(), ())
    source = ByteSource(data)
    if source.byte(4) == 0:
        path.write_bytes(source.rest())
    else:
        examples.rewrite(path, edited(examples.whole(example), source))
    read = oracle.load(path, thorough=True)
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


def read_surroundings(data: bytes, directory: Path) -> None:
    """Read what was around a training, and compare it with something else."""
    store = SurroundingsStore(directory)
    place = directory / "programs/surroundings" / examples.TEST / "1.json"
    good = directory / "good-surroundings.json"
    if not good.exists():
        store.keep(examples.TEST, "1", examples.SURROUNDINGS)
        good.write_bytes(place.read_bytes())
    source = ByteSource(data)
    if source.byte(4) == 0:
        place.write_bytes(source.rest())
    else:
        place.write_bytes(_json(edited(json.loads(good.read_bytes()), source)))
    remembered = store.load(examples.TEST, "1")
    assert remembered is not None
    for surroundings, other in ((remembered, examples.SURROUNDINGS), (examples.SURROUNDINGS, remembered)):
        both_changed(candidates(surroundings, other)).encode()


def read_run(data: bytes, directory: Path) -> None:
    """Read a run in a store; a file that was changed without its digest in run.json must be refused."""
    source = ByteSource(data)
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
    source = ByteSource(data)
    raw = source.byte(4) == 0
    stream = source.rest() if raw else speech.framed(source)
    decoder, recorder, hello = FrameDecoder(), AgentRecorder(Recording("test")), None
    ended = False
    for start in range(0, len(stream), 997):
        for message in decoder.feed(stream[start : start + 997]):
            if hello is None:
                if not isinstance(message, Hello):
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
    source = ByteSource(data)
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
    (left,) = find_unfinished(store, [examples.TEST])
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


def _edit_text(data: bytes, content: bytes) -> bytes:
    """Return JSON as it is, or an example that is changed."""
    source = ByteSource(data)
    return source.rest() if source.byte(4) == 0 else _json(edited(json.loads(content), source))


def _alone(place: Path, content: bytes) -> None:
    """Write the only file of a directory."""
    shutil.rmtree(place.parent, ignore_errors=True)
    place.parent.mkdir(parents=True)
    place.write_bytes(content)


def read_result(data: bytes, directory: Path) -> None:
    """Read a stored result, as history and buto why do, and show it."""
    _alone(directory / "results" / examples.TEST / _ENTRY, _edit_text(data, examples.result()))
    entries = load_entries(ResultStore(directory), examples.TEST)
    newest_subjects(Workspace(directory), examples.TEST)
    names = usual_properties(entries, 3)
    lines = history_lines(examples.TEST, entries, names, {})
    assert all(line.isprintable() for line in lines)
    otava_text(entries, names)


def read_label(data: bytes, directory: Path) -> None:
    """Read a label, and show it."""
    _alone(directory / "labels" / examples.TEST / _ENTRY, _edit_text(data, examples.label()))
    labels = LabelStore(directory).all(examples.TEST)
    assert all(line.isprintable() for line in label_lines(examples.TEST, labels))
    labels_csv(labels)
    labels_json(labels)


def read_manifest(data: bytes, directory: Path) -> None:
    """Read the manifest of a kept program, which the oracle names, and put the program into a directory:
    nothing is written outside of it.
    """
    store, tree = directory / "store", directory / "tree"
    if not store.exists():
        (store / "programs/blobs").mkdir(parents=True)
        for content in (examples.BLOB, b""):
            name = hashlib.sha256(content).hexdigest()
            blob = store / "programs/blobs" / name[:2] / name
            blob.parent.mkdir(exist_ok=True)
            blob.write_bytes(content)
    content = _edit_text(data, examples.manifest())
    digest = hashlib.sha256(content).hexdigest()
    _alone(store / "programs/manifests" / examples.TEST / f"{_RUN_ID}-{digest}.json", content)
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    outside = set(os.listdir(directory))
    try:
        source = ProgramStore(store).load(examples.TEST, digest, directory / "here")
        Stage(tree, [source], str, seed=0).place(0)
    finally:
        assert set(os.listdir(directory)) == outside
        for path in tree.rglob("*"):
            assert not path.is_symlink()


def read_mood(data: bytes, directory: Path) -> None:
    """Read what turns learned of the machine, which a check then knows."""
    store = RunStore(directory / "store")
    if not store.ids(examples.TEST):
        store.add(examples.run(3))
    _alone(directory / "store" / "mood" / examples.TEST / _ENTRY, _edit_text(data, examples.mood()))
    workspace = Workspace(directory / "store")
    known = with_mood(workspace, KnownOracle(examples.oracle(), directory / "oracle.json"))
    assert known.oracle.test == examples.TEST


def read_build(data: bytes, directory: Path) -> None:
    """Read the program of a release, which a check would launch as the old one."""
    _alone(directory / "programs/commits" / examples.TEST / _ENTRY, _edit_text(data, examples.build()))
    workspace = Workspace(directory)
    find_used_programs(workspace, examples.TEST)
    for build in builds_in(workspace).of(examples.TEST).values():
        assert len(build.release) <= 200
        assert not build.commit or set(build.commit) <= set("0123456789abcdef")


def read_alarm(data: bytes, directory: Path) -> None:
    """Read the alarm of a monitor, and tell of it."""
    _alone(directory / "alarms" / examples.TEST / _ENTRY, _edit_text(data, examples.alarm()))
    for stored in AlarmStore(directory).of(examples.oracle()):
        alarm = stored.alarm()
        assert 0 <= alarm.p_value <= 1
        assert alarm.window > 0
        for step in search_step(examples.oracle(), alarm):
            assert str(step).isprintable()


def read_archive(data: bytes, directory: Path) -> None:
    """Read a run that waits for its bucket: an archive, of which nothing is read beyond its bounds."""
    source = ByteSource(data)
    content = source.rest() if source.byte(4) == 0 else edited_bytes(examples.archive(), source)
    try:
        first_member(content)
        bundle = PackedBundle.of(BytesIO(content))
        for name, member in bundle.members.items():
            assert member.end <= len(content)
            read = bundle.read(name, _MOST_OF_A_MEMBER)
            with bundle.open(name, _MOST_OF_A_MEMBER) as opened:
                assert opened.read() == read
            assert len(read) <= _MOST_OF_A_MEMBER
    except ValueError as error:
        raise BadFileError(str(error)) from error


_MOST_OF_A_MEMBER = 600
_WHOLE = RAW + examples.archive()


def read_waivers(data: bytes, directory: Path) -> None:
    """Read the message of a commit, and waive what it accepts: a verdict passes only for what it names."""
    source = ByteSource(data)
    raw = source.byte(4) == 0
    content = source.rest() if raw else edited_bytes(examples.MESSAGE.encode(), source)
    waivers = waivers_in(content.decode(errors="replace"), "0" * 40, "Ann")
    judged = examples.regression()
    for waiver in waivers:
        assert waivers_in(trailer_of(waiver)) == (structs.replace(waiver, commit="", author=""),)
    waived = waive(judged, examples.TEST, waivers)
    meant = set(waivers)
    assert all(set(one.waivers) <= meant for one in waived.waived)
    assert all(waiver.test == examples.TEST for one in waived.waived for waiver in one.waivers)
    assert waived.status is judged.status or waived.waived


def read_profiles(data: bytes, directory: Path) -> None:
    """Read stored profiles, and compare them with themselves."""
    source = ByteSource(data)
    raw = source.byte(4) == 0
    text = source.rest() if raw else _edit_cells(examples.profiles(), source)
    _alone(directory / "profiles" / examples.TEST / f"{_RUN_ID}.stacks.gz", gzip.compress(text, mtime=0))
    stored = ProfileStore(directory).newest(examples.TEST)
    assert stored is not None
    if stored.profiles:
        explanation = explain(
            stored.profiles, stored.profiles, tuple(ProfileKind), test="a", names=("a", "b")
        )
        assert all(line.isprintable() for line in explanation_lines(explanation, full=True))


def _edit_cells(text: str, source: ByteSource) -> bytes:
    rows: Any = [[_number(cell) for cell in line.split("\t")] for line in text.split("\n")]
    rows = edited(rows, source)
    if not isinstance(rows, list):
        return str(rows).encode(errors="replace")
    lines = ("\t".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows)
    return "\n".join(lines).encode(errors="surrogatepass")


def _number(cell: str) -> str | float:
    try:
        return int(cell)
    except ValueError:
        return cell


_RUN_ID = examples.run(3).id
_ENTRY = f"{_RUN_ID}00000000.json"

READERS = {
    "config": FuzzedReader(
        (RAW + examples.CONFIG_TEXT.encode(), RAW + _json(examples.CONFIG), b"\1"), _refusable(read_config)
    ),
    "oracle": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_oracle)),
    "surroundings": FuzzedReader(
        (b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_surroundings)
    ),
    "run": FuzzedReader(tuple(bytes([way]) + bytes(range(30)) for way in range(6)), _refusable(read_run)),
    "journal": FuzzedReader(
        (b"\1", b"\2", b"\2" + bytes(range(1, 30)), RAW + b"buto-journal 1\n"), _refusable(read_journal)
    ),
    "result": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_result)),
    "label": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_label)),
    "manifest": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_manifest)),
    "mood": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_mood)),
    "build": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_build)),
    "alarm": FuzzedReader((b"\1", b"\1" + bytes(range(40)), RAW + b"{}"), _refusable(read_alarm)),
    "archive": FuzzedReader((_WHOLE, b"\1" + bytes(range(40)), RAW + bytes(1024)), _refusable(read_archive)),
    "waivers": FuzzedReader(
        (b"\1", b"\1" + bytes(range(40)), RAW + b"Buto-Accepts: a"), _refusable(read_waivers)
    ),
    "profiles": FuzzedReader(
        (b"\1", b"\1" + bytes(range(40)), RAW + b"buto-stacks"), _refusable(read_profiles)
    ),
    "channel": FuzzedReader(
        (
            RAW + b"".join(speech.GOOD),
            b"\1\1" + bytes(range(1, 10)),
            b"\1\1\1\2\3\4\5\6\7\x18\x10" + bytes(16),
        ),
        _refusable(read_channel),
    ),
}
