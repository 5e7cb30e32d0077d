"""JVMs that run already, by process id and by URL."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure import account
from buto.measure.jmx.attach import AttachSpec, attach, connect
from buto.measure.jmx.credentials import Credentials
from buto.measure.jmx.worker_client import Worker
from buto.measure.target import MBeanSpec
from tests.support.jvm.driven import PATIENCE_S, QUEUE, Targets, n_threads, once_sampled, remote_address_of

PORT = (
    "-Dcom.sun.management.jmxremote.port=0",
    "-Dcom.sun.management.jmxremote.host=127.0.0.1",
    "-Djava.rmi.server.hostname=127.0.0.1",
)
NO_TLS = "-Dcom.sun.management.jmxremote.ssl=false"
OPEN_DOOR = (*PORT, NO_TLS, "-Dcom.sun.management.jmxremote.authenticate=false")


def test_by_process_id_three_times_for_a_given_time(
    shared_worker: Worker, java: str, targets: Targets
) -> None:
    process = targets.start(java)
    spec = AttachSpec("test", pid=process.pid, duration_s=0.5, interval_s=0.05, mbeans=(
        MBeanSpec("buto.tests:type=Queue,*", ("Depth",)),
    ))  # fmt: skip
    run = attach(spec, worker=shared_worker)
    assert 0.4 <= run.times_s[-1] < 60
    assert run.times_s[0] > -0.5
    assert set(run.series(f"mbean[{QUEUE}]/Depth")) == {3}
    assert run.metadata["process.pid"] == str(process.pid)
    assert float(run.metadata["buto.attach.uptime_s"] or 0) > 0
    assert run.metadata["buto.attach.ended_by"] == "the given duration"
    assert run.outcome.describe() == "was left running"
    attach(spec, worker=shared_worker)
    threads = n_threads(process.pid)
    attach(spec, worker=shared_worker)
    # Threads of a connection end some time after it.
    deadline = time.monotonic() + PATIENCE_S / 4
    while n_threads(process.pid) > threads + 1:
        assert time.monotonic() < deadline, "what a connection needs is used again by the next"
        time.sleep(0.05)
    assert process.poll() is None, "the program goes on"


def test_until_the_jvm_ends(shared_worker: Worker, one_java: str, targets: Targets, tmp_path: Path) -> None:
    end = tmp_path / "end"
    process = targets.start(one_java, end=end)
    run = attach(
        AttachSpec("test", pid=process.pid, interval_s=0.05), once_sampled(4, end.touch), worker=shared_worker
    )
    assert run.metadata["buto.attach.ended_by"] == "the JVM's end"
    assert len(run.times_s) > 3
    assert process.wait(PATIENCE_S) == 0


def test_ctrl_c_ends_the_recording_and_keeps_it(
    shared_worker: Worker, one_java: str, targets: Targets
) -> None:
    process = targets.start(one_java)
    interrupt = once_sampled(4, lambda: os.kill(os.getpid(), signal.SIGINT))
    before = signal.getsignal(signal.SIGINT)
    run = attach(AttachSpec("test", pid=process.pid, interval_s=0.05), interrupt, shared_worker)
    assert signal.getsignal(signal.SIGINT) is before
    assert run.metadata["buto.attach.ended_by"] == "Ctrl-C"
    assert len(run.times_s) >= 4
    assert process.poll() is None


@pytest.mark.all
def test_a_slow_mbean_of_an_attached_jvm_is_named(
    shared_worker: Worker, one_java: str, targets: Targets
) -> None:
    process = targets.start(one_java, "-Dslow=120")
    slots = MBeanSpec(QUEUE, ("Slots",))
    spec = AttachSpec("test", pid=process.pid, duration_s=4.0, interval_s=0.05, mbeans=(slots,))
    run = attach(spec, worker=shared_worker)
    assert not run.quality.valid
    assert run.quality.problems[0].text.startswith(f"the MBean {QUEUE} takes ")
    (median_s,) = re.findall(r"takes ([0-9.]+) s to answer", run.quality.problems[0].text)
    assert float(median_s) >= 0.1


@pytest.mark.all
def test_by_url_without_protection(shared_worker: Worker, one_java: str, targets: Targets) -> None:
    process = targets.start(one_java, *OPEN_DOOR)
    run = attach(
        AttachSpec("test", url=remote_address_of(process.pid), duration_s=2.0, interval_s=0.05),
        worker=shared_worker,
    )
    assert len(run.times_s) > 2
    assert run.metadata["process.pid"] == str(process.pid)
    assert "host.name" not in run.metadata, "the JVM may be on another machine"


@pytest.fixture
def password_files(tmp_path: Path) -> tuple[str, ...]:
    """Options of a JVM that knows the user watcher with the password swordfish."""
    passwords, access = tmp_path / "passwords", tmp_path / "access"
    passwords.write_text("watcher swordfish\n")
    passwords.chmod(0o600)
    access.write_text("watcher readwrite\n")
    return (
        "-Dcom.sun.management.jmxremote.authenticate=true",
        f"-Dcom.sun.management.jmxremote.password.file={passwords}",
        f"-Dcom.sun.management.jmxremote.access.file={access}",
    )


def test_by_url_with_a_password(
    shared_worker: Worker, one_java: str, targets: Targets, password_files: tuple[str, ...]
) -> None:
    process = targets.start(one_java, *PORT, NO_TLS, *password_files)
    url = remote_address_of(process.pid)
    right, wrong = (Credentials("watcher", password) for password in ("swordfish", "sordfish"))
    with connect(AttachSpec("test", url=url, credentials=right), shared_worker) as connection:
        assert connection.invoke("buto.tests:type=Driver", "add", 1, 2) == 3
    for credentials in (wrong, Credentials()):
        with pytest.raises(MeasureError, match="(?i)credentials|authentication|password") as caught:
            attach(AttachSpec("test", url=url, credentials=credentials), worker=shared_worker)
        assert "--password-file" in str(caught.value.advice)
        assert "sordfish" not in str(caught.value)


@pytest.fixture(scope="module")
def keys(one_java_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key store of a target, and a trust store that has its certificate; password: swordfish."""
    directory = tmp_path_factory.mktemp("keys")
    key_store, certificate, trust_store = (directory / name for name in ("keys.p12", "cert", "trust.p12"))
    keytool = str(one_java_home / "bin" / "keytool")
    password = ("-storepass", "swordfish", "-storetype", "PKCS12", "-alias", "target")
    for command in (
        ("-genkeypair", "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-keystore", key_store, *password),
        ("-exportcert", "-keystore", key_store, "-file", certificate, *password),
        ("-importcert", "-noprompt", "-keystore", trust_store, "-file", certificate, *password),
    ):
        subprocess.run([keytool, *command], check=True, capture_output=True, timeout=300)
    return key_store, trust_store


