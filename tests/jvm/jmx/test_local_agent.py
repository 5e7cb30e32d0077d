"""What is open in a target while buto measures it, to whom, and that nothing of it stays."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from buto.errors import MeasureError
from buto.measure.diagnostic_command import AttachError, run_command
from buto.measure.jmx.attach import AttachSpec, attach
from buto.measure.jmx.collector import JmxCollector
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.credentials import Credentials
from buto.measure.jmx.local_agent import endpoint_while_attached, open_endpoint
from buto.measure.jmx.worker_client import Worker
from buto.measure.jvms import GoneError
from buto.measure.target import Target
from tests.support.jvm.driven import DRIVER, Targets, address_of, listens_at, once_sampled, remote_address_of

ELSEWHERE = "-Djava.rmi.server.hostname=192.0.2.1"
"""What RMI objects say of their host where its name is not that of loopback (RFC 5737: nobody is there)."""


def assert_shut(worker: Worker, address: str) -> None:
    """Nobody is let in without the password, or with another."""
    for credentials in (Credentials(), Credentials("buto", "buto"), Credentials("buto", "")):
        with pytest.raises(MeasureError, match="(?i)credentials|username or password"):
            JmxConnection(worker, address, "the target", credentials)


def test_a_launched_program_listens_on_loopback_alone_and_keeps_the_password_secret(
    shared_worker: Worker, java: str, classes: Path, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    seen: list[str] = []

    def look() -> None:
        (jvm,) = [child for child in psutil.Process().children(recursive=True) if child.name() == "java"]
        assert {host for host, _ in listens_at(jvm.pid)} == {"127.0.0.1"}
        assert_shut(shared_worker, remote_address_of(jvm.pid))
        seen.extend((" ".join(jvm.cmdline()), str(jvm.environ())))
        end.touch()

    target = Target((java, ELSEWHERE, "-cp", str(classes), "Driven", str(end)), interval_s=0.05)
    with JmxCollector(target, shared_worker) as collector:
        run = collector.record("test", once_sampled(3, look))
    assert seen[0].endswith(f"{ELSEWHERE} -cp {classes} Driven {end}")
    for text in (*seen, *run.metadata, *map(str, run.metadata.values()), run.stdout.decode()):
        assert "buto-session" not in text
        assert "jmxremote" not in text
    assert run.metadata["jvm.input.arguments"] == ELSEWHERE
    assert run.stderr == b""


@pytest.mark.all
def test_an_attached_jvm_listens_on_loopback_alone_and_not_at_all_afterwards(
    shared_worker: Worker, java: str, targets: Targets
) -> None:
    process = targets.start(java, ELSEWHERE)
    assert listens_at(process.pid) == set()
    during: list[set[tuple[str, int]]] = []
    passwords: list[Path] = []

    def look() -> None:
        during.append(listens_at(process.pid))
        assert_shut(shared_worker, remote_address_of(process.pid))
        status = run_command(process.pid, "ManagementAgent.status", 10)
        (password,) = re.findall(r"jmxremote\.password\.file = (.+)", status)
        assert Path(password).read_bytes() == b""
        passwords.append(Path(password))

    for _ in range(2):
        attach(
            AttachSpec("test", pid=process.pid, duration_s=2.0, interval_s=0.05),
            once_sampled(2, look),
            shared_worker,
        )
        assert listens_at(process.pid) == set()
    assert [{host for host, _ in places} for places in during] == [{"127.0.0.1"}] * 2
    assert len(set(passwords)) == 2
    assert not any(password.parent.exists() for password in passwords)


def test_the_password_opens_once(shared_worker: Worker, java: str, targets: Targets) -> None:
    process = targets.start(java)
    with endpoint_while_attached(process.pid) as endpoint:
        assert endpoint.password_file is not None
        assert endpoint.password_file.stat().st_mode & 0o777 == 0o600
        assert endpoint.password_file.parent.stat().st_mode & 0o777 == 0o700
        with JmxConnection(shared_worker, endpoint.address, "the target", endpoint.credentials) as connection:
            endpoint.revoke_password()
            assert connection.invoke(DRIVER, "add", 1, 2) == 3
            with pytest.raises(MeasureError, match="(?i)password"):
                JmxConnection(shared_worker, endpoint.address, "the target", endpoint.credentials)
            assert connection.invoke(DRIVER, "add", 1, 2) == 3


def test_an_agent_that_runs_already_is_used_and_left_alone(
    shared_worker: Worker, one_java: str, targets: Targets, free_port: int
) -> None:
    local = targets.start(one_java, "-Dcom.sun.management.jmxremote")
    remote = targets.start(one_java)
    run_command(
        remote.pid,
        "ManagementAgent.start jmxremote.host=127.0.0.1 jmxremote.ssl=false jmxremote.authenticate=false "
        f"jmxremote.port={free_port} jmxremote.rmi.port={free_port}",
        10,
    )
    for process, address in ((local, address_of(local)), (remote, remote_address_of(remote.pid))):
        places = listens_at(process.pid)
        with endpoint_while_attached(process.pid) as endpoint:
            assert (endpoint.address, endpoint.started_by_buto) == (address, False)
            with JmxConnection(shared_worker, endpoint.address, "the target") as connection:
                assert connection.invoke(DRIVER, "add", 1, 2) == 3
            assert listens_at(process.pid) == places
        assert listens_at(process.pid) == places != set()


@pytest.mark.all
def test_a_door_that_a_killed_buto_left_open_is_replaced_but_not_that_of_a_living_one(
    one_java: str, targets: Targets
) -> None:
    process = targets.start(one_java)
    with tempfile.TemporaryDirectory(prefix="buto-session-", dir="/tmp") as directory:
        left = open_endpoint(process.pid, Path(directory))
    with endpoint_while_attached(process.pid) as endpoint:
        assert endpoint.address != left.address
        assert len(listens_at(process.pid)) == 1
        with pytest.raises(AttachError, match="another buto"), endpoint_while_attached(process.pid):
            pass
    assert listens_at(process.pid) == set()


@pytest.mark.all
def test_a_jvm_that_does_not_close_its_door_makes_the_run_unusable_but_keeps_it(
    shared_worker: Worker, one_java: str, targets: Targets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("buto.measure.jmx.local_agent._STOP_S", 0.5)
    process = targets.start(one_java)
    stop = once_sampled(4, lambda: process.send_signal(signal.SIGSTOP))
    began = time.monotonic()
    run = attach(AttachSpec("test", pid=process.pid, duration_s=5.0, interval_s=0.05), stop, Worker())
    assert time.monotonic() - began < 60, "it does not wait for the JVM"
    assert len(run.times_s) >= 4
    assert f"jcmd {process.pid} ManagementAgent.stop" in run.quality.describe()


@pytest.mark.all
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to start a JVM of another user")
def test_root_attaches_to_the_jvm_of_another_user(
    shared_worker: Worker, one_java: str, classes: Path
) -> None:
    with of_another_user(one_java, classes) as process:
        spec = AttachSpec("test", pid=process.pid, duration_s=0.3, interval_s=0.05)
        left_over = Path(f"/tmp/.java_pid{process.pid}")
        left_over.touch()
        with pytest.raises(AttachError, match="belongs to another user") as refused:
            attach(spec, worker=shared_worker)
        assert refused.value.advice is not None
        assert f"rm /proc/{process.pid}/root{left_over}" in refused.value.advice
        left_over.unlink()
        assert len(attach(spec, worker=shared_worker).times_s) > 1
        assert listens_at(process.pid) == set()


@contextmanager
def of_another_user(java: str, classes: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A JVM of the user nobody, which runs until it is killed."""
    with tempfile.TemporaryDirectory(dir="/tmp") as readable:
        shutil.copytree(classes, readable, dirs_exist_ok=True)
        Path(readable).chmod(0o755)
        command = [java, "-cp", readable, "Driven", "never"]
        with subprocess.Popen(command, user=65534, stdout=subprocess.PIPE, cwd="/") as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline().startswith(b"main ")
                yield process
            finally:
                process.kill()


def test_a_process_that_ends_while_it_is_attached_to_is_reported_as_ended(
    one_java: str, targets: Targets
) -> None:
    process = targets.start(one_java)
    with endpoint_while_attached(process.pid):
        process.kill()
        process.wait()
    with pytest.raises(GoneError, match=f"no process {process.pid}"), endpoint_while_attached(process.pid):
        pass
