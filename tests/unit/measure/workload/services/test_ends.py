"""The end of services: with the program, before it, by a signal; nothing is left, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from buto.measure import launch
from buto.measure.process_group import is_alive
from buto.measure.workload.serving import Services, running
from buto.run.model import ProblemKind
from tests.support.checkout import ROOT
from tests.support.services import PATIENCE_S, TICK, ending, sh, until, with_program


def test_children_and_daemons_of_a_service_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "GRACE_S", 0.2)
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
    service = sh("trap '' TERM; echo up; while :; do sleep 0.05; done", stop_within_s=0.2)
    began = time.monotonic()
    with running([service]):
        pass
    assert time.monotonic() - began < 10


def test_the_signal_is_the_one_that_was_configured() -> None:
    service = sh(
        "trap 'echo fast; exit 0' INT; echo up; while :; do sleep 0.01; done", stop_signal=signal.SIGINT
    )
    with running([service]) as services:
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
        ("LC_ALL=C cat /dev/zero > /dev/full", "No space left on device"),
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
        tick(TICK)
        size = Path(services._started[0]._launch.stdout.path).stat().st_blocks * 512
        output = services.stop()["db"]
    assert size < 6_000_000
    assert len(output) < 300_000
    assert output.startswith(b"up\nxxx")
    assert b"bytes of output are not kept]" in output


def test_processor_time_of_services_is_known() -> None:
    with running([sh("echo up; while :; do :; done")]) as services:
        until(lambda: services.cpu_s() > 0.05)


def test_ctrl_c_while_the_program_runs_leaves_nothing() -> None:
    with pytest.raises(KeyboardInterrupt), running([sh("sleep 61 & echo up; exec sleep 60")]):
        raise KeyboardInterrupt


def test_a_second_ctrl_c_while_services_stop_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    service = sh("trap '' TERM; sleep 61 & echo up; while :; do sleep 0.05; done", stop_within_s=600.0)
    with pytest.raises(KeyboardInterrupt), running([service]) as services:
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
from buto.measure.workload.services import Service
from buto.measure.workload.serving import running
from buto.measure.workload.services import LogLine
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
