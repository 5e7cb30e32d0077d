"""What another user of the machine can do to a measurement: nothing but see that there is one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from buto import jars
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.local_agent import endpoint_while_attached
from buto.measure.jmx.worker_client import Worker
from buto.measure.opener import open_collector
from buto.measure.target import Target
from tests.support.jvm.driven import listens_at, once_sampled
from tests.support.jvm.plain_collector import PlainCollector

HERE = Path(__file__).parent
NOBODY = 65534
DECLINE = b"\0\0\0\1B"

pytestmark = [
    pytest.mark.all,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]


@pytest.fixture(scope="module")
def java() -> Path:
    """One that anybody may run."""
    found = sorted(Path("/usr/lib/jvm").glob("*/bin/javac"))
    if not found:
        pytest.skip("no JDK that another user can run")
    return found[0].with_name("java")


@pytest.fixture(scope="module")
def classes(java: Path) -> Iterator[Path]:
    """A class path that anybody may read."""
    out = Path(tempfile.mkdtemp(dir="/tmp"))
    sources = [*HERE.glob("programs/*.java"), *(HERE.parent / "jmx" / "programs").glob("Driven.java")]
    compiler = [str(java.with_name("javac")), "--release", "8", "-Xlint:-options", "-nowarn", "-d", str(out)]
    subprocess.run([*compiler, *map(str, sources)], check=True, timeout=120)
    for place in (out, *out.rglob("*")):
        place.chmod(0o755)
    yield out
    shutil.rmtree(out)


def another_user(given: dict[str, Any]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, HERE / "other_user.py", json.dumps(given)],
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
    )
    got: dict[str, str] = json.loads(done.stdout)
    return got


def the_jvm(classes: Path) -> psutil.Process:
    """The JVM of the test; others may be about, such as a java that is asked for its version."""
    (jvm,) = [each for each in psutil.Process().children(recursive=True) if str(classes) in _words(each)]
    return jvm


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline() if process.name() == "java" else []
    except psutil.NoSuchProcess:
        return []


def test_the_agents_channel_is_for_the_user_who_opened_it(java: Path, classes: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    got: dict[str, str] = {}
    used: list[str] = []

    def look() -> None:
        try:
            try_all()
        finally:
            end.touch()

    def try_all() -> None:
        jvm = the_jvm(classes)
        option = next(word for word in jvm.cmdline() if word.startswith("-agentlib:instrument="))
        session_file = Path(option.rpartition("=")[2])
        assert session_file.stat().st_mode & 0o777 == 0o600
        assert session_file.parent.stat().st_mode & 0o777 == 0o700
        content = session_file.read_text()
        secrets = re.findall(r"=([0-9a-f]{64})\n", content)
        assert len(set(secrets) - set(used)) == 2
        for secret in secrets:
            assert secret not in f"{jvm.cmdline()} {jvm.environ()}"
        assert listens_at(jvm.pid) == set()
        hellos = {"guess": "0" * 64, "of the run before": used[0] if used else "1" * 64, "replay": secrets[0]}
        got.update(
            another_user(
                {
                    "pid": jvm.pid,
                    "files": [str(session_file), str(session_file.with_name("stdout"))],
                    "places": [str(session_file.parent)],
                    "port": int(re.findall(r"port=(\d+)", content)[0]),
                    "words": {
                        "nonsense": "GET / HTTP/1.1\r\n\r\n",
                        **{f"hello: {name}": secret for name, secret in hellos.items()},
                    },
                }
            )
        )
        used.extend(secrets)

    for _ in range(2):
        end.unlink(missing_ok=True)
        target = Target((str(java), "-cp", str(classes), "Driven", str(end)), interval_s=0.05)
        with open_collector(target) as collector:
            # Beside the collector, which must go on listening.
            stranger = threading.Thread(target=look)
            try:
                run = collector.record("test", once_sampled(3, stranger.start))
            finally:
                stranger.join()
        assert got.pop("hello: replay") == f"got {DECLINE!r}"
        for name in ("nonsense", "hello: guess", "hello: of the run before"):
            assert got.pop(name) in ("refused", "got b''")
        assert set(got.values()) == {"refused"}, got
        assert (run.outcome.exit_code, run.outcome.last_sample) == (0, "agent")
        assert not any(
            "Stranger" in str(value) for key, value in run.metadata.items() if key != "buto.jvms.others"
        )
        got.clear()


CROWD = """
import os, re, socket, subprocess, sys
option = re.search("-javaagent:[^=]*=(.*)", os.environ["JAVA_TOOL_OPTIONS"])
port = int(re.search("port=(.*)", open(option[1]).read())[1])
crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


