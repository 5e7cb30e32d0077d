"""Evidence of runs, every choice of as many runs treated alike."""

from __future__ import annotations

import numpy as np
import pytest

from buto.judging.contrasts import choices
from buto.judging.evidence import Sizes
from buto.judging.load import evidence
from buto.judging.load.evidence import Scored
from buto.judging.load.models import sums_of

N_RUNS, N_CHOICES = 21, 10
"""Of 21 choices of one run, ten are drawn, so some runs are in none of them."""


def every(far: np.ndarray) -> np.ndarray:
    return np.ones(far.shape, dtype=bool)


def test_a_run_that_is_in_no_drawn_choice_is_not_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "FEW_CHOICES", N_CHOICES)
    drawn = choices(N_RUNS, 1, N_CHOICES)[:, 0]
    disturbed = int(drawn[drawn < N_RUNS - 1][0])
    values = np.random.default_rng(5).normal(10, 1, (N_RUNS, 2, 3))
    values[disturbed] += 50
    sums = sums_of([np.ones((2, 1))] * N_RUNS, list(values))
    scored = Scored(np.arange(3), np.zeros(3, dtype=bool))
    sizes = Sizes(np.zeros(3), np.zeros(3), None)
    scale = evidence.scale_of(sums, [2.0] * N_RUNS, np.zeros(3), np.zeros(3), scored, sizes, every)
    found = evidence.of_runs(sums, scale, 1, 0.1, np.zeros(3, np.bool_))
    assert found.mattering.significance.smallest == pytest.approx(1 / N_CHOICES)
    assert found.any.worst == found.mattering.worst == disturbed


def test_a_difference_that_does_not_matter_counts_in_no_choice() -> None:
    values = np.random.default_rng(5).normal(10, 0.1, (9, 4, 3))
    values[-1, :, 0] += 3
    sums = sums_of([np.ones((4, 1))] * 9, list(values))
    scored = Scored(np.arange(3), np.zeros(3, dtype=bool))

    def found(least: list[float], sign: float) -> evidence.LoadEvidence:
        sizes = Sizes(np.array(least), np.zeros(3), None)
        how = np.zeros(3), np.zeros(3), scored, sizes, lambda far: (sign == 0) | (far * sign > 0)
        counted = np.array([False, True, True])
        return evidence.of_runs(sums, evidence.scale_of(sums, [4.0] * 9, *how), 1, 0.2, counted)

    large = found([1.0] * 3, 0.0)
    assert large.mattering.p_value == pytest.approx(1 / 9)
    assert large.mattering.deviation[0] > 5
    assert large.mattering.deviation[1:].tolist() == [0.0, 0.0]
    # What follows the machine is no evidence of a counter that no machine moves.
    assert large.exact.p_value == 1.0
    assert large.exact.deviation.tolist() == [0.0, 0.0, 0.0]
    small = found([5.0] * 3, 0.0)
    assert (small.mattering.p_value, small.any.p_value) == (1.0, pytest.approx(1 / 9))
    assert found([1.0] * 3, 1.0).mattering.p_value == pytest.approx(1 / 9)
    assert found([1.0] * 3, -1.0).any.deviation[0] == 0.0


@pytest.mark.parametrize(("each", "counts"), [(0.1, True), (3.0, False)])
def test_what_more_loaded_classes_keep_by_themselves_does_not_count(each: float, counts: bool) -> None:
    values = np.random.default_rng(5).normal(10, 0.1, (9, 4, 2))
    values[-1] += 3
    sums = sums_of([np.ones((4, 1))] * 9, list(values))
    scored = Scored(np.arange(2), np.zeros(2, dtype=bool))
    sizes = Sizes(np.array([1.0, np.inf]), np.array([each, 0.0]), 1)
    scale = evidence.scale_of(sums, [4.0] * 9, np.zeros(2), np.zeros(2), scored, sizes, every)
    found = evidence.of_runs(sums, scale, 1, 0.2, np.ones(2, np.bool_)).mattering.deviation
    assert (found[0] != 0, found[1]) == (counts, 0.0)
