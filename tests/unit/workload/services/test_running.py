"""Services as processes: ready before the program, gone after it, whatever happens."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from buto.collect.hooks import Program
from buto.collect.process.process_group import is_alive
from buto.collect.progress import Progress
from buto.errors import MeasureError, StorageError, UsageError
from buto.runs import ProblemKind
from buto.workload.services.model import CommandSucceeds, HttpAnswers, LogLine, PortOpen, Readiness, Service
from buto.workload.services.running import Services, running
from tests.support.checkout import ROOT

UP = LogLine(re.compile("^up$"))
TICK = Progress(0.0, 1.0, 0, "running")
PATIENCE_S = 20.0


def sh(script: str, name: str = "db", readiness: Readiness = UP, **settings: Any) -> Service:
    return Service(name, ("sh", "-c", script), readiness, **settings)


@contextmanager
def ending(tmp_path: Path, last: str) -> Iterator[Services]:
    """Services of which one does its last thing once it was seen to be ready, however busy the machine is."""
    gate = tmp_path / "gate"
    with running([sh(f"echo up; until [ -e {gate} ]; do sleep 0.01; done; {last}")]) as services:
        gate.touch()
        yield services


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def web_server(port: int, readiness: Readiness) -> Service:
    command = (sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1")
    return Service("web", command, readiness)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@contextmanager
def reachable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep sessions where every user can enter; pytest's own directories are private."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    try:
        yield
        assert list(place.iterdir()) == []
    finally:
        shutil.rmtree(place)


class Measured:
    """Stands for a program that is measured."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.marks: list[str] = []

    def mark_at(self, time_ns: int, name: str, text: str = "") -> None:
        assert 0 < time_ns <= time.monotonic_ns()
        self.marks = [*self.marks, name]

    def stop(self) -> None:
        self.heard.append("stop")

    def kill(self) -> None:
        self.heard.append("kill")


def with_program(services: Services) -> Measured:
    program = Measured()
    services.program_started(cast(Program, program))
    return program


