"""buto selftest --live on a small program: both promises kept, nothing left behind, and Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import ROOT, compile_java
from tests.support.processes.command import buto, called

SOURCE = """
public final class Work {
    static byte[] kept;
    public static void main(String[] words) throws Exception {
        for (int step = 0; step < 10; step++) {
            for (int block = 0; block < %(blocks)d; block++) {
                kept = new byte[64 * 1024];
            }
            Thread.sleep(20);
        }
    }
}
"""
CONFIG = """\
version: 1
tests:
  work:
    command: java -Xmx64m -XX:+UseSerialGC -cp . Work
    runs: 10
    interval: 50ms
    explain: auto
    judge:
      minimum-effect: {"*": never, jvm.memory.allocated: 3MiB, jvm.thread.count: 3}
"""
"""Only what no machine moves, so that the unchanged program passes wherever this runs."""

FOUND = re.compile(r"  (allocated bytes|threads) \+.*found in 1 of 1 ")


def build(project: Path, blocks: int = 20) -> None:
    (project / "Work.java").write_text(SOURCE % {"blocks": blocks})
    compile_java(project, [project / "Work.java"])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("live")
    (project / "buto.yaml").write_text(CONFIG)
    build(project)
    done = buto(project, "train", "work")
    assert done.returncode == 0, done.stderr
    return project


def content(project: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (project / ".buto").rglob("*") if path.is_file()}


@pytest.mark.all
@pytest.mark.slow
def test_both_promises_are_kept_and_nothing_is_left(trained: Path) -> None:
    """The store lies below the class path, as the present directory often is."""
    before = content(trained)
    # In this process, where the orders of launches are the same each time: nine of ten are found, not all.
    done = called(trained, "selftest", "work", "--live", "--checks", "1", exits=0)
    assert len(FOUND.findall(done.stdout)) == 2, done.stdout
    assert "unchanged                   fails in 0 of 1" in done.stdout
    assert content(trained) == before


@pytest.mark.all
@pytest.mark.slow
def test_ctrl_c_prints_what_there_is(trained: Path) -> None:
    command = [sys.executable, "-m", "buto", "selftest", "work", "--live", "--checks", "40"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=trained, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "unchanged, 1 of 40" in line:
                running.send_signal(signal.SIGINT)
                break
        out, _ = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "  unchanged" in out


@pytest.mark.all
@pytest.mark.slow
def test_another_program_is_refused(trained: Path) -> None:
    build(trained, blocks=90)
    done = buto(trained, "selftest", "work", "--live", "--checks", "1")
    assert done.returncode == 3
    assert not done.stdout
