"""Progress of many launches: one line that redraws itself on a terminal, plain lines elsewhere.

In a long recording, one line has curves of the last minutes. On a cluster, where launches go on at the same
time, there is a line for each host.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from msgspec import Struct

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
from buto.run.model import WORKER, FloatArray
from buto.run.units import format_bytes, format_count, format_number, format_percent, format_seconds

SAMPLES = 600
WIDTH = 10


class _Curve(Struct, frozen=True):
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
        part = _draw(curve, times_s, curve.whole(values, axis=1)) if values.shape[1] else ""
        if part and len(text) + len(part) + 2 <= room:
            text += f", {part}"
    return text


def _draw(curve: _Curve, times_s: FloatArray, values: FloatArray) -> str:
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

_REDRAW_S = 0.2
_LIVE_FROM_S = 10.0
"""Shorter launches are shown without curves."""

_PLAIN_LINE_EVERY_S = 30.0
"""Interval between plain lines during a long launch, so that a log shows that it still runs."""


@dataclass(slots=True)
class _Launch:
    label: str
    begun_s: float
    state: str = "waiting for its host"


class LaunchProgress:
    """Shows the events of launches.

    Attributes:
        complete: by test, how many of the wanted usable runs are stored.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._newest = _Launch("", time.monotonic())
        self._took_s: dict[str, list[float]] = {}
        self._plan(LaunchesPlanned({}))

    def _plan(self, plan: LaunchesPlanned) -> None:
        self._planned = plan
        self.complete = dict.fromkeys(plan.planned, 0) | dict(plan.complete)
        self._begun_s = time.monotonic()
        # Further launches of a check take as long as its first.
        self._took_s |= {test: self._took_s.get(test, []) for test in plan.planned}
        self._given_up: set[str] = set()
        self._here: dict[str, _Launch] = {}
        self._hosts: dict[str, _Launch] = {}
        self._next_line_s = 0.0
        self._next_block_s = 0.0 if self.console.animated else self._begun_s + _PLAIN_LINE_EVERY_S

    def __call__(self, event: Event) -> None:
        """Show an event of a launch; ignore all other events."""
        match event:
            case LaunchesPlanned():
                self._plan(event)
            case LaunchStarted():
                self._start(event)
            case LaunchProgressed(progress, host=host) if host:
                if host in self._hosts:
                    elapsed = format_seconds(round(progress.elapsed_s))
                    samples = format_count(progress.n_samples, "sample")
                    self._hosts[host].state = f"{progress.stage}, {samples}, {elapsed}"
                self._show_hosts()
            case LaunchProgressed(progress, test):
                self._tick(progress, self._here.get(test, self._newest).label)
            case RunStored(run):
                launch = self._end(run.test, str(run.metadata.get(WORKER) or ""))
                useless = "" if run.quality.valid else f"not usable: {run.quality.describe()}"
                self._took(launch, run.test, useless or format_count(len(run.times_s), "sample"), not useless)
            case ProfileRecorded(test, n_events, repeated):
                useless = repeated and f"not usable, and will be repeated: {repeated}"
                self._took(self._newest, test, useless or format_count(n_events, "event"), not useless)
            case LaunchRepeated(test, error, host):
                label = self._end(test, host).label
                self._print(f"{label}: failed, and will be repeated: {error.message.splitlines()[0]}")
            case GivenUp(test, error):
                self._given_up.add(test)
                self.clear()
                # Of a single test the whole message follows at once, of several only after the others.
                say = self.console.info if len(self._planned.planned) > 1 else self.console.detail
                say(f"{test}: given up: {error.message.splitlines()[0]}")
            case LaunchesEnded():
                self.clear()
            case _:
                pass

    def _start(self, started: LaunchStarted) -> None:
        at_most = "at most " if started.test in self._planned.at_most else ""
        label = f"{started.test}: run {started.number} of {at_most}{started.planned}"
        if started.host:
            self._hosts[started.host] = _Launch(f"{started.host}: {label}", time.monotonic())
            self._show_hosts()
        else:
            self._newest = self._here[started.test] = _Launch(label, time.monotonic())
            self._next_line_s = 0.0 if self.console.animated else _PLAIN_LINE_EVERY_S

    def _end(self, test: str, host: str) -> _Launch:
        """Return the launch of a test that has ended, at a host or here."""
        if host:
            return self._hosts.pop(host, _Launch(host, self._newest.begun_s))
        return self._here.get(test, self._newest)

    def _took(self, launch: _Launch, test: str, result: str, is_good: bool) -> None:
        """Count a launch, and print what came of it."""
        self._took_s[test].append(time.monotonic() - launch.begun_s)
        self.complete[test] += is_good
        self._print(f"{launch.label}: {result}{self._times() if is_good else ''}")

    def _print(self, text: str) -> None:
        self.clear()
        self.console.info(text)

    def clear(self) -> None:
        """Remove the redrawn line before something else is printed."""
        if self.console.animated:
            self.console.rewrite("")

    def _tick(self, progress: Progress, label: str) -> None:
        if progress.elapsed_s < self._next_line_s:
            return
        text = f"{label}, {progress.stage}, {format_count(progress.n_samples, 'sample')}{self._times()}"
        if self.console.animated:
            self._next_line_s = progress.elapsed_s + _REDRAW_S
            if progress.newest is not None and progress.elapsed_s >= _LIVE_FROM_S:
                text += live_text(progress.newest, self.console.width - len(text) - 1)
            self.console.rewrite(text)
        else:
            self._next_line_s = progress.elapsed_s + _PLAIN_LINE_EVERY_S
            has_limit = isfinite(progress.timeout_s)
            self.console.info(
                f"{text}; its limit is {format_seconds(progress.timeout_s)}" if has_limit else text
            )

    def _show_hosts(self) -> None:
        """Show what all hosts of a cluster do: a block that redraws itself, or lines now and then."""
        now_s = time.monotonic()
        if now_s < self._next_block_s:
            return
        n_complete, n_planned = sum(self.complete.values()), sum(self._planned.planned.values())
        longest = sorted(self._hosts.values(), key=lambda launch: launch.begun_s)[:MOST_LINES]
        lines = [f"{n_complete} of {n_planned} runs{self._times()}"]
        lines += sorted(f"{launch.label}, {launch.state}"[: self.console.width - 1] for launch in longest)
        if more := len(self._hosts) - len(longest):
            lines.append(f"and {format_count(more, 'more host')}")
        if self.console.animated:
            self._next_block_s = now_s + _REDRAW_S
            self.console.rewrite("\n".join(lines))
        else:
            self._next_block_s = now_s + _PLAIN_LINE_EVERY_S
            for line in lines:
                self.console.info(line)

    def _times(self) -> str:
        elapsed = f", {format_seconds(round(time.monotonic() - self._begun_s))} so far"
        left_s = self._estimate_left_s()
        if left_s is None:
            return elapsed
        about = "at most" if self._planned.at_most else "about"
        return f"{elapsed}, {about} {format_seconds(max(1, round(left_s)))} left"

    def _estimate_left_s(self) -> float | None:
        """Estimate the time left from the mean of a test's launches; None before the first and at the end."""
        planned = self._planned.planned.items()
        todo = {test: n - self.complete[test] for test, n in planned if test not in self._given_up}
        of_all = [seconds for took_s in self._took_s.values() for seconds in took_s]
        if not sum(todo.values()) or not sum(of_all):
            return None
        left_s = sum(n * float(np.mean(self._took_s[test] or of_all)) for test, n in todo.items())
        return left_s / max(1, len(self._hosts))
