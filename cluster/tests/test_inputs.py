"""The files of a program: what is sent to a host, and where the host puts it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from buto.errors import MeasureError, UsageError
from buto.measure.target import Target
from buto.programs import snapshot as snapshot_module
from buto_cluster import host as inputs_module
from buto_cluster import staging as staging_module
from buto_cluster.host import Inputs, inputs_of
from buto_cluster.staging import Staging


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with jars inside and outside, classes, a script and a file that it reads."""
    files = {
        "project/lib/app.jar": b"app",
        "project/classes/com/acme/Main.class": b"main",
        "project/classes/.git/HEAD": b"hidden",
        "project/conf/app.yml": b"port: 1",
        "project/run.sh": b"#!/bin/sh",
        "repository/a/dep.jar": b"dep a",
        "repository/b/dep.jar": b"dep b",
        "sibling/classes/Other.class": b"other",
        "etc/hosts": b"hosts",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "project"


def found(project: Path, *command: str, patterns: tuple[str, ...] = (), base: Path | None = None) -> Inputs:
    return inputs_of(Target(command, directory=project), patterns, base)


def staged(staging: Staging, inputs: Inputs, command: tuple[str, ...]) -> Target:
    """The program on a host that has none of its files."""
    elsewhere = replace(inputs, directory="/not/there")
    for sha256 in staging.missing(elsewhere):
        source = next(file for file in inputs.files if file.sha256 == sha256)
        staging.receive(sha256, [Path(inputs.path(source)).read_bytes()], is_first=True, is_last=True)
    return staging.place(Target(command), elsewhere)


def places(inputs: Inputs) -> set[str]:
    """Places relative to the working directory."""
    return {os.path.relpath(inputs.path(file), inputs.directory) for file in inputs.files}


def test_the_command_is_rewritten_only_where_paths_are_absolute(project: Path) -> None:
    outside = project.parent / "repository"
    command = ("java", f"-javaagent:{outside}/a/dep.jar=x=1", "-cp", f"lib/*:{project}/classes", "Main", "-v")
    inputs = found(project, *command)
    placed = inputs.placed(Target(command), Path("/tree"))
    assert placed.directory == Path("/tree/project")
    assert placed.command == (
        "java",
        "-javaagent:/tree/repository/a/dep.jar=x=1",
        "-cp",
        "lib/*:/tree/project/classes",
        "Main",
        "-v",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("-javaagent:{outside}/a/dep.jar", "-cp", "{outside}/a/dep.jar", "Main"),
        ("-cp", "../repository/a/dep.jar:{outside}/a/dep.jar", "Main"),
        ("-cp", "{outside}/a:{outside}/a/dep.jar", "Main"),
        ("-cp", "{outside}/a/*", "Main"),
        ("-cp", "../repository/a/*:lib/*", "Main"),
    ],
)
def test_a_staged_program_finds_all_files_that_its_command_names(
    project: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command = ("java", *(word.format(outside=tmp_path / "repository") for word in words))
    inputs = found(project, *command)
    placed = staged(Staging(tmp_path / "host"), inputs, command)
    named = [
        Path(placed.directory or "", part.removeprefix("-javaagent:"))
        for word in placed.command
        for part in word.split(":")
        if "/" in part
    ]
    assert named
    for path in named:
        assert os.path.normpath(path).startswith(f"{tmp_path / 'host'}/")
        files = list(path.parent.glob("*.jar")) if path.name == "*" else [path]
        assert files
        assert all(file.exists() for file in files)


def test_programs_with_the_same_files_in_two_directories_have_two_trees(
    project: Path, tmp_path: Path
) -> None:
    staging = Staging(tmp_path / "host")
    for name in ("project", "sibling"):
        target = Target(("gradle", "run"), directory=tmp_path / name)
        inputs = inputs_of(target, ("project/conf/app.yml",), tmp_path)
        placed = staged(staging, inputs, target.command)
        assert placed.directory is not None
        assert placed.directory.is_dir()


def test_declared_inputs_are_sent_too_and_the_tree_begins_at_the_configuration(project: Path) -> None:
    inputs = found(project, "./run.sh", patterns=("project/conf", "sib*/**/*.class"), base=project.parent)
    assert places(inputs) == {"run.sh", "conf/app.yml", "../sibling/classes/Other.class"}
    assert inputs.program.within == "project"


def test_hidden_files_are_not_sent_unless_they_are_named(project: Path) -> None:
    for name in (".env", "conf/.hidden/key", "classes/.idea/x"):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"hidden")
    os.mkfifo(project / "conf/pipe")
    os.mkfifo(project / "pipe")
    inputs = found(project, "gradle", patterns=("**", "*", "pipe", "conf/.hidden/*"))
    assert places(inputs) == {
        "lib/app.jar",
        "classes/com/acme/Main.class",
        "conf/app.yml",
        "conf/.hidden/key",
        "run.sh",
    }


