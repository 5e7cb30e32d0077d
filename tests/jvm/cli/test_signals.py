"""Ctrl-C and other ends from outside, sent to a real buto with a real JVM."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.processes.command import buto

DEADLINE_S = 300.0


@contextmanager
def running(directory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A buto in the background, in a process group of its own as from a shell."""
    process = subprocess.Popen(
        [sys.executable, "-m", "buto", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_keeps_what_is_complete_and_says_how_to_go_on(tmp_path: Path, classes: Path) -> None:
    command = ("--", "java", "-cp", str(classes), "Does", "sleep", "400")
    with running(tmp_path, "train", "sleeper", "--runs", "5", *command) as process:
        assert process.stderr is not None
        seen = [process.stderr.readline() for _ in range(2)]
        os.killpg(process.pid, signal.SIGINT)
        # Lines that were read ahead are in its buffer, not in the pipe.
        rest = process.stderr.read()
        process.wait(DEADLINE_S)
    assert process.returncode == 130, rest
    complete = len([line for line in seen if "samples, " in line]) + rest.count("samples, ")
    assert f"stopped by Ctrl-C; complete and kept in .buto: {complete} of 5 runs of 'sleeper'" in rest
    assert "Traceback" not in rest
    assert len(list((tmp_path / ".buto" / "runs" / "sleeper").iterdir())) == len(
        RunStore(tmp_path / ".buto").ids("sleeper")
    )
    assert not (tmp_path / "oracles").exists()

    advice = rest.splitlines()[-1]
    assert advice.startswith("try:  to go on: buto train sleeper --runs 5 --resume ")
    done = buto(tmp_path, *shlex.split(advice.removeprefix("try:  to go on: buto ")))
    assert done.returncode == 0, done.stderr
    assert "TRAINED  sleeper: 5 runs" in done.stdout
    assert done.stderr.count("samples, ") == 5 - complete


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_buto_that_is_ended_ends_its_jvm(
    tmp_path: Path, classes: Path, number: signal.Signals, code: int
) -> None:
    with running(tmp_path, "record", "hanging", "--", "java", "-cp", str(classes), "Does", "hang") as process:
        deadline = time.monotonic() + DEADLINE_S
        while not (tmp_path / "started").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert RunStore(tmp_path / ".buto").ids("hanging") == []


def test_a_second_buto_waits_for_the_first(tmp_path: Path, classes: Path) -> None:
    command = ("--", "java", "-cp", str(classes), "Does", "sleep", "300")
    with running(tmp_path, "record", "hanging", "--", "java", "-cp", str(classes), "Does", "hang") as first:
        deadline = time.monotonic() + DEADLINE_S
        while not (tmp_path / "started").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        with running(tmp_path, "record", "sleeper", "--interval", "1s", *command) as second:
            assert second.stderr is not None
            assert second.stderr.readline() == "waiting for another buto that is measuring into .buto\n"
            first.send_signal(signal.SIGINT)
            second.communicate(timeout=DEADLINE_S)
    assert second.returncode == 0
    # A run that was disturbed is kept, too, and then repeated.
    assert len(RunStore(tmp_path / ".buto").load_set("sleeper").valid()) == 1
