"""Runs that are damaged, crafted, or from the future: one clear error, and never another run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from buto.errors import EXIT_BAD_FILE, BadFileError
from buto.run import bounds, format, tables
from buto.run import parquet as parquet_tables
from buto.run.format import UPGRADES
from buto.run.model import Notification
from buto.run.store import RunStore
from buto.run.tables import NOTIFICATIONS, OLD_NOTIFICATIONS, OLD_SAMPLES, SAMPLES
from tests.support.runs.examples import assert_same, full_run

FILES = ["run.json", SAMPLES, NOTIFICATIONS, "stdout.txt", "stderr.txt"]
OLD_FILES = [OLD_SAMPLES, OLD_NOTIFICATIONS]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return RunStore(tmp_path).add(full_run())


@pytest.fixture
def old(place: Path) -> Path:
    """The same run as version 3 stored it."""
    run = full_run()
    (place / SAMPLES).unlink()
    (place / NOTIFICATIONS).unlink()
    edit(place, lambda data: [data["files"].pop(name) for name in (SAMPLES, NOTIFICATIONS)])
    edit(place, lambda data: data.update(version=3))
    replace_file(
        place, OLD_SAMPLES, parquet_tables.samples_to_parquet(run.properties, run.times_s, run.values)
    )
    replace_file(place, OLD_NOTIFICATIONS, parquet_tables.notifications_to_parquet(run.notifications))
    return place


def load_error(place: Path) -> BadFileError:
    store = RunStore(place.parents[2])
    with pytest.raises(BadFileError) as refusal:
        store.load("leaker", place.name)
    assert refusal.value.exit_code == EXIT_BAD_FILE
    assert refusal.value.advice is not None
    return refusal.value


def edit(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = place / "run.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def replace_file(place: Path, name: str, content: bytes) -> None:
    """As a stranger would: with the right size and checksum in ``run.json``."""
    (place / name).write_bytes(content)
    entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    edit(place, lambda data: data["files"].update({name: entry}))


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(place: Path, name: str) -> None:
    (place / name).unlink()
    error = load_error(place)
    assert str(place / name) in error.message
    assert "missing" in error.message
    assert "buto runs delete leaker" in (error.advice or "")


@pytest.mark.parametrize("name", FILES)
def test_a_shortened_file_is_named(place: Path, name: str) -> None:
    content = (place / name).read_bytes()
    (place / name).write_bytes(content[: len(content) // 2])
    assert str(place / name) in load_error(place).message


@pytest.mark.parametrize("name", FILES)
def test_a_link_is_not_followed(place: Path, name: str, tmp_path: Path) -> None:
    (place / name).rename(tmp_path / "elsewhere")
    (place / name).symlink_to(tmp_path / "elsewhere")
    assert "it is a link" in load_error(place).message


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_place_of_a_file_does_not_hang(place: Path, name: str) -> None:
    (place / name).unlink()
    os.mkfifo(place / name)
    assert "not a regular file" in load_error(place).message


@pytest.mark.parametrize("name", FILES)
def test_a_directory_in_place_of_a_file_is_damage(place: Path, name: str) -> None:
    (place / name).unlink()
    (place / name).mkdir()
    assert "not a regular file" in load_error(place).message


def test_a_linked_run_is_not_a_run(place: Path, tmp_path: Path) -> None:
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert "there is no run" in load_error(place).message
    assert RunStore(tmp_path).ids("leaker") == []


def test_an_endless_file_is_not_read_to_its_end(place: Path) -> None:
    with (place / "stdout.txt").open("wb") as file:
        file.truncate(1 << 40)
    assert "larger than" in load_error(place).message


def test_any_flipped_byte_is_noticed(place: Path) -> None:
    store = RunStore(place.parents[2])
    chance = random.Random(1)
    for name in FILES[1:]:
        whole = (place / name).read_bytes()
        for _ in range(20):
            broken = bytearray(whole)
            broken[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            (place / name).write_bytes(broken)
            assert name in load_error(place).message
        (place / name).write_bytes(whole)
    assert_same(store.load("leaker", place.name), full_run())


@pytest.mark.parametrize("names", [(SAMPLES, NOTIFICATIONS), OLD_FILES])
def test_crafted_tables_never_do_more_than_fail(place: Path, names: list[str], request: Any) -> None:
    if names == OLD_FILES:
        request.getfixturevalue("old")
    store = RunStore(place.parents[2])
    chance = random.Random(2)
    for name in names:
        whole = (place / name).read_bytes()
        for _ in range(60):
            broken = bytearray(whole)
            for _ in range(chance.randint(1, 8)):
                broken[chance.randrange(len(whole))] = chance.randrange(256)
            replace_file(place, name, bytes(broken))
            with contextlib.suppress(BadFileError):
                store.load("leaker", place.name)
        replace_file(place, name, whole)


def test_changed_documents_never_do_more_than_fail(place: Path) -> None:
    """Every value of the document, replaced by one of each other type."""
    store = RunStore(place.parents[2])
    original = json.loads((place / "run.json").read_text())

    def paths(value: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        return [path, *(deeper for key in keys for deeper in paths(value[key], (*path, key)))]

    n_refused = 0
    for path in paths(original, ())[1:]:
        for other in (None, True, -1, 2**80, 1.5, "x", [], {}, [1], {"float": []}):
            changed = json.loads(json.dumps(original))
            owner = changed
            for key in path[:-1]:
                owner = owner[key]
            owner[path[-1]] = other
            (place / "run.json").write_text(json.dumps(changed))
            try:
                store.load("leaker", place.name)
            except BadFileError:
                n_refused += 1
            assert len(store.summaries("leaker")) == 1
    assert n_refused > 200


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{}",
        b'{"format": "buto-run"}',
        b'{"format": "buto-run", "version": NaN}',
        b'{"format": "buto-run", "version": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"format": "buto-run", "version": 0}',
        b'{"format": "buto-run", "version": true}',
    ],
)
def test_what_is_not_document_is_refused(place: Path, content: bytes) -> None:
    (place / "run.json").write_bytes(content)
    assert str(place / "run.json") in load_error(place).message
    (summary,) = RunStore(place.parents[2]).summaries("leaker")
    assert summary.head is None
    assert "run.json" in summary.damage


def test_a_newer_format_is_refused_by_its_version(place: Path) -> None:
    edit(place, lambda data: data.update(version=format.VERSION + 1))
    error = load_error(place)
    assert f"version {format.VERSION + 1}" in error.message
    assert "a newer buto" in (error.advice or "")


def test_older_formats_are_upgraded_step_by_step(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = format.VERSION
    monkeypatch.setattr(format, "VERSION", now + 2)
    monkeypatch.setitem(UPGRADES, now, lambda data: data | {"test": data["test"] + " in two"})
    monkeypatch.setitem(UPGRADES, now + 1, lambda data: data | {"test": data["test"].removesuffix(" in two")})
    assert_same(RunStore(place.parents[2]).load("leaker", place.name), full_run())


def test_a_run_under_the_name_of_another_is_refused(place: Path) -> None:
    moved = place.with_name("20261120T000000.000Z-0000")
    place.rename(moved)
    assert place.name in load_error(moved).message


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.slice(1),
        lambda table: table.select(range(3)),
        lambda table: table.rename_columns(["time_s", "a", "b", "c"]),
        lambda table: table.set_column(0, "time_s", pa.array([0.0, 0.0, 0.0])),
        lambda table: table.set_column(0, "time_s", pa.array([0.0, float("nan"), 1.0])),
        lambda table: table.set_column(0, "time_s", pa.array(["0", "1", "2"])),
        lambda table: table.set_column(0, "time_s", pa.array([0, 1, 2])),
    ],
)
def test_old_samples_of_another_shape_are_refused(old: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    table = pq.read_table(old / OLD_SAMPLES)
    replace_file(old, OLD_SAMPLES, parquet(change(table)))
    load_error(old)


def test_an_old_value_of_null_is_refused(old: Path) -> None:
    name = full_run().properties[0].name
    table = pq.read_table(old / OLD_SAMPLES).set_column(1, name, pa.array([None, 1.0, 2.0]))
    replace_file(old, OLD_SAMPLES, parquet(table))
    assert "null" in load_error(old).message


def test_a_run_of_before_is_read(old: Path) -> None:
    assert_same(RunStore(old.parents[2]).load("leaker", old.name), full_run())


@pytest.mark.parametrize(
    ("times_s", "n_properties"),
    [
        ([0.0, 0.1], 3),
        ([0.0, 0.1, 0.2], 2),
        ([0.0, 0.0, 0.0], 3),
        ([0.0, float("nan"), 1.0], 3),
        ([], 3),
    ],
)
def test_samples_of_another_shape_are_refused(place: Path, times_s: list[float], n_properties: int) -> None:
    values = np.zeros((len(times_s), n_properties))
    replace_file(place, SAMPLES, tables.pack_samples(np.array(times_s), values))
    load_error(place)


@pytest.mark.parametrize(("key", "value"), [("exit_code", True), ("timed_out", 1), ("duration_s", "soon")])
def test_a_value_of_another_type_is_refused_by_its_name(place: Path, key: str, value: Any) -> None:
    edit(place, lambda data: data["outcome"].update({key: value}))
    assert f"'outcome.{key}'" in load_error(place).message


def test_a_run_that_does_not_say_whether_it_is_valid_is_refused(place: Path) -> None:
    edit(place, lambda data: data["quality"].pop("problems"))
    assert "'quality.problems' is missing" in load_error(place).message


def test_two_properties_of_one_name_are_refused(place: Path) -> None:
    edit(place, lambda data: data["properties"][1].update(name=data["properties"][0]["name"]))
    load_error(place)


def test_more_values_than_allowed_are_refused_before_they_are_read(place: Path) -> None:
    edit(place, lambda data: data.update(samples=bounds.MAX_VALUES))
    assert "more than" in load_error(place).message
    edit(place, lambda data: data.update(samples=3, notifications=bounds.MAX_NOTIFICATIONS + 1))
    assert "more than" in load_error(place).message


def notification_table(**columns: pa.Array) -> pa.Table:
    n = len(next(iter(columns.values())))
    whole = {
        "time_s": pa.array(np.zeros(n)),
        "type": pa.repeat("t", n),
        "source": pa.repeat("s", n),
        "sequence": pa.array(np.arange(n)),
        "message": pa.repeat("m", n),
    }
    return pa.table(whole | columns).cast(parquet_tables.notification_schema())


def test_a_small_old_file_of_huge_notifications_is_refused(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_NOTIFICATION_BYTES", 1 << 20)
    content = parquet(notification_table(message=pa.repeat("x" * 4096, 2000)))
    assert len(content) < 1 << 16
    replace_file(old, OLD_NOTIFICATIONS, content)
    edit(old, lambda data: data.update(notifications=2000))
    assert "more than" in load_error(old).message


def test_a_small_file_of_huge_notifications_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = [Notification(0.1 * number, "t", "s", number, "x" * 4096) for number in range(2000)]
    content = tables.pack_notifications(huge)
    assert len(content) < 1 << 17
    monkeypatch.setattr(bounds, "MAX_NOTIFICATION_BYTES", 1 << 20)
    replace_file(place, NOTIFICATIONS, content)
    edit(place, lambda data: data.update(notifications=2000))
    assert "more than" in load_error(place).message


def test_an_old_notification_without_a_field_is_refused(old: Path) -> None:
    replace_file(old, OLD_NOTIFICATIONS, parquet(notification_table(message=pa.array(["m", None]))))
    assert "empty field" in load_error(old).message
