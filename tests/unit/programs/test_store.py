"""Kept programs: stored, restored, damaged, shared, removed, and stored by two processes at once."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from buto.errors import BadFileError, UsageError
from buto.programs.contents import ChangedError
from buto.programs.named import Kept, files_of
from buto.programs.snapshot import Snapshot, snapshot
from buto.programs.stage import Placed
from buto.programs.store import ProgramStore
from buto.run.masking import Mask
from tests.support.staged import staged

LARGE = 1 << 17


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A program of a large jar, two small files, a script and a directory that has nothing."""
    contents = {
        "lib/app.jar": b"x" * LARGE,
        "classes/a/Main.class": b"main",
        "classes/b.txt": b"",
        "run.sh": b"#!/bin/sh",
    }
    for name, content in contents.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "project/run.sh").chmod(0o755)
    return tmp_path / "project"


@pytest.fixture
def store(tmp_path: Path) -> ProgramStore:
    return ProgramStore(tmp_path / ".buto")


COMMAND = ("java", "-cp", "lib/*:classes", "Main", "--x", "run.sh")


def seen(project: Path, *command: str, inputs: tuple[str, ...] = (), most_bytes: int = 1 << 30) -> Snapshot:
    environment = {"PATH": os.environ["PATH"]}
    named = files_of(command or COMMAND, project, environment, inputs, project)
    return snapshot(named, most_bytes, within=bool(inputs))


def keep(store: ProgramStore, found: Snapshot, test: str = "shop") -> Kept:
    return store.keep(test, found.program(), found.root)


def restore(store: ProgramStore, kept: Kept, tmp_path: Path, test: str = "shop") -> Placed:
    directory = tmp_path / f"restored-{len(list(tmp_path.iterdir()))}"
    directory.mkdir()
    return staged(store, test, kept.id, directory, tmp_path / "project")


def blobs(tmp_path: Path) -> list[Path]:
    return sorted(path for path in (tmp_path / ".buto/programs/blobs").rglob("*") if path.is_file())


