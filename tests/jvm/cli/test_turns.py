"""Turns on real JVMs: another machine or a busy one fails no program; a regression fails there, too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.checkout import compile_java
from tests.support.judging import BY_MULTIPLES, literal
from tests.support.jvm.javas import JAVAS
from tests.support.processes.command import buto

SOURCE = """
public final class Work {
    static byte[] kept;
    static double sum;
    public static void main(String[] words) throws Exception {
        for (int thread = 0; thread < %(threads)d; thread++) {
            Thread idle = new Thread(() -> { try { Thread.sleep(60_000); } catch (Exception end) { } });
            idle.setDaemon(true);
            idle.start();
        }
        for (int step = 0; step < 20; step++) {
            for (int block = 0; block < %(blocks)d; block++) {
                kept = new byte[64 * 1024];
            }
            for (int term = 1; term < 400_000; term++) {
                sum += Math.sqrt(term);
            }
            Thread.sleep(10);
        }
    }
}
"""
CONFIG = f"""\
version: 1
tests:
  work:
    command: java -Xmx64m -XX:+UseSerialGC -cp classes Work
    runs: 5
    interval: 50ms
    judge: {literal(BY_MULTIPLES)}
"""
BY_TURNS = re.compile(r"were launched \d+ and \d+ times in random order")
BURN = "while True: pass"


def build(project: Path, threads: int, blocks: int) -> None:
    (project / "Work.java").write_text(SOURCE % {"threads": threads, "blocks": blocks})
    compile_java(project / "classes", [project / "Work.java"])


@pytest.fixture(scope="module")
def path() -> tuple[str, str]:
    """The variable PATH by which ``java`` is one version, and the other."""
    if len(JAVAS) < 2:
        pytest.skip("this machine has JVMs of one version only")
    first, second, *_ = (f"{Path(java).parent}{os.pathsep}{os.environ['PATH']}" for java in JAVAS.values())
    return first, second


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, path: tuple[str, str]) -> Path:
    """A test that was trained on all cores, with the first JVM."""
    project = tmp_path_factory.mktemp("turns")
    (project / "buto.yaml").write_text(CONFIG)
    build(project, 4, 20)
    done = buto(project, "train", PATH=path[0])
    assert done.returncode == 0, done.stderr
    return project


@contextmanager
def one_core() -> Iterator[None]:
    """Let what is launched meanwhile have one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep every core busy."""
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def test_the_same_program_passes_on_another_machine(trained: Path, path: tuple[str, str]) -> None:
    """With fewer cores and another JDK."""
    build(trained, 4, 20)
    with one_core():
        done = buto(trained, "check", "work", PATH=path[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "because: another environment than in training (" in done.stdout
    assert "host.cores: " in done.stdout or "system.processors" in done.stdout
    assert BY_TURNS.search(done.stdout)


def test_a_regression_fails_on_another_machine_and_is_named(trained: Path, path: tuple[str, str]) -> None:
    build(trained, 200, 400)
    with one_core():
        done = buto(trained, "check", "work", "-v", PATH=path[1])
    assert done.returncode == 1, done.stdout + done.stderr
    assert BY_TURNS.search(done.stdout)
    for name in ("jvm.thread.count", "jvm.memory.allocated"):
        assert name in done.stdout


@pytest.mark.all
def test_the_same_program_passes_on_a_busy_machine(trained: Path, path: tuple[str, str]) -> None:
    build(trained, 4, 20)
    with busy_machine():
        done = buto(trained, "check", "work", PATH=path[0])
    assert done.returncode == 0, done.stdout + done.stderr
