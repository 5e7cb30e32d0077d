"""Many runs judged at once are judged as the pipeline judges each alone, with filterpy's bounds."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from filterpy.monte_carlo import multinomial_resample
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.thesis.bounds import PROCESS_NOISES, PROPAGATIONS, WEIGHTINGS, BoundsSettings
from buto.judging.thesis.filters import ALGORITHMS as PRODUCT
from buto.judging.thesis.pipeline import compare, fit
from buto.judging.thesis.time_points import time_points
from buto_replications.thesis.batch_judging import (
    ALGORITHMS,
    Task,
    VariantDivision,
    bounds_of,
    in_thesis,
    judged,
    judged_properties,
    prepared,
    sampled_anew,
    shares_of,
    smoothing_of,
)
from buto_replications.thesis.grids import IGNORE, JVM, KALMAN, LISTED, PARTICLE, SIMPLE, Method
from replications.tests.support.variants import STEADY, variant_run

STRONG, WEAK = "references-strong", "references-weak"
TRAINING, TEST = np.array([0, 3, 1, 6]), {STRONG: np.array([5, 2]), WEAK: np.array([4, 0, 1])}
FEW = replace(PARTICLE, particles=50, iterations=2)


def recorded():
    """Runs of unequal length, with values that could not be read, and one that is too short to smooth."""
    runs = {name: [variant_run(name, number, shift=0.6) for number in range(7)] for name in (STRONG, WEAK)}
    damaged = runs[STRONG][2].values.copy()
    damaged[10:30, 3] = np.nan
    damaged[:, 4] = np.nan
    runs[STRONG][2] = replace(runs[STRONG][2], values=damaged)
    runs[STRONG][6] = variant_run(STRONG, 6, n_samples=55)
    runs[WEAK][0] = variant_run(WEAK, 0, n_samples=64)
    runs[WEAK][1] = variant_run(WEAK, 1, n_samples=4)
    return runs


METHODS = (
    Method(SIMPLE),
    Method(replace(SIMPLE, deviations=20.0)),
    Method(replace(SIMPLE, deviations=2.5), outside_model=IGNORE),
    Method(replace(SIMPLE, smoothing="median", window=5)),
    Method(replace(SIMPLE, smoothing="none", average="median")),
    Method(replace(SIMPLE, time_points="rounding")),
    Method(replace(SIMPLE, matching="interpolated", deviations=6.0)),
    Method(replace(SIMPLE, deviations=8.0), clock=JVM),
    Method(KALMAN),
    Method(replace(KALMAN, deviations=20.0, process_noise="average-difference")),
    Method(replace(LISTED, deviations=14.0)),
    Method(FEW),
    Method(replace(FEW, deviations=20.0)),
)


def a_task(methods):
    runs = recorded()
    properties = judged_properties([run for ours in runs.values() for run in ours])
    ways = list({smoothing_of(method.pipeline): None for method in methods})
    return Task(
        STRONG,
        0,
        7,
        properties,
        np.array([in_thesis(prop) for prop in properties]),
        {name: prepared(ours, properties, ways) for name, ours in runs.items()},
        {shares: VariantDivision(TRAINING, TEST) for shares in {shares_of(method) for method in methods}},
        tuple(methods),
    )


def alone(task, method):
    """The same, run by run, by the pipeline."""
    runs = recorded()
    if method.clock == JVM:
        runs = {name: [from_jvm(run) for run in ours] for name, ours in runs.items()}
    settings = replace(method.pipeline, seed=zlib.crc32(f"7 0 {STRONG}".encode()))
    model = fit([runs[STRONG][number] for number in TRAINING], task.properties, settings).model
    return {
        name: [verdicts(runs[name][number], model, method, task) for number in numbers]
        for name, numbers in TEST.items()
    }


def from_jvm(run):
    return replace(run, times_s=run.times_s + float(run.metadata["jvm.uptime"]) / 1000)


def verdicts(run, model, method, task):
    comparison = compare(run, model, method.pipeline)
    if not len(comparison.smoothed):
        return [False] * (len(task.properties) + 1)
    reached = bool(comparison.in_model.all()) or method.outside_model == IGNORE
    each = [
        reached and not any(value > 0 or value < 0 for value in comparison.beyond[:, column])
        for column in range(len(task.properties))
    ]
    return [*each, all(verdict for verdict, counts in zip(each, task.counted, strict=True) if counts)]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_as_the_pipeline_does_it_run_by_run(method):
    task = a_task(METHODS)
    found = judged(task)[method]
    assert {name: accepted.tolist() for name, accepted in found.items()} == alone(task, method)


def test_these_methods_neither_accept_nor_reject_everything():
    shares = [
        np.concatenate([counts[:, :-1] for counts in by_variant.values()]).mean()
        for by_variant in judged(a_task(METHODS)).values()
    ]
    assert all(0.02 < share < 0.98 for share in shares), shares


def test_a_method_is_judged_the_same_whichever_others_there_are():
    together, judged_alone = judged(a_task(METHODS)), judged(a_task(METHODS[-1:]))
    for name in TEST:
        np.testing.assert_array_equal(together[METHODS[-1]][name], judged_alone[METHODS[-1]][name])


def test_properties_that_never_scatter_need_no_particles():
    random = np.random.default_rng(1)
    values = random.normal(10, 1, (8, 20, 6))
    values[:, :, [1, 4]] = random.normal(5, 1, (20, 2))
    values[:, 7, 5] = np.nan
    points = time_points(np.arange(20.0), values)
    some = bounds_of(points, FEW, [2.0, 6.0])
    whole = ALGORITHMS["particle"].make(points, FEW, [2.0, 6.0])
    for of_some, other in zip(some, whole, strict=True):
        for side in ("lower", "upper", "expected"):
            np.testing.assert_array_equal(getattr(of_some, side), getattr(other, side))


def test_processor_time_is_seen_but_does_not_decide_with_the_thesiss_properties():
    task = a_task(METHODS[:1])
    by_name = {prop.name: bool(counts) for prop, counts in zip(task.properties, task.counted, strict=True)}
    assert [name for name, counts in by_name.items() if not counts] == ["jvm.cpu.time"]
    assert set(STEADY) < by_name.keys()


NAN = float("nan")
SIDES = ("lower", "expected", "upper")


def points(values):
    """Time points of values of shape (n_runs, n_points, n_properties)."""
    return time_points(np.arange(values.shape[1]) * 0.1, values)


def both(name, of, chosen):
    """One band by the product, and one by the experiments."""
    return [algorithms[name].make(of, chosen, (20.0,))[0] for algorithms in (PRODUCT, ALGORITHMS)]


MIXED = np.random.default_rng(3).normal(100, [1.0, 1e-6, 30.0, 0.0], (6, 30, 4)).round(7)
MIXED[:, 10:20, 2] = 100  # which varies before and after
MIXED[:, 4, 0] = MIXED[:, 0, 1] = NAN
MIXED[:, :, 3] = np.arange(30.0)


@pytest.mark.parametrize("noise", PROCESS_NOISES)
def test_the_kalman_filter_equals_filterpys_to_rounding(noise):
    ours, other = both("kalman", points(MIXED), BoundsSettings(process_noise=noise))
    for side in SIDES:
        np.testing.assert_allclose(getattr(other, side), getattr(ours, side), rtol=1e-11)


@given(
    rows=st.lists(st.lists(st.floats(-1e4, 1e4), min_size=5, max_size=5), min_size=1, max_size=5),
    noise=st.sampled_from(PROCESS_NOISES),
    gap=st.integers(0, 5),
)
def test_so_it_does_for_any_values(rows, noise, gap):
    values = np.insert(np.array(rows), gap, NAN, axis=1)[:, :, np.newaxis]
    ours, other = both("kalman", points(values), BoundsSettings(process_noise=noise))
    scale = np.nanmax(np.abs(values))
    for side in SIDES:
        np.testing.assert_allclose(getattr(other, side), getattr(ours, side), rtol=1e-9, atol=1e-11 * scale)


@pytest.mark.parametrize("propagate", PROPAGATIONS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("resample", [0.2, 0.6, 1.0])
def test_particles_have_the_bits_of_filterpys(propagate, weighting, resample):
    chosen = BoundsSettings(
        particles=60, iterations=2, propagate=propagate, weighting=weighting, resample=resample, seed=5
    )
    ours, other = both("particle", points(MIXED), chosen)
    for side in SIDES:
        assert getattr(other, side).tobytes() == getattr(ours, side).tobytes()


def test_resampling_by_hand():
    particles = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    shares = np.array([[0.5, 0, 0.25, 0.25], [0, 0, 0, 1.0]])
    picks = np.array([0.1, 0.49, 0.5, 0.9])
    assert sampled_anew(particles, shares, picks).tolist() == [[1, 1, 3, 4], [8, 8, 8, 8]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 200))
def test_resampling_equals_filterpys_of_the_same_random_numbers(seed, n_particles):
    random = np.random.default_rng(seed)
    values, shares = np.arange(float(n_particles)), random.dirichlet(np.full(n_particles, 0.3))
    # Its numbers come from numpy's global state alone.
    before = np.random.get_state()
    np.random.seed(seed)
    indexes = multinomial_resample(shares)
    np.random.seed(seed)
    picks = np.sort(np.random.random(n_particles))
    np.random.set_state(before)
    sampled = sampled_anew(values[np.newaxis], shares[np.newaxis], picks)[0]
    assert sampled.tolist() == sorted(values[indexes])
