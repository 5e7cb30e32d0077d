"""Which samples are drawn of a run with more than a page has points."""

from __future__ import annotations

import numpy as np
import pytest

from buto.run import thinning
from buto.run.thinning import MOST_SAMPLES, stride_for, thin
from tests.support.runs.examples import assert_same, full_run


@pytest.mark.parametrize("n_samples", [0, 1, MOST_SAMPLES, MOST_SAMPLES + 1, 28_800, 10**7])
def test_no_more_samples_are_drawn_than_a_page_has_points(n_samples: int) -> None:
    stride = stride_for(n_samples)
    assert len(range(0, n_samples, stride)) <= MOST_SAMPLES
    assert stride == 1 or len(range(0, n_samples, stride // 2)) > MOST_SAMPLES


def test_a_run_of_many_values_is_drawn_by_every_nth_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    run = full_run("1")
    run = full_run(
        "1",
        times_s=np.arange(1000) / 10 + 0.05,
        values=np.arange(1000 * len(run.properties), dtype=float).reshape(1000, -1),
    )
    assert thin(run) is run
    monkeypatch.setattr(thinning, "MANY_VALUES", run.values.size)
    few = thin(run)
    assert few.times_s.tobytes() == run.times_s[::16].tobytes()
    assert few.values.tobytes() == run.values[::16].tobytes()
    assert_same(few, full_run("1", times_s=few.times_s, values=few.values))
