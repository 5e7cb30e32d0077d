"""The time limit of a launch, on a clock that a test sets."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest

from buto.measure import launch
from buto.measure.launch import LONGEST_PAUSE_S, Launch, TimeLimit


class Program:
    """A launch with a limit of ten seconds, begun at zero; notes what is done to it."""

    def __init__(self) -> None:
        self.target = SimpleNamespace(timeout_s=10.0)
        self.started_ns, self.pid = 0, 1
        self.done: list[str] = []

    def terminate(self) -> None:
        self.done.append("SIGTERM")

    def kill(self) -> None:
        self.done.append("SIGKILL")


def enforced(monkeypatch: pytest.MonkeyPatch, *steps: tuple[float, str]) -> list[str]:
    """Call one method of a limit at each of these times; return what was done to the program."""
    program = Program()
    limit = TimeLimit(cast(Launch, program))
    for now_s, method in steps:
        monkeypatch.setattr(launch, "time", SimpleNamespace(monotonic=partial(float, now_s)))
        getattr(limit, method)()
    return program.done


def test_a_program_is_asked_to_end_and_then_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert enforced(monkeypatch, (9.9, "enforce")) == []
    assert enforced(monkeypatch, (10.1, "enforce")) == ["SIGTERM"]
    assert enforced(monkeypatch, (10.1, "enforce"), (12.2, "enforce")) == ["SIGTERM", "SIGKILL"]


def test_a_pause_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    pause = (9.0, "pause"), (14.0, "enforce"), (15.0, "resume")
    assert enforced(monkeypatch, *pause, (15.9, "enforce")) == []
    assert enforced(monkeypatch, *pause, (16.1, "enforce")) == ["SIGTERM"]


def test_a_pause_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert enforced(monkeypatch, (9.0, "pause"), (9.1 + LONGEST_PAUSE_S, "enforce")) == ["SIGTERM"]
