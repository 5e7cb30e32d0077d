import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto_replications.detectors.regression_fits import reduced


def r_squared(values, column, others):
    """By least squares, as the definition has it."""
    design = np.column_stack([np.ones(len(values)), values[:, others]])
    target = values[:, column]
    residual = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return 1 - residual @ residual / ((target - target.mean()) ** 2).sum()


def slowly(values, threshold):
    kept, removed = list(range(values.shape[1])), []
    while len(kept) > 1:
        shares = [r_squared(values, one, [other for other in kept if other != one]) for one in kept]
        if max(shares) <= threshold:
            break
        worst = kept[max(place for place, share in enumerate(shares) if share > max(shares) - 1e-9)]
        removed.append((worst, max(shares)))
        kept.remove(worst)
    return kept, removed


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n_counters=st.integers(1, 9), n_causes=st.integers(1, 4))
def test_the_downdates_agree_with_least_squares(seed, n_counters, n_causes):
    random = np.random.default_rng(seed)
    causes = random.normal(size=(40, n_causes))
    values = causes @ random.normal(size=(n_causes, n_counters)) + 0.2 * random.normal(size=(40, n_counters))
    kept, removed = slowly(values, 0.9)
    found = reduced(values * 10.0 ** random.integers(-6, 9, n_counters) + 5, 0.9)
    assert list(found.kept) == kept
    assert [column for column, _ in found.redundant] == [column for column, _ in removed]
    assert [share for _, share in found.redundant] == pytest.approx([share for _, share in removed], abs=1e-6)


def test_constants_duplicates_and_sums_are_left_out():
    random = np.random.default_rng(1)
    first, second = random.normal(size=(2, 50))
    values = np.column_stack([np.full(50, 0.1), first, second, 3 * first + 7, first + second])
    found = reduced(values, 0.9)
    assert found.constant == (0,)
    assert len(found.kept) == 2
    assert {column for column, _ in found.redundant} | set(found.kept) == {1, 2, 3, 4}
    assert not {1, 3} <= set(found.kept)


def test_more_counters_than_observations():
    found = reduced(np.random.default_rng(2).normal(size=(6, 20)), 0.9)
    assert 0 < len(found.kept) <= 5
    assert len(found.kept) + len(found.redundant) == 20


@pytest.mark.parametrize("values", [np.empty((0, 3)), np.ones((5, 3)), np.empty((5, 0))])
def test_nothing_varies(values):
    found = reduced(values, 0.9)
    assert found.kept == found.redundant == ()
    assert found.constant == tuple(range(values.shape[1]))
