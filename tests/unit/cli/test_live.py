"""Curves of a long recording in the line of its progress."""

from __future__ import annotations

import numpy as np
import pytest

from buto.cli.progress import live_text
from buto.measure.progress import Progress
from buto.measure.recording import Recording
from buto.run.properties import Property, property_for

LOAD = [
    Property(f"load.{what}[{kind}]", unit)
    for kind in ("read", "write")
    for what, unit in (("throughput", "{answer}/s"), ("latency.p95", "s"))
]


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
    track.add_columns(LOAD)
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
    labels = [part.split()[0] for part in whole.strip(", ").split(", ")]
    assert labels == ["load", "p95", "heap", "CPU"]
    assert "50/s" in whole
    assert "12 ms" in whole
    assert whole.endswith("25 %")
    assert "▁▂" in whole
    assert live_text(newest, len(whole) - 1) == whole.rpartition(", CPU")[0]
    assert live_text(newest, 3) == ""
    assert live_text(Recording("shop").newest, 200) == ""


@pytest.mark.parametrize(("elapsed_s", "is_drawn"), [(5.0, False), (11.0, True)])
def test_a_long_recording_shows_curves(
    elapsed_s: float, is_drawn: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from buto.actions.events import LaunchesPlanned, LaunchProgressed, LaunchStarted
    from buto.cli.console import Console
    from buto.cli.progress import LaunchProgress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    progress = LaunchProgress(Console())
    progress(LaunchesPlanned({"shop": 1}))
    progress(LaunchStarted("shop", 1, 1))
    progress(LaunchProgressed(Progress(elapsed_s, 60.0, 40, "running", recording().newest)))
    assert ("heap ▁" in capfd.readouterr().err) == is_drawn


def test_two_rows_of_one_time_are_no_division_by_zero() -> None:
    """The row before a count of the live objects is sent once more, with their numbers."""
    made = recording()
    made.add_rows(np.array([39 * 10**9]), np.array([[0.25 * 39, 2**20 * 39.0]]))
    with np.errstate(all="raise"):
        assert live_text(made.newest, 200).endswith("25 %")
