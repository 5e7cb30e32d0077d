"""The measured window: found by marks, cut once and for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import JudgeError, UsageError
from buto.run.model import ClassHistogram, Mark, Notification, Outcome, ProblemKind, Run
from buto.run.properties import Kind, Property
from buto.run.window import Moment, Window, between, cut_to_window, parse_moment, window_of, with_window
from tests.support.runs.qualities import invalid

GAUGE, COUNTER = Property("used", "By", Kind.GAUGE), Property("count", "1", Kind.COUNTER)
MARKS = (Mark(2.0, "load.start"), Mark(4.0, "phase", "one"), Mark(6.0, "phase", "two"), Mark(8.0, "load.end"))
LOAD = Window(Moment("load.start"), Moment("load.end"))


def run(n_samples: int = 11, marks: tuple[Mark, ...] = MARKS) -> Run:
    times_s = np.arange(float(n_samples))
    values = np.column_stack([times_s % 3, times_s**2])
    return Run(
        id="20260101T000000.000Z-0000",
        test="shop",
        properties=(GAUGE, COUNTER),
        times_s=times_s,
        values=values,
        outcome=Outcome(0, duration_s=float(n_samples)),
        notifications=tuple(Notification(time, "x", "y", 1, "") for time in (1.0, 5.0, 9.0)),
        marks=marks,
    )


@pytest.mark.parametrize(
    ("text", "moment", "written"),
    [
        ("load.start", Moment("load.start"), "load.start"),
        ("30s", Moment("main", 30.0), "main + 30s"),
        ("load.start + 1.5min", Moment("load.start", 90.0), "load.start + 90s"),
        ("load.end - 500ms", Moment("load.end", -0.5), "load.end - 0.5s"),
        ("warm-up", Moment("warm-up"), "warm-up"),
    ],
)
def test_a_moment_is_a_mark_and_a_duration(text: str, moment: Moment, written: str) -> None:
    assert parse_moment(text) == moment
    assert str(moment) == written
    assert parse_moment(written) == moment


@pytest.mark.parametrize("text", ["", "load.start +", "load.start 10s", "10s + 5s", "a + b + c"])
def test_anything_else_is_no_moment(text: str) -> None:
    with pytest.raises(UsageError, match="a moment must be MARK, DURATION,"):
        parse_moment(text)


def test_a_window_becomes_two_marks_and_metadata_of_the_run() -> None:
    found = with_window(run(), Window(Moment("phase"), Moment("phase", 1.0)))
    assert window_of(found) == (4.0, 7.0)  # from the first to the last of that name
    assert found.metadata["buto.window"] == "phase to phase + 1s"
    assert found.quality.valid
    again = with_window(found, LOAD)
    assert window_of(again) == (2.0, 8.0)
    assert with_window(again, None).marks == run().marks
    assert "buto.window" not in with_window(again, None).metadata


def test_start_and_end_are_marks_of_every_run() -> None:
    assert window_of(with_window(run(marks=()), Window())) == (0.0, 10.0)
    assert window_of(with_window(run(), Window(Moment("main", 3.0), Moment("end", -2.0)))) == (3.0, 8.0)


def test_marks_of_a_driver_make_no_window() -> None:
    driven = run(marks=(Mark(2.0, "window.start"), Mark(8.0, "window.end")))
    assert window_of(driven) is None and cut_to_window(driven) is driven
    assert window_of(with_window(driven, Window())) == (0.0, 10.0)


def test_a_run_without_the_mark_or_without_samples_there_is_not_valid() -> None:
    found = with_window(run(marks=()), LOAD)
    [problem] = found.quality.problems
    assert problem.kind is ProblemKind.NO_WINDOW
    assert problem.text == (
        "its window load.start to load.end cannot be found: it has no mark 'load.start', only main, end"
    )
    [problem] = with_window(run(), Window(Moment("load.end"), Moment("load.start"))).quality.problems
    assert problem.text.endswith("only 0 of its samples are between 8.0 s and 2.0 s")
    again = with_window(with_window(run(), LOAD), Window(Moment("gone"), Moment("end")))
    assert not again.quality.valid and window_of(again) is None
    assert with_window(again, LOAD).quality.valid and with_window(again, None).quality.valid
    spoilt = replace(run(marks=()), quality=invalid(ProblemKind.SIGNAL, "it was ended by signal 9"))
    assert with_window(spoilt, LOAD).quality == spoilt.quality


def test_the_window_begins_at_zero_and_counters_count_from_there() -> None:
    part = cut_to_window(with_window(run(), LOAD))
    assert part.times_s.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert part.series("used").tolist() == [2, 0, 1, 2, 0, 1, 2]
    assert part.series("count").tolist() == [0, 5, 12, 21, 32, 45, 60]
    assert part.outcome.duration_s == 6.0
    assert [notification.time_s for notification in part.notifications] == [3.0]
    assert {mark.name: mark.time_s for mark in part.marks}["main"] == -2.0
    assert cut_to_window(run()).times_s.tolist() == run().times_s.tolist()


def test_what_is_alive_at_the_end_tells_nothing_of_a_start_before_the_load() -> None:
    counted = replace(run(), histograms=(ClassHistogram(10.0, "end", 1, 16),))
    (at_end,) = cut_to_window(with_window(counted, LOAD)).histograms
    assert at_end.time_s == 8.0
    start = Window(Moment("main"), Moment("load.start"))
    assert cut_to_window(with_window(counted, start)).histograms == ()


def test_a_counter_counts_from_its_first_readable_value() -> None:
    values = np.array(run().values)
    values[:4, 1] = np.nan
    part = cut_to_window(with_window(replace(run(), values=values), LOAD))
    np.testing.assert_array_equal(part.series("count"), [np.nan, np.nan, 0, 9, 20, 33, 48])


@pytest.mark.parametrize("read", [[0, 10], [0, 5, 10], [0, 2, 8, 10], [1, 3, 7, 9]])
def test_what_a_counter_counted_does_not_depend_on_when_it_was_read(read: list[int]) -> None:
    """A counter of ten a second, which is read seldom, counts sixty in six seconds."""
    values = np.array(run().values)
    values[:, 1] = [10.0 * time_s if time_s in read else np.nan for time_s in run().times_s]
    part = cut_to_window(with_window(replace(run(), values=values), LOAD))
    count = part.series("count")
    if any(2 <= time_s <= 8 for time_s in read):
        assert (count[0], count[-1]) == (0, 60)
    else:
        assert np.isnan(count).all()


def test_a_whole_count_stays_whole_between_two_readings() -> None:
    values = np.array(run().values)
    values[:, 1] = np.nan
    values[[0, 5, 10], 1] = [0, 8, 16]
    part = cut_to_window(with_window(replace(run(), values=values), LOAD))
    assert part.series("count")[-1] == 13 - 3


@given(st.floats(0, 9), st.floats(0, 10), st.lists(st.floats(-1, 11), max_size=4))
def test_cutting_twice_changes_nothing(start_s: float, length_s: float, at: list[float]) -> None:
    marks = tuple(Mark(time_s, f"m{number}") for number, time_s in enumerate(sorted(at)))
    window = Window(Moment("main", start_s), Moment("main", start_s + length_s))
    found = with_window(run(marks=marks), window)
    if not found.quality.valid:
        return
    once = cut_to_window(found)
    for again in (cut_to_window(once), cut_to_window(with_window(once, window))):
        np.testing.assert_allclose(again.times_s, once.times_s, atol=1e-9)
        np.testing.assert_array_equal(again.values, once.values)


def test_a_part_without_samples_is_told() -> None:
    with pytest.raises(JudgeError, match="has no sample between 20 s and 30 s"):
        between(run(), 20.0, 30.0)
