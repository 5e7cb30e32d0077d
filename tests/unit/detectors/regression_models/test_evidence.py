"""Evidence of runs, every choice of as many runs treated alike."""

from __future__ import annotations

import numpy as np
import pytest

from buto.analysis.contrasts import choices
from buto.detectors.regression_models.by_load import evidence
from buto.detectors.regression_models.by_load.models import sums_of
from buto.detectors.regression_models.by_load.scores import Scored

N_RUNS, N_CHOICES = 21, 10
"""Of 21 choices of one run, ten are drawn, so some runs are in none of them."""


def test_a_run_that_is_in_no_drawn_choice_is_not_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "MOST_CHOICES", N_CHOICES)
    drawn = choices(N_RUNS, 1, N_CHOICES)[:, 0]
    disturbed = int(drawn[drawn < N_RUNS - 1][0])
    values = np.random.default_rng(5).normal(10, 1, (N_RUNS, 2, 3))
    values[disturbed] += 50
    sums = sums_of([np.ones((2, 1))] * N_RUNS, list(values))
    scored = Scored(np.arange(3), np.zeros(3, dtype=bool))
    scale = evidence.scale_of(sums, [2.0] * N_RUNS, np.zeros(3), np.zeros(3), scored)
    found = evidence.of_runs(sums, scale, 1, alpha=0.1)
    assert found.smallest == pytest.approx(1 / N_CHOICES)
    assert found.worst == disturbed
