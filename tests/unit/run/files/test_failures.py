"""Disks that are full, read-only or in the way: one clear error, and nothing half-written left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from buto.errors import EXIT_NOT_JUDGED, StorageError
from buto.run import files
from buto.run.store import RunStore
from tests.support.processes.mounts import with_own_mounts
from tests.support.runs.examples import full_run

FILL = [sys.executable, "-m", "tests.support.runs.writers", "fill"]
DEADLINE_S = 60


class Filled(NamedTuple):
    """How a process ended that stored runs of 200 kB until it failed."""

    n_stored: int
    error: str
    message: str
    advice: str | None


def fill(*command: str | Path) -> Filled:
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=DEADLINE_S)
    return Filled(*json.loads(done.stdout))


def hidden(root: Path) -> list[Path]:
    return [path for path in root.rglob(".*") if path.name != ".gitignore"]


def test_a_full_disk_keeps_what_was_complete(tmp_path: Path) -> None:
    disk, copy = tmp_path / "disk", tmp_path / "copy"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=1m tmpfs "$1"; disk=$1; copy=$2; shift 2; "$@"; cp -a "$disk" "$copy"'
    filled = fill(*with_own_mounts(script), disk, copy, *FILL, disk / "store")
    assert filled.error == "StorageError"
    assert str(disk / "store") in filled.message
    assert "No space left" in filled.message
    assert "free some space" in (filled.advice or "")
    store = RunStore(copy / "store")
    assert 1 < filled.n_stored < 6
    assert len(store.load_set("leaker")) == filled.n_stored
    assert hidden(store.root) == []


def test_a_read_only_disk_is_named(tmp_path: Path) -> None:
    script = 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"'
    filled = fill(*with_own_mounts(script), tmp_path, *FILL, tmp_path / "store")
    assert (filled.n_stored, filled.error) == (0, "StorageError")
    assert "Read-only file system" in filled.message
    assert "--store DIR" in (filled.advice or "")
    assert list(tmp_path.iterdir()) == []


def test_a_limit_of_file_sizes_leaves_nothing(tmp_path: Path) -> None:
    filled = fill(*FILL, tmp_path / "store", "100000")
    assert (filled.n_stored, filled.error) == (0, "StorageError")
    assert "File too large" in filled.message
    assert RunStore(tmp_path / "store").tests() == []
    assert hidden(tmp_path / "store") == []


def storage_error(store: RunStore, test: str = "leaker") -> StorageError:
    with pytest.raises(StorageError) as refusal:
        store.add(full_run(test=test))
    assert refusal.value.exit_code == EXIT_NOT_JUDGED
    assert refusal.value.advice is not None
    return refusal.value


@pytest.mark.parametrize("obstacle", ["store", "store/runs", "store/runs/leaker"])
def test_a_file_in_place_of_a_directory_is_named(tmp_path: Path, obstacle: str) -> None:
    (tmp_path / obstacle).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / obstacle).write_text("mine")
    assert str(tmp_path / "store") in storage_error(RunStore(tmp_path / "store")).message
    assert (tmp_path / obstacle).read_text() == "mine"


def test_a_path_that_is_too_long_is_refused(tmp_path: Path) -> None:
    error = storage_error(RunStore(tmp_path.joinpath(*["x" * 200] * 25)))
    assert "File name too long" in error.message
    assert "shorter" in (error.advice or "")


def test_an_interrupted_writer_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    store = RunStore(tmp_path)
    store.add(full_run("1"))
    monkeypatch.setattr(files.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.add(full_run("2"))
    assert store.ids("leaker") == ["1"]
    assert hidden(store.root) == []


def test_a_run_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="too large"):
        RunStore(tmp_path / "store").add(full_run(metadata={"text": "x" * (1 << 26)}))
    assert not (tmp_path / "store").exists()


def test_a_file_is_published_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "oracle.json"
    files.publish_file(place, b"old")
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: os.close(-1))
    with pytest.raises(OSError, match="Bad file descriptor"):
        files.publish_file(place, b"new")
    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]
