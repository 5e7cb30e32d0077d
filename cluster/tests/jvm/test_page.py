"""The page that sets up three machines, typed as it is written; this machine is all three of them."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from buto import jars
from buto.run.model import PURPOSE, WORKER
from buto.run.store import RunStore
from perf.scale.ports import free_port
from tests.support.checkout import ROOT
from tests.support.jvm.harness import Harness, until

pytestmark = pytest.mark.all

NAMES = ("one", "two", "three")
RUNS = 5


def lines_of(page: Path, section: str) -> list[str]:
    """The commands of a section, which are indented."""
    _, _, rest = page.read_text().partition(f"\n## {section}\n")
    text, _, _ = rest.partition("\n## ")
    return [line.strip() for line in re.findall(r"^ {7}\S.*$", text, re.MULTILINE)]


@pytest.mark.all
@pytest.mark.timeout(900)
def test_three_machines_are_set_up_as_the_page_says(tmp_path: Path) -> None:
    install, *lines = lines_of(ROOT / "cluster" / "README.md", "Three machines in ten minutes")
    assert "pip install . ./cluster" in install
    # As the page says for trying it on one machine; its port may be taken here.
    port = str(free_port())
    here = [line.replace("10.0.0.1", "127.0.0.1").replace("8786", port) for line in lines]
    scheduler, worker, export, train, check = here
    command = ["java", "-cp", str(jars.path(jars.TESTPROGRAMS)), "buto.testprograms.leaker.Leaker"]
    (tmp_path / "buto.yaml").write_text(
        f"version: 1\ntests:\n  x:\n    runs: {RUNS}\n"
        f"    command: [{', '.join(map(repr, [*command, '--duration', '300ms']))}]\n"
    )
    tools = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with ExitStack() as machines:

        def type_line(line: str, sign: str = "") -> Harness:
            """Type a line; return when it has said something, or without a sign when it has ended."""
            shell = Harness(tmp_path, ["bash", "-c", line], tools)
            machines.callback(shell.close)
            if sign:
                until(lambda: sign in shell.printed(), f"{line} does not say {sign}")
            else:
                shell.ended()
            return shell

        type_line(scheduler, "Scheduler at:")
        for name in NAMES:
            type_line(f"{worker} --name {name}", "has joined")
        trained = type_line(f"{export} && {train}")
        assert trained.ended() == 0, trained.printed()
        checked = type_line(f"{export} && {check}").printed()
    # Which verdict it is depends on how busy this machine is, and is no promise of the page.
    runs = RunStore(tmp_path / ".buto").load_set("x")
    purposes = Counter(run.metadata[PURPOSE] for run in runs.valid())
    assert purposes["train"] == RUNS
    assert purposes["check"] >= 1, checked
    [host] = {run.metadata[WORKER] for run in runs}
    assert host in NAMES
