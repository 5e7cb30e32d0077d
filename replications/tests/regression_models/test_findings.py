"""How findings tell the size of a change."""

import pytest

from buto.judging.calibrated.load_findings import change_text


@pytest.mark.parametrize(
    ("measured", "expected", "text"),
    [
        (0.0, 0.0, "as much as expected"),
        (7.0, 7.0, "as much as expected"),
        (0.0, -5.0, "more, where about none was expected"),
        (3.0, -5.0, "more, where about none was expected"),
        (3.0, 0.0, "more, where about none was expected"),
        (-3.0, 0.0, "below zero"),
        (-3.0, 5.0, "below zero"),
        (0.0, 5.0, "none, where some was expected"),
        (6.0, 5.0, "20 % more"),
        (4.0, 5.0, "20 % less"),
        (60.0, 5.0, "12 times as much"),
        (-4.0, -5.0, "20 % more"),
        (-60.0, -5.0, "1100 % less"),
    ],
)
def test_a_change_is_told_in_its_direction(measured, expected, text):
    assert change_text(measured, expected) == text
