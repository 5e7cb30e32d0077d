"""docs/reports.md shows what buto prints, word for word.

A fenced block whose info string says ``made by: buto ...`` holds the standard output of that command.
With the environment variable BUTO_WRITE_GOLDEN the blocks are written anew, for somebody to read.
"""

from __future__ import annotations

import os
import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from buto.cli import reports
from tests.integration.stored import BEGINNING, ROOT, a_run, called, store

PAGE = ROOT / "docs" / "reports.md"
PICTURE = ROOT / "docs" / "images" / "history.png"
WRITE = "BUTO_WRITE_GOLDEN"
BLOCK = re.compile(r"^(```\w+ made by: buto )([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = ("--", "java", "-Xmx64m", "-cp", "app.jar", "com.acme.Main")
MACHINE = {
    "jvm.vm.name": "OpenJDK 64-Bit Server VM",
    "jvm.vm.version": "17.0.15+6",
    "jvm.gc.collectors": "G1 Young Generation, G1 Old Generation",
    "jvm.memory.heap.max": "67108864",
    "host.name": "builder",
    "host.cores": 4,
    "host.cpu.model": "Some Processor",
}
LEAKS = {20: 1.0, 21: 1.0, 22: 1.0, 23: 3.0, 24: 3.0, 25: 1.0}
"""Number of a checked run to the MiB that it loses in a second; the training runs lose one."""


class Clock:
    """What the command line asks for the time."""

    time = BEGINNING

    @classmethod
    def now(cls, zone: object) -> datetime:
        return cls.time.astimezone(UTC)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports, "datetime", Clock)
        store(directory, *(a_run(number, **MACHINE) for number in range(10)))
        Clock.time = BEGINNING + timedelta(minutes=11)
        assert called(directory, "train", "leaker", "--from-runs", "all", *COMMAND).returncode == 0
        for number, leak in LEAKS.items():
            commit = f"{number:02x}" * 20 + ("+dirty" if number == 24 else "")
            [run_id] = store(
                directory, a_run(number, leak=leak, purpose="check", **MACHINE, **{"buto.commit": commit})
            )
            Clock.time = BEGINNING + timedelta(minutes=number)
            called(directory, "check", "leaker", "--from-runs", run_id)
    return directory


def test_what_the_page_shows_is_what_is_printed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "datetime", Clock)
    text = PAGE.read_text(encoding="utf-8")

    def printed(block: re.Match[str]) -> str:
        done = called(project, *shlex.split(block[2]))
        assert done.returncode == 0, done.stderr
        return f"{block[1]}{block[2]}\n{done.stdout}```"

    made, n_blocks = BLOCK.subn(printed, text)
    assert n_blocks >= 8
    if os.environ.get(WRITE):
        PAGE.write_text(made, encoding="utf-8")
        assert (
            called(project, "history", "leaker", "jvm.memory.heap.used", "--plot", str(PICTURE)).returncode
            == 0
        )
    assert made == text, f"read the difference after: {WRITE}=1 pytest {Path(__file__).relative_to(ROOT)}"
