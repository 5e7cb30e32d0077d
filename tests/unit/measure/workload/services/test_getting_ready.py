"""Services as processes: started in order, and ready before the program."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure.process_group import is_alive
from buto.measure.progress import Progress
from buto.measure.workload.services import CommandSucceeds, HttpAnswers, LogLine, PortOpen, Readiness, Service
from buto.measure.workload.serving import running
from perf.scale.ports import free_port
from tests.support.services import UP, sh, web_server


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
    service = sh(
        "pwd; echo $LEVEL >&2; echo up; exec sleep 60", directory=tmp_path, environment={"LEVEL": "7"}
    )
    with running([service]) as services:
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
    service = sh(
        "sleep 0.1; touch $SIGN; exec sleep 60", readiness=ready, environment={"SIGN": f"{tmp_path}/sign"}
    )
    with running([service]):
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
    service = sh("echo still starting; exec sleep 60", readiness=readiness, within_s=1.0)
    with (
        pytest.raises(MeasureError, match="the service 'db' was not ready within 1 s") as error,
        running([service]),
    ):
        pass
    assert missing in error.value.message
    assert "still starting" in error.value.message
    assert "{ready: {within: 2s}}" in (error.value.advice or "")


def test_a_page_of_the_wrong_status_is_never_ready() -> None:
    port = free_port()
    service = web_server(port, HttpAnswers(f"http://127.0.0.1:{port}/none"))
    service = Service(service.name, service.command, service.readiness, within_s=2.0)
    with pytest.raises(MeasureError, match="answers with status 404"), running([service]):
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


def test_ctrl_c_while_a_service_gets_ready_leaves_nothing() -> None:
    def interrupt(progress: Progress) -> None:
        assert progress.stage == "service db"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), running([sh("sleep 61 & exec sleep 60")], interrupt):
        pass
