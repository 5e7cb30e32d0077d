"""A run while it is recorded. It grows until :meth:`Recording.finish` freezes it into a Run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import numpy as np
from msgspec import Struct, field, structs

from buto.errors import MeasureError
from buto.measure.samples import IntArray, Samples, SampleTable, Track, align, instances
from buto.run.journal import JournalEntry, TrackPart
from buto.run.masking import Mask, MaskedMetadata
from buto.run.model import (
    AT_END,
    ClassHistogram,
    FloatArray,
    Mark,
    MetadataValue,
    Notification,
    Outcome,
    Quality,
    Run,
    SourceState,
)
from buto.run.names import new_id

_NS = 1e-9

T = TypeVar("T")

MOST_NOTIFICATION_BYTES = 64 * 2**20
"""Memory for the notifications of one recording: some 250,000 short ones."""

MOST_HISTOGRAMS = 500
"""Of one recording, besides that of the end: some 22 MiB of a run's document, which has at most 64 MiB."""

_NOTIFICATION_BYTES = 200
"""Memory of one notification besides its texts."""


class Checkpoint(Struct, frozen=True, eq=False):
    """The size of a recording at one moment, from which later changes are found.

    Attributes:
        n_columns, n_blocks, n_notifications, n_marks, n_histograms: their numbers.
        metadata, reasons, sources: their values.
        tracks: by name, the numbers of columns and of readings.
    """

    n_columns: int = 0
    n_blocks: int = 0
    n_notifications: int = 0
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    n_marks: int = 0
    n_histograms: int = 0
    sources: Mapping[str, SourceState] = field(default_factory=dict)
    tracks: Mapping[str, tuple[int, int]] = field(default_factory=dict)


