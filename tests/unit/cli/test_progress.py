"""Progress: a line that redraws itself on a terminal, plain lines in a log, and curves of long recordings."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest

from buto.actions.events import (
    GivenUp,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchRepeated,
    LaunchStarted,
    RunStored,
)
from buto.cli.console import Console
from buto.cli.progress import LaunchProgress, live_text
from buto.errors import MeasureError
from buto.measure.progress import Newest, Progress
from buto.measure.recording import Recording
from buto.run.model import WORKER
from buto.run.properties import Property, property_for
from tests.support.runs.examples import full_run
from tests.support.runs.qualities import starved

RUN = full_run(test="leaker")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")


def tick(elapsed_s: float, newest: Newest | None = None) -> LaunchProgressed:
    return LaunchProgressed(Progress(elapsed_s, 600.0, int(10 * elapsed_s), "running", newest))


def planned(stream: io.StringIO, **runs: int) -> LaunchProgress:
    progress = LaunchProgress(Console(stderr=stream))
    progress(LaunchesPlanned(runs))
    return progress


def test_a_log_gets_one_line_a_run_and_one_every_half_minute() -> None:
    err = io.StringIO()
    progress = planned(err, leaker=2)
    progress(LaunchStarted("leaker", 1, 2))
    for tenth in range(700):
        progress(tick(tenth / 10))
    progress(RunStored(RUN))
    progress(LaunchStarted("leaker", 2, 2))
    progress(RunStored(replace(RUN, quality=starved("it was starved"))))
    lines = err.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == [
        *["leaker: run 1 of 2"] * 2,
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
        progress(tick(tenth / 10))
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


def test_turns_are_estimated_by_the_runs_before_them() -> None:
    err = io.StringIO()
    progress = planned(err, leaker=1)
    progress(LaunchStarted("leaker", 1, 1))
    progress(RunStored(RUN))
    assert "left" not in err.getvalue()
    progress(LaunchesPlanned({"leaker@trained": 10, "leaker": 10}, frozenset({"leaker@trained", "leaker"})))
    progress(LaunchStarted("leaker@trained", 1, 10))
    progress(tick(30.0))
    (line,) = err.getvalue().splitlines()[1:]
    assert line.startswith("leaker@trained: run 1 of at most 10, running, ")
    assert re.search("so far, at most [0-9.]+ s left", line)


def on_two_hosts(stream: io.StringIO) -> str:
    """Show two hosts: one is lost, the other one stores its run."""
    progress = planned(stream, shop=2, pay=3)
    progress(LaunchStarted("shop", 1, 2, "a"))
    progress(LaunchStarted("pay", 1, 3, "b"))
    progress._next_block_s = 0.0
    progress(LaunchProgressed(Progress(12.0, 60.0, 120, "running"), "shop", "a"))
    progress(LaunchRepeated("shop", MeasureError("the host a was lost in mid-run"), "a"))
    progress(RunStored(replace(RUN, test="pay", metadata={**RUN.metadata, WORKER: "b"})))
    assert progress.complete == {"shop": 0, "pay": 1}
    return stream.getvalue()


def test_a_log_names_the_host_of_each_launch() -> None:
    log = on_two_hosts(io.StringIO())
    assert [line.split(", ")[0] for line in log.splitlines()] == [
        "0 of 5 runs",
        "a: shop: run 1 of 2",
        "b: pay: run 1 of 3",
        "a: shop: run 1 of 2: failed",
        "b: pay: run 1 of 3: 3 samples",
    ]
    assert "running, 120 samples, 12 s" in log
    assert "\x1b" not in log


def test_a_terminal_has_a_line_for_each_host_which_is_gone_before_the_next_text() -> None:
    drawn = on_two_hosts(Terminal())
    block = drawn[drawn.index("0 of 5 runs, 0 s so far\n") :]
    assert "a: shop: run 1 of 2, waiting for its host" in block
    assert "b: pay: run 1 of 3, waiting for its host" in drawn
    assert "\x1b[2A\r\x1b[Jb: pay" not in drawn
    # The block of three lines is removed as a whole before a line that stays.
    assert drawn.rindex("\x1b[2A\r\x1b[J") < drawn.index("a: shop: run 1 of 2: failed")


def recording() -> Recording:
    """Forty samples a second apart in two blocks; the heap appears in the second one."""
    made = Recording("shop")
    made.add_columns([property_for("jvm.cpu.time")])
    times_ns = np.arange(40) * 10**9
    made.add_rows(times_ns[:20], 0.25 * np.arange(20.0)[:, np.newaxis])
    made.add_columns([property_for("jvm.memory.heap.used")])
    heap = 2**20 * np.arange(20.0, 40.0)
    made.add_rows(times_ns[20:], np.column_stack([0.25 * np.arange(20.0, 40.0), heap]))
    track = made.track("load", 1.0)
    units = {"throughput": "{answer}/s", "latency.p95": "s"}
    track.add_columns(
        [Property(f"load.{what}[{kind}]", unit) for kind in ("read", "write") for what, unit in units.items()]
    )
    for second in range(10):
        track.add(second * 10**9, {"load.throughput[read]": 30.0, "load.throughput[write]": 20.0})
    track.add(10 * 10**9, {"load.throughput[read]": 30.0, "load.latency.p95[write]": 0.012})
    return made


def test_the_newest_samples_are_those_of_all_instances() -> None:
    made = recording()
    times_s, values = made.newest("jvm.cpu.time", 25)
    assert times_s.tolist() == pytest.approx(list(range(15, 40)))
    assert values[:, 0].tolist() == [0.25 * second for second in range(15, 40)]
    times_s, values = made.newest("jvm.memory.heap.used", 25)
    assert (len(times_s), values.shape) == (20, (20, 1))
    assert made.newest("load.throughput", 4)[1].tolist()[:3] == [[30.0, 20.0]] * 3
    assert made.newest("jvm.thread.count", 5)[1].shape[1] == 0


def test_curves_are_drawn_as_far_as_there_is_room() -> None:
    newest = recording().newest
    whole = live_text(newest, 200)
    assert [part.split()[0] for part in whole.strip(", ").split(", ")] == ["load", "p95", "heap", "CPU"]
    assert all(part in whole for part in ("50/s", "12 ms", "▁▂"))
    assert whole.endswith("25 %")
    assert live_text(newest, len(whole) - 1) == whole.rpartition(", CPU")[0]
    assert live_text(newest, 3) == live_text(Recording("shop").newest, 200) == ""


@pytest.mark.parametrize(("elapsed_s", "is_drawn"), [(5.0, False), (11.0, True)])
def test_a_long_recording_shows_curves(elapsed_s: float, is_drawn: bool) -> None:
    err = Terminal()
    progress = planned(err, shop=1)
    progress(LaunchStarted("shop", 1, 1))
    progress(tick(elapsed_s, recording().newest))
    assert ("heap ▁" in err.getvalue()) == is_drawn


def test_two_rows_of_one_time_are_no_division_by_zero() -> None:
    """The row before a count of the live objects is sent once more, with their numbers."""
    made = recording()
    made.add_rows(np.array([39 * 10**9]), np.array([[0.25 * 39, 2**20 * 39.0]]))
    with np.errstate(all="raise"):
        assert live_text(made.newest, 200).endswith("25 %")
