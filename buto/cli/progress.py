"""Progress of many launches: one line that redraws itself on a terminal, plain lines elsewhere.

In a long recording, one line has curves of the last minutes. On a cluster, where launches go on at the same
time, there is a line for each host.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from buto.actions.events import (
    Event,
    GivenUp,
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchRepeated,
    LaunchStarted,
    ProfileRecorded,
    RunStored,
)
from buto.cli.console import Console
from buto.measure.progress import Newest, Progress
from buto.report.terminal.style import sparkline
from buto.run.model import WORKER, FloatArray, Run
from buto.run.units import format_bytes, format_count, format_number, format_percent, format_seconds

SAMPLES = 600
WIDTH = 10


@dataclass(frozen=True, slots=True)
class _Curve:
    """A curve of the live view.

    Attributes:
        shown: the newest value as text.
        whole: from the values of all instances, shape (n_samples, n_instances), to one curve.
        is_rate: whether the metric is a counter, of which the growth a second is drawn.
    """

    label: str
    metric: str
    shown: Callable[[float], str]
    whole: Callable[..., Any] = np.sum
    is_rate: bool = False


_CURVES = (
    _Curve("load", "load.throughput", lambda value: f"{format_number(value)}/s"),
    _Curve("p95", "load.latency.p95", format_seconds, np.fmax.reduce),
    _Curve("heap", "jvm.memory.heap.used", format_bytes),
    _Curve("CPU", "jvm.cpu.time", format_percent, is_rate=True),
)


def live_text(newest: Newest, room: int) -> str:
    """Return the curves for which there are samples and room, the most important first; may be empty.

    Args:
        newest: see :meth:`buto.measure.recording.Recording.newest`.
        room: number of characters.
    """
    text = ""
    for curve in _CURVES:
        times_s, values = newest(curve.metric, SAMPLES)
        part = _drawn(curve, times_s, curve.whole(values, axis=1)) if values.shape[1] else ""
        if part and len(text) + len(part) + 2 <= room:
            text += f", {part}"
    return text


def _drawn(curve: _Curve, times_s: FloatArray, values: FloatArray) -> str:
    if curve.is_rate:
        # Two rows have the same time where the live objects were counted.
        passed_s = np.diff(times_s)
        values = np.diff(values)[passed_s > 0] / passed_s[passed_s > 0]
    known = values[np.isfinite(values)]
    if not known.size:
        return ""
    # The last tenth: a single value jumps.
    now = float(known[-max(1, len(known) // 10) :].mean())
    return f"{curve.label} {sparkline(values, WIDTH)} {curve.shown(now)}"


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


_REDRAW_S = 0.2
_LIVE_FROM_S = 10.0
"""Shorter launches are shown without curves."""

_PLAIN_LINE_EVERY_S = 30.0
"""Interval between plain lines during a long launch, so that a log shows that it still runs."""


class LaunchProgress:
    """Shows the events of launches.

    Attributes:
        planned: by test, how many usable runs are wanted.
        complete: by test, how many of them are stored.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.planned: dict[str, int] = {}
        self.complete: dict[str, int] = {}
        self._begun = time.monotonic()
        self._given_up: set[str] = set()
        self._at_most: Collection[str] = ()
        self._spent_s: dict[str, float] = {}
        self._launches: dict[str, int] = {}
        self._launch_begun = self._begun
        self._label = ""
        self._labels: dict[str, str] = {}
        self._at_once = 1
        self._next_line = 0.0
        self._hosts = HostLines()
        self._next_block_s = 0.0

    def __call__(self, event: Event) -> None:
        """Show an event of a launch; ignore all other events."""
        match event:
            case LaunchesPlanned():
                self._plan(event)
            case LaunchStarted(host=host) if host:
                self._hosts.begin(event)
                self._show_hosts()
            case LaunchStarted(test, number, planned):
                self._label = f"{test}: run {number} of {self._at_most_of(test)}{planned}"
                self._labels[test] = self._label
                self._launch_begun = time.monotonic()
                self._next_line = 0.0 if self.console.animated else _PLAIN_LINE_EVERY_S
            case LaunchProgressed(progress, host=host) if host:
                self._hosts.progress(host, progress)
                self._show_hosts()
            case LaunchProgressed(progress, test):
                self._tick(progress, self._labels.get(test, self._label))
            case RunStored(run):
                self._store(run)
            case ProfileRecorded():
                self._profile(event)
            case LaunchRepeated(_, error, host):
                first_line = error.message.splitlines()[0]
                label = self._hosts.end(host) if host else self._label
                self.clear()
                self.console.info(f"{label}: failed, and will be repeated: {first_line}")
            case GivenUp(test, error):
                self._given_up.add(test)
                self.clear()
                first_line = error.message.splitlines()[0]
                # Of a single test the whole message follows at once, of several only after the others.
                say = self.console.info if len(self.planned) > 1 else self.console.detail
                say(f"{test}: given up: {first_line}")
            case LaunchesEnded():
                self.clear()
            case _:
                pass

    def _plan(self, plan: LaunchesPlanned) -> None:
        self.planned = dict(plan.planned)
        self.complete = dict.fromkeys(plan.planned, 0) | dict(plan.complete)
        self._begun = time.monotonic()
        self._given_up = set()
        self._at_most = plan.at_most
        self._at_once = plan.at_once
        self._spent_s = dict.fromkeys(plan.planned, 0.0)
        self._launches = dict.fromkeys(plan.planned, 0)
        self._hosts = HostLines()
        self._next_block_s = 0.0 if self.console.animated else self._begun + _PLAIN_LINE_EVERY_S

    def _at_most_of(self, test: str) -> str:
        return "at most " if test in self._at_most else ""

    def _tick(self, progress: Progress, label: str) -> None:
        if progress.elapsed_s < self._next_line:
            return
        text = f"{label}, {progress.stage}, {format_count(progress.n_samples, 'sample')}{self._times()}"
        if self.console.animated:
            self._next_line = progress.elapsed_s + _REDRAW_S
            self.console.rewrite(text + self._live(progress, len(text)))
        else:
            self._next_line = progress.elapsed_s + _PLAIN_LINE_EVERY_S
            limit = (
                f"; its limit is {format_seconds(progress.timeout_s)}" if isfinite(progress.timeout_s) else ""
            )
            self.console.info(text + limit)

    def _show_hosts(self) -> None:
        """Show what all hosts of a cluster do: a block that redraws itself, or lines now and then."""
        now_s = time.monotonic()
        if now_s < self._next_block_s:
            return
        n_complete, n_planned = sum(self.complete.values()), sum(self.planned.values())
        lines = [
            f"{n_complete} of {n_planned} runs{self._times()}",
            *self._hosts.lines(self.console.width - 1),
        ]
        if self.console.animated:
            self._next_block_s = now_s + _REDRAW_S
            self.console.rewrite("\n".join(lines))
        else:
            self._next_block_s = now_s + _PLAIN_LINE_EVERY_S
            for line in lines:
                self.console.info(line)

    def _live(self, progress: Progress, taken: int) -> str:
        """Return curves of a long recording, as far as they fit beside what is in the line."""
        if progress.newest is None or progress.elapsed_s < _LIVE_FROM_S:
            return ""
        # Imported here, because most launches are over before.

        return live_text(progress.newest, self.console.width - taken - 1)

    def _store(self, run: Run) -> None:
        host = str(run.metadata.get(WORKER) or "")
        begun_s = self._hosts.begun_s(host) or self._launch_begun
        label = self._hosts.end(host) if host else self._labels.get(run.test, self._label)
        self._spent_s[run.test] += time.monotonic() - begun_s
        self._launches[run.test] += 1
        self.clear()
        if run.quality.valid:
            self.complete[run.test] += 1
            self.console.info(f"{label}: {format_count(len(run.times_s), 'sample')}{self._times()}")
        else:
            self.console.info(f"{label}: not usable: {run.quality.describe()}")

    def _profile(self, event: ProfileRecorded) -> None:
        self._spent_s[event.test] += time.monotonic() - self._launch_begun
        self._launches[event.test] += 1
        self.clear()
        if event.repeated:
            self.console.info(f"{self._label}: not usable, and will be repeated: {event.repeated}")
            return
        self.complete[event.test] += 1
        self.console.info(f"{self._label}: {format_count(event.n_events, 'event')}{self._times()}")

    def clear(self) -> None:
        """Remove the redrawn line before something else is printed."""
        if self.console.animated:
            self.console.rewrite("")

    def _times(self) -> str:
        elapsed = f", {format_seconds(round(time.monotonic() - self._begun))} so far"
        left_s = self._left_s()
        about = "at most" if self._at_most else "about"
        return (
            elapsed if left_s is None else f"{elapsed}, {about} {format_seconds(max(1, round(left_s)))} left"
        )

    def _left_s(self) -> float | None:
        """Estimate the time left from the mean of a test's launches; None before the first and at the end."""
        left_s = 0.0
        missing = 0
        mean_of_all = sum(self._spent_s.values()) / max(1, sum(self._launches.values()))
        for test, wanted in self.planned.items():
            if test in self._given_up:
                continue
            todo = wanted - self.complete[test]
            launches = self._launches[test]
            left_s += todo * (self._spent_s[test] / launches if launches else mean_of_all)
            missing += todo
        at_once = max(self._at_once, len(self._hosts))
        return left_s / at_once if mean_of_all > 0 and missing else None
