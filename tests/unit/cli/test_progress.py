"""Progress: a line that redraws itself on a terminal, plain lines in a log."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from buto.actions.events import GivenUp, LaunchesPlanned, LaunchProgressed, LaunchStarted, RunStored
from buto.cli.console import Console
from buto.cli.progress import LaunchProgress
from buto.errors import MeasureError
from buto.measure.progress import Progress
from tests.support.runs.examples import full_run
from tests.support.runs.qualities import starved

RUN = full_run(test="leaker")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def tick(elapsed_s: float) -> Progress:
    return Progress(elapsed_s, 600.0, int(10 * elapsed_s), "running")


def planned(stream: io.StringIO, **runs: int) -> LaunchProgress:
    progress = LaunchProgress(Console(stderr=stream))
    progress(LaunchesPlanned(runs))
    return progress


@pytest.fixture(autouse=True)
def a_terminal_with_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


def test_a_log_gets_one_line_a_run_and_one_every_half_minute() -> None:
    err = io.StringIO()
    progress = planned(err, leaker=2)
    progress(LaunchStarted("leaker", 1, 2))
    for tenth in range(700):
        progress(LaunchProgressed(tick(tenth / 10)))
    progress(RunStored(RUN))
    progress(LaunchStarted("leaker", 2, 2))
    progress(RunStored(replace(RUN, quality=starved("it was starved"))))
    lines = err.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "leaker: run 1 of 2",
        "leaker: run 1 of 2",
        "leaker: run 1 of 2: 3 samples",
        "leaker: run 2 of 2: not usable: it was starved",
    ]
    assert "its limit is 10 min" in lines[0]
    assert "\x1b" not in err.getvalue()
    assert progress.complete == {"leaker": 1}


def test_a_terminal_gets_a_line_in_place_that_is_gone_before_the_next() -> None:
    err = Terminal()
    progress = planned(err, leaker=1)
    progress(LaunchStarted("leaker", 1, 1))
    for tenth in range(11):
        progress(LaunchProgressed(tick(tenth / 10)))
    progress(RunStored(RUN))
    drawn = err.getvalue().split("\r\x1b[K")
    assert 4 <= len(drawn) - 1 <= 8, "five times a second is enough"
    assert drawn[-1].startswith("leaker: run 1 of 1: 3 samples")
    assert drawn[-2].startswith("leaker: run 1 of 1, running, ")


def test_what_is_left_counts_what_was_given_up() -> None:
    err = io.StringIO()
    progress = planned(err, a=2, b=2)
    progress(LaunchStarted("a", 1, 2))
    progress(RunStored(replace(RUN, test="a")))
    assert "left" in err.getvalue().splitlines()[-1]
    progress(GivenUp("b", MeasureError("no")))
    progress(LaunchStarted("a", 2, 2))
    progress(RunStored(replace(RUN, test="a")))
    assert "left" not in err.getvalue().splitlines()[-1]
