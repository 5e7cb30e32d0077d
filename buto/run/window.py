"""The measured window: the part of a run that is learned and judged, without its start and warm-up.

A window is described by marks and durations. When a run is recorded, its window becomes two marks of the run,
so that whoever has the run knows its window.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs

from buto.errors import JudgeError, UsageError
from buto.run.model import FloatArray, Mark, Problem, ProblemKind, Run, RunSet
from buto.run.properties import Kind
from buto.run.units import parse_seconds

START, END = "window.start", "window.end"
"""Names of the marks between which a run is learned and judged."""

PROGRAM_START, PROGRAM_END = "main", "end"
"""Names of the marks that every run has: the program's start, time zero, and the last sample."""

LOAD_START = "load.start"
"""Name of the mark at the beginning of a workload."""

RESERVED = (PROGRAM_START, PROGRAM_END, START, END)
"""Names that only buto gives to marks, so that a window is never between others of the same name."""

WINDOW = "buto.window"
"""Metadata key: the description of the window. Runs of different windows cannot be compared."""

FEWEST_SAMPLES = 2

_EXAMPLE = "window: {from: load.start + 10s, to: load.end}"


class Moment(Struct, frozen=True):
    """A moment of a run: a mark, and how long after it; before it if negative."""

    mark: str
    offset_s: float = 0.0

    def __str__(self) -> str:
        if not self.offset_s:
            return self.mark
        return f"{self.mark} {'+' if self.offset_s > 0 else '-'} {abs(self.offset_s):g}s"


class Window(Struct, frozen=True):
    """From when to when a run is learned and judged."""

    start: Moment = Moment(PROGRAM_START)
    end: Moment = Moment(PROGRAM_END)

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"


def parse_moment(text: str) -> Moment:
    """Parse ``MARK``, ``DURATION`` (from the program's start), ``MARK + DURATION`` or ``MARK - DURATION``.

    Raises:
        UsageError: it is none of these.
    """
    match text.split():
        case [duration] if duration[0].isdigit():
            return Moment(PROGRAM_START, parse_seconds(duration))
        case [mark]:
            return Moment(mark)
        case [mark, "+" | "-" as sign, duration] if not mark[0].isdigit():
            return Moment(mark, parse_seconds(duration) * (1 if sign == "+" else -1))
        case _:
            raise UsageError(
                f"a moment must be MARK, DURATION, MARK + DURATION or MARK - DURATION, got {text!r}",
                advice=_EXAMPLE,
            )


def with_window(run: Run, window: Window | None) -> Run:
    """Return a run whose marks say where its window is, in place of any former one; None: it has none.

    A valid run without one of the marks, or with fewer than two samples in its window, becomes invalid. A run
    that was invalid only because it lacked a former window becomes valid again.
    Of marks that share a name, the window begins at the first and ends at the last.
    """
    others = tuple(mark for mark in run.marks if mark.name not in (START, END))
    problems = tuple(problem for problem in run.quality.problems if problem.kind is not ProblemKind.NO_WINDOW)
    run = replace(run, quality=structs.replace(run.quality, problems=problems))
    if window is None:
        metadata = {key: value for key, value in run.metadata.items() if key != WINDOW}
        return replace(run, metadata=metadata, marks=others)
    run = replace(run, metadata={**run.metadata, WINDOW: str(window)}, marks=others)
    marks = _complete(run)
    starts = [mark.time_s for mark in marks if mark.name == window.start.mark]
    ends = [mark.time_s for mark in marks if mark.name == window.end.mark]
    if not starts or not ends:
        missing = window.start.mark if not starts else window.end.mark
        known = ", ".join(dict.fromkeys(mark.name for mark in marks))
        return _without(run, f"it has no mark {missing!r}, only {known}")
    start_s, end_s = starts[0] + window.start.offset_s, ends[-1] + window.end.offset_s
    n_samples = int(_inside(run.times_s, start_s, end_s).sum())
    if n_samples < FEWEST_SAMPLES:
        samples = f"only {n_samples} of its samples are between {start_s:.1f} s and {end_s:.1f} s"
        return _without(run, samples)
    own = [Mark(start_s, START), Mark(end_s, END)]
    marks = tuple(sorted((*others, *own), key=lambda mark: mark.time_s))
    return replace(run, marks=marks)


def window_of(run: Run) -> tuple[float, float] | None:
    """Return from when to when a run is learned and judged, seconds; None for all of it.

    Marks of these names that the program's load made are no window.
    """
    times = {mark.name: mark.time_s for mark in run.marks if mark.name in (START, END)}
    return (times[START], times[END]) if len(times) == 2 and WINDOW in run.metadata else None