class Recording(Samples):
    """Samples, notifications, metadata and reasons of one execution, in the order of arrival.

    All times are nanoseconds of the collector's monotonic clock; ``zero_ns`` is the program's own start on
    that clock and must be set before :meth:`finish`.

    Secrets are masked on arrival, so that no reader of the recording ever sees them.

    Args:
        mask: hides secrets; None for a mask that only knows the usual names.
    """

    def __init__(self, test: str, *, start: datetime | None = None, mask: Mask | None = None) -> None:
        super().__init__()
        self.id = new_id(start)
        self.test = test
        self.zero_ns: int | None = None
        self.mask = Mask() if mask is None else mask
        self.metadata = MaskedMetadata(self.mask)
        self.n_dropped_notifications = 0
        self._notifications: list[tuple[int, str, str, int, str]] = []
        self._notification_bytes = 0
        self._reasons: dict[str, str] = {}
        self._marks: list[tuple[int, str, str]] = []
        self._sources: dict[str, SourceState] = {}
        self._histograms: list[tuple[int, ClassHistogram]] = []
        self._tracks: dict[str, Track] = {}

    def newest(self, metric: str, n: int) -> tuple[FloatArray, FloatArray]:
        """Return the newest samples of all instances of a metric, those of tracks included.

        Returns:
            Times, shape (at most n,), seconds of the recording's clock, and values, shape (at most n,
            n_instances); NaN: could not be read. No instance if the metric is not recorded (yet).
        """
        for track in self.tracks:
            readings = track.readings(max(0, track.n_readings - n))
            columns = instances(metric, readings.properties)
            if columns:
                times_ns, values = readings.times_ns, readings.values[:, columns]
                break
        else:
            times_ns, values = self.newest_samples(metric, n)
        return np.asarray(times_ns * _NS, dtype=np.float64), values

    def add_notification(self, time_ns: int, type: str, source: str, sequence: int, message: str) -> None:
        """Add a notification; beyond the memory limit it is only counted, in ``n_dropped_notifications``."""
        self._notification_bytes += _NOTIFICATION_BYTES + len(type) + len(source) + len(message)
        if self._notification_bytes > MOST_NOTIFICATION_BYTES:
            self.n_dropped_notifications += 1
            return
        type, source, message = map(self.mask.hide_known, (type, source, message))
        self._notifications.append((time_ns, type, source, sequence, message))

    def add_mark(self, time_ns: int, name: str, text: str = "") -> None:
        """Add a mark; usable from any thread."""
        self._marks.append((time_ns, self.mask.hide_known(name), self.mask.hide_known(text)))

    def marks_since(self, n_seen: int) -> tuple[tuple[str, ...], int]:
        """Return the names of the marks after the first ``n_seen``, and the number of all."""
        new = self._marks[n_seen:]
        return tuple(name for _, name, _ in new), n_seen + len(new)

    def add_source(self, source: SourceState) -> None:
        """Add the state of a source; it replaces an earlier one of the same name."""
        self._sources[source.name] = structs.replace(source, reason=self.mask.text(source.reason))

    def add_histogram(self, time_ns: int, histogram: ClassHistogram) -> None:
        """Add a histogram of classes; beyond MOST_HISTOGRAMS only that of the program's end is kept.

        Its own ``time_s`` is replaced when the recording is finished.
        """
        if len(self._histograms) < MOST_HISTOGRAMS or histogram.point == AT_END:
            self._histograms.append((time_ns, histogram))

    def add_reason(self, name: str, why: str) -> None:
        """Add a reason why values of a column are NaN; different reasons are joined."""
        why = self.mask.text(why)
        known = self._reasons.get(name)
        if known is None:
            self._reasons[name] = why
        elif why not in known:
            self._reasons[name] = f"{known}; {why}"

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        """Return a new track; its columns follow the JVM's in the finished run, at the JVM's sample times.

        Args:
            from_first: whether its counters count from their first reading.

        Raises:
            MeasureError: there already is a track of that name.
        """
        if name in self._tracks:
            raise MeasureError(f"the source {name} was announced twice")
        self._tracks[name] = Track(name, interval_s, from_first=from_first)
        return self._tracks[name]

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The tracks so far, in the order in which they were begun."""
        return tuple(self._tracks.values())

    def changes_since(self, since: Checkpoint) -> tuple[JournalEntry, Checkpoint]:
        """Return what was added since a checkpoint, and the checkpoint for now."""
        metadata, reasons, sources = self.metadata.finish(), dict(self._reasons), dict(self._sources)
        now = Checkpoint(
            len(self._columns),
            len(self._values),
            len(self._notifications),
            metadata,
            reasons,
            len(self._marks),
            len(self._histograms),
            sources,
        )
        times_ns, values = self.blocks(since.n_blocks, now.n_blocks)
        read, tracks = {}, []
        for track in self.tracks:
            n_columns, n_readings = since.tracks.get(track.name, (0, 0))
            part = _part_of(track, n_columns, n_readings, self.mask)
            tracks.append(part)
            read[track.name] = part.values.shape[1], n_readings + len(part.times_ns)
        entry = JournalEntry(
            times_ns=times_ns,
            values=values,
            properties=self.columns[since.n_columns :],
            notifications=tuple(self._notifications[since.n_notifications : now.n_notifications]),
            metadata=_find_changed(metadata, since.metadata),
            nan_reasons=_find_changed(reasons, since.reasons),
            zero_ns=self.zero_ns,
            marks=tuple(self._marks[since.n_marks : now.n_marks]),
            sources=tuple(_find_changed(sources, since.sources).values()),
            histograms=tuple(self._histograms[since.n_histograms : now.n_histograms]),
            tracks=tuple(tracks),
        )
        return entry, structs.replace(now, tracks=read)

    def add_part(self, part: TrackPart) -> None:
        """Append what a journal has of a track. MeasureError if its columns do not match those before."""
        track = self._tracks.get(part.name) or self.track(
            part.name, part.interval_s, from_first=part.from_first
        )
        track.add_columns(part.properties)
        names = track.names()
        if part.values.shape[1] != len(names):
            raise MeasureError(
                f"readings of {part.values.shape[1]} columns of {part.name}, which has {len(names)}"
            )
        for time_ns, row in zip(part.times_ns.tolist(), part.values.tolist(), strict=True):
            track.add(time_ns, dict(zip(names, row, strict=True)))
        for why in part.reasons:
            track.add_reason(why)

    def times_s(self) -> FloatArray:
        """Return the times of the rows so far, shape (n_samples,), in increasing order, seconds from zero."""
        return self._seconds(self.table().times_ns)

    def series(self, name: str) -> FloatArray:
        """Return one column in the order of :meth:`times_s`, shape (n_samples,)."""
        return self.table().values[:, list(self._columns).index(name)]

    def finish(self, outcome: Outcome, quality: Quality, *, stdout: bytes = b"", stderr: bytes = b"") -> Run:
        """Return the frozen run. Of rows with the same time, the one that arrived last counts.

        Raises:
            MeasureError: there is no sample, or the program's start is not known.
        """
        if self._n_samples == 0:
            raise MeasureError("no sample arrived")
        table = self.table()
        values = self._join_tracks(table)
        for column, name in enumerate(self._columns):
            if np.isnan(values[:, column]).any() and name not in self._reasons:
                self._reasons[name] = "missing in some samples"
        notifications = sorted(self._notifications, key=lambda item: item[0])
        problems = tuple(
            structs.replace(problem, text=self.mask.text(problem.text)) for problem in quality.problems
        )
        return Run(
            id=self.id,
            test=self.test,
            properties=self.columns,
            times_s=self._seconds(table.times_ns),
            values=values,
            outcome=outcome,
            notifications=tuple(
                Notification(self._second(time_ns), type, source, sequence, message)
                for time_ns, type, source, sequence, message in notifications
            ),
            metadata=self.metadata.finish(),
            nan_reasons=dict(self._reasons),
            quality=structs.replace(quality, problems=problems),
            stdout=self.mask.output(stdout),
            stderr=self.mask.output(stderr),
            marks=tuple(
                Mark(self._second(time_ns), name, text)
                for time_ns, name, text in sorted(self._marks, key=lambda mark: mark[0])
            ),
            sources=tuple(self._sources.values()),
            histograms=tuple(
                structs.replace(histogram, time_s=self._second(time_ns))
                for time_ns, histogram in sorted(self._histograms, key=lambda pair: pair[0])
            ),
        )

    def _join_tracks(self, table: SampleTable) -> FloatArray:
        """Append the columns of the tracks; return the values of all columns at the times of the rows."""
        parts = [table.values]
        for track in self.tracks:
            track.close()
            readings = track.readings()
            values = align(readings, track.interval_s, table.times_ns, from_first=track.from_first)
            kept = [place for place, prop in enumerate(readings.properties) if prop.name not in self._columns]
            self.add_columns(readings.properties[place] for place in kept)
            for place in kept:
                if track.reasons and np.isnan(values[:, place]).any():
                    self.add_reason(readings.properties[place].name, "; ".join(track.reasons))
            parts.append(values[:, kept])
        self._tracks = {}
        return table.values if len(parts) == 1 else np.asfortranarray(np.hstack(parts))

    def _zero(self) -> int:
        if self.zero_ns is None:
            raise MeasureError("the program's start was not seen")
        return self.zero_ns

    def _second(self, time_ns: int) -> float:
        return (time_ns - self._zero()) * _NS

    def _seconds(self, times_ns: IntArray) -> FloatArray:
        return np.asarray((times_ns - self._zero()) * _NS, dtype=np.float64)


def _find_changed(now: Mapping[str, T], before: Mapping[str, T]) -> dict[str, T]:
    """Return the items that are new or have another value, in their order."""
    return {key: value for key, value in now.items() if key not in before or before[key] != value}


def _part_of(track: Track, n_columns: int, n_readings: int, mask: Mask) -> TrackPart:
    """Return what a track has beyond so many columns and readings."""
    new = track.readings(since=n_readings)
    return TrackPart(
        track.name,
        track.interval_s,
        new.times_ns,
        new.values,
        new.properties[n_columns:],
        tuple(map(mask.text, track.reasons)),
        track.from_first,
    )