@pytest.mark.parametrize("pattern", ["/etc/hosts", "../etc/hosts", "lib/../../etc/*"])
def test_patterns_that_lead_out_of_the_project_are_refused(project: Path, pattern: str) -> None:
    with pytest.raises(UsageError, match="inputs must be patterns of files below") as refused:
        found(project, "gradle", patterns=(pattern,))
    assert repr(pattern) in refused.value.message


def test_a_file_that_cannot_be_read_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str, status: os.stat_result) -> str:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(snapshot_module, "sha256_of", refused)
    with pytest.raises(UsageError, match="lib/app.jar cannot be read: Permission"):
        found(project, "java", "-jar", "lib/app.jar")


def test_the_digest_is_that_of_places_and_contents(project: Path) -> None:
    first = found(project, "java", "-jar", "lib/app.jar")
    (project / "lib/app.jar").touch()
    assert found(project, "java", "-jar", "lib/app.jar").digest == first.digest
    (project / "lib/app.jar").write_bytes(b"app, changed")
    assert found(project, "java", "-jar", "lib/app.jar").digest != first.digest


def test_too_large_inputs_are_refused_with_advice(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs_module, "MOST_BYTES", 4)
    with pytest.raises(UsageError, match="have 7 B, and at most 4 B are sent") as refused:
        found(project, "java", "-cp", "lib/app.jar:classes", "Main")
    assert "at the same path on every host" in str(refused.value.advice)


def test_nothing_is_sent_to_a_host_that_has_the_same_files(project: Path, tmp_path: Path) -> None:
    staging = Staging(tmp_path / "host")
    inputs = found(project, "java", "-jar", "lib/app.jar")
    assert staging.missing(inputs) == ()
    target = Target(("java", "-jar", "lib/app.jar"))
    assert staging.place(target, inputs).directory == project
    assert not (tmp_path / "host").exists()


def test_a_file_that_a_host_may_not_read_is_sent(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = found(project, "java", "-jar", "lib/app.jar")

    def refused(path: str, status: os.stat_result) -> str:
        raise PermissionError(path)

    monkeypatch.setattr(staging_module, "sha256_of", refused)
    assert Staging(tmp_path / "host").missing(inputs) == (inputs.files[0].sha256,)


def test_a_host_receives_each_content_once_and_has_a_tree_for_each_program(
    project: Path, tmp_path: Path
) -> None:
    staging = Staging(tmp_path / "host")
    command = ("java", "-cp", f"classes:{project}/lib/app.jar", "com.acme.Main")
    inputs = found(project, *command)
    contents = {file.sha256: Path(inputs.path(file)).read_bytes() for file in inputs.files}
    project.rename(tmp_path / "moved away")
    assert set(staging.missing(inputs)) == set(contents)
    for sha256, content in contents.items():
        staging.receive(sha256, [content[:2]], is_first=True, is_last=False)
        assert sha256 in staging.missing(inputs)
        staging.receive(sha256, [content[2:]], is_first=False, is_last=True)
    assert staging.missing(inputs) == ()
    placed = staging.place(Target(command), inputs)
    assert placed.directory is not None
    assert (placed.directory / "classes/com/acme/Main.class").read_bytes() == b"main"
    assert placed.command[2] == f"classes:{placed.directory}/lib/app.jar"
    assert staging.place(Target(command), inputs) == placed


def test_a_content_that_is_not_the_announced_one_is_refused(tmp_path: Path) -> None:
    staging = Staging(tmp_path)
    announced = hashlib.sha256(b"right").hexdigest()
    with pytest.raises(MeasureError, match="arrived damaged"):
        staging.receive(announced, [b"wrong"], is_first=True, is_last=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_program_without_inputs_needs_its_directory_on_the_host(project: Path, tmp_path: Path) -> None:
    inputs = found(project, "gradle", "run")
    assert inputs.files == ()
    project.rename(tmp_path / "moved away")
    with pytest.raises(MeasureError, match="does not exist on this host") as refused:
        Staging(tmp_path / "host").place(Target(("gradle", "run")), inputs)
    assert "inputs:" in str(refused.value.advice)
