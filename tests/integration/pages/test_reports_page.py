"""docs/reports.md shows what buto prints, word for word, and what it draws; so do the pages of the result and
of the selftest.

A fenced block whose info string says ``made by: buto ...`` holds the standard output of that command, or the
first N lines if the command ends in ``| head -n N``. With the environment variable BUTO_WRITE_GOLDEN blocks
and pictures are written again; read them.
"""

from __future__ import annotations

import os
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from buto.actions import decide, outcome
from tests.support.checkout import ROOT
from tests.support.pages import WRITE, remade
from tests.support.processes.command import called
from tests.support.runs.stored import BEGINNING, leaking_run, store

DOCS = ROOT / "docs"
BLOCKS = {DOCS / "reports.md": 7, DOCS / "formats" / "result.md": 1, DOCS / "methods" / "selftest.md": 1}
"""Each page, and how many blocks it has."""
THREE = ("20260101T002300.000Z-0017", "20260101T002400.000Z-0018", "20260101T002500.000Z-0019")
PICTURES = {
    "history.png": ("history leaker jvm.memory.heap.used --plot history.png", "history.png"),
    "plot.png": (
        f"plot leaker jvm.memory.heap.used --from-runs {','.join(THREE)}",
        "plots/leaker/jvm.memory.heap.used.png",
    ),
}
"""Each picture of docs/images, what draws it, and where to."""
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
ANOTHER_JAVA = {**MACHINE, "jvm.spec.version": "21", "jvm.vm.version": "21.0.7+6"}
LEAKS = {20: 1.0, 23: 3.0, 26: 1.05, 29: 3.0, 32: 1.0}
"""Number of a checked run to the MiB that it loses in a second; the training runs lose one."""

AGAIN = f"read and see the difference after: {WRITE}=1 pytest {Path(__file__).relative_to(ROOT)}"


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
        for module in (decide, outcome):
            patch.setattr(module, "datetime", Clock)
        store(directory, *(leaking_run(number, **MACHINE) for number in range(10)))
        Clock.time = BEGINNING + timedelta(minutes=11)
        called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
        for number, leak in LEAKS.items():
            commit = {"buto.commit": f"{number:02x}" * 20 + ("+dirty" if number == 29 else "")}
            three = [
                leaking_run(number_of_run, leak=leak, purpose="check", **MACHINE, **commit)
                for number_of_run in range(number, number + 3)
            ]
            Clock.time = BEGINNING + timedelta(minutes=number + 2)
            called(directory, "check", "leaker", "--from-runs", ",".join(store(directory, *three)))
        store(directory, leaking_run(35, purpose="check", **ANOTHER_JAVA))
    return directory


@pytest.mark.parametrize("page", BLOCKS, ids=lambda page: page.name)
def test_what_a_page_shows_is_what_is_printed(
    page: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (decide, outcome):
        monkeypatch.setattr(module, "datetime", Clock)

    def printed(typed: str) -> str:
        command, _, first = typed.partition(" | head -n ")
        done = called(project, *shlex.split(command), exits=0)
        lines = done.stdout.splitlines(keepends=True)
        return "".join(lines[: int(first or len(lines))])

    assert remade(page, "[^\n]*", printed) == BLOCKS[page]


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_what_is_drawn(name: str, project: Path) -> None:
    command, path = PICTURES[name]
    called(project, *shlex.split(command), exits=0)
    shown = DOCS / "images" / name
    if os.environ.get(WRITE):
        shown.write_bytes((project / path).read_bytes())
    with Image.open(project / path) as drawn, Image.open(shown) as there:
        assert drawn.size == there.size, AGAIN
        # Another version of matplotlib sets its letters elsewhere.
        if drawn.info["Software"] == there.info["Software"]:
            apart = np.asarray(drawn, dtype=float) - np.asarray(there, dtype=float)
            assert np.abs(apart).mean() < 0.1, AGAIN
