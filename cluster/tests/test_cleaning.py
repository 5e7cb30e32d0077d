"""Files of programs on a host: how many stay, and for how long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure.target import Target
from buto_cluster import staging as cleaning
from buto_cluster.host import inputs_of
from buto_cluster.staging import UNUSED_S, StagedFile, Staging, clean, superfluous

NOW_S = 1e9


def kept(name: str, size_bytes: int, age_s: float) -> StagedFile:
    return StagedFile(Path(name), size_bytes, NOW_S - age_s)


def test_what_was_used_last_stays_as_long_as_there_is_room() -> None:
    found = [kept("old", 4, 30), kept("new", 4, 10), kept("older", 1, 40), kept("newer", 3, 5)]
    assert superfluous(found, NOW_S, 8, UNUSED_S) == [Path("old"), Path("older")]
    assert superfluous(found, NOW_S, 12, UNUSED_S) == []


def test_what_was_not_used_for_long_goes_though_there_is_room() -> None:
    found = [kept("new", 4, 10), kept("forgotten", 1, UNUSED_S + 1)]
    assert superfluous(found, NOW_S, 1000, UNUSED_S) == [Path("forgotten")]


def test_a_new_program_takes_the_place_of_the_one_that_was_not_used_for_the_longest_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "MOST_BYTES", 40)
    staging = Staging(tmp_path / "host")
    trees, contents = tmp_path / "host" / "trees", tmp_path / "host" / "contents"
    digests = {}
    for age, name in ((30, "first"), (20, "second"), (10, "third")):
        source = tmp_path / name
        source.mkdir()
        (source / "app.jar").write_bytes(name.ljust(10).encode())
        target = Target(("java", "-jar", "app.jar"), directory=source)
        inputs = inputs_of(target)
        source.rename(tmp_path / f"{name} moved away")
        [sha256] = staging.missing(inputs)
        staging.receive(sha256, [name.ljust(10).encode()], is_first=True, is_last=True)
        staging.place(target, inputs)
        digests[name] = inputs.digest
        for path in (trees / inputs.digest, contents / sha256):
            os.utime(path, (path.stat().st_mtime - age, path.stat().st_mtime - age))
    assert {path.name for path in trees.iterdir()} == {digests["second"], digests["third"]}
    assert len(list(contents.iterdir())) == 2


def test_the_program_that_is_launched_stays_however_large_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "MOST_BYTES", 1)
    for name in ("now", "before"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.jar").write_bytes(b"jar")
    clean([tmp_path, tmp_path / "missing"], in_use=tmp_path / "now")
    assert [path.name for path in tmp_path.iterdir()] == ["now"]