def test_a_crowd_at_the_door_keeps_no_program_from_being_measured(
    java: Path, classes: Path, tmp_path: Path
) -> None:
    (tmp_path / "end").touch()
    program = (str(java), "-cp", str(classes), "Driven", str(tmp_path / "end"))
    with open_collector(Target((sys.executable, "-c", CROWD, *program), interval_s=0.05)) as collector:
        run = collector.record("test")
    assert (run.outcome.exit_code, run.outcome.last_sample) == (0, "agent")
    assert run.metadata["buto.jvm"] == "Driven"


def test_an_agent_does_not_obey_somebody_who_took_the_collectors_port(
    java: Path, classes: Path, tmp_path: Path
) -> None:
    """The worst of them: one who was given the whole HELLO, and knows the format."""
    with PlainCollector(tmp_path) as impostor:
        impostor.answer = "f" * 64
        option = f"-javaagent:{jars.path(jars.AGENT)}={impostor.session_file}"
        (tmp_path / "end").touch()
        process = subprocess.Popen(
            [java, option, "-cp", classes, "Driven", tmp_path / "end"], stdout=subprocess.DEVNULL
        )
        try:
            impostor.greet()
            impostor.accept()
            assert impostor.read() == 0
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    assert impostor.heard.metadata == {}
    assert impostor.heard.rows == []


def test_a_jmx_door_is_for_the_user_who_opened_it(java: Path, classes: Path, tmp_path: Path) -> None:
    command = [java, "-XX:TieredStopAtLevel=1", "-cp", classes, "Driven", tmp_path / "end"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"main ")
        assert process.stdout.readline() == b"ready\n"
        with Worker() as worker, endpoint_while_attached(process.pid) as endpoint:
            assert endpoint.credentials.password is not None
            assert endpoint.password_file is not None
            (place,) = listens_at(process.pid)
            assert place[0] == "127.0.0.1"
            with JmxConnection(worker, endpoint.address, "the target", endpoint.credentials) as connection:
                endpoint.revoke_password()
                files = [
                    f"/tmp/{endpoint.password_file.parent.name}/{name}" for name in ("password", "access")
                ]
                assert all(map(os.path.exists, files))
                got = another_user(
                    {
                        "pid": process.pid,
                        "files": files,
                        "places": [os.path.dirname(files[0])],
                        "sockets": [f"/tmp/.java_pid{process.pid}"],
                    }
                )
                assert set(got.values()) == {"refused"}, got
                tried = [str(place[1]), "buto", "", "buto", "buto", "buto", endpoint.credentials.password]
                done = subprocess.run(
                    [java, "-cp", classes, "Stranger", *tried],
                    stdout=subprocess.PIPE,
                    text=True,
                    user=NOBODY,
                    group=NOBODY,
                    extra_groups=[],
                    cwd="/",
                    check=True,
                    timeout=300,
                )
                assert done.stdout.splitlines() == [
                    "nobody: refused",
                    *["buto: refused"] * 3,
                    "rebind: refused",
                ]
                assert connection.invoke("buto.tests:type=Driver", "add", 1, 2) == 3
        assert listens_at(process.pid) == set()
    finally:
        process.kill()
        process.communicate()
