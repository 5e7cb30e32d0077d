"""Small files that stand for gigabytes: refused with little memory and in little time.

Each is read in a child, whose largest memory and processor time are known.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import struct
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from buto import oracle
from buto.causes.profiles import ProfileStore
from buto.errors import EXIT_BAD_FILE, ButoError
from buto.oracle import numbers
from buto.run import columns, journal, parquet, tables
from buto.run.entries import ResultStore
from buto.run.journal import MAGIC
from buto.run.model import Notification
from buto.run.names import new_id
from buto.run.store import RunStore
from perf.fuzz import examples
from perf.fuzz.mutations import MOST_MIB, MOST_S, begin_peak, memory_kib

RUN = examples.run(3)


def costs(read: Callable[[], object]) -> tuple[int, float, int]:
    """Return exit code, processor time in seconds, and MiB above what there was, of a reader."""
    inner, outer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 255
        try:
            before = begin_peak()
            began = resource.getrusage(resource.RUSAGE_SELF)
            try:
                read()
                code = 0
            except ButoError as error:
                code = error.exit_code
            ended = resource.getrusage(resource.RUSAGE_SELF)
            seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
            os.write(outer, f"{code} {seconds} {(memory_kib('VmHWM') - before) // 1024}".encode())
        finally:
            os._exit(code)
    os.close(outer)
    with os.fdopen(inner) as said:
        words = said.read().split()
    assert os.waitpid(child, 0)[0] == child
    assert words, "the reader raised something that is no ButoError"
    return int(words[0]), float(words[1]), int(words[2])


def refused_cheaply(read: Callable[[], object]) -> None:
    code, seconds, mib = costs(read)
    assert code == EXIT_BAD_FILE
    assert mib <= MOST_MIB
    assert seconds <= MOST_S


def an_oracle_with(directory: Path, content: bytes) -> Path:
    path = directory / "leaker.json"
    oracle.save(path, examples.oracle(), ())
    text = json.loads(path.read_text())
    digest = sha256(content).hexdigest()[:16]
    numbers.beside(path, digest).write_bytes(content)
    text["checksums"]["numbers"] = digest
    path.write_text(json.dumps(text))
    return path


JSON_BOMBS = {
    "zeros": lambda n: b'{"format": "buto-numbers", "version": 1, "model": [' + b"0," * n + b"0]}",
    "lists": lambda n: b'{"format": "buto-numbers", "version": 1, "model": [' + b"[]," * n + b"0]}",
    "objects": lambda n: b'{"format": "buto-numbers", "version": 1, "model": [' + b'{"a":{}},' * n + b"0]}",
    "texts": lambda n: b'{"format": "buto-numbers", "version": 1, "model": [' + b'"abc",' * n + b"0]}",
}


def test_what_a_reader_costs_is_seen() -> None:
    freed = [b"x" * 100_000 for _ in range(2500)]
    above = [b"y" * 100_000 for _ in range(50)]
    del freed
    code, _, mib = costs(lambda: bytearray(200 << 20))
    assert len(above) == 50
    assert code == 0 and 195 < mib < 230


@pytest.mark.parametrize(("kind", "n"), [*((kind, 3_000_000) for kind in JSON_BOMBS), ("zeros", 100_000_000)])
def test_numbers(tmp_path: Path, kind: str, n: int) -> None:
    path = an_oracle_with(tmp_path, gzip.compress(JSON_BOMBS[kind](n), 1))
    refused_cheaply(lambda: oracle.load(path))


@pytest.mark.parametrize("kind", JSON_BOMBS)
def test_numbers_that_are_not_packed_at_all(tmp_path: Path, kind: str) -> None:
    unit = len(JSON_BOMBS[kind](1)) - len(JSON_BOMBS[kind](0))
    content = gzip.compress(JSON_BOMBS[kind]((numbers.MAX_BYTES - 200) // unit), 0)
    path = an_oracle_with(tmp_path, content)
    refused_cheaply(lambda: oracle.load(path))


@pytest.mark.all
def test_profiles(tmp_path: Path) -> None:
    for text in (
        b"buto-stacks\t2\n" + bytes(1 << 30),
        b"buto-stacks\t2\n" + b"frame\t0\tu\t\t\n" * 5_000_000,
    ):
        place = tmp_path / "profiles" / "leaker" / f"{new_id()}.stacks.gz"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(text, 1))
        refused_cheaply(lambda: ProfileStore(tmp_path).newest("leaker"))
        place.unlink()


def test_a_journal_of_bombs(tmp_path: Path) -> None:
    n_rows = 400_000
    entry = json.dumps({**examples.entry_documents()[0], "rows": n_rows}).encode()
    body = zlib.compress(struct.pack("<I", len(entry)) + entry + bytes(16 * n_rows))
    again = json.dumps({**examples.entry_documents()[1], "rows": n_rows}).encode()
    more = zlib.compress(struct.pack("<I", len(again)) + again + bytes(16 * n_rows))
    place = tmp_path / ".id.journal"
    frames = [struct.pack("<II", len(line), zlib.crc32(line)) + line for line in (body, *[more] * 200)]
    place.write_bytes(MAGIC % journal.VERSION + b"".join(frames))
    assert place.stat().st_size < 2_000_000
    refused_cheaply(lambda: sum(journal_entry.values.size for journal_entry in journal.read(place)))


@pytest.mark.all
def test_a_journal_of_one_bomb(tmp_path: Path) -> None:
    body = zlib.compress(bytes(1 << 30), 1)
    place = tmp_path / ".id.journal"
    place.write_bytes(MAGIC % journal.VERSION + struct.pack("<II", len(body), zlib.crc32(body)) + body)
    refused_cheaply(lambda: list(journal.read(place)))


def rewritten(store: RunStore, name: str, content: bytes, **counts: int) -> None:
    """Replace a file of a stored run, as somebody would who also changes its checksum."""
    place = store.add(RUN)
    assert isinstance(place, Path)
    (place / name).write_bytes(content)
    document = json.loads((place / tables.DOCUMENT).read_text())
    if name in (tables.OLD_SAMPLES, tables.OLD_NOTIFICATIONS):
        del document["files"][{tables.OLD_SAMPLES: tables.SAMPLES}.get(name, tables.NOTIFICATIONS)]
    document["files"][name] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    (place / tables.DOCUMENT).write_text(json.dumps(document | counts))


def in_columns(n: int) -> bytes:
    return columns.pack([np.broadcast_to(0.0, n)] * 4)


def in_parquet(n: int) -> bytes:
    return parquet.samples_to_parquet(RUN.properties, np.zeros(n), np.broadcast_to(0.0, (n, 3)))


@pytest.mark.parametrize(("name", "pack"), [(tables.SAMPLES, in_columns), (tables.OLD_SAMPLES, in_parquet)])
def test_samples(tmp_path: Path, name: str, pack: Callable[[int], bytes]) -> None:
    n = 20_000_000
    content = pack(n)
    assert len(content) < 3_000_000
    store = RunStore(tmp_path)
    rewritten(store, name, content, samples=n)
    refused_cheaply(lambda: store.load(RUN.test, RUN.id))
    refused_cheaply(lambda: store.load_set(RUN.test, [RUN.id]))


@pytest.mark.parametrize(("n", "message"), [(900_000, ""), (1000, "x" * 200_000)])
@pytest.mark.parametrize("name", [tables.NOTIFICATIONS, tables.OLD_NOTIFICATIONS])
def test_notifications(tmp_path: Path, n: int, message: str, name: str) -> None:
    notifications = [Notification(0.0, "", "", 0, message)] * n
    if name == tables.OLD_NOTIFICATIONS:
        content = parquet.notifications_to_parquet(notifications)
    else:
        lengths, texts = columns.pack_texts([[""] * n, [""] * n, [message] * n])
        content = columns.pack([np.zeros(n), np.zeros(n), *lengths], texts)
    store = RunStore(tmp_path)
    rewritten(store, name, content, notifications=n)
    refused_cheaply(lambda: store.load(RUN.test, RUN.id))


@pytest.mark.parametrize("text", ["[" * 500 + "]" * 500, '{"a":' * 500 + "1" + "}" * 500])
@pytest.mark.parametrize("key", ["target", "changed", "environment", "properties", "warnings", "judge"])
def test_an_oracle_nested_too_deeply(tmp_path: Path, key: str, text: str) -> None:
    path = tmp_path / "leaker.json"
    oracle.save(path, examples.oracle(), ())
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, key: "HERE"}).replace('"HERE"', text))
    with pytest.raises(ButoError) as caught:
        oracle.load(path)
    assert caught.value.exit_code == EXIT_BAD_FILE


def test_a_result_of_many_values(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.add("leaker", b'{"format": "buto-result", "tests": [' + b"{}," * 5_000_000 + b"0]}")

    def read() -> None:
        from buto.report.history import load_entries

        load_entries(store, "leaker")

    refused_cheaply(read)
