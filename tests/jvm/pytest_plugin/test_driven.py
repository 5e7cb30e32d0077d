"""What goes wrong while a test drives its program, and what the end of a block does."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.processes.sample_project import run_pytest

TROUBLE = """
import os

import pytest

shop = pytest.mark.buto(main="Shop", classpath="classes", timeout="20s", runs=10)


@shop
def test_body_fails(buto):
    with buto.record(args=["serve"], stop=True) as target:
        open("pid", "w").write(str(target.pid))
        assert target.is_running
        assert 1 == 2


def test_body_failed_and_its_program_is_gone():
    assert not os.path.exists("/proc/" + open("pid").read())


@shop
def test_jmx_was_not_asked_for(buto):
    with buto.record(args=["serve"], stop=True) as target:
        target.jmx


@shop
def test_one_at_a_time(buto):
    with buto.record(args=["serve"], stop=True) as target:
        with buto.record(name="other", args=["serve"], stop=True):
            pass


@shop
def test_bad_exit(buto):
    with buto.record(args=["many"]):
        pass


@shop
def test_no_port(buto):
    with buto.record(args=["20"]) as target:
        assert target.ports == ()
        target.wait_for_port()


@shop
def test_stop_was_forgotten(buto):
    with buto.record(args=["serve"], timeout="5s") as target:
        port = target.wait_for_port()
        assert target.ports == (port,)


@pytest.mark.buto(main="Nowhere", classpath="classes")
def test_no_such_main():
    pass


@pytest.mark.buto(args=["serve"], workload={"command": "true"})
def test_driven_twice(buto):
    with buto.record(main="Shop", classpath="classes", args=["serve"]):
        pass
"""
LOADED = """
import pytest

@pytest.mark.buto(
    main="Shop",
    classpath="classes",
    args=["serve"],
    workload={
        "port": "any",
        "http": {"url": "http://127.0.0.1:${port}/order", "rate": 20, "duration": "300ms"},
        "stop": True,
    },
)
def test_it():
    pass
"""
PLAIN = """
import pytest

@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.buto(main="Shop", classpath="classes", args=["20"])
def test_it(number):
    pass
"""


@pytest.mark.all
def test_each_failure_is_reported_in_plain_words_and_leaves_nothing(project: Path) -> None:
    (project / "test_trouble.py").write_text(TROUBLE)
    done = run_pytest(project, "test_trouble.py", "--buto-train", "-rA")
    printed = done.stdout
    assert "7 failed, 1 passed, 1 error" in printed, printed
    assert "assert 1 == 2" in printed
    assert "there is no JMX connection, because it costs the program some classes and threads" in printed
    assert "only one JVM can be measured at a time" in printed
    assert "the program exited with code 1" in printed
    assert "if this program should end so: expect_exit=1" in printed
    assert "NumberFormatException" in printed
    assert "the program ended before it listened on any port" in printed
    assert "the program was stopped at its time limit of 5 s" in printed, printed
    no_such_main = "the program did not start: Error: Could not find or load main class Nowhere"
    assert f"ERROR test_trouble.py::test_no_such_main - {no_such_main}" in printed
    assert "try:  check the main class or jar, the class path (-cp)" in printed
    assert "a test that drives its program cannot have a workload, too" in printed
    assert not (project / "oracles").exists()


@pytest.mark.all
def test_the_workload_of_a_mark_drives_each_of_its_launches(project: Path) -> None:
    (project / "test_loaded.py").write_text(LOADED)
    done = run_pytest(project, "test_loaded.py", "--buto-train")
    assert done.returncode == 0, done.stdout
    runs = RunStore(project / ".buto").load_set("test_loaded.test_it").runs
    assert len(runs) >= 5
    for run in runs:
        start, end = run.notifications
        assert (start.type, end.type) == ("buto.mark.load.start", "buto.mark.load.end")
        assert end.message.startswith("6 requests, ")
        assert run.outcome.exit_code == 143
    learned = json.loads((project / "oracles" / "test_loaded.test_it.json").read_text())
    assert learned["target"]["workload"]["http"]["rate"] == 20, "so that buto check does the same"


@pytest.mark.all
def test_processes_of_xdist_measure_one_after_the_other(project: Path) -> None:
    (project / "test_plain.py").write_text(PLAIN)
    done = run_pytest(project, "test_plain.py", "-n", "2", "--buto-accept", "-v")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("TRAINED  test_plain.test_it[") == 2
    store = RunStore(project / ".buto")
    runs = [run for test in store.tests() for run in store.load_set(test)]
    spans = sorted((int(str(run.metadata["jvm.start.time"])), run.outcome.duration_s) for run in runs)
    assert len(spans) >= 9
    for (began, lasted_s), (next_began, _) in pairwise(spans):
        assert next_began >= began + lasted_s * 1000