def is_cut(run: Run) -> bool:
    """Return whether a run is only its window, with the window's start as time zero."""
    window = window_of(run)
    return window is not None and window[0] == 0.0


def cut_to_window(run: Run) -> Run:
    """Return the part of a run in its window; the run itself if it has none.

    The window's start is time zero. Counters count from there: of one that is read seldom, what it had
    counted at both ends is interpolated from the readings before and after. Marks outside of the window stay;
    notifications outside are dropped, and so are histograms after a window that ends before the load. Cutting
    twice changes nothing.
    """
    window = window_of(run)
    return run if window is None else between(run, *window)


def cut_set_to_window(runs: RunSet) -> RunSet:
    """Return the runs, each cut by :func:`cut_to_window`."""
    return RunSet(tuple(map(cut_to_window, runs.runs)))


def between(run: Run, start_s: float, end_s: float) -> Run:
    """Return the part of a run between two times, with the first as time zero; see :func:`cut_to_window`.

    Raises:
        JudgeError: it has no sample there.
    """
    times_s = run.times_s
    rows = np.flatnonzero(_inside(times_s, start_s, end_s))
    if not rows.size:
        raise JudgeError(
            f"the run {run.id} has no sample between {start_s:g} s and {end_s:g} s",
            advice=f"it has samples from {times_s[0]:.1f} s to {times_s[-1]:.1f} s" if times_s.size else None,
        )
    part = slice(int(rows[0]), int(rows[-1]) + 1)
    # What is alive at the end tells of every window but one before the load.
    is_start = any(mark.name == LOAD_START and mark.time_s >= end_s for mark in run.marks)
    moved = replace(
        run,
        marks=tuple(structs.replace(mark, time_s=mark.time_s - start_s) for mark in _complete(run)),
        histograms=tuple(
            structs.replace(histogram, time_s=histogram.time_s - start_s)
            for histogram in run.histograms
            if not is_start or histogram.time_s <= end_s
        ),
        notifications=tuple(
            structs.replace(notification, time_s=notification.time_s - start_s)
            for notification in run.notifications
            if start_s <= notification.time_s <= end_s
        ),
        outcome=replace(run.outcome, duration_s=min(end_s, run.outcome.duration_s) - start_s),
    )
    counters = np.array([prop.kind is Kind.COUNTER for prop in run.properties], dtype=np.bool_)
    values = run.values[part].copy()
    for row in {part.start, part.stop - 1}:
        values[row - part.start] = _counted_at(run, row, part)
    return replace(moved, times_s=times_s[part] - start_s, values=_recount(values, counters))


def _without(run: Run, why: str) -> Run:
    """Return a run without a window; invalid, unless it was that already for another reason."""
    if not run.quality.valid:
        return run
    problem = Problem(ProblemKind.NO_WINDOW, f"its window {run.metadata[WINDOW]} cannot be found: {why}")
    return replace(run, quality=structs.replace(run.quality, problems=(problem,)))


def _complete(run: Run) -> tuple[Mark, ...]:
    """Return the marks of a run with those that every run has."""
    times_s, known = run.times_s, {mark.name for mark in run.marks}
    usual = [Mark(0.0, PROGRAM_START), *([Mark(float(times_s[-1]), PROGRAM_END)] if times_s.size else [])]
    marks = (*run.marks, *(mark for mark in usual if mark.name not in known))
    return tuple(sorted(marks, key=lambda mark: mark.time_s))


def _inside(times_s: FloatArray, start_s: float, end_s: float) -> npt.NDArray[np.bool_]:
    inside: npt.NDArray[np.bool_] = (times_s >= start_s) & (times_s <= end_s)
    return inside


def _counted_at(run: Run, row: int, part: slice) -> FloatArray:
    """Return the values of a row; of a counter that it lacks, what lies between the readings around it.

    Nothing is invented for a counter without a reading in the part, and whole counts stay whole.
    """
    values: FloatArray = run.values[row].copy()
    for column, prop in enumerate(run.properties):
        known = ~np.isnan(run.values[:, column])
        if prop.kind is not Kind.COUNTER or known[row] or not known[part].any():
            continue
        read = np.flatnonzero(known)
        if read[0] < row < read[-1]:
            readings = run.values[read, column]
            between_them = np.interp(run.times_s[row], run.times_s[read], readings)
            is_whole = (readings == np.round(readings)).all()
            values[column] = np.round(between_them) if is_whole else between_them
    return values


def _recount(values: FloatArray, counters: npt.NDArray[np.bool_]) -> FloatArray:
    """Return values, shape (n_samples, n_properties), whose counters begin with zero."""
    known = ~np.isnan(values)
    first = np.where(known.any(axis=0), values[known.argmax(axis=0), np.arange(values.shape[1])], 0.0)
    return values - np.where(counters, first, 0.0)
