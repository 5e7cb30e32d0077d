"""Services beside real JVMs, through every door that launches one."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import buto as api
from buto.measure.process_group import is_alive
from buto.run.model import ProblemKind
from buto.run.store import RunStore
from buto.run.window import cut_to_window, window_of
from perf.scale.ports import free_port
from tests.support import postgresql
from tests.support.jvm.harness import harness
from tests.support.processes.command import buto
from tests.support.processes.sample_project import run_pytest

DATABASE = """\
version: 1
defaults:
  interval: 200ms
  timeout: 30s
  command: [java, -Xmx64m, -XX:+UseSerialGC, -cp, classes, Shop, serve]
tests:
  shop:
    services:
      database:
        command: [{programs}/postgres, -D, ., -p, {port}, -c, unix_socket_directories=]
        template: database
        user: {user}
        ready: {{log: ready to accept connections}}
        stop-signal: INT
    workload:
      command: [{python}, load.py, {port}]
      stop: true
    window: {{from: load.start, to: load.end}}
"""
LOAD = """\
import sys
from tests.support.postgresql import query
query(int(sys.argv[1]), "CREATE TABLE visits (id int)")
query(int(sys.argv[1]), "INSERT INTO visits SELECT generate_series(1, 200000)")
query(int(sys.argv[1]), "SELECT pg_sleep(1)")
"""
FRAGILE = """\
version: 1
tests:
  shop:
    interval: 200ms
    timeout: 30s
    command: [java, -Xmx64m, -XX:+UseSerialGC, -cp, classes, Shop, serve]
    services:
      steady: {command: "sh -c 'echo $$$$ >> pids; sleep 61 & echo up; exec sleep 60'", ready: {log: up}}
      fragile:
        command: "sh -c 'echo $$$$ >> pids; echo up; until [ -e over ]; do sleep .1; done; echo full; exit 7'"
        ready: {log: up}
    workload: {command: "sh -c 'touch over; sleep 60'"}
"""
DRIVEN = """
import os, socket, pytest

@pytest.mark.buto(main="Shop", classpath="classes", args=["serve"], services={
    "web": {
        "command": ["python3", "-m", "http.server", "PORT", "--bind", "127.0.0.1"], "ready": {"port": PORT}
    },
})
def test_shop(buto):
    with buto.record(stop=True) as target:
        socket.create_connection(("localhost", PORT)).close()
"""


@pytest.fixture
def enterable() -> Iterator[Path]:
    """A directory that every user can enter, for a database whose owner is not the one of this test."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    yield place
    assert not [path for path in place.iterdir() if path.name.startswith("buto-")]
    shutil.rmtree(place)


@pytest.mark.all
def test_every_run_finds_the_database_as_it_was(project: Path, enterable: Path) -> None:
    programs, port = postgresql.postgresql(), free_port()
    postgresql.new_database(programs, enterable / "database")
    (project / "database").symlink_to(enterable / "database")
    (project / "load.py").write_text(LOAD)
    (project / "buto.yaml").write_text(
        DATABASE.format(programs=programs, port=port, user=postgresql.owner(), python=sys.executable)
    )
    done = buto(project, "record", "shop", "--runs", "2", TMPDIR=str(enterable))
    assert done.returncode == 0, done.stderr
    # A run that was disturbed is kept, too, and then repeated.
    runs = RunStore(project / ".buto").load_set("shop").valid()
    assert len(runs) == 2
    for run in runs:
        assert b"ready to accept connections" in run.outputs["database"]
        assert b"database system is shut down" in run.outputs["database"]
        times_s = {mark.name: mark.time_s for mark in run.marks}
        assert times_s["service.database.ready"] < 0 < times_s["load.start"] < times_s["load.end"]
        assert window_of(run) == (times_s["load.start"], times_s["load.end"])
        assert 1 < cut_to_window(run).outcome.duration_s < run.outcome.duration_s
    shown = buto(project, "runs", "show", "shop")
    assert "window:        load.start to load.end: " in shown.stdout
    assert "service.database.ready" in shown.stdout
    assert "last line: " in shown.stdout
    assert "database system is shut down" in shown.stdout


@pytest.mark.all
def test_a_service_that_ends_in_mid_run_ends_the_test_with_the_reason(project: Path) -> None:
    (project / "buto.yaml").write_text(FRAGILE)
    done = buto(project, "record", "shop")
    assert done.returncode == 3
    assert (
        "its service 'fragile' ended with exit code 7 before the program; it printed: up / full"
        in done.stderr
    )
    [run] = RunStore(project / ".buto").load_set("shop")
    assert ProblemKind.SERVICE in {problem.kind for problem in run.quality.problems}
    assert run.outputs["fragile"] == b"up\nfull\n"
    assert not any(is_alive(int(pid)) for pid in (project / "pids").read_text().split())


@pytest.mark.all
def test_ctrl_c_while_the_program_runs_ends_its_services(project: Path) -> None:
    (project / "buto.yaml").write_text(FRAGILE.replace("touch over; ", "touch begun; "))
    with harness(project, "-m", "buto", "record", "shop") as measuring:
        measuring.reached("begun")
        measuring.process.send_signal(signal.SIGINT)
        assert measuring.ended() == 130, measuring.printed()
        assert not any(is_alive(int(pid)) for pid in (project / "pids").read_text().split())


@pytest.mark.all
def test_services_are_there_from_python_and_under_pytest(project: Path) -> None:
    (project / "buto.yaml").write_text(
        FRAGILE.replace("\"sh -c 'touch over; sleep 60'\"}", "sleep 0.3, stop: true}")
    )
    *_, run = api.record("shop", config=project / "buto.yaml")
    assert run.quality.valid
    assert set(run.outputs) == {"steady", "fragile"}
    (project / "buto.yaml").unlink()
    port = str(free_port())
    (project / "test_shop.py").write_text(DRIVEN.replace('"PORT"', f'"{port}"').replace("PORT", port))
    done = run_pytest(project, "test_shop.py", "--buto-train")
    assert done.returncode == 0, done.stdout