@pytest.mark.all
@pytest.mark.parametrize("registry", [True, False], ids=["registry with TLS", "registry without"])
def test_by_url_with_tls(one_java: str, targets: Targets, keys: tuple[Path, Path], registry: bool) -> None:
    key_store, trust_store = keys
    process = targets.start(
        one_java,
        *PORT,
        "-Dcom.sun.management.jmxremote.authenticate=false",
        "-Dcom.sun.management.jmxremote.ssl=true",
        f"-Dcom.sun.management.jmxremote.registry.ssl={str(registry).lower()}",
        f"-Djavax.net.ssl.keyStore={key_store}",
        "-Djavax.net.ssl.keyStorePassword=swordfish",
    )
    url = remote_address_of(process.pid)
    credentials = Credentials(truststore=trust_store, truststore_password="swordfish", registry_tls=registry)
    run = attach(AttachSpec("test", url=url, duration_s=0.3, interval_s=0.05, credentials=credentials))
    assert len(run.times_s) > 1
    with pytest.raises(MeasureError) as caught:
        attach(AttachSpec("test", url=url, credentials=Credentials(registry_tls=registry)))
    assert "--truststore" in str(caught.value.advice)


def test_an_address_where_nobody_is(shared_worker: Worker, free_port: int) -> None:
    url = f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{free_port}/jmxrmi"
    with pytest.raises(MeasureError, match="refused") as caught:
        attach(AttachSpec("test", url=url), worker=shared_worker)
    assert str(free_port) in caught.value.message
    with pytest.raises(MeasureError) as caught:
        attach(AttachSpec("test", url="localhost:9010"), worker=shared_worker)
    assert "service:jmx:rmi:///jndi/rmi://HOST:PORT/jmxrmi" in str(caught.value.advice)


def test_a_jvm_that_takes_no_signals_is_attached_to(
    shared_worker: Worker, one_java: str, targets: Targets
) -> None:
    spec = AttachSpec("test", pid=targets.start(one_java, "-Xrs").pid, duration_s=0.3, interval_s=0.05)
    assert len(attach(spec, worker=shared_worker).times_s) > 1


def test_a_jvm_that_refuses_is_left_alone(one_java: str, targets: Targets) -> None:
    closed = targets.start(one_java, "-XX:+DisableAttachMechanism")
    with pytest.raises(MeasureError, match=f"cannot attach to process {closed.pid}") as caught:
        attach(AttachSpec("test", pid=closed.pid))
    assert "-Dcom.sun.management.jmxremote" in str(caught.value.advice)
    assert closed.poll() is None


def test_worker_ends_with_its_parent(one_java: str, targets: Targets) -> None:
    process = targets.start(one_java, "-Dcom.sun.management.jmxremote")
    code = (
        "import sys, time\n"
        "from buto.measure.jmx.worker_client import Worker\n"
        "from buto.measure.jvms import local_jvm\n"
        "from buto.measure.jmx.connection import JmxConnection\n"
        "from buto.measure.recording import Recording\n"
        "worker = Worker()\n"
        "connection = JmxConnection(worker, local_jvm(int(sys.argv[1])).local_address, 'target')\n"
        "connection.start(Recording('test'), 0.05, same_machine=True)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(process.pid)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    pidfd = os.pidfd_open(worker)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert account.readable(pidfd, PATIENCE_S), "the worker outlived its parent"
    os.close(pidfd)
    assert process.poll() is None
