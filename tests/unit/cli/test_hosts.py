"""The hosts of a cluster in one display."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from buto.actions.events import LaunchesPlanned, LaunchProgressed, LaunchRepeated, LaunchStarted, RunStored
from buto.cli.console import Console
from buto.cli.progress import LaunchProgress
from buto.errors import MeasureError
from buto.measure.progress import Progress
from buto.run.model import WORKER
from tests.support.runs.examples import full_run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> None:
    """Two hosts: one is lost, the other one stores its run."""
    progress = LaunchProgress(Console(stderr=stream))
    progress(LaunchesPlanned({"shop": 2, "pay": 3}))
    progress(LaunchStarted("shop", 1, 2, "a"))
    progress(LaunchStarted("pay", 1, 3, "b"))
    progress._next_block_s = 0.0
    progress(LaunchProgressed(Progress(12.0, 60.0, 120, "running"), "shop", "a"))
    progress(LaunchRepeated("shop", MeasureError("the host a was lost in mid-run"), "a"))
    run = full_run(test="pay")
    progress(RunStored(replace(run, metadata={**run.metadata, WORKER: "b"})))
    assert progress.complete == {"shop": 0, "pay": 1}


def test_a_log_names_the_host_of_each_launch() -> None:
    err = io.StringIO()
    shown(err)
    lines = [line.split(", ")[0] for line in err.getvalue().splitlines()]
    assert lines == [
        "0 of 5 runs",
        "a: shop: run 1 of 2",
        "b: pay: run 1 of 3",
        "a: shop: run 1 of 2: failed",
        "b: pay: run 1 of 3: 3 samples",
    ]
    assert "running, 120 samples, 12 s" in err.getvalue()
    assert "\x1b" not in err.getvalue()


def test_a_terminal_has_a_line_for_each_host_which_is_gone_before_the_next_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    err = Terminal()
    shown(err)
    drawn = err.getvalue()
    block = drawn[drawn.index("0 of 5 runs, 0 s so far\n") :]
    assert "a: shop: run 1 of 2, waiting for its host" in block
    assert "b: pay: run 1 of 3, waiting for its host" in drawn
    assert "\x1b[2A\r\x1b[Jb: pay" not in drawn
    # The block of three lines is removed as a whole before a line that stays.
    assert "\x1b[2A\r\x1b[J" in drawn
    assert drawn.rindex("\x1b[2A\r\x1b[J") < drawn.index("a: shop: run 1 of 2: failed")