def test_services_start_in_order_and_stop_in_reverse_with_their_output(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def service(name: str) -> Service:
        script = f"trap 'echo {name} ends >> {log}; echo bye; exit 0' TERM; echo {name} >> {log}; echo up; "
        return sh(f"{script} while :; do sleep 0.01; done", name)

    with running([service("first"), service("second")]) as services:
        outputs = services.stop()
    assert log.read_text().split("\n") == ["first", "second", "second ends", "first ends", ""]
    assert outputs == {"first": b"up\nbye\n", "second": b"up\nbye\n"}


def test_directory_environment_and_both_streams_are_the_services(tmp_path: Path) -> None:
    one = sh("pwd; echo $LEVEL >&2; echo up; exec sleep 60", directory=tmp_path, environment={"LEVEL": "7"})
    with running([one]) as services:
        assert services.stop() == {"db": f"{tmp_path}\n7\nup\n".encode()}


def test_a_service_is_ready_when_its_port_is_open_or_its_page_answers() -> None:
    port = free_port()
    for readiness in (PortOpen(port), HttpAnswers(f"http://127.0.0.1:{port}/")):
        with running([web_server(port, readiness)]):
            socket.create_connection(("127.0.0.1", port)).close()
    wanted = HttpAnswers(f"http://127.0.0.1:{port}/none", 404)
    with running([web_server(port, wanted)]):
        pass


def test_a_service_is_ready_when_a_command_succeeds(tmp_path: Path) -> None:
    ready = CommandSucceeds(("sh", "-c", 'test -e "$SIGN"'))
    one = sh(
        "sleep 0.1; touch $SIGN; exec sleep 60", readiness=ready, environment={"SIGN": f"{tmp_path}/sign"}
    )
    with running([one]):
        assert (tmp_path / "sign").exists()


@pytest.mark.parametrize(
    ("readiness", "missing"),
    [
        (LogLine(UP.pattern), "it has not printed a line with '^up$'"),
        (CommandSucceeds(("false",)), "false exits with code 1"),
        (CommandSucceeds(("no-such-command",)), "no-such-command cannot be started"),
    ],
)
def test_a_service_that_is_never_ready_is_ended_and_quoted(readiness: Readiness, missing: str) -> None:
    one = sh("echo still starting; exec sleep 60", readiness=readiness, within_s=0.2)
    with (
        pytest.raises(MeasureError, match="the service 'db' was not ready within 200 ms") as error,
        running([one]),
    ):
        pass
    assert missing in error.value.message
    assert "still starting" in error.value.message
    assert "{ready: {within: 0.4s}}" in (error.value.advice or "")


def test_a_page_of_the_wrong_status_is_never_ready() -> None:
    port = free_port()
    one = web_server(port, HttpAnswers(f"http://127.0.0.1:{port}/none"))
    one = Service(one.name, one.command, one.readiness, within_s=1.0)
    with pytest.raises(MeasureError, match="answers with status 404"), running([one]):
        pass


def test_a_service_that_does_not_start_is_quoted_and_those_before_are_ended(tmp_path: Path) -> None:
    good = sh(f"echo $$ > {tmp_path}/pid; echo up; exec sleep 60", "good")
    bad = sh("echo no such database; exit 3", "bad")
    with (
        pytest.raises(MeasureError, match="the service 'bad' ended before it was ready") as error,
        running([good, bad]),
    ):
        pass
    assert "exit code 3" in error.value.message
    assert "no such database" in error.value.message
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_command_that_does_not_exist_is_named() -> None:
    with (
        pytest.raises(MeasureError, match="the service 'db' cannot start: command not found: no-such-db"),
        running([Service("db", ("no-such-db",), UP)]),
    ):
        pass


def test_a_port_that_is_taken_is_told_with_its_owner() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        message = f"process {os.getpid()} .* already listens at port {port}"
        with pytest.raises(MeasureError, match=message), running([sh("exit 1", readiness=PortOpen(port))]):
            pass


def test_each_run_has_a_fresh_copy_of_the_template(tmp_path: Path) -> None:
    template = tmp_path / "template"
    (template / "cluster").mkdir(parents=True)
    (template / "cluster" / "data").write_text("as it was\n")
    (template / "cluster" / "data").chmod(0o640)
    (template / "link").symlink_to("cluster")
    one = sh(
        "echo more >> data; cat data; stat -c %a data; readlink ../link; echo up; exec sleep 60",
        template=template,
        directory=Path("cluster"),
    )
    for _ in range(2):
        with running([one]) as services:
            assert services.stop() == {"db": b"as it was\nmore\n640\ncluster\nup\n"}
    assert (template / "cluster" / "data").read_text() == "as it was\n"


def test_a_template_that_is_missing_or_cannot_be_copied_is_told(tmp_path: Path) -> None:
    one = sh("exit 1", template=tmp_path / "none")
    with (
        pytest.raises(UsageError, match="the template .*none of the service 'db' does not exist"),
        running([one]),
    ):
        pass
    (tmp_path / "file").touch()
    one = sh("exit 1", template=tmp_path / "file")
    with pytest.raises(UsageError, match="is not a directory"), running([one]):
        pass
    (tmp_path / "pipes").mkdir()
    os.mkfifo(tmp_path / "pipes" / "pipe")
    one = sh("exit 1", template=tmp_path / "pipes")
    with (
        pytest.raises(StorageError, match=r"cannot be copied: .*pipes/pipe: .*it is no regular file"),
        running([one]),
    ):
        pass


def test_a_user_that_does_not_exist_is_told() -> None:
    with (
        pytest.raises(UsageError, match="this machine has no user 'no-such-user'"),
        running([sh("exit 1", user="no-such-user")]),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_root_becomes_the_user_and_the_copy_is_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "template"
    (template / "inner").mkdir(parents=True)
    (template / "inner" / "data").write_text("x")
    one = sh(
        "id -un; touch inner/new; stat -c %U inner/data; echo $HOME; echo up; exec sleep 60",
        user="nobody",
        template=template,
    )
    with reachable(monkeypatch), running([one]) as services:
        lines = services.stop()["db"].decode().split()
    assert lines[:2] == ["nobody", "nobody"]
    assert lines[2] != os.environ.get("HOME")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_that_cannot_reach_the_copy_is_told_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "template").mkdir()
    one = sh("exit 1", user="nobody", template=tmp_path / "template")
    with pytest.raises(StorageError, match="the user 'nobody' cannot enter") as error, running([one]):
        pass
    assert "TMPDIR" in (error.value.advice or "")


def test_children_and_daemons_of_a_service_end_with_it(tmp_path: Path) -> None:
    script = "sleep 61 & setsid sleep 62 & (setsid sh -c 'trap \"\" TERM; sleep 63; sleep 64' &)"
    with running([sh(f"{script}; echo up; exec sleep 60")]):
        pass


def test_a_service_that_goes_to_the_background_runs_on_until_the_end() -> None:
    with running([sh("(exec sleep 60) & echo $!; echo up")]) as services:
        program = with_program(services)
        assert program.marks == ["service.db.ready"]
        services.on_each_tick(None)(TICK)
        assert services.program_ended() == ()
        pid = int(services.stop()["db"].split()[0])
    assert program.heard == []
    assert not is_alive(pid)


def test_a_service_that_ignores_the_signal_is_killed() -> None:
    one = sh("trap '' TERM; echo up; while :; do sleep 0.05; done", stop_within_s=0.2)
    began = time.monotonic()
    with running([one]):
        pass
    assert time.monotonic() - began < 10


def test_the_signal_is_the_one_that_was_configured() -> None:
    one = sh("trap 'echo fast; exit 0' INT; echo up; while :; do sleep 0.01; done", stop_signal=signal.SIGINT)
    with running([one]) as services:
        assert services.stop() == {"db": b"up\nfast\n"}


@pytest.mark.parametrize(
    ("last", "how"),
    [
        (
            "echo out of memory; exit 4",
            "ended with exit code 4 before the program; it printed: up / out of memory",
        ),
        ("kill -9 $$", "ended with signal 9 before the program; it printed: up"),
        ("exit 0", "ended with exit code 0 before the program; it printed: up"),
        ("cat /dev/zero > /dev/full", "it printed: up / cat: write error: No space left on device"),
    ],
)
def test_a_service_that_ends_in_mid_run_stops_the_program_and_is_quoted(
    tmp_path: Path, last: str, how: str
) -> None:
    with ending(tmp_path, last) as services:
        program = with_program(services)
        tick = services.on_each_tick(None)
        until(lambda: (tick(TICK), bool(program.heard))[1])
        [problem] = services.program_ended()
    assert problem.kind is ProblemKind.SERVICE
    assert problem.text.startswith("its service 'db' ended with ")
    assert how in problem.text
    assert program.heard == ["stop"]


def test_a_program_that_goes_on_without_its_service_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[running.__module__], "_GRACE_S", 0.05)
    with ending(tmp_path, "exit 1") as services:
        program = with_program(services)
        tick = services.on_each_tick(None)
        until(lambda: (tick(TICK), "kill" in program.heard)[1])
    assert program.heard[:2] == ["stop", "kill"]


