"""Commands that start their JVMs further down."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure import account
from tests.support.jvm.driven import once_sampled
from tests.support.jvm.javas import COLLECTORS
from tests.support.jvm.recorder import Recorder, problems

pytestmark = pytest.mark.all


@pytest.fixture
def ends(classes: Path) -> str:
    """A shell's words for the program Ends."""
    return f"java -cp {shlex.quote(str(classes))} Ends"


@pytest.fixture
def sampled(tmp_path: Path) -> Path:
    """The file that ends a program, which waits for it: nobody knows how long JMX takes to be there."""
    return tmp_path / "sampled"


def tells_exit_codes() -> bool:
    """Whether the kernel is Linux 6.15 or newer."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int(minor)) >= (6, 15)


def test_a_script_that_starts_java_is_measured_by_its_jvm(record: Recorder, ends: str) -> None:
    run = record.run("sh", "-c", f"{ends} 100; echo done >&2; exit 5", expected_exit=5)
    assert run.outcome.exit_code == 5
    assert run.outcome.last_sample == "agent"
    assert problems(run) == []
    assert run.stderr == b"done\n"
    assert run.times_s[0] < 0
    assert 0.1 < run.outcome.duration_s < 60


def test_a_script_that_becomes_java_is_the_jvm(record: Recorder, ends: str, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {ends} 50 halt\n")
    script.chmod(0o755)
    run = record.run(str(script), expected_exit=4)
    assert run.outcome.exit_code == 4
    assert run.outcome.last_sample == "hsperfdata"
    assert np.isfinite(run.series("jvm.cpu.time")[-1])


def test_a_jvm_that_is_not_a_child_of_ours_has_no_processor_time_at_its_end(
    record: Recorder, ends: str
) -> None:
    run = record.run("sh", "-c", f"{ends} 50 halt; exit $?", expected_exit=4)
    assert problems(run) == []
    assert run.outcome.last_sample == "hsperfdata"
    assert np.isnan(run.series("jvm.cpu.time")[-1])
    assert "jvm.cpu.time" in run.nan_reasons


def test_a_jvm_with_process_ids_of_its_own_is_read_from_outside(record: Recorder, ends: str) -> None:
    own_ids = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*own_ids, "true"], check=False, capture_output=True).returncode:
        pytest.skip("process ids of one's own are not permitted")
    run = record.run(*own_ids, *shlex.split(ends), "300")
    assert int(run.metadata["process.pid"] or 0) < 100, "by the JVM's own account"
    assert problems(run) == []
    assert np.isfinite(run.series("process.memory.usage")[-1])
    assert np.isfinite(run.series("process.context_switches[voluntary]")[-1])


@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize(
    ("command", "end", "code"),
    [
        ("{ends} {sampled} signal KILL; exit 0", "was ended by signal 9", -9),
        ("{ends} {sampled} exception | cat", "exited with code 1", 1),
        ("{ends} {sampled} halt; exit 0", "exited with code 4", 4),
        ("{ends} {sampled} signal TERM; exit 0", None, 143),
        ("{ends} {sampled} | cat", None, 0),
    ],
)
def test_a_wrapper_cannot_hide_how_its_jvm_ended(
    record: Recorder, ends: str, sampled: Path, collector: str, command: str, end: str | None, code: int
) -> None:
    if not tells_exit_codes():
        pytest.skip("this kernel tells no exit codes of others' children")
    command = command.format(ends=ends, sampled=sampled)
    run = record.run("sh", "-c", command, collector=collector, on_tick=once_sampled(3, sampled.touch))
    assert run.outcome.exit_code == 0
    assert run.metadata["buto.jvm"] == "Ends"
    assert run.metadata["buto.jvm.exit"] == code
    assert problems(run) == ([f"the measured JVM {end}, which its command did not report"] if end else [])


def test_where_exit_codes_are_unknown_a_missing_exit_hook_is_enough(
    record: Recorder, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "_PIDFD_GET_INFO", 0)
    killed = record.run("sh", "-c", f"{ends} 50 signal KILL; exit 0")
    assert problems(killed) == ["the measured JVM ended without its exit hook: killed, halted or crashed"]
    failed = record.run("sh", "-c", f"{ends} 50 exception | cat")
    assert problems(failed) == []
    assert failed.metadata["buto.jvm.exit"] is None


def test_the_users_own_tool_options_stay(record: Recorder, ends: str) -> None:
    run = record.run("sh", "-c", f"{ends} 0", environment={"JAVA_TOOL_OPTIONS": "-Dgreeting='good day'"})
    assert run.stderr == b"Picked up JAVA_TOOL_OPTIONS: -Dgreeting='good day'\n"
    assert run.metadata["system.property[greeting]"] == "good day"


def test_of_two_jvms_the_first_is_measured_and_the_other_named(
    record: Recorder, ends: str, classes: Path
) -> None:
    run = record.run("sh", "-c", f"{ends} 50; java -cp {classes} Prints 0")
    assert str(run.metadata["system.property[sun.java.command]"]).startswith("Ends 50")
    assert run.metadata["buto.jvms.others"] == "Prints"
    assert b"last\n" in run.stdout


def test_of_two_jvms_the_named_one_is_measured(record: Recorder, ends: str, classes: Path) -> None:
    run = record.run("sh", "-c", f"{ends} 50; java -cp {classes} Prints 0", jvm="Pr*")
    assert str(run.metadata["system.property[sun.java.command]"]).startswith("Prints 0")
    assert run.metadata["buto.jvms.others"] == "Ends"


@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize("question", ["-version", "-XshowSettings -version"])
def test_a_jvm_that_runs_no_program_is_passed_over(
    record: Recorder, java: str, ends: str, sampled: Path, collector: str, question: str
) -> None:
    command = f"{java} {question}; {ends} {sampled}"
    run = record.run("sh", "-c", command, collector=collector, on_tick=once_sampled(3, sampled.touch))
    assert str(run.metadata["system.property[sun.java.command]"]).startswith("Ends ")


@pytest.mark.parametrize("collector", COLLECTORS)
def test_a_command_whose_jvms_run_no_program_is_an_error(record: Recorder, java: str, collector: str) -> None:
    with pytest.raises(MeasureError, match="the command started no JVM "):
        record.run("sh", "-c", f"{java} -version; exit 0", collector=collector)


def test_a_missing_main_class_is_named_whatever_the_wrapper_returns(record: Recorder) -> None:
    with pytest.raises(MeasureError, match=r"the program did not start: Error: .* com\.acme\.Service"):
        record.run("sh", "-c", "java -cp nowhere com.acme.Service 5; exit 0")


def test_compilers_and_build_tools_are_passed_over(record: Recorder, javac: Path, tmp_path: Path) -> None:
    (tmp_path / "Hello.java").write_text(
        "class Hello { public static void main(String[] a) { System.out.print(1); } }"
    )
    run = record.run("sh", "-c", f"{javac} Hello.java && java -cp . Hello", directory=tmp_path)
    assert run.metadata["system.property[sun.java.command]"] == "Hello"
    assert run.metadata["buto.jvms.others"] == "com.sun.tools.javac.Main"
    assert run.stdout == b"1"
    assert b"Picked up" not in run.stderr


def test_a_wrapper_may_end_before_its_jvm(record: Recorder, ends: str) -> None:
    run = record.run("sh", "-c", f"sleep 0.3 && {ends} 200 & exit 7", expected_exit=7)
    assert run.outcome.exit_code == 7
    assert run.outcome.last_sample == "agent"
    assert 0.2 < run.outcome.duration_s < 60


def test_what_the_command_leaves_behind_is_ended_and_counted(record: Recorder, ends: str) -> None:
    run = record.run("sh", "-c", f"sleep 100 & setsid sleep 100 & {ends} 0")
    assert run.metadata["buto.left_over.processes"] == 2
    assert problems(run) == []


def test_jvms_that_are_not_the_named_one_give_an_error_that_lists_them(record: Recorder, ends: str) -> None:
    with pytest.raises(MeasureError) as raised:
        record.run("sh", "-c", f"{ends} 0; {ends} 1", jvm="com.acme.*")
    assert raised.value.message.startswith("no JVM that matches 'com.acme.*' was started, only: Ends, Ends")
    assert raised.value.advice == "name the main class or the jar to measure, as: --jvm Ends"


@pytest.mark.parametrize(
    ("command", "settings", "message"),
    [
        (("true",), {}, "the command started no JVM that could be measured"),
        (("sh", "-c", "echo one; echo two >&2; exit 9"), {}, "end: exit code 9\nstdout, last lines:\none\n"),
        (("sleep", "60"), {"timeout_s": 0.5}, "no JVM had started when the time limit of 0.5 s had passed"),
        (("no-such-command",), {}, "command not found: no-such-command"),
    ],
)
def test_a_command_that_starts_no_jvm_is_an_error(
    record: Recorder, command: tuple[str, ...], settings: dict[str, Any], message: str
) -> None:
    start = time.monotonic()
    with pytest.raises(MeasureError) as raised:
        record.run(*command, **settings)
    assert message in raised.value.message
    assert raised.value.advice
    assert time.monotonic() - start < 50, "the command may sleep for 60 s"
