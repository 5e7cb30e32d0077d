"""Whole checks with planted changes, on runs of known truth; and the page that shows them."""

from __future__ import annotations

import pytest

from beds import trust as page
from benchmark import records
from buto_replications.judging import trust
from buto_replications.judging.drift import N_WINDOW, DriftTask
from buto_replications.judging.trust import FACTORS, Checked, alarms, as_csv, check_sizes, panels, share_found
from tests.support.runs.signals import program_runs


@pytest.fixture(scope="module")
def checks() -> list[Checked]:
    return check_sizes(DriftTask("turns-quiet", "shop", program_runs(7, N_WINDOW), 1))


def test_a_large_change_is_found_and_none_is_not(checks: list[Checked]) -> None:
    assert alarms(checks) == (0, 1)
    assert share_found(checks, "jvm.thread.count", FACTORS[-1]).value == 1.0
    assert share_found(checks, "run.duration", FACTORS[0]).value == 0.0


def test_no_part_of_a_thread_is_planted(checks: list[Checked]) -> None:
    assert share_found(checks, "jvm.thread.count", 1.5).n_trials == 0
    assert share_found(checks, "jvm.thread.count", 2.0).n_trials == 1


def test_a_check_without_a_change_takes_fewer_launches(checks: list[Checked]) -> None:
    unchanged = [check.launches for check in checks if not check.planted]
    found = [check.launches for check in checks if check.fails]
    assert max(unchanged) < min(found)


def test_checks_are_read_as_they_were_written(checks: list[Checked], tmp_path) -> None:
    path = tmp_path / "found.csv"
    path.write_text(as_csv(checks), encoding="utf-8")
    assert records.read(path, Checked) == checks


def test_a_panel_has_a_curve_for_each_property_and_a_limit_of_the_alarms(checks: list[Checked]) -> None:
    (panel,) = panels(checks)
    assert all(curve.sizes == FACTORS for curve in panel.curves)
    assert 0 < panel.alarms < 1


def test_the_page_is_of_the_stored_data() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed_page(text) == text, "type: make trust"


def test_the_picture_names_each_kind_and_each_place() -> None:
    """Its bytes depend on the version of the library that draws it."""
    for picture in (page.picture(), page.PICTURE.read_bytes()):
        drawn = picture.decode()
        assert all(f">{words}<" in drawn for words in trust.WORDS.values())
        assert all(place in drawn for place in trust.PLACES.values())


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match=page.PAGE.name):
        page.renewed_page("nothing here")
