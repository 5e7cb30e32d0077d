"""What is around a program: which files, links and variables are remembered, within which bounds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from buto.errors import BadFileError
from buto.programs import surroundings as module
from buto.programs.surroundings import FileKind, Surroundings, SurroundingsStore, surroundings_of
from buto.run.masking import Mask


def around(directory: Path, **settings: Any) -> Surroundings:
    usual: dict[str, Any] = {
        "command": ("java", "Main"),
        "environment": {},
        "declared": (),
        "began_ns": 0,
        "own": (),
        "left_out": (),
        "mask": Mask(),
        "has_tree": True,
    }
    given = {**usual, **settings}
    return surroundings_of(
        given.pop("command"), directory, given.pop("environment"), given.pop("declared"), **given
    )


def in_tree(found: Surroundings) -> set[str]:
    return {name for name in found.entries if not name.startswith(("JDK/", "/"))}


def write(directory: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_files_directories_and_links_below_the_working_directory_are_listed(tmp_path: Path) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    write(outside, {"x.txt": "x", "more/y.txt": "y"})
    write(
        here, {"conf/app.properties": "a=1", ".env": "b", ".git/config": "c", "app.jar": "jar", "out/1": "d"}
    )
    (here / "link").symlink_to("../outside")
    (here / "broken").symlink_to("nowhere")
    (here / "up").symlink_to("..")
    os.mkfifo(here / "pipe")
    found = around(here, own=[str(here / "app.jar")], left_out=[str(here / "out")])
    assert in_tree(found) == {
        *("conf", "conf/app.properties", ".env", "app.jar", "pipe"),
        *("link", "link/x.txt", "link/more", "link/more/y.txt", "broken", "up"),
    }
    entries = found.entries
    assert (entries["conf"].kind, entries["pipe"].kind) == (FileKind.DIRECTORY, FileKind.OTHER)
    assert (entries["link"].kind, entries["link"].leads_to) == (FileKind.LINK, "../outside")
    assert [name for name in found.entries if entries[name].is_own] == ["app.jar"]
    assert len(entries["conf/app.properties"].sha256) == 64
    assert found.n_levels is None
    assert in_tree(around(here, has_tree=False)) == set()


def test_what_the_command_and_variables_name_elsewhere_is_listed(tmp_path: Path) -> None:
    here, conf = tmp_path / "here", tmp_path / "conf"
    here.mkdir()
    write(conf, {"a.properties": "1", "b.properties": "2", "dir/c": "3", "home/d": "4", "key": "5"})
    found = around(
        here,
        command=("java", f"-Dconf={conf}/a.properties", "Main", "../conf/dir", "/"),
        environment={
            "B": f"{conf}/b.properties",
            "HOME": f"{conf}/home",
            "API_TOKEN": f"{conf}/key",
            "DIRECTORY": f"{conf}/home",
        },
        declared=["DIRECTORY"],
    )
    names = {os.path.relpath(name, conf) for name in found.entries if name.startswith(str(conf))}
    assert names == {"a.properties", "b.properties", "dir", "dir/c", "home", "home/d"}
    assert not any(
        name.startswith(f"{conf}/home") for name in around(here, environment={"HOME": f"{conf}/home"}).entries
    )


def test_what_was_named_before_is_looked_for_again(tmp_path: Path) -> None:
    here = tmp_path / "here"
    write(tmp_path, {"here/a": "1", "conf/b": "1", "gone/c": "1"})
    before = around(here, command=("java", "../conf", f"-Dx={tmp_path}/gone/c"))
    (tmp_path / "gone/c").unlink()
    now = around(here, before=before)
    names = {name for name in now.entries if name.startswith(str(tmp_path))}
    assert names == {f"{tmp_path}/conf", f"{tmp_path}/conf/b"}
    assert now.salt == before.salt


def test_a_listing_is_bounded_and_says_how_far_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {f"a/{number}": "" for number in range(5)})
    write(tmp_path, {f"b/c/d/{number}": "" for number in range(30)})
    monkeypatch.setattr(module, "MOST_IN_ONE", 4)
    monkeypatch.setattr(module, "MOST_ENTRIES", 60)
    found = around(tmp_path)
    assert in_tree(found) == {"a", "b", "b/c", "b/c/d"}
    assert (found.entries["a"].n_bytes, found.entries["b/c/d"].n_bytes, found.n_levels) == (5, 30, None)
    monkeypatch.setattr(module, "MOST_IN_ONE", 100)
    monkeypatch.setattr(module, "MOST_ENTRIES", 20)
    found = around(tmp_path, has_tree=True, command=("/nowhere/java", "Main"))
    assert in_tree(found) == {"a", "b", "b/c", "b/c/d", *(f"a/{number}" for number in range(5))}
    assert found.n_levels == 4


def test_large_files_are_known_by_size_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"small": "1234", "large": "12345", "third": "1234"})
    monkeypatch.setattr(module, "SMALL_BYTES", 4)
    monkeypatch.setattr(module, "MOST_DIGESTED_BYTES", 7)
    entries = around(tmp_path, command=("/nowhere/java", "Main")).entries
    assert [bool(entries[name].sha256) for name in ("large", "small", "third")] == [False, True, False]
    assert entries["large"].changed_ns == (tmp_path / "large").stat().st_mtime_ns


def test_variables_are_known_by_a_salted_digest(tmp_path: Path) -> None:
    environment = {
        "A": "1",
        "B": "1",
        "DB_PASSWORD": "hunter22",
        "URL": "jdbc://u:hunter23@db",
        "BUTO_X": "1",
    }
    first = around(tmp_path, environment=environment)
    again = around(tmp_path, environment=environment, before=first)
    other = around(tmp_path, environment=environment)
    assert first.variables == again.variables
    assert first.variables.keys() == {"A", "B", "DB_PASSWORD", "URL"}
    assert first.variables["A"] not in (first.variables["B"], other.variables["A"])
    assert {len(digest) for digest in first.variables.values()} == {32}
    assert "hunter2" not in str(first)


def test_what_is_stored_is_read_again_and_the_oldest_goes(tmp_path: Path) -> None:
    write(tmp_path / "here", {"conf/é": "1"})
    Path(os.fsdecode(os.fsencode(tmp_path / "here") + b"/\xff")).write_text("no UTF-8")
    # Links lead to what is no UTF-8 either: a directory, and nothing.
    for link, to in (("to-directory", b"/there-\xff"), ("to-nothing", b"/gone-\xff")):
        target = os.fsdecode(os.fsencode(tmp_path) + to)
        (tmp_path / "here" / link).symlink_to(target)
    os.mkdir(os.fsdecode(os.fsencode(tmp_path) + b"/there-\xff"))
    kept = around(tmp_path / "here", environment={"A": "1"}, began_ns=5)
    assert "\\xff" in kept.entries
    assert kept.entries["to-directory"].leads_to.endswith("there-\\xff")
    assert kept.entries["to-nothing"].leads_to.endswith("gone-\\xff")
    store = SurroundingsStore(tmp_path / ".buto")
    for number in range(7):
        store.keep("a/b", f"2026-{number}", kept)
    assert store.load("a/b", "2026-6") == kept
    assert [store.load("a/b", f"2026-{number}") is not None for number in range(3)] == [False, False, True]
    assert store.load("other", "2026-6") is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{}", "not marked as a buto-surroundings"),
        (b'{"format":"buto-surroundings","version":2}', "it is of version 2, and this buto reads 1"),
        (b"{", "Expecting property name"),
        (b'{"format":"buto-surroundings","version":1,"began_ns":"x"}', "'began_ns' must be a whole number"),
        (b'{"format":"buto-surroundings","version":1,"began_ns":1,"salt":"salt"}', "hexadecimal"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(tmp_path: Path, content: bytes, reason: str) -> None:
    store = SurroundingsStore(tmp_path)
    store.keep("shop", "1", Surroundings(0, "00"))
    (path,) = (tmp_path / "programs/surroundings/shop").iterdir()
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=reason) as refused:
        store.load("shop", "1")
    assert refused.value.exit_code == 4
    assert str(path) in refused.value.message
