"""Counts that are whole in every run stay whole in what is told."""

from __future__ import annotations

import pytest

from buto.judging.verdict import Amount, Difference, Direction, Numbers


@pytest.mark.parametrize(
    ("known", "judged", "told"),
    [
        ((7.0, 7.0, 8.0), (9.0, 9.0, 9.0), (7.0, 9.0)),
        # Rounded, nothing would have changed.
        ((7.0, 7.0, 7.0), (7.0, 7.0, 8.0), (7.0, 22 / 3)),
        # Means over time have parts in a run, too.
        ((7.2, 7.3, 7.4), (9.0, 9.0, 9.0), (7.3, 9.0)),
    ],
)
def test_a_mean_of_whole_counts_is_told_as_one(
    known: tuple[float, ...], judged: tuple[float, ...], told: tuple[float, float]
) -> None:
    means = sum(known) / len(known), sum(judged) / len(judged)
    size = Amount("largest value", *means, numbers=Numbers(known, judged))
    finding = Difference(
        "bounds", "jvm.thread.count", "r", Direction.MORE, unit="{thread}", observed=9.0, amount=size
    )
    assert finding.told_size is not None
    assert (finding.told_size.old, finding.told_size.new) == pytest.approx(told)
    # Waivers and the order of findings are of the means.
    assert (finding.size.old, finding.size.new) == means
