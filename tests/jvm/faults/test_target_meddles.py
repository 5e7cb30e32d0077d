"""Programs that change what buto relies on are measured, or refused with a reason."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from buto.measure.target import MBeanSpec
from buto.run.model import ProblemKind
from buto.run.store import RunStore
from tests.support.jvm.faulty import (
    PROGRAMS,
    CommandLine,
    Recorder,
    problems,
)
from tests.support.jvm.javas import JAVAS
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

LAST_WITH_SECURITY_MANAGER = 23
UPTIME = "mbean[java.lang:type=Runtime]/Uptime"

with_security_manager = pytest.mark.skipif(
    min(JAVAS) > LAST_WITH_SECURITY_MANAGER, reason="no JVM of this machine has a security manager"
)


def test_a_target_that_closes_its_streams_is_measured(command_line: CommandLine) -> None:
    recorded = command_line.record(*command_line.java("Faulty", "close streams"))
    assert recorded.runs[-1].outcome.last_sample == "agent"
    assert recorded.runs[-1].stdout == b""


@with_security_manager
def test_a_security_manager_that_comes_later_costs_the_mbeans_alone(recorder: Recorder) -> None:
    mbeans = (MBeanSpec("java.lang:type=Runtime", ("Uptime",)),)
    run = recorder.record("Faulty", "deny", options=("-Djava.security.manager=allow",), mbeans=mbeans)
    (problem,) = (text for text in run.quality.problems if text.kind is ProblemKind.UNREADABLE_MBEANS)
    assert "java.lang.SecurityException: nobody may do anything" in problem.text
    assert run.outcome.last_sample == "agent"
    assert np.isfinite(run.series("jvm.memory.heap.used")).all()


@with_security_manager
def test_a_security_manager_that_denies_the_agent_is_named_with_what_to_grant(
    command_line: CommandLine, tmp_path: Path
) -> None:
    policy = tmp_path / "policy"
    may = 'permission java.lang.RuntimePermission "getenv.*";'
    policy.write_text(f"grant {{ {may} }};")
    options = ("-Djava.security.manager", f"-Djava.security.policy=={policy}")
    command = command_line.java("Faulty", "say", "NOTHING", options=options)
    recorded = command_line.record(*command)
    assert recorded.runs == ()
    advice = recorded.text.splitlines()[-1]
    grant = advice[advice.index("grant codeBase") :]
    policy.write_text(f"grant {{ {may} }};\n{grant}\n")
    granted = buto(tmp_path, "record", "granted", "--", *command)
    assert granted.returncode == 0, granted.stderr


@pytest.mark.parametrize("fails", ["false", "true"])
def test_a_replaced_mbean_server_is_used_or_refused(recorder: Recorder, fails: str) -> None:
    options = ("-Djavax.management.builder.initial=Builder", f"-Dbuilder.fails={fails}")
    run = recorder.record("Builder", options=options, mbeans=(MBeanSpec("*:type=Odd", ("Steady",)),))
    assert np.isfinite(run.series("jvm.memory.heap.used")).all()
    assert ("mbean[test:type=Odd]/Steady" in run.column_of) == (fails == "false")
    unreadable = [
        problem for problem in run.quality.problems if problem.kind is ProblemKind.UNREADABLE_MBEANS
    ]
    assert len(unreadable) == (fails == "true")


def test_a_target_that_removes_the_exit_hooks_has_its_last_state_from_outside(
    command_line: CommandLine,
) -> None:
    options = ("--add-opens", "java.base/java.lang=ALL-UNNAMED")
    recorded = command_line.record(*command_line.java("Faulty", "unhook", options=options))
    assert recorded.runs[-1].outcome.last_sample == "hsperfdata"
    assert recorded.runs[-1].stdout == b"done\n"


@pytest.mark.parametrize("wrapped", [False, True], ids=["direct", "wrapped"])
def test_a_target_that_reads_its_tool_options_sees_only_a_path(
    command_line: CommandLine, wrapped: bool
) -> None:
    recorded = command_line.record(*command_line.java("Faulty", "say", "JAVA_TOOL_OPTIONS", wrapped=wrapped))
    printed = recorded.runs[-1].stdout.decode().splitlines()[0]
    if wrapped:
        assert printed.startswith("-javaagent:")
        assert not Path(printed.partition("=")[2]).exists()
    else:
        assert printed == "null"


@pytest.mark.parametrize("wrapped", [False, True], ids=["direct", "wrapped"])
def test_of_a_target_and_its_children_the_wanted_one_is_measured(
    command_line: CommandLine, wrapped: bool
) -> None:
    recorded = command_line.record(*command_line.java("Faulty", "children", "2", wrapped=wrapped))
    run = recorded.runs[-1]
    assert run.metadata["buto.jvm"] == "Faulty"
    assert run.metadata["buto.jvms.others"] == "Child, Child"
    assert run.stdout.count(b"child has main") == 2
    assert b"child has buto" not in run.stdout


def test_a_child_can_be_the_wanted_one(command_line: CommandLine) -> None:
    command = command_line.java("Faulty", "children", "1", wrapped=True)
    run = command_line.record(*command, options=("--jvm", "Child")).runs[-1]
    assert run.metadata["buto.jvm"] == "Child"
    assert run.metadata["buto.jvms.others"] == "Faulty"
    assert 0.1 <= run.outcome.duration_s < 60


def test_a_wall_clock_that_is_set_back_moves_no_sample(
    tmp_path: Path, classes: Path, command_line: CommandLine
) -> None:
    """For buto and the program: both read a clock that is set back by an hour during the run."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler, with which to set a clock back for some processes only")
    library, recorded = tmp_path / "set_back.so", tmp_path / "told"
    subprocess.run([cc, "-shared", "-fPIC", "-o", library, PROGRAMS / "set_back.c"], check=True, timeout=60)
    command = command_line.java("Faulty", "set clock back", str(recorded))
    done = buto(
        tmp_path, "record", "clock", "--interval", "50ms", "--", *command,
        LD_PRELOAD=str(library), SET_BACK=str(recorded),
    )  # fmt: skip
    assert [row for row in command_line.promised if row.is_kept(done.returncode, done.stderr)], done.stderr
    store = RunStore(tmp_path / ".buto")
    run = store.load("clock", store.ids("clock")[0])
    before_ms, after_ms = map(int, run.stdout.split()[:2])
    assert after_ms - before_ms < -3_000_000
    assert problems(run) == []
    assert run.outcome.last_sample == "agent"
    assert run.times_s[0] < 0
    assert 0.4 < run.times_s[-1] < 600
