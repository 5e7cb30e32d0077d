"""Changes of known size, their rates, and what methods make of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT
from buto.experiments.power.changes import SHARE, Change, changed
from buto.experiments.power.material import DESIGN, Material, materials
from buto.experiments.power.rates import rate
from buto.experiments.power.tables import comparison, gate_table, panels
from buto.experiments.power.trials import IN_ORDER, LATER_SESSION, UNCHANGED, Plan, Trial, trials
from buto.report.experiments.power_chart import svg
from tests.support.runs.variants import a_data_set
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

METHODS = {"calibrated": CALIBRATED, "calibrated-next": CALIBRATED_NEXT}
CHANGES = (Change(1, 0.1), Change(None, 30.0), Change(1, 0.5, SHARE))


def a_material(n_runs: int = 24) -> Material:
    """Unchanged runs in two sessions, beside a variant with twice the heap."""
    profile = a_profile(n_runs, 3, (HEAP, CPU, THREADS))
    other = profile.values[:5] * np.where(np.arange(profile.values.shape[1]) < 12, 2.0, 1.0)
    starts_s = np.arange(n_runs) * 10.0
    starts_s[n_runs - 6 :] += 3600
    return Material("shop@g1", DESIGN, profile, starts_s, {"leaky": other}, frozenset({"leaky"}))


def test_a_change_of_one_property_moves_its_level_by_so_many_deviations() -> None:
    profile = a_profile(200, 1, (HEAP,))
    profile = replace(profile, values=profile.values.copy())
    profile.values[:, 12] = 5.0
    rows = profile.values[:3]
    moved = changed(profile, rows, Change(1, 4.0), np.random.default_rng(0)) - rows
    level = np.median(profile.values[:, 0])
    deviation = 1.4826 * np.median(np.abs(profile.values[:, 0] - level))
    assert np.abs(moved[:, 0]) == pytest.approx(4 * deviation)
    # A run's growth, scatter and roughness stay.
    assert moved[:, [4, 5, 11]] == pytest.approx(0.0)


def test_a_share_is_of_the_level_and_upwards() -> None:
    profile = a_profile(50, 1, (HEAP, CPU))
    moved = changed(profile, profile.values[:2], Change(None, 0.1, SHARE), np.random.default_rng(0))
    gain = moved - profile.values[:2]
    assert gain[:, 0] == pytest.approx(0.1 * np.median(profile.values[:, 0]))
    # A counter that grows by so much in all grows by half as much on average over the run.
    assert gain[:, 12] == pytest.approx(0.1 * np.median(profile.values[:, 12]))
    assert gain[:, 13] == pytest.approx(gain[:, 12] / 2)


def test_errors_are_those_of_clusters() -> None:
    alone = rate((str(number), number < 3) for number in range(10))
    assert (alone.value, alone.n_runs) == (0.3, 10)
    assert alone.error == pytest.approx((0.3 * 0.7 / 9) ** 0.5)
    fourfold = rate((str(number), number < 3) for number in range(10) for _ in range(4))
    assert (fourfold.value, fourfold.error) == pytest.approx((0.3, alone.error))
    assert np.isnan(rate([]).value)


def test_a_check_is_confirmed_only_behind_its_gate() -> None:
    one = Trial("m", "c", "r", alone=0.5, first=0.3, three=0.01)
    assert one.fails_confirmed(0.3, 0.01)
    assert not one.fails_confirmed(0.2, 0.01)
    assert not one.fails_confirmed(0.3, 0.005)


def test_trials_find_large_changes_and_repeat_with_their_seed() -> None:
    plan = Plan(divisions=4, ordered=1, changes=CHANGES)
    found = list(trials(a_material(), METHODS, plan, 1))
    assert found == list(trials(a_material(), METHODS, plan, 1))
    cases = {one.case for one in found}
    assert {UNCHANGED, IN_ORDER, LATER_SESSION, "leaky", *map(str, CHANGES)} == cases
    by_three = {case: [one.three for one in found if one.case == case] for case in cases}
    assert max(by_three["leaky"]) == max(by_three["all properties, 30 deviations"]) == pytest.approx(1 / 286)
    assert min(by_three[UNCHANGED]) > 1 / 286


def test_tables_and_curves_show_every_case_and_gate() -> None:
    plan = Plan(divisions=3, ordered=1, changes=CHANGES)
    found = list(trials(a_material(), METHODS, plan, 1))
    gates = {"calibrated": 1 / 11, "calibrated-next": 0.3}
    table = comparison(found, gates, 0.01, "all")
    assert [row[0] for row in table.rows][:3] == [UNCHANGED, IN_ORDER, LATER_SESSION]
    assert ("leaky", *["100.0 ± 0.0"] * 2) == tuple(
        np.array(table.rows)[[r[0] == "leaky" for r in table.rows]][0][[0, 5, 6]]
    )
    rows = gate_table(found, "calibrated-next", 0.01).rows
    assert [row[0] for row in rows] == ["0.1", "0.2", "0.3", "0.4", "0.5", "1"]
    launches = [float(row[1]) for row in rows]
    assert launches == sorted(launches) and launches[-1] == 3.0
    drawn = panels(found, CHANGES, gates, 0.01)
    assert [one.title for one in drawn] == [
        "One property changes",
        "All properties change",
        "One property changes",
    ]
    assert b"<svg" in svg(drawn)


def test_material_is_made_of_recorded_runs_and_their_starts() -> None:
    runs = a_data_set(6, ("references-strong", "references-weak"), shift=2.0)
    assert list(materials("parallel", runs, 7)) == []
    strong, weak = materials("parallel", runs, 6)
    assert (strong.name, strong.part) == ("references-strong@parallel", DESIGN)
    assert strong.profile.values.shape[0] == 6 == len(strong.starts_s)
    assert strong.others["references-weak"].shape[1] == strong.profile.values.shape[1]
    assert (np.diff(weak.starts_s) > 0).all()
