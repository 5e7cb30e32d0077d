"""Ctrl-C and other ends from outside, sent to a real buto with a real JVM."""

from __future__ import annotations

import os
import re
import shlex
import signal
from pathlib import Path

import pytest

from buto.cli.main import DOOR_INPUT, HELD
from buto.run.store import RunStore
from tests.support.jvm.harness import harness, until
from tests.support.processes.command import buto


def test_ctrl_c_keeps_what_is_complete_and_says_how_to_go_on(tmp_path: Path, classes: Path) -> None:
    command = ("--", "java", "-cp", str(classes), "Does", "sleep", "400")
    with harness(tmp_path, "-m", "buto", "train", "sleeper", "--runs", "5", *command) as training:
        until(lambda: "samples, " in training.printed(), "no run is complete")
        os.killpg(training.process.pid, signal.SIGINT)
        assert training.ended() == 130, training.printed()
        training.assert_alone()
        said = training.printed()
    complete = said.count("samples, ")
    assert f"stopped by Ctrl-C; complete and kept in .buto: {complete} of 5 runs of 'sleeper'" in said
    assert "Traceback" not in said
    stored = list((tmp_path / ".buto" / "runs" / "sleeper").iterdir())
    assert len(stored) == len(RunStore(tmp_path / ".buto").ids("sleeper"))
    assert not (tmp_path / "oracles").exists()
    advice = said.splitlines()[-1]
    assert advice.startswith("try:  to go on: buto train sleeper --runs 5 --resume ")
    done = buto(tmp_path, *shlex.split(advice.removeprefix("try:  to go on: buto ")))
    assert done.returncode == 0, done.stderr
    assert "TRAINED  sleeper: 5 runs" in done.stdout
    left = 5 - complete
    assert re.findall(rf"run (\d) of {left}: \d+ samples", done.stderr) == [
        str(number + 1) for number in range(left)
    ]


def hanging(classes: Path) -> tuple[str, ...]:
    return ("-m", "buto", "record", "hanging", "--", "java", "-cp", str(classes), "Does", "hang")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_buto_that_is_ended_ends_its_jvm(
    tmp_path: Path, classes: Path, number: signal.Signals, code: int
) -> None:
    with harness(tmp_path, *hanging(classes)) as measuring:
        measuring.reached("started")
        measuring.process.send_signal(number)
        assert measuring.ended() == code
        measuring.assert_alone()
        assert "Traceback" not in measuring.printed()
    assert RunStore(tmp_path / ".buto").ids("hanging") == []


BUILD = """
import subprocess, sys
subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE).wait()
"""
"""Holds the input of what it starts, as a build tool does."""


def test_a_buto_ends_with_its_jvm_when_the_build_that_started_it_is_killed(
    tmp_path: Path, classes: Path
) -> None:
    with harness(tmp_path, "-c", BUILD, *hanging(classes), **{DOOR_INPUT: HELD}) as build:
        build.reached("started")
        build.kill()
        build.assert_alone()
        assert "Traceback" not in build.printed()
    assert RunStore(tmp_path / ".buto").ids("hanging") == []


def test_a_second_buto_waits_for_the_first(tmp_path: Path, classes: Path) -> None:
    command = ("--", "java", "-cp", str(classes), "Does", "sleep", "300")
    with harness(tmp_path, *hanging(classes)) as first:
        first.reached("started")
        with harness(tmp_path, "-m", "buto", "record", "sleeper", "--interval", "1s", *command) as second:
            until(lambda: "\n" in second.printed(), "the second says nothing")
            assert second.printed() == "waiting for another buto that is measuring into .buto\n"
            first.process.send_signal(signal.SIGINT)
            assert second.ended() == 0
            second.assert_alone()
        first.assert_alone()
    # A run that was disturbed is kept, too, and then repeated.
    assert len(RunStore(tmp_path / ".buto").load_set("sleeper").valid()) == 1
