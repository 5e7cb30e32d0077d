"""The checksum over a program's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure import command_line
from buto.measure.command_line import program_digest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "classes" / "com").mkdir(parents=True)
    (tmp_path / "classes" / "com" / "Shop.class").write_bytes(b"one")
    (tmp_path / "lib.jar").write_bytes(b"jar")
    (tmp_path / "input.txt").write_bytes(b"data")
    return tmp_path


def digest(
    directory: Path, class_path: str = "classes:lib.jar:missing", command: str = "java Shop"
) -> object:
    return program_digest(
        {
            "system.property[user.dir]": str(directory),
            "jvm.class.path": class_path,
            "buto.command": command,
        }
    )


@pytest.mark.parametrize("changed", ["classes/com/Shop.class", "lib.jar", "classes/com/New.class"])
def test_another_class_or_jar_is_another_program(project: Path, changed: str) -> None:
    before = digest(project)
    (project / changed).write_bytes(b"two")
    assert digest(project) != before


def test_the_place_and_the_data_of_a_program_do_not_matter(project: Path) -> None:
    before = digest(project)
    (project / "input.txt").write_bytes(b"other data")
    moved = project.rename(project.with_name("moved"))
    assert (digest(moved), len(str(before))) == (before, 12)


def test_a_source_that_the_command_names_belongs_to_the_program(project: Path) -> None:
    (project / "Shop.java").write_text("class Shop {}")
    before = digest(project, "", "java 'Shop.java' input.txt")
    (project / "Shop.java").write_text("class Shop { }")
    assert digest(project, "", "java 'Shop.java' input.txt") not in (None, before)


def test_what_cannot_be_known_is_not_claimed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert digest(project, "missing", "java 'unbalanced") is None
    monkeypatch.setattr(command_line, "MAX_ENTRIES", 1)
    assert digest(project) is None
    monkeypatch.undo()
    monkeypatch.setattr(command_line, "MAX_BYTES", 3)
    assert digest(project) is None


def test_a_directory_without_permission_is_not_guessed_at(project: Path) -> None:
    os.symlink("nowhere", project / "classes" / "Gone.class")
    assert digest(project) is None
