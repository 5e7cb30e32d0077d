"""How readings at times of their own come to the run's time axis, and what a recording makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import MeasureError
from buto.measure.recording import Recording
from buto.measure.samples import Readings, Track, align
from buto.run.model import Outcome, Quality
from buto.run.properties import Kind, Property

S = 1_000_000_000
GAUGE, COUNTER = Property("db.size"), Property("db.rows", kind=Kind.COUNTER)
NAN = float("nan")


def readings(times_s: list[float], *rows: list[float], properties: tuple[Property, ...]) -> Readings:
    return Readings(
        properties, np.array([int(time_s * S) for time_s in times_s]), np.array(rows, dtype=np.float64)
    )


def at(*times_s: float) -> np.ndarray:
    return np.array([int(time_s * S) for time_s in times_s], dtype=np.int64)


def test_a_gauge_has_the_value_of_the_nearest_reading_and_a_counter_lies_on_the_line() -> None:
    track = readings([0, 1, 2], [5, 0], [7, 100], [9, 300], properties=(GAUGE, COUNTER))
    values = align(track, 1.0, at(0, 0.4, 0.6, 1, 1.5, 2))
    assert values[:, 0].tolist() == [5, 5, 7, 7, 7, 9]
    assert values[:, 1].tolist() == pytest.approx([0, 40, 60, 100, 200, 300])


def test_what_is_far_from_every_reading_is_not_known() -> None:
    track = readings([1, 5], [5, 0], [7, 100], properties=(GAUGE, COUNTER))
    values = align(track, 1.0, at(-1, 0, 1, 3, 5, 6.4, 7))
    assert np.isnan(values).all(axis=1).tolist() == [True, False, False, True, False, False, True]
    # Before the first and after the last reading a counter is level: nobody saw it grow.
    assert values[1, 1] == 0 and values[5, 1] == 100


def test_a_reading_that_failed_leaves_a_hole_of_its_own_width() -> None:
    track = readings([0, 1, 2], [5, 10], [NAN, NAN], [9, 30], properties=(GAUGE, COUNTER))
    values = align(track, 1.0, at(0, 0.4, 0.6, 1.4, 1.6, 2))
    assert np.isnan(values[:, 0]).tolist() == np.isnan(values[:, 1]).tolist()
    assert np.isnan(values[:, 0]).tolist() == [False, False, True, True, False, False]
    assert values[1, 1] == pytest.approx(14)


def test_a_track_without_readings_is_all_unknown() -> None:
    values = align(readings([], properties=()), 1.0, at(0, 1))
    assert values.shape == (2, 0)


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=20), st.lists(st.integers(-500, 20_000), min_size=1)
)
def test_a_counter_never_falls_and_no_value_is_outside_what_was_read(
    steps: list[int], times_ms: list[int]
) -> None:
    counts = np.cumsum(steps).astype(np.float64)
    track = Readings((COUNTER,), np.arange(len(steps)) * S, counts[:, None])
    values = align(track, 1.0, np.sort(np.array(times_ms)) * 1_000_000)[:, 0]
    known = values[~np.isnan(values)]
    assert (np.diff(known) >= -1e-9).all()
    assert ((known >= counts[0] - 1e-9) & (known <= counts[-1] + 1e-9)).all()


def test_counters_may_count_from_their_first_reading() -> None:
    track = readings([0, 1, 2, 3], [5, NAN], [7, 1000], [8, 1100], [9, 1300], properties=(GAUGE, COUNTER))
    values = align(track, 1.0, at(0, 1, 1.5, 3), from_first=True)
    np.testing.assert_array_equal(values, [[5, NAN], [7, 0], [7, 50], [9, 300]])


def recording() -> Recording:
    found = Recording("t")
    found.zero_ns = 0
    found.add_columns([Property("a")])
    found.add_rows(at(0, 1, 2), np.array([[1.0], [2.0], [3.0]]))
    return found


def test_the_columns_of_tracks_follow_those_of_the_jvm() -> None:
    session = recording()
    track = session.track("db", 1.0)
    track.add_columns([GAUGE])
    track.add(0, {"db.size": 4.0})
    track.add_columns([GAUGE, COUNTER])
    track.add(S, {"db.size": 5.0, "db.rows": 7.0})
    track.add(2 * S, {}, "it was asleep")
    run = session.finish(Outcome(0), Quality())
    assert [prop.name for prop in run.properties] == ["a", "db.size", "db.rows"]
    np.testing.assert_array_equal(run.series("db.size"), [4, 5, NAN])
    np.testing.assert_array_equal(run.series("db.rows"), [NAN, 7, NAN])
    assert run.nan_reasons["db.size"] == "it was asleep"
    track.add(3 * S, {"db.size": 1.0})
    assert track.n_readings == 3


def test_a_name_that_the_jvm_has_stays_the_jvms() -> None:
    session = recording()
    track = session.track("db", 1.0)
    track.add_columns([Property("a")])
    track.add(S, {"a": 9.0})
    run = session.finish(Outcome(0), Quality())
    assert run.values.tolist() == [[1], [2], [3]]


def test_two_tracks_of_one_name_are_refused() -> None:
    session = recording()
    session.track("db", 1.0)
    with pytest.raises(MeasureError, match="announced twice"):
        session.track("db", 1.0)


def test_few_different_reasons_are_kept() -> None:
    track = Track("db", 1.0)
    for number in range(100):
        track.add(number, {}, f"reason {number % 20}")
    assert track.reasons == tuple(f"reason {number}" for number in range(5))
