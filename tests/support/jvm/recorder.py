"""Launches through ``open_collector``, with the recordings that know absolute times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buto.measure import collector
from buto.measure.opener import open_collector
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import LiveSet, Target
from buto.run.model import ProblemKind, Run

OF_THE_MACHINE = (ProblemKind.STARVED, ProblemKind.SLOW_MBEAN, ProblemKind.LATE_START)
"""Problems of which the tests that run beside this one are guilty."""


def problems(run: Run) -> list[str]:
    """What is wrong with a run but for what a busy machine does to it."""
    return [problem.text for problem in run.quality.problems if problem.kind not in OF_THE_MACHINE]


def said_times(run: Run) -> tuple[int, int]:
    """When ``Ends`` began and ended by its own words, nanoTime."""
    began_ns, ended_ns = map(int, run.stdout.splitlines()[0].split())
    return began_ns, ended_ns


class Recorder:
    """Records launches through ``open_collector`` and keeps the recordings, which know absolute times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, classes: Path) -> None:
        self.recordings: list[Recording] = []
        self.classes = classes
        seen = self.recordings

        class SeenRecording(Recording):
            def __init__(self, test: str, **more: Any) -> None:
                super().__init__(test, **more)
                seen.append(self)

        monkeypatch.setattr(collector, "Recording", SeenRecording)

    def java(
        self, main: str, *arguments: str, options: tuple[str, ...] = (), java: str = "java", **settings: Any
    ) -> Run:
        """Launch one of the programs; settings are the target's."""
        command = (java, *options, "-cp", str(self.classes), main, *arguments)
        return self.run(*command, **settings)

    def run(self, *command: str, on_tick: OnTick | None = None, **settings: Any) -> Run:
        usual = {"timeout_s": 60.0, "interval_s": 0.05, "live_set": LiveSet()}
        merged: dict[str, Any] = usual | settings
        with open_collector(Target(command, **merged)) as collector:
            return collector.record("test", on_tick)

    def last_time_ns(self, run: Run) -> float:
        """The last sample's time by ``time.monotonic_ns`` of the newest recording."""
        zero_ns = self.recordings[-1].zero_ns
        assert zero_ns is not None
        return zero_ns + float(run.times_s[-1]) * 1e9