def test_a_kept_program_is_restored_after_the_original_is_gone(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    kept = keep(store, seen(project))
    assert (kept.n_files, kept.n_bytes) == (4, LARGE + 4 + 9)
    project.rename(tmp_path / "gone")
    found = restore(store, kept, tmp_path)
    tree = Path(found.command[-1]).parent
    assert not tree.is_absolute()
    assert found == Placed(
        ("java", "-cp", f"{tree}/lib/*:{tree}/classes", "Main", "--x", f"{tree}/run.sh"), {}, None
    )
    tree = tmp_path / "project" / tree
    (tmp_path / "project").mkdir()
    for path in (tmp_path / "gone").rglob("*"):
        copy = tree / path.relative_to(tmp_path / "gone")
        assert path.is_dir() or (copy.read_bytes(), os.access(copy, os.X_OK)) == (
            path.read_bytes(),
            os.access(path, os.X_OK),
        )


@pytest.mark.parametrize("n_more", [0, 20, 400])
def test_its_paths_are_as_long_as_those_of_the_present_program(
    project: Path, store: ProgramStore, tmp_path: Path, n_more: int
) -> None:
    """A JVM allocates more for each class that it loads from a longer path."""
    kept = keep(store, seen(project, "java", "-jar", "lib/app.jar"))
    here = tmp_path.joinpath("directory-of-the-new-program", *["x" * 19] * (n_more // 20))
    (tmp_path / "a").mkdir()
    found = staged(store, "shop", kept.id, tmp_path / "a", here)
    jar = Path(os.path.normpath(here / found.command[2]))
    assert len(str(jar)) == len(str(here / "lib/app.jar"))
    assert jar.is_file()


def test_with_declared_inputs_the_program_runs_among_its_files(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    found = restore(store, keep(store, seen(project, "./run.sh", inputs=("classes/b.txt",))), tmp_path)
    assert found.directory is not None
    assert sorted(os.listdir(found.directory)) == ["classes", "run.sh"]
    assert found.command == ("./run.sh",)


def test_the_same_program_has_the_same_id_and_contents_are_stored_once(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    first = keep(store, seen(project))
    before = [(path, path.stat().st_ino) for path in blobs(tmp_path)]
    assert keep(store, seen(project)) == first
    assert keep(store, seen(project), "other").id == first.id
    assert [(path, path.stat().st_ino) for path in blobs(tmp_path)] == before
    (project / "classes/b.txt").write_text("changed")
    assert keep(store, seen(project)).id != first.id
    assert sum(path.stat().st_size == LARGE for path in blobs(tmp_path)) == 1


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing"])
def test_a_damaged_content_is_refused_by_name_and_training_again_repairs_it(
    project: Path, store: ProgramStore, tmp_path: Path, damage: str
) -> None:
    kept = keep(store, seen(project))
    for blob in blobs(tmp_path):
        content = blob.read_bytes()
        if damage == "missing":
            blob.unlink()
        else:
            blob.write_bytes(content[:-1] if damage == "truncated" else b"y" + content[1:])
        with pytest.raises(
            BadFileError, match=f"'shop' was trained on cannot be used: .*{blob.name}"
        ) as refused:
            restore(store, kept, tmp_path)
        assert "buto train shop" in str(refused.value.advice)
        assert keep(store, seen(project)) == kept
        restore(store, kept, tmp_path)


def test_a_manifest_that_the_oracle_does_not_name_is_not_launched(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    kept = keep(store, seen(project))
    (manifest,) = (tmp_path / ".buto/programs/manifests/shop").iterdir()
    manifest.write_text(manifest.read_text().replace("Main", "Evil"))
    with pytest.raises(BadFileError, match="its checksum is wrong"):
        restore(store, kept, tmp_path)
    manifest.unlink()
    with pytest.raises(BadFileError, match="that 'shop' was trained on is not in"):
        restore(store, kept, tmp_path)


def named_manifest(tmp_path: Path, place: str, value: Any) -> Kept:
    """Write the manifest with another value at a place, as somebody would who also writes the oracle."""
    (manifest,) = (tmp_path / ".buto/programs/manifests/shop").iterdir()
    data = json.loads(manifest.read_text())
    *parents, last = [int(key) if key.isdecimal() else key for key in place.split("/")]
    part: Any = data
    for key in parents:
        part = part[key]
    part[last] = value
    content = json.dumps(data).encode()
    id = hashlib.sha256(content).hexdigest()
    (manifest.parent / f"20260101T000000.000Z-0000-{id}.json").write_bytes(content)
    return Kept(id, 1, 1)


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("files/0/0", "../outside", "files[0][0]"),
        ("files/0/0", "/outside", "files[0][0]"),
        ("files/0/0", "a/../../outside", "files[0][0]"),
        ("files/0/0", "a\0b", "files[0][0]"),
        ("files/0/0", "", "files[0][0]"),
        ("files/0/0", "lib", "'lib' as a file and as a directory"),
        ("files/0/0", "./lib/app.jar", "two files of one place"),
        ("files/0/1", "../../secret.txt", "files[0][1]"),
        ("files/0/2", -1, "files[0][2]"),
        ("files/0/3", "yes", "files[0][3]"),
        ("files/0/4", "../../secret.txt", "files[0][4]"),
        ("files/0/5", "0", "files[0][5]"),
        ("files/0", ["a"], "files[0]"),
        ("files", {}, "files"),
        ("within", "/tmp/outside", "within"),
        ("within", "..", "within"),
        ("root", 7, "root"),
        ("command", [], "command"),
        ("command/0", [], "command[0]"),
        ("command/0", [""], "command[0]"),
        ("command/1", ["a\0b"], "command[1]"),
        ("command/1", [7], "command[1]"),
        ("command/1", [{}], "command[1]"),
        ("command/1", [{"file": "../../x"}], "command[1]"),
        ("command/1", [{"file": "a", "written": "b"}], "command[1]"),
        ("command/1", [{"other": "a"}], "command[1]"),
        ("environment", {"A=B": []}, "environment"),
        ("environment", {"": []}, "environment"),
        ("environment", {"A": "text"}, "environment"),
        ("version", 3, "of version 3"),
        ("format", "x", "buto-program"),
    ],
)
def test_a_manifest_of_another_shape_is_refused_with_its_field(
    project: Path, store: ProgramStore, tmp_path: Path, place: str, value: Any, says: str
) -> None:
    keep(store, seen(project))
    kept = named_manifest(tmp_path, place, value)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadFileError) as refused:
        restore(store, kept, tmp_path)
    assert says in refused.value.message
    made = [path for path in set(tmp_path.rglob("*")) - set(before) if not path.name.startswith("restored-")]
    assert not [path for path in made if "restored-" not in path.parent.as_posix()]


def test_a_content_is_not_read_through_a_link(project: Path, store: ProgramStore, tmp_path: Path) -> None:
    kept = keep(store, seen(project))
    folder = next((tmp_path / ".buto/programs/blobs").iterdir())
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFileError, match="is a link"):
        restore(store, kept, tmp_path)


def test_a_program_that_is_too_large_is_refused_with_advice(project: Path) -> None:
    with pytest.raises(UsageError, match="its files have 128 KiB, and 100 KiB are kept at most") as refused:
        seen(project, most_bytes=100 * 1024)
    assert "keep" in str(refused.value.advice)


def test_a_file_that_changes_while_it_is_kept_is_noticed(project: Path, store: ProgramStore) -> None:
    found = seen(project)
    (project / "classes/b.txt").write_text("changed")
    assert found.find_changed_since(seen(project)) == [str(project / "classes/b.txt")]
    with pytest.raises(ChangedError, match=r"b\.txt has changed"):
        keep(store, found)


def test_a_link_out_of_the_project_is_refused_and_one_within_is_followed(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    (project / "classes/c.txt").symlink_to("b.txt")
    assert keep(store, seen(project)).n_files == 5
    (tmp_path / "secret").write_text("secret")
    (project / "classes/d.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(UsageError, match=r"classes/d\.txt is a link to .*/secret, out of the project"):
        seen(project)


def test_nothing_is_written_through_a_link_in_the_store(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".buto").mkdir()
    (tmp_path / ".buto/programs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFileError, match="programs is a link"):
        keep(store, seen(project))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_words_that_are_too_long_for_the_system_go_into_an_argument_file(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    long = ":".join(["lib/app.jar"] * 6_000)
    (project / "args").write_text(f"-cp {long} Main")
    found = restore(store, keep(store, seen(project, "java", "@args", "x")), tmp_path)
    assert found.command[0] == "java"
    words = Path(found.command[1].removeprefix("@")).read_text().splitlines()
    assert (len(found.command), words[0], words[2:]) == (2, '"-cp"', ['"Main"', '"x"'])


def test_words_that_were_in_an_argument_file_are_in_one_again(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    """A JVM allocates more if its options come from one."""
    (project / "args").write_text("-cp lib/app.jar Main")
    found = restore(store, keep(store, seen(project, "java", "-Xmx9m", "@args", "x")), tmp_path)
    java, option, arguments, rest = found.command
    assert (java, option, rest) == ("java", "-Xmx9m", "x")
    first, path, main = Path(arguments.removeprefix("@")).read_text().splitlines()
    assert (first, Path(path.strip('"')).name, main) == ('"-cp"', "app.jar", '"Main"')


def test_names_that_are_not_unicode_are_refused(project: Path, store: ProgramStore) -> None:
    (project / "classes" / os.fsdecode(b"\xff.txt")).write_text("x")
    with pytest.raises(UsageError, match="the name of a file is not valid Unicode"):
        keep(store, seen(project))


def test_secrets_are_kept_as_variables_or_not_at_all(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    typed = ("java", "-jar", "lib/app.jar", "--token=abcdefgh")
    found = seen(project, *typed)
    mask = Mask.of((), typed)
    with pytest.raises(UsageError, match="its command has a secret"):
        found.without_secrets(found.program(), mask, typed, typed)
    program = found.without_secrets(found.program(), mask, typed, (*typed[:3], "--token=${TOKEN}"))
    kept = store.keep("shop", program, found.root)
    assert all(
        b"abcdefgh" not in path.read_bytes() for path in (tmp_path / ".buto").rglob("*") if path.is_file()
    )
    (tmp_path / "new").mkdir()
    variables = {"--token=${TOKEN}": "--token=new"}
    restored = staged(store, "shop", kept.id, tmp_path / "new", project, variables.__getitem__)
    assert restored.command[-1] == "--token=new"


def test_old_programs_are_removed_with_the_contents_that_only_they_have(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    kept = []
    for number in range(8):
        (project / "classes/b.txt").write_text(f"version {number}")
        kept.append(keep(store, seen(project)))
    other = keep(store, seen(project, "java", "-jar", "run.sh"), "other")
    store.prune("shop", {kept[1].id})
    there = [kept_program for kept_program in kept if _is_there(store, kept_program, tmp_path)]
    assert there == [kept[1], *kept[3:]]
    assert len(blobs(tmp_path)) == 1 + len(there) + 1
    restore(store, other, tmp_path, "other")


def _is_there(store: ProgramStore, kept: Kept, tmp_path: Path) -> bool:
    try:
        restore(store, kept, tmp_path)
    except BadFileError:
        return False
    return True


KEEPING = """
import sys
from pathlib import Path
from tests.unit.programs.test_store import keep, seen
from buto.programs.store import ProgramStore
project, root, test = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
store = ProgramStore(root)
for number in range(8):
    (project / "classes/b.txt").write_text(f"{number % 3}")
    print(keep(store, seen(project), test).id)
    store.prune(test, set())
"""


def test_two_processes_keep_and_remove_programs_at_the_same_time(
    project: Path, store: ProgramStore, tmp_path: Path
) -> None:
    started = []
    for test in ("one", "two"):
        shutil.copytree(project, tmp_path / test)
        words = [sys.executable, "-c", KEEPING, str(tmp_path / test), str(tmp_path / ".buto"), test]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    for test, process in zip(("one", "two"), started, strict=True):
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        restore(store, Kept(out.split()[-1], 4, 0), tmp_path, test)