def test_a_service_that_ended_before_main_stops_the_program_once_it_starts(tmp_path: Path) -> None:
    with ending(tmp_path, "exit 1") as services:
        tick = services.on_each_tick(None)
        time_out = time.monotonic() + PATIENCE_S
        while not services._problems and time.monotonic() < time_out:
            tick(TICK)
        program = with_program(services)
        tick(TICK)
        assert program.heard == ["stop"]


def test_what_a_service_prints_stays_bounded() -> None:
    with running(
        [sh("echo up; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end; exec sleep 60")]
    ) as services:
        tick = services.on_each_tick(None)
        until(lambda: (tick(TICK), services._started[0].output().endswith(b"end\n"))[1])
        size = Path(services._started[0]._launch.stdout.path).stat().st_blocks * 512
        output = services.stop()["db"]
    assert size < 6_000_000
    assert len(output) < 300_000
    assert output.startswith(b"up\nxxx")
    assert b"bytes of output are not kept]" in output


def test_processor_time_of_services_is_known() -> None:
    with running([sh("echo up; while :; do :; done")]) as services:
        until(lambda: services.cpu_s() > 0.05)


def test_ctrl_c_while_a_service_gets_ready_leaves_nothing() -> None:
    def interrupt(progress: Progress) -> None:
        assert progress.stage == "service db"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), running([sh("sleep 61 & exec sleep 60")], interrupt):
        pass


def test_ctrl_c_while_the_program_runs_leaves_nothing() -> None:
    with pytest.raises(KeyboardInterrupt), running([sh("sleep 61 & echo up; exec sleep 60")]):
        raise KeyboardInterrupt


def test_a_second_ctrl_c_while_services_stop_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = sh("trap '' TERM; sleep 61 & echo up; while :; do sleep 0.05; done", stop_within_s=600.0)
    with pytest.raises(KeyboardInterrupt), running([one]) as services:
        _interrupted_while_stopping(services, monkeypatch)


def _interrupted_while_stopping(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = services._started[0]._launch

    def interrupt(timeout_s: float) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(launch, "wait", interrupt)
    services.stop()


DYING = """
import re, sys, time
from buto.workload.services.model import Service
from buto.workload.services.running import running
from buto.workload.services.model import LogLine
script = "(setsid sh -c 'echo $$ >> pids; exec sleep 61' &); sleep 62 & echo $! >> pids; echo $$ >> pids; "
script += "until [ $(wc -l < pids) = 3 ]; do sleep 0.01; done; echo up; exec sleep 60"
with running([Service("db", ("sh", "-c", script), LogLine(re.compile("up")))]):
    print("ready", flush=True)
    time.sleep(60)
"""


def test_services_die_with_buto(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", DYING], cwd=tmp_path, env=environment, stdout=subprocess.PIPE
    ) as buto:
        assert buto.stdout is not None
        assert buto.stdout.readline() == b"ready\n"
        members = [int(line) for line in (tmp_path / "pids").read_text().split()]
        assert all(map(is_alive, members))
        buto.kill()
    until(lambda: not any(map(is_alive, members)))
