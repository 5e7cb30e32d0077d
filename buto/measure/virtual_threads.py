"""Virtual threads that were pinned or rejected, from the recording that a JVM leaves.

The agent has it written, because the JDK tells of them in events alone. It is read when the JVM has ended:
Flight Recorder's own exit hook runs beside that of the agent, so nobody inside sees the last events for sure.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from msgspec import Struct, field

from buto.errors import MeasureError
from buto.measure.private_directory import write_private_file
from buto.measure.recording import Recording
from buto.measure.recordings import reading_java, run_reader
from buto.measure.samples import IntArray
from buto.run.model import FloatArray, Problem, ProblemKind
from buto.run.properties import METRICS, PropertyReader
from buto.steps import Advice, Setting

KEY = "virtual-threads"
"""Of a test, in its configuration."""

SETTINGS = """\
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.VirtualThreadPinned">
    <setting name="enabled">true</setting>
    <setting name="stackTrace">true</setting>
    <setting name="threshold">0 ms</setting>
  </event>
  <event name="jdk.VirtualThreadSubmitFailed">
    <setting name="enabled">true</setting>
    <setting name="stackTrace">true</setting>
  </event>
</configuration>
"""
"""What Flight Recorder records: every pin, however short."""

_NAMES = {
    name.rpartition(".")[2]: name
    for name, metric in METRICS.items()
    if metric.reader is PropertyReader.RECORDING
}
"""The properties by what java-probes/threads.md calls their events."""

ALIVE, CARRIERS = "jvm.thread.virtual.count", "jvm.thread.virtual.carriers"
"""What the agent counts in the last sample."""

PINNED = "jvm.thread.virtual.pinned"

_MISSING = "buto.recording.missing"
_PLACES = "process.threads."
PINNED_AT = f"{_PLACES}pinned"
"""Metadata that names the places."""

_MOST_PLACES = 3
_READING_S = 300.0
_HEADING, _END = "buto-threads\t1", "end"
_MS = 1_000_000


class ThreadEvents(Struct, frozen=True):
    """What happened to virtual threads, in one way.

    Attributes:
        at: how often, by milliseconds since 1970.
        places: how often, by the topmost method of the user's own code, with its line; empty for none.
    """

    at: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)


def prepare(directory: Path) -> Path:
    """Return a new directory in which the agent has the JVM write its recording.

    Raises:
        StorageError: it cannot be written.
    """
    ours = directory / "threads"
    ours.mkdir(mode=0o700)
    write_private_file(ours / "settings.jfc", SETTINGS.encode())
    return ours


def add_counts(recording: Recording, directory: Path, interval_s: float) -> tuple[Problem, ...]:
    """Add how often virtual threads were pinned and rejected, once the JVM has ended.

    Args:
        directory: of :func:`prepare`.
        interval_s: planned time between two samples.

    Returns:
        A problem if the JVM left no recording.

    Raises:
        MeasureError: this JVM cannot count them, or its recording cannot be read.
    """
    why_not = recording.metadata.get(_MISSING)
    if why_not is not None:
        raise MeasureError(
            f"virtual threads cannot be counted: {why_not}",
            advice=Advice("do without: ", Setting(KEY, "never")),
        )
    track = recording.track(KEY, interval_s)
    track.add_columns([METRICS[name].property() for name in _NAMES.values()])
    file = directory / "recording.jfr"
    if not file.is_file():
        text = "virtual threads were not counted: the JVM ended without its exit hooks, and left no recording"
        track.close(text)
        return (Problem(ProblemKind.EARLY_LOSS, text),)
    reading_java()
    try:
        by_kind = run_reader("VirtualThreads", [str(file)], parse, _READING_S)
    except MeasureError as error:
        # A JVM that is killed while it writes leaves half a recording.
        track.close(error.message)
        return (Problem(ProblemKind.EARLY_LOSS, f"virtual threads were not counted: {error.message}"),)
    times_ns = recording.table().times_ns
    since_ns = time.time_ns() - time.monotonic_ns()
    counts = {
        name: count_at(by_kind.get(kind, ThreadEvents()), times_ns, since_ns) for kind, name in _NAMES.items()
    }
    for name in (ALIVE, CARRIERS):
        recording.add_reason(name, "counted at the end only")
    for row, time_ns in enumerate(times_ns.tolist()):
        track.add(time_ns, {name: values[row] for name, values in counts.items()})
    for kind, events in by_kind.items():
        recording.metadata[f"{_PLACES}{kind}"] = describe_places(events)
    return ()


def count_at(events: ThreadEvents, times_ns: IntArray, since_ns: int) -> FloatArray:
    """Return how many events there were up to each sample, shape (n_samples,); up to the last one, all.

    Args:
        times_ns: of the samples, increasing, shape (n_samples,), by the machine's monotonic clock.
        since_ns: what that clock lacks to nanoseconds since 1970.
    """
    at = sorted(events.at)
    totals = np.cumsum([0, *(events.at[name] for name in at)])
    at_ns = np.array(at, dtype=np.int64) * _MS - since_ns
    counts: FloatArray = totals[np.searchsorted(at_ns, times_ns, side="right")].astype(np.float64)
    counts[-1:] = totals[-1]
    return counts


def describe_places(events: ThreadEvents) -> str:
    """Return the places with most events, as ``Shop.pay:41 (8)``."""
    ranked = sorted(events.places.items(), key=lambda place: (-place[1], place[0]))
    named = [f"{place or 'outside of the program'} ({n})" for place, n in ranked[:_MOST_PLACES]]
    return ", ".join(named + ["…"] * (len(ranked) > _MOST_PLACES))


def parse(text: str) -> dict[str, ThreadEvents]:
    """Return the events by kind from what the reader prints, see java-probes/threads.md.

    Raises:
        ValueError: it is something else, or its end is missing.
    """
    lines = text.splitlines()
    if lines[:1] != [_HEADING] or lines[-1] != _END:
        raise ValueError("its output has no begin or no end")
    at: dict[str, dict[int, int]] = {}
    places: dict[str, dict[str, int]] = {}
    for line in lines[1:-1]:
        word, kind, key, count = line.split("\t")
        if kind not in _NAMES or word not in ("at", "in"):
            raise ValueError(f"it printed {word} {kind}")
        if word == "at":
            at.setdefault(kind, {})[int(key)] = int(count)
        else:
            places.setdefault(kind, {})[key] = int(count)
    return {kind: ThreadEvents(at[kind], places.get(kind, {})) for kind in at}
