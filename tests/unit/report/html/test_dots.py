"""The dots beside a finding: one a run, with the range that decides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.verdict import Difference, Numbers, Statement
from buto.report.html.dots import MARGIN, WIDTH, dots

VALUES = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=12).map(tuple)


@given(known=VALUES, judged=VALUES, lower=st.floats(-1e12, 1e12), size=st.floats(0, 1e12))
def test_every_run_has_a_dot_in_the_picture_and_dots_are_in_the_order_of_their_numbers(
    known, judged, lower, size
) -> None:
    finding = Difference(
        "", "heap", "", unit="", observed=4.0, lower=lower, upper=lower + size, numbers=Numbers(known, judged)
    )
    drawn = dots(finding)
    assert drawn is not None
    places = [place for _, row in drawn.rows for place in row]
    assert len(places) == len(known) + len(judged)
    assert all(MARGIN <= x <= WIDTH - MARGIN for x, _, _ in places)
    ordered = sorted(zip((*known, *judged), (x for x, _, _ in places), strict=True))
    assert [x for _, x in ordered] == sorted(x for _, x in ordered)
    assert drawn.expected is not None
    left, width = drawn.expected
    inside = [lower <= value <= lower + size for value in (*known, *judged)]
    assert all(
        left <= x <= left + width + 0.2 for (x, _, _), ours in zip(places, inside, strict=True) if ours
    )


def test_a_range_without_an_end_reaches_the_edge() -> None:
    finding = Difference(
        "", "heap", "", unit="", observed=4.0, lower=-math.inf, upper=2.0, numbers=Numbers((1.0,), (4.0,))
    )
    drawn = dots(finding)
    assert drawn is not None
    assert drawn.expected is not None
    assert drawn.expected[0] == 0.0


def test_a_finding_without_numbers_has_no_dots() -> None:
    assert dots(Statement("", "heap", "")) is None


def test_each_side_has_the_mark_of_its_mean_unless_it_is_one_run() -> None:
    drawn = dots(
        Difference("", "heap", "", unit="", observed=4.0, numbers=Numbers((1.0, 2.0, 6.0), (4.0, 5.0)))
    )
    assert drawn is not None
    assert [text for *_, text in drawn.means] == ["3", "4.5"]
    middle = MARGIN + (WIDTH - 2 * MARGIN) * (3.0 - 1.0) / (6.0 - 1.0)
    assert drawn.means[0][0] == pytest.approx(middle, abs=0.1)
    single = dots(Difference("", "heap", "", unit="", observed=4.0, numbers=Numbers((1.0, 2.0), (4.0,))))
    assert single is not None
    assert len(single.means) == 1
