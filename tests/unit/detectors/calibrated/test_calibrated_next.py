"""The preset calibrated-next: settings, what one run may decide, and differences that are never silent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from buto.detectors.calibrated.resolution import at_resolution

from buto.detectors.calibrated.detector import CalibratedDetector
from buto.detectors.calibrated.evidence import goes_on, weigh
from buto.detectors.calibrated.obvious import obvious
from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT
from buto.oracle import settings_from
from buto.properties import property_for
from buto.runs import Run, run_set
from buto.verdicts import Status
from tests.support.runs.stored import leaking_run
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

FEW = (HEAP, CPU, THREADS)


def test_the_preset_and_its_settings_are_selectable_and_the_default_has_none_of_them() -> None:
    chosen = settings_from({"preset": "calibrated-next", "gate": 0.5})
    assert chosen.to_data()["gate"] == 0.5
    assert chosen.to_data()["score"] == "likelihood"
    assert not {"gate", "score", "resolution", "also-judged"} & set(CALIBRATED.to_data())
    assert settings_from(chosen.to_data()) == chosen


def test_an_oracle_judges_alike_after_it_was_stored() -> None:
    detector = CalibratedDetector(CALIBRATED_NEXT)
    fitted = detector.fit(run_set([leaking_run(number) for number in range(10)]))
    again = detector.from_data(fitted.to_data())
    checked = run_set([leaking_run(number, leak=9.0) for number in (20, 21, 22)])
    assert again.check(checked).p_value == fitted.check(checked).p_value == pytest.approx(1 / 286)
    assert fitted.check(checked).status is Status.REGRESSION


def test_recorded_counters_are_judged_though_they_are_read_seldom() -> None:
    """Allocated bytes, read in every fifth sample, differ by 2 %; the default does not look at them."""

    def run(number: int, factor: float = 1.0) -> Run:
        known = leaking_run(number)
        allocated = known.times_s * 1e8 * factor
        allocated[np.arange(len(allocated)) % 5 != number % 5] = np.nan
        properties = (*known.properties, property_for("jvm.memory.allocated"))
        values = np.column_stack([known.values, allocated])
        return replace(known, properties=properties, values=values, nan_reasons={})

    known = run_set([run(number) for number in range(10)])
    checked = run_set([run(number, 1.05) for number in (20, 21, 22)])
    found = CalibratedDetector(CALIBRATED_NEXT).fit(known).check(checked)
    assert found.status is Status.REGRESSION
    assert "jvm.memory.allocated" in {finding.subject for finding in found.findings}
    without = replace(run(30), values=run(30).values * [*[1.0] * (len(run(30).properties) - 1), np.nan])
    lacking = CalibratedDetector(CALIBRATED_NEXT).fit(known).check(run_set([without, run(31), run(32)]))
    assert lacking.status is Status.PASS
    assert lacking.warnings == ("jvm.memory.allocated could not be read",)
    default = CalibratedDetector(CALIBRATED).fit(known)
    assert "jvm.memory.allocated" not in {prop.name for prop in default.profile.properties}
    assert default.check(checked).status is Status.PASS


def test_one_run_alone_passes_or_says_that_it_cannot_decide() -> None:
    fitted = CalibratedDetector(CALIBRATED_NEXT).fit(run_set([leaking_run(number) for number in range(10)]))
    changed = fitted.check(run_set([leaking_run(20, leak=9.0)]))
    assert changed.status is Status.INCONCLUSIVE
    assert "so could three under test" in changed.reasons[0]
    assert fitted.why_confirm(changed) == (
        "the run is not ordinary enough to decide alone (p = 0.0909, gate 0.3)"
    )
    ordinary = [fitted.check(run_set([leaking_run(number)])) for number in range(30, 40)]
    assert all(one.status is Status.PASS for one in ordinary if fitted.why_confirm(one) is None)
    assert any(one.status is Status.PASS for one in ordinary)


@pytest.mark.parametrize("gate", [0.1, 0.3, 1.0])
def test_a_gate_lets_as_many_first_runs_go_on_as_it_says(gate: float) -> None:
    """Each of eleven unchanged runs in turn; ranks are exact, so the share is at most the gate."""
    settings = CALIBRATED_NEXT.with_value("gate", gate)
    profile = at_resolution(a_profile(11, 5, FEW), settings)
    follows = [
        goes_on(weigh(profile, np.roll(profile.values, -run - 1, axis=0), 1, settings).significance, settings)
        for run in range(11)
    ]
    assert sum(follows) == int(gate * 11 + 1e-9)


def test_fine_resolution_finds_what_coarse_grains_hide() -> None:
    profile = a_profile(13, 2, FEW)
    values = profile.values.copy()
    values[-3:, :12] += 1.2e6
    p_values = {}
    for settings in (CALIBRATED, CALIBRATED_NEXT):
        at = at_resolution(replace(profile, values=values), settings)
        p_values[settings.method] = weigh(at, values, 3, settings).significance.p_value
    assert p_values["calibrated-next"] <= p_values["calibrated"]
    assert (at_resolution(profile, CALIBRATED_NEXT).grain <= profile.grain).all()
    assert at_resolution(profile, CALIBRATED) is profile


def test_an_obvious_difference_is_reported_beside_a_pass_and_confirmed_by_the_next_method() -> None:
    profile = a_profile(11, 4, FEW)
    values = profile.values.copy()
    values[-1, 12:17] += 1.5
    (far,) = obvious(weigh(profile, values, 1, CALIBRATED), 1)
    assert far.quantity == CPU
    assert "far beyond all training runs" in str(far)
    assert obvious(weigh(profile, profile.values, 1, CALIBRATED), 1) == ()
