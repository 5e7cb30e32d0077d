"""The share of its band that a property needs says what the rule says, with a number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from buto import oracle
from buto.judging.judge_settings import CALIBRATED
from buto.judging.verdict import Difference
from buto.judging.views import Band, RunsView
from buto.oracle import Oracle
from buto.report.panels import Curve, Panel, envelope_of, join_readings, panels_of
from buto.run.model import Outcome, Run, run_set
from buto.run.properties import property_for

NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded")
TIMES = np.arange(0.0, 5.0, 0.1)


def a_run(number: int, shift: float = 0.0, wave: float = 0.0) -> Run:
    """Memory shifted by some MiB, or swinging by them; threads and classes that never change."""
    random = np.random.default_rng(number)
    memory = 2**20 * (
        8 + random.normal(0, 0.2) + shift + wave * np.sin(TIMES * 3) + random.normal(0, 0.1, 50)
    )
    values = np.column_stack([memory, np.full(50, 10.0), np.arange(50.0)])
    return Run(
        f"20260101T0000{number:02d}.000Z-0000",
        "t",
        tuple(map(property_for, NAMES)),
        TIMES,
        values,
        Outcome(0, duration_s=5.0),
    )


def finding(run_id: str) -> Difference:
    return Difference("bounds", NAMES[1], run_id, unit="", observed=2.0)


def learned(**judge: object) -> Oracle:
    return oracle.train(
        run_set([a_run(n) for n in range(8)]), oracle.settings_from({"method": "thesis", "thesis": judge})
    )


ORACLES = {
    "thesis": learned(),
    "three": learned(deviations=3.0),
    "as read": learned(smoothing="none", deviations=3.0),
}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    which=st.sampled_from(sorted(ORACLES)),
    shifts=st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=3),
    wave=st.floats(0.0, 3.0),
)
def test_more_than_the_whole_band_is_used_exactly_where_there_is_a_finding(
    which: str, shifts: list[float], wave: float
) -> None:
    learned = ORACLES[which]
    runs = run_set([a_run(50 + n, shift, wave) for n, shift in enumerate(shifts)])
    found = {finding.subject for finding in oracle.check(learned, runs).findings}
    view = learned.fitted.view(runs.runs)
    used = dict(zip((prop.name for prop in view.properties), view.reach(runs.runs), strict=True))
    assert {name for name, share in used.items() if share > 1} == found & set(NAMES)


def test_a_band_without_width_is_not_used_by_its_own_value_and_endlessly_by_any_other() -> None:
    learned = ORACLES["thesis"]
    threads = learned.fitted.model.properties.index(property_for("jvm.thread.count"))
    view = learned.fitted.view(())
    assert view.reach([a_run(50)])[threads] == 0.0
    grown = a_run(50)
    values = grown.values.copy()
    values[:, 1] = 11.0
    more = Run(grown.id, "t", grown.properties, TIMES, values, grown.outcome)
    assert math.isinf(view.reach([more])[threads])


def test_without_a_run_nothing_is_known() -> None:
    assert np.isnan(ORACLES["thesis"].fitted.view(()).reach(())).all()


def test_panels_come_by_findings_then_by_the_band_that_was_used_and_last_what_never_changes() -> None:
    learned = ORACLES["thesis"]
    runs = [a_run(50, shift=9.0)]
    findings = oracle.check(learned, run_set(runs)).findings
    names = [panel.prop.name for panel in panels_of(learned.fitted.view(runs), [], runs, findings)]
    assert names == ["jvm.memory.heap.used", "jvm.class.loaded", "jvm.thread.count"]


@pytest.mark.parametrize("runs", [[], [a_run(1), a_run(2)]])
def test_a_detector_with_nothing_to_draw_still_has_its_runs(runs: list[Run]) -> None:
    view = RunsView(runs)
    panels = panels_of(view, runs, [])
    assert [panel.prop.name for panel in panels] == list(NAMES) * bool(runs) or {
        p.prop.name for p in panels
    } == set(NAMES)
    assert all(panel.band is None and panel.reach is None for panel in panels)


def test_a_run_left_its_band_when_from_then_on_most_of_it_is_outside() -> None:
    band = Band(TIMES, np.zeros(50), np.full(50, 5.0), np.full(50, 10.0))
    values = np.full(50, 5.0)
    values[3] = 20.0
    values[30:] = 12.0
    values[35] = 9.0
    found = [finding("run")]
    leaving = Panel(property_for(NAMES[1]), checked=[Curve(TIMES, values, "run")], band=band, findings=found)
    assert leaving.since_s == TIMES[30]
    values[31:] = 5.0
    assert leaving.since_s is None
    for unknown in (
        structs.replace(leaving, band=None),
        structs.replace(leaving, findings=()),
        structs.replace(leaving, checked=()),
    ):
        assert unknown.since_s is None


def test_the_reach_of_the_calibrated_oracle_is_a_share_of_the_outlier_limit() -> None:
    learned = oracle.train(run_set([a_run(n) for n in range(10)]), CALIBRATED)
    quiet, loud = [a_run(50)], [a_run(50, shift=9.0)]
    view = learned.fitted.view(())
    column = [prop.name for prop in view.properties].index(NAMES[0])
    assert view.reach(quiet)[column] < 1 < view.reach(loud)[column]
    assert NAMES[0] in {difference.subject for difference in oracle.check(learned, run_set(loud)).findings}
    assert view.band(column) is not None
    assert view.reach_of != ORACLES["thesis"].fitted.view(()).reach_of


def test_the_envelope_of_training_runs_holds_every_point_of_them_and_no_more() -> None:
    random = np.random.default_rng(0)
    curves = [Curve(np.sort(random.uniform(0, 9, 300)), random.normal(size=300), str(n)) for n in range(4)]
    band = envelope_of(curves)
    assert band is not None
    every = np.concatenate([curve.values for curve in curves])
    assert (band.lower.min(), band.upper.max()) == (every.min(), every.max())
    for curve in curves:
        lower, upper = (np.interp(curve.times_s, band.times_s, side) for side in (band.lower, band.upper))
        assert (lower <= curve.values).all()
        assert (curve.values <= upper).all()
    assert envelope_of([]) is None


def test_the_envelope_of_rising_runs_rises_though_they_were_sampled_at_other_times() -> None:
    curves = [
        Curve(np.arange(shift, 60, 2.0), np.arange(shift, 60, 2.0) * rise, "")
        for shift, rise in ((0, 1), (1, 3))
    ]
    band = envelope_of(curves)
    assert band is not None
    both = (band.times_s > 1) & (band.times_s < 58)
    np.testing.assert_array_less(0, np.diff(band.lower[both]))
    np.testing.assert_array_less(0, np.diff(band.upper[both]))


def test_the_envelope_has_no_line_over_a_gap() -> None:
    times = np.arange(60.0)
    values = np.where((times > 20) & (times < 40), math.nan, times)
    band = envelope_of([Curve(times, values, "")])
    assert band is not None
    assert not ((band.times_s > 22) & (band.times_s < 38)).any()


def test_a_source_that_is_read_in_each_third_sample_is_one_line_and_a_longer_gap_is_none() -> None:
    times = np.arange(13) / 10
    read = np.full(13, math.nan)
    read[[1, 4, 7, 10]] = [0, 3, 3, 9]
    np.testing.assert_allclose(
        join_readings(times, read), [math.nan, 0, 1, 2, 3, 3, 3, 3, 5, 7, 9, *[math.nan] * 2]
    )
    read[7] = math.nan
    read[12] = 11
    np.testing.assert_array_equal(np.isnan(join_readings(times, read))[4:11], [False, *[True] * 5, False])


def test_what_is_read_in_each_sample_keeps_its_gaps() -> None:
    times = np.arange(6) / 10
    for values in ([1, 2, math.nan, 4, 5, 6], [1, *[math.nan] * 5], [math.nan] * 6, [1.0] * 6):
        np.testing.assert_array_equal(join_readings(times, np.array(values)), values)
