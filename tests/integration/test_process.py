"""A native executable on the command line: trained, kept by content, and refused where a JVM is needed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.processes.command import buto, called
from tests.support.processes.repository import commit, git


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("native")
    shutil.copy("/bin/true", directory / "native")
    done = called(directory, "train", "native", "--runs", "5", "--measure", "process", "--", "./native")
    assert done.returncode == 0, done.stderr
    return directory


def test_the_executable_is_kept(trained: Path) -> None:
    program = json.loads((trained / "oracles" / "native.json").read_text())["program"]
    assert program["files"] == 1
    assert program["bytes"] == (trained / "native").stat().st_size


@pytest.mark.parametrize("command", ["why", "grow", "size"])
def test_what_needs_a_jvm_says_so(trained: Path, command: str) -> None:
    done = called(trained, command, "native")
    assert done.returncode == 2, done.stderr
    assert "without" in done.stderr


def test_why_says_so_too_if_the_old_program_was_not_kept(trained: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(trained, copied)
    shutil.rmtree(copied / ".buto" / "programs")
    called(copied, "why", "native", exits=2)


LIMITED = """\
version: 1
tests:
  native:
    command: ./native if=/dev/zero of=/dev/null bs=256M count=1
    measure: process
    limit: 1MiB
"""
"""It needs more than the process that launches it, so that the kernel tells its peak: buto, not the tests."""


def test_a_check_that_fails_offers_nothing_that_needs_a_jvm(tmp_path: Path) -> None:
    shutil.copy("/bin/dd", tmp_path / "native")
    (tmp_path / "buto.yaml").write_text(LIMITED)
    trained = buto(tmp_path, "train", "native", "--runs", "5")
    assert trained.returncode == 0, trained.stderr
    done = buto(tmp_path, "check", "native")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "buto size" not in done.stdout
    assert "buto why" not in done.stdout


def test_a_comparison_that_fails_offers_nothing_that_needs_a_jvm(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for size in ("64M", "256M"):
        (tmp_path / "native").write_text(f"#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs={size} count=1\n")
        (tmp_path / "native").chmod(0o755)
        commit(tmp_path)
    words = ("compare", "native", "--revisions", "HEAD~1", "HEAD", "--runs", "5", "--alpha", "0.05")
    done = called(tmp_path, *words, "--measure", "process", "--", "./native", exits=1)
    assert "buto compare" in done.stdout
    assert "buto why" not in done.stdout


def test_a_command_without_a_jvm_is_told_how_it_is_measured(tmp_path: Path) -> None:
    done = called(tmp_path, "record", "native", "--", "true")
    assert done.returncode == 3
    assert "--measure process" in done.stderr


SERVED = """\
version: 1
tests:
  server:
    command: {command}
    measure: process
    interval: 20ms
    expect-exit: 143
    workload:
      port: any
      ready: {{http: "http://127.0.0.1:${{port}}/"}}
      http: {{url: "http://127.0.0.1:${{port}}/", rate: 50, duration: 400ms}}
      stop: true
"""


def test_a_server_is_ready_driven_and_stopped(tmp_path: Path) -> None:
    server = [
        sys.executable,
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        "--directory",
        str(tmp_path),
        "0",
    ]
    (tmp_path / "buto.yaml").write_text(SERVED.format(command=json.dumps(server)))
    (run_id,) = called(tmp_path, "record", "server", exits=0).stdout.split()
    run = RunStore(tmp_path / ".buto").load("server", run_id)
    assert run.quality.valid
    assert run.outcome.exit_code == 143
    start, end = (
        next(mark.time_s for mark in run.marks if mark.name == name) for name in ("load.start", "load.end")
    )
    assert 0 < start < end <= run.times_s[-1]
    # Twenty answers, and the one that said that it was ready.
    assert run.series("process.io.calls[write]")[-1] >= 21
    assert run.series("command.cpu.time")[-1] > 0
