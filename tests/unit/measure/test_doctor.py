"""What the doctor says of machines that are not fit, without a JVM."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from buto.measure import doctor
from buto.measure.doctor import (
    Health,
    check_cores,
    check_load,
    check_store,
    check_temporary_directory,
    examine,
)
from buto.measure.jvms import JavaInstallation, find_installations

FakeJava = Callable[[str, str], Path]


@pytest.fixture
def fake_java(tmp_path: Path) -> FakeJava:
    """Makes a java that only knows its version: of a directory and a script's body."""

    def make(home: str, body: str) -> Path:
        java = tmp_path / home / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\n{body}\n")
        java.chmod(0o755)
        return java

    return make


def found(**environment: str) -> list[JavaInstallation]:
    """Those of the places that the test made, and not of the machine's own."""
    known = {installation.java for installation in find_installations({"HOME": "/nowhere"})}
    installations = find_installations({"HOME": "/nowhere", **environment})
    return [installation for installation in installations if installation.java not in known]


@pytest.mark.parametrize(
    ("printed", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_452"', 8),
        ('openjdk version "25"', 25),
    ],
)
def test_a_java_on_the_path_with_its_version(fake_java: FakeJava, printed: str, major: int) -> None:
    java = fake_java("jdk", f"echo '{printed}' >&2")
    [installation] = found(PATH=str(java.parent))
    assert (installation.java, installation.found_by, installation.major) == (java, "PATH", major)


def test_java_home_and_sdkman_are_looked_at_links_are_followed(fake_java: FakeJava, tmp_path: Path) -> None:
    home = fake_java("home", "echo 'version \"17\"'").parent.parent
    fake_java("sdkman/candidates/java/21.0.1-tem", "echo 'version \"21.0.1\"'")
    (tmp_path / "sdkman/candidates/java/current").symlink_to("21.0.1-tem")
    installations = found(JAVA_HOME=str(home), SDKMAN_DIR=str(tmp_path / "sdkman"))
    assert [installation.version for installation in installations] == ["17", "21.0.1"]


def test_a_java_that_does_not_run_has_no_version(fake_java: FakeJava) -> None:
    java = fake_java("stub", "echo 'Unable to locate a Java Runtime.' >&2; exit 1")
    [installation] = found(PATH=str(java.parent))
    assert (installation.version, installation.major) == (None, None)


def test_no_java_at_all_is_a_problem_with_the_package_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "find_installations", list)
    monkeypatch.setattr("buto.jars.path", lambda name: tmp_path / name)
    [check] = [check for check in examine(tmp_path) if check.name == "java"]
    assert check.level is Health.PROBLEM
    assert "openjdk-17-jdk-headless" in (check.advice or "")


def test_jars_that_were_not_built_are_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("buto.jars.AGENT", "never-built.jar")
    [check] = [check for check in examine(tmp_path) if check.name == "agent"]
    assert check.level is Health.PROBLEM
    assert "java-probes/build.py" in (check.advice or "")


def test_a_java_that_is_too_old_or_does_not_run_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = JavaInstallation(Path("/old/bin/java"), "PATH", "1.7.0_80")
    broken = JavaInstallation(Path("/broken/bin/java"), "JAVA_HOME", None)
    monkeypatch.setattr("buto.jars.path", lambda name: tmp_path / name)
    monkeypatch.setattr(doctor, "find_installations", lambda: [old, broken])
    assert [check.level for check in examine(tmp_path) if "java" in check.name] == [Health.PROBLEM] * 2


@pytest.mark.parametrize(
    ("free", "level"),
    [(1 << 40, Health.OK), (200 << 20, Health.WARNING), (1 << 20, Health.PROBLEM)],
)
def test_little_space_is_reported_before_it_is_a_problem(
    free: int, level: Health, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    assert check_store(tmp_path / "not there yet" / ".buto").level is level
    assert not (tmp_path / "not there yet").exists()


def test_a_store_that_cannot_be_written_is_a_problem() -> None:
    check = check_store(Path("/dev/null/.buto"))
    assert check.level is Health.PROBLEM
    assert "cannot be written" in check.detail


def test_a_temporary_directory_that_is_not_there_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    check = check_temporary_directory()
    assert check.level is Health.PROBLEM
    assert "TMPDIR" in (check.advice or "")


@pytest.mark.parametrize(
    ("load", "level"),
    [(0.0, Health.OK), (0.5, Health.WARNING), (float("nan"), Health.WARNING)],
)
def test_load_by_others(load: float, level: Health) -> None:
    assert check_load(load).level is level


@pytest.mark.parametrize(
    ("cores", "quota", "level"), [(4, None, Health.OK), (1, None, Health.WARNING), (8, 1.5, Health.WARNING)]
)
def test_one_core_or_a_small_quota_is_a_warning(
    cores: int, quota: float | None, level: Health, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"host.cores": cores, "host.cores.total": 8, "host.cores.quota": quota, "host.cpu.model": "x"}
    monkeypatch.setattr("buto.measure.host.machine", lambda: known)
    assert check_cores().level is level
