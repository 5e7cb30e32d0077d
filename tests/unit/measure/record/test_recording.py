from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import MeasureError
from buto.measure import recording as recording_module
from buto.measure.recording import Recording
from buto.run.model import ClassHistogram, Outcome, Quality, Run
from buto.run.properties import Property

A, B, C = Property("a"), Property("b"), Property("c")


def finish(recording: Recording) -> Run:
    return recording.finish(Outcome(0), Quality())


def block(*rows: list[float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


def test_times_are_seconds_from_the_programs_start() -> None:
    recording = Recording("t", start=datetime(2026, 1, 1, tzinfo=UTC))
    recording.add_columns([A])
    recording.add_rows(np.array([900, 2_000_000_500]), block([1.0], [2.0]))
    recording.zero_ns = 1000
    recording.add_notification(500_001_000, "type", "a:b=c", 7, "said")
    run = finish(recording)
    assert run.times_s.tolist() == pytest.approx([-1e-7, 2.0 - 5e-7])
    assert run.notifications[0].time_s == pytest.approx(0.5)
    assert run.id.startswith("20260101T000000.000Z-")


def test_a_long_recording_keeps_some_histograms_and_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_HISTOGRAMS", 2)
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A])
    recording.add_rows(np.array([1]), block([1.0]))
    for number, point in enumerate(("period", "period", "period", "load.end", "end")):
        recording.add_histogram(number, ClassHistogram(0.0, point, number, 100))
    assert [(histogram.point, histogram.instances) for histogram in finish(recording).histograms] == [
        ("period", 0),
        ("period", 1),
        ("end", 4),
    ]


def test_values_that_come_after_their_row_are_added_to_it() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A, B])
    recording.add_rows(np.array([1, 2]), block([1.0, np.nan], [2.0, np.nan]))
    assert np.isnan(recording.series("b")).all()
    recording.add_to_last_row({"b": 7.0})
    with pytest.raises(KeyError):
        recording.add_to_last_row({"c": 7.0})
    np.testing.assert_array_equal(finish(recording).values, [[1, np.nan], [2, 7]])


def test_a_column_that_comes_late_is_nan_before_with_a_reason() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A])
    recording.add_rows(np.array([1, 2]), block([1.0], [2.0]))
    recording.add_columns([B])
    recording.add_rows(np.array([3]), block([3.0, 4.0]))
    run = finish(recording)
    np.testing.assert_array_equal(run.values, [[1, np.nan], [2, np.nan], [3, 4]])
    assert run.nan_reasons == {"b": "missing in some samples"}


def test_every_column_with_nan_has_a_reason_and_reasons_add_up_once() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A, B, C])
    recording.add_rows(np.array([1]), block([1.0, np.nan, 2.0]))
    recording.add_reason("b", "unsupported")
    recording.add_reason("b", "unsupported")
    recording.add_reason("b", "gone")
    recording.add_row(2, {"a": 5.0})
    run = finish(recording)
    assert run.nan_reasons == {"b": "unsupported; gone", "c": "missing in some samples"}
    np.testing.assert_array_equal(run.series("a"), [1.0, 5.0])


def test_the_last_known_value_of_a_column_skips_nan() -> None:
    recording = Recording("t")
    recording.add_columns([A, B])
    assert np.isnan(recording.last_value("a"))
    recording.add_rows(np.array([1, 2]), block([1.0, np.nan], [np.nan, np.nan]))
    assert recording.last_value("a") == 1.0
    assert np.isnan(recording.last_value("b"))


def test_a_recording_without_samples_or_start_gives_no_run() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    with pytest.raises(MeasureError, match="no sample"):
        finish(recording)
    recording.zero_ns = None
    recording.add_columns([A])
    recording.add_rows(np.array([1]), block([1.0]))
    with pytest.raises(MeasureError, match="start was not seen"):
        finish(recording)


def test_columns_that_come_twice_and_rows_that_do_not_fit_are_refused() -> None:
    recording = Recording("t")
    recording.add_columns([A])
    with pytest.raises(MeasureError, match="a was announced twice"):
        recording.add_columns([A])
    for times, values in (([1], block([1.0, 2.0])), ([1, 2], block([1.0])), ([1], np.array([1.0]))):
        with pytest.raises(MeasureError, match="samples of shape"):
            recording.add_rows(np.array(times), values)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 3)), min_size=1, max_size=30))
def test_a_run_has_each_time_once_in_order_with_the_value_that_came_last(rows: list[tuple[int, int]]) -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A, B, C])
    expected: dict[int, list[float]] = {}
    for arrival, (time_ns, n_columns) in enumerate(rows):
        values = [float(arrival)] * n_columns
        recording.add_rows(np.array([time_ns]), block(values))
        expected[time_ns] = values + [np.nan] * (3 - n_columns)
    run = finish(recording)
    np.testing.assert_allclose(run.times_s, [t * 1e-9 for t in sorted(expected)])
    np.testing.assert_array_equal(run.values, [expected[t] for t in sorted(expected)])


def test_notifications_are_kept_up_to_a_bound_and_counted_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_NOTIFICATION_BYTES", 1000)
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns([A])
    recording.add_rows(np.array([1]), block([1.0]))
    for sequence in range(10):
        recording.add_notification(sequence, "type", "a:b=c", sequence, "said")
    assert [note.sequence for note in finish(recording).notifications] == [0, 1, 2, 3]
    assert recording.n_dropped_notifications == 6
