"""Starting plain programs, and what is left of them."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure import launch as launch_module
from buto.measure.account import readable
from buto.measure.launch import Ending, Launch
from buto.measure.private_directory import private_directory
from buto.measure.process_group import is_alive
from buto.measure.target import Target


def sh(script: str, **settings: object) -> Target:
    return Target(("sh", "-c", script), **settings)  # type: ignore[arg-type]


def run(target: Target, directory: Path, timeout_s: float = 10.0) -> tuple[Ending, Launch]:
    with Launch(target, directory) as launch:
        ending = launch.wait(timeout_s)
        assert ending is not None
        launch.end_all()
        launch.outputs = (launch.read_stdout(), launch.read_stderr())  # type: ignore[attr-defined]
    return ending, launch


def printed(target: Target, directory: Path) -> str:
    _, launch = run(target, directory)
    return launch.outputs[0].decode()  # type: ignore[attr-defined, no-any-return]


def wait_for_output(launch: Launch, text: bytes) -> None:
    deadline = time.monotonic() + 10
    while text not in launch.read_stdout():
        assert time.monotonic() < deadline, launch.quote()
        time.sleep(0.005)


def test_exit_code_signal_and_processor_time_are_the_commands_own(tmp_path: Path) -> None:
    ending, _ = run(sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 7"), tmp_path)
    assert (ending.exit_code, ending.signal) == (7, None)
    assert 0.001 < ending.used.cpu_s < 5
    (tmp_path / "second").mkdir()
    ending, _ = run(sh("kill -SEGV $$"), tmp_path / "second")
    assert (ending.exit_code, ending.signal) == (None, signal.SIGSEGV)


def test_standard_input_is_empty_and_the_outputs_are_apart(tmp_path: Path) -> None:
    _, launch = run(sh("cat; echo out; echo err >&2"), tmp_path)
    assert launch.outputs == (b"out\n", b"err\n")  # type: ignore[attr-defined]


def test_directory_and_environment_are_the_targets(tmp_path: Path) -> None:
    target = sh("pwd; echo $GREETING", directory=tmp_path, environment={"GREETING": "hi there"})
    assert printed(target, tmp_path) == f"{tmp_path}\nhi there\n"


def test_the_command_has_a_session_and_group_of_its_own(tmp_path: Path) -> None:
    with Launch(sh("echo ready; exec sleep 60"), tmp_path) as launch:
        wait_for_output(launch, b"ready")
        assert os.getsid(launch.pid) == os.getpgid(launch.pid) == launch.pid != os.getsid(0)


def test_a_command_that_cannot_be_watched_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, open_usually = [], os.pidfd_open

    def refuse(pid: int) -> int:
        # The machine is asked first whether it has the call.
        if pid == os.getpid():
            return open_usually(pid)
        started.append(pid)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "pidfd_open", refuse)
    n_open = len(os.listdir("/proc/self/fd"))
    with pytest.raises(MeasureError, match=os.strerror(errno.EMFILE)):
        Launch(sh("sleep 60 & exec sleep 60"), tmp_path)
    (pid,) = started
    assert not is_alive(pid)
    assert len(os.listdir("/proc/self/fd")) <= n_open


def test_background_processes_and_daemons_are_ended_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_module, "GRACE_S", 0.2)
    deaf = "(setsid sh -c 'trap \"\" TERM; sleep 63 & echo daemon; wait; sleep 64' &)"
    script = f"sleep 61 & setsid sleep 62 & {deaf}; until grep -q daemon stdout; do sleep 0.01; done"
    with Launch(sh(script, directory=tmp_path), tmp_path) as launch:
        assert launch.wait(10) is not None
        left = launch.members()
        assert len(left) >= 4
    assert not any(is_alive(pid) for pid in left)
    assert launch.n_left_over == len(left)


def test_a_program_that_ignores_the_request_to_end_is_killed_after_two_seconds(tmp_path: Path) -> None:
    with Launch(sh("trap '' TERM; echo ready; while :; do sleep 0.1; done"), tmp_path) as launch:
        wait_for_output(launch, b"ready")
        start = time.monotonic()
    assert 1.9 < time.monotonic() - start < 60
    ending = launch.poll()
    assert ending is not None
    assert ending.signal == signal.SIGKILL
    assert launch.n_left_over == 0


def test_a_program_that_ends_when_asked_may_clean_up(tmp_path: Path) -> None:
    script = f"trap 'echo clean > {tmp_path}/done; exit' TERM; echo ready; while :; do sleep 0.01; done"
    with Launch(sh(script), tmp_path) as launch:
        wait_for_output(launch, b"ready")
    assert (tmp_path / "done").read_text() == "clean\n"


def test_the_descriptor_becomes_readable_at_the_end(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Launch(sh(f"read nothing; until [ -e {gate} ]; do sleep 0.01; done"), tmp_path) as launch:
        assert not readable(launch.fileno(), 0)
        assert launch.poll() is None
        gate.touch()
        assert readable(launch.fileno(), 10)
        assert launch.poll() is not None


@pytest.mark.parametrize(
    ("target", "message", "advice"),
    [
        (Target(("no-such-program", "x")), "command not found: no-such-program", "check the name"),
        (
            Target(("./no-such-program",)),
            "./no-such-program cannot be started: No such file",
            "check the path",
        ),
        (Target(("./no-such",)), "./no-such cannot be started: No such file", "check the path"),
        (Target(("/proc/version",)), "/proc/version cannot be started: Permission denied", "chmod +x"),
        (Target(("true",), directory=Path("/no/where")), "working directory /no/where does not", "create it"),
        (
            Target(("java", "Main"), environment={"PATH": "/nowhere", "JAVA_HOME": "/nowhere"}),
            "command not found: java",
            "install a JDK",
        ),
    ],
)
def test_a_command_that_cannot_be_started_is_named(
    target: Target, message: str, advice: str, tmp_path: Path
) -> None:
    with pytest.raises(MeasureError, match=message) as raised:
        Launch(target, tmp_path)
    assert advice in str(raised.value.advice)


def test_a_script_without_interpreter_says_how_to_run_it(tmp_path: Path) -> None:
    script = tmp_path / "tool"
    script.write_bytes(b"\x00\x01\x02")
    script.chmod(0o755)
    with pytest.raises(MeasureError, match="tool cannot be started: Exec format error") as raised:
        Launch(Target((str(script),)), tmp_path)
    assert raised.value.advice == f"if it is a script, name what runs it: sh {script}"


def test_the_session_directory_is_private_and_goes_with_its_block(nothing_is_left: Path) -> None:
    with private_directory() as directory:
        assert directory.parent == nothing_is_left
        assert directory.stat().st_mode & 0o777 == 0o700
        (directory / "file").write_text("x")
    assert not directory.exists()


def test_what_a_killed_buto_left_is_removed_by_the_next_but_not_what_others_hold(
    nothing_is_left: Path,
) -> None:
    long_ago = time.time() - 3600
    with private_directory() as held:
        abandoned = nothing_is_left / "buto-session-abandoned"
        young = nothing_is_left / "buto-session-young"
        other = nothing_is_left / "buto-perf-x"
        for directory in (abandoned, young, other):
            directory.mkdir()
        (abandoned / "stdout").write_text("x")
        for directory in (held, abandoned, other):
            os.utime(directory, (long_ago, long_ago))
        with private_directory():
            assert held.exists()
            assert young.exists()
            assert other.exists()
            assert not abandoned.exists()
        young.rmdir()
        other.rmdir()
