"""The launches that go on at the same time, one line for each host of a cluster."""

from __future__ import annotations

import time
from dataclasses import dataclass

from buto.collect.progress import Progress
from buto.units import format_count, format_seconds
from buto.workflow.events import LaunchStarted

MOST_LINES = 20
"""Of more hosts, those are shown whose launches take longest."""

_WAITING = "waiting for its host"


@dataclass(slots=True)
class _Launch:
    label: str
    begun_s: float
    state: str = _WAITING


class HostLines:
    """Knows what goes on at each host."""

    def __init__(self) -> None:
        self._launches: dict[str, _Launch] = {}

    def __len__(self) -> int:
        return len(self._launches)

    def begin(self, started: LaunchStarted) -> None:
        """Note that a launch begins."""
        label = f"{started.host}: {started.test}: run {started.number} of {started.planned}"
        self._launches[started.host] = _Launch(label, time.monotonic())

    def progress(self, host: str, progress: Progress) -> None:
        """Note how far a launch is."""
        if host in self._launches:
            elapsed = format_seconds(round(progress.elapsed_s))
            samples = format_count(progress.n_samples, "sample")
            self._launches[host].state = f"{progress.stage}, {samples}, {elapsed}"

    def end(self, host: str) -> str:
        """Note that a host's launch is over, and return what it is called."""
        launch = self._launches.pop(host, None)
        return host if launch is None else launch.label

    def begun_s(self, host: str) -> float | None:
        """Return when a host's launch began, ``time.monotonic``; None if it has none."""
        return self._launches[host].begun_s if host in self._launches else None

    def lines(self, width: int) -> list[str]:
        """Return a line for each host that has a launch, none longer than a width."""
        longest = sorted(self._launches.values(), key=lambda one: one.begun_s)[:MOST_LINES]
        lines = sorted(f"{one.label}, {one.state}"[:width] for one in longest)
        more = len(self._launches) - len(longest)
        return [*lines, f"and {format_count(more, 'more host')}"] if more else lines
