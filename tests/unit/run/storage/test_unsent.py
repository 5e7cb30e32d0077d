"""Runs that wait on this machine, while another run in the bucket has the id of one of them."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pytest

from buto.cli.commands.runs import recover_all
from buto.cli.console import Console
from buto.errors import EXIT_NOT_JUDGED, StorageError
from buto.run import objects
from buto.run.s3 import ObjectExistsError
from buto.run.storage import S3Url, TakenError, UnsentError
from buto.run.store import RunStore
from tests.support.runs.examples import full_run

TEST = "leaker"


class OwnBucket:
    """A bucket in memory that can be out of reach."""

    endpoint = "http://server"

    def __init__(self, url: S3Url) -> None:
        self.is_there = False
        self.kept: dict[str, bytes] = {}

    def add(self, key: str, content: BinaryIO) -> None:
        if not self.is_there:
            raise StorageError("the server does not answer")
        content.seek(0)
        found = content.read()
        if self.kept.setdefault(key, found) != found:
            raise ObjectExistsError


def test_a_run_whose_id_is_taken_is_kept_and_named_and_the_others_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bucket = OwnBucket(S3Url("bucket"))
    monkeypatch.setattr(objects, "Bucket", lambda url: bucket)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store = RunStore(S3Url("bucket"))
    for run_id in ("001", "002"):
        with pytest.raises(UnsentError):
            store.add(full_run(run_id))
    bucket.is_there = True
    bucket.kept[f"runs/{TEST}/001"] = b"of another machine"
    with pytest.raises(TakenError, match="another run has this id; the file is (.*)") as refused:
        store.send(TEST, "001")
    place = Path(refused.value.message.rpartition(" ")[2])
    assert place.is_file()
    assert recover_all(store, [], Console()) == EXIT_NOT_JUDGED
    said = capsys.readouterr()
    assert str(place) in said.err
    assert f"stored '{TEST}' 002" in said.out
    assert bucket.kept[f"runs/{TEST}/001"] == b"of another machine"
    assert store.unsent() == [(TEST, "001")]
    assert place.is_file()
