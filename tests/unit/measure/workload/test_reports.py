"""Marks and numbers that a workload's command prints."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from buto.measure.samples import Track
from buto.measure.workload import driver, model
from buto.run.properties import Kind


class Listening:
    """Takes what a command reports."""

    def __init__(self) -> None:
        self.marks: list[tuple[str, str]] = []
        self.tracks: list[Track] = []

    def mark(self, name: str, message: str = "", *, judged: bool = True) -> None:
        assert not judged
        self.marks.append((name, message))

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        assert not from_first
        self.tracks.append(Track(name, interval_s))
        return self.tracks[-1]


def run(script: str) -> tuple[tuple[str, ...], Listening]:
    listening = Listening()
    problems = driver.run_command([sys.executable, "-c", script], {}, threading.Event(), listening)
    return problems, listening


def printing(*lines: str) -> str:
    return f"print({chr(10).join(lines)!r})"


def test_lines_of_the_protocol_become_marks_and_numbers() -> None:
    problems, heard = run(
        printing(
            "starting",
            "buto mark warm-up",
            "buto mark fault disk is slow now",
            "buto value queue[orders] 3.5 {order}",
            "buto count sent 12",
            "buto value queue[orders] 4",
            "mark nothing",
        )
    )
    assert problems == ()
    assert heard.marks == [("warm-up", ""), ("fault", "disk is slow now")]
    [track] = heard.tracks
    readings = track.readings()
    assert [(prop.name, prop.unit, prop.kind) for prop in readings.properties] == [
        ("driver.queue[orders]", "{order}", Kind.GAUGE),
        ("driver.sent", "1", Kind.COUNTER),
    ]
    assert readings.values[-1].tolist() == [4, 12]


def test_numbers_become_readings_at_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "INTERVAL_S", 0.1)
    loop = "  print(f'buto count sent {n}', flush=True)\n  time.sleep(0.003)"
    script = f"import time\nfor n in range(300):\n{loop}"
    problems, heard = run(script)
    assert problems == ()
    readings = heard.tracks[0].readings()
    assert 5 < len(readings.times_ns) < 60
    assert (np.diff(readings.values[:, 0]) >= 0).all()
    assert readings.values[-1, 0] == 299


@pytest.mark.parametrize(
    "line",
    ["buto value queue", "buto value queue many", "buto mark", "buto vale a 1", "buto value a;b 1", "buto "],
)
def test_a_line_that_is_none_of_the_protocol_is_a_problem(line: str) -> None:
    [problem], heard = run(printing(line, "buto mark a"))
    assert problem.startswith(f"its command printed {line.strip()!r}, expected 'buto mark NAME TEXT'")
    assert heard.marks == [("a", "")]


def test_the_memory_for_a_command_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MOST_NAMES", 2)
    monkeypatch.setattr(model, "MOST_MARKS", 1)
    known = ("buto value a0 1", "buto value a1 1", "buto value a0 2", "buto mark a")
    assert run(printing(*known))[0] == ()
    [problem], heard = run(printing(*known, *(f"buto value a{n} 1" for n in range(2, 5)), "buto mark b"))
    assert problem == "there can be 2 names of numbers, and 'a2' is one more"
    assert len(heard.tracks[0].names()) == 2 and heard.marks == [("a", "")]
    [problem], heard = run(printing("buto mark a", "buto mark b order 7"))
    assert problem.startswith("there can be 1 marks, and 'b' is one more; what happens often is a number: ")
    assert heard.marks == [("a", "")]


@pytest.mark.parametrize("name", ["main", "end", "window.start", "window.end"])
def test_a_mark_with_a_name_of_butos_own_is_a_problem(name: str) -> None:
    [problem], heard = run(printing(f"buto mark {name}", "buto mark load.start"))
    assert problem == f"a mark must not be called main or end or window.start or window.end, got {name!r}"
    assert heard.marks == [("load.start", "")]


def test_the_output_of_a_failed_command_is_quoted_as_before() -> None:
    [problem], _ = run(printing("buto mark a", "no such file") + "; raise SystemExit(3)")
    assert problem.endswith("exited with code 3; it printed: buto mark a / no such file")


def test_the_end_of_a_long_line_is_not_a_line() -> None:
    problems, heard = run("print('x' * 4096 + 'buto mark a')")
    assert (problems, heard.marks) == ((), [])
