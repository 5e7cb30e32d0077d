"""What another user of the machine can do to a measurement: nothing but see that there is one."""

from __future__ import annotations

import json
import os
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

from buto.measure.channel import N_LINES
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.local_agent import endpoint_while_attached
from buto.measure.jmx.worker_client import Worker
from buto.measure.opener import open_collector
from buto.measure.target import Target
from tests.support.jvm.driven import listens_at, once_sampled

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
        assert listens_at(jvm.pid) == set()
        lines = sorted(map(str, session_file.parent.glob("line-*")))
        assert len(lines) == N_LINES
        (measured,) = map(str, session_file.parent.glob("taken-*"))
        got.update(
            another_user(
                {
                    "pid": jvm.pid,
                    "files": [str(session_file), str(session_file.with_name("stdout"))],
                    "places": [str(session_file.parent)],
                    "lines": [*lines, measured],
                }
            )
        )

    target = Target((str(java), "-cp", str(classes), "Driven", str(end)), interval_s=0.05)
    with open_collector(target) as collector:
        stranger = threading.Thread(target=look)
        try:
            run = collector.record("test", once_sampled(3, stranger.start))
        finally:
            stranger.join()
    assert set(got.values()) == {"refused"}, got
    assert (run.outcome.exit_code, run.outcome.last_sample) == (0, "agent")


CROWD = """
import os, re, subprocess, sys, time
option = re.search("-javaagent:[^=]*=(.*)", os.environ["JAVA_TOOL_OPTIONS"])
lines = re.search("lines=(.*)", open(option[1]).read())[1]
crowd = []
while len(crowd) < 300:
    for number in range(4):
        try:
            os.rename(f"{lines}/line-{number}", f"{lines}/taken-{len(crowd)}")
            crowd.append(open(f"{lines}/taken-{len(crowd)}/up", "wb"))
        except FileNotFoundError:
            time.sleep(0.001)
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
