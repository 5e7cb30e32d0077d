"""Kept programs in a bucket."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.errors import BadFileError
from buto.programs.named import files_of
from buto.programs.snapshot import snapshot
from buto.programs.store import ProgramStore
from buto.run.objects import open_storage
from buto.run.storage import S3Url
from tests.support.staged import staged


def test_a_bucket_keeps_programs_and_one_that_was_damaged_is_replaced(bucket: S3Url, tmp_path: Path) -> None:
    (tmp_path / "app.jar").write_bytes(b"jar" * 50_000)
    (tmp_path / "b.jar").write_bytes(b"b")
    store, storage = ProgramStore(bucket), open_storage(bucket)
    found = snapshot(files_of(("java", "-cp", "app.jar:b.jar", "Main"), tmp_path, {}), 1 << 20, within=False)
    kept = store.keep("shop", found.program(), found.root)
    assert store.keep("shop", found.program(), found.root) == kept
    (tmp_path / "one").mkdir()
    restored = staged(store, "shop", kept.id, tmp_path / "one", tmp_path)
    assert (tmp_path / restored.command[2].split(":")[0]).read_bytes() == (tmp_path / "app.jar").read_bytes()
    sha256 = found.files[str(tmp_path / "app.jar")].sha256
    key = f"programs/blobs/{sha256[:2]}/{sha256}"
    storage.delete_file(key)
    storage.add_file(key, b"damaged", "program")
    (tmp_path / "two").mkdir()
    with pytest.raises(BadFileError, match=f"{bucket}/{key}"):
        staged(store, "shop", kept.id, tmp_path / "two", tmp_path)
    assert store.keep("shop", found.program(), found.root) == kept
    (tmp_path / "three").mkdir()
    assert staged(store, "shop", kept.id, tmp_path / "three", tmp_path).command[0] == "java"


def test_old_programs_are_removed_from_a_bucket(bucket: S3Url, tmp_path: Path) -> None:
    store, storage = ProgramStore(bucket), open_storage(bucket)
    for number in range(7):
        (tmp_path / "app.jar").write_text(str(number))
        found = snapshot(files_of(("java", "-jar", "app.jar"), tmp_path, {}), 1 << 20, within=False)
        store.keep("shop", found.program(), found.root)
    store.prune("shop", ())
    assert len(storage.files("programs/manifests/shop")) == 5
    folders = storage.folders("programs/blobs")
    assert sum(len(storage.files(f"programs/blobs/{folder}")) for folder in folders) == 5
