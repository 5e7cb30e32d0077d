"""The page that sets up three machines, typed as it is written; this machine is all three of them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buto import jars
from buto.run.model import PURPOSE, WORKER
from buto.run.store import RunStore
from perf.scale.ports import free_port
from tests.support.checkout import ROOT

pytestmark = pytest.mark.all

DEADLINE_S = 300.0
NAMES = ("one", "two", "three")
RUNS = 5


def lines_of(page: Path, section: str) -> list[str]:
    """The commands of a section, which are indented."""
    _, _, rest = page.read_text().partition(f"\n## {section}\n")
    text, _, _ = rest.partition("\n## ")
    return [line.strip() for line in re.findall(r"^ {7}\S.*$", text, re.MULTILINE)]


class Typist:
    """Types lines into shells of one user on one machine.

    Args:
        directory: of the project; what stays is kept in it, too.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.running: list[subprocess.Popen[bytes]] = []
        tools = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "HOME": str(directory),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(directory),
        }

    def leave_running(self, line: str, log: str) -> Callable[[], str]:
        """Type a line that does not end; return what reads its output so far."""
        path = self.directory / log
        with path.open("wb") as output:
            self.running.append(self._shell(line, output, output))
        return path.read_text

    def type(self, line: str) -> subprocess.CompletedProcess[str]:
        """Type a line and wait for its end."""
        shell = self._shell(line, subprocess.PIPE, subprocess.PIPE)
        try:
            out, err = shell.communicate(timeout=DEADLINE_S)
        except BaseException:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.communicate()
            raise
        return subprocess.CompletedProcess(line, shell.returncode, out.decode(), err.decode())

    def close(self) -> None:
        """End what was left running, the scheduler last."""
        for shell in reversed(self.running):
            os.killpg(shell.pid, signal.SIGTERM)
            shell.wait(DEADLINE_S)

    def _shell(self, line: str, out: int | object, err: int | object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["bash", "-c", line],
            stdin=subprocess.DEVNULL,
            stdout=out,  # type: ignore[arg-type]
            stderr=err,  # type: ignore[arg-type]
            cwd=self.directory,
            env=self.environment,
            start_new_session=True,
        )


@pytest.fixture
def typist(tmp_path: Path) -> Iterator[Typist]:
    one = Typist(tmp_path)
    try:
        yield one
    finally:
        one.close()


def until(condition: Callable[[], bool], said: Callable[[], str]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, said()
        time.sleep(0.05)


@pytest.mark.timeout(900)
def test_three_machines_are_set_up_as_the_page_says(typist: Typist, tmp_path: Path) -> None:
    install, *lines = lines_of(ROOT / "docs" / "running" / "scale.md", "Three machines in ten minutes")
    assert "pip install 'buto[dask]'" in install
    # As the page says for trying it on one machine; its port may be taken here.
    port = str(free_port())
    here = [line.replace("10.0.0.1", "127.0.0.1").replace("8786", port) for line in lines]
    scheduler, worker, export, train, check = here
    command = ["java", "-cp", str(jars.path(jars.TESTPROGRAMS)), "buto.testprograms.leaker.Leaker"]
    (tmp_path / "buto.yaml").write_text(
        f"version: 1\ntests:\n  x:\n    runs: {RUNS}\n"
        f"    command: [{', '.join(map(repr, [*command, '--duration', '300ms']))}]\n"
    )
    said = typist.leave_running(scheduler, "scheduler.log")
    until(lambda: "Scheduler at:" in said(), said)
    joined = [typist.leave_running(f"{worker} --name {name}", f"{name}.log") for name in NAMES]
    for read in joined:
        until(lambda read=read: "has joined" in read(), read)  # type: ignore[misc]
    trained = typist.type(f"{export} && {train}")
    assert trained.returncode == 0, trained.stdout + trained.stderr
    checked = typist.type(f"{export} && {check}")
    # Which verdict it is depends on how busy this machine is, and is no promise of the page.
    runs = RunStore(tmp_path / ".buto").load_set("x")
    purposes = Counter(run.metadata[PURPOSE] for run in runs.valid())
    assert purposes["train"] == RUNS
    assert purposes["check"] >= 1, checked.stdout + checked.stderr
    [host] = {run.metadata[WORKER] for run in runs}
    assert host in NAMES
