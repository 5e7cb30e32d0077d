"""Many runs judged at once are each judged as the pipeline judges it alone."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from buto.judging.thesis.pipeline import compare, fit
from buto.judging.thesis.time_points import time_points
from buto_replications.thesis.batch_judging import (
    Division,
    Task,
    bounds_of,
    in_thesis,
    judged,
    judged_properties,
    prepared,
    shares_of,
    smoothing_of,
)
from buto_replications.thesis.grids import IGNORE, JVM, KALMAN, LISTED, PARTICLE, SIMPLE, Method
from buto_replications.thesis.vectorised import ALGORITHMS
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
        {shares: Division(TRAINING, TEST) for shares in {shares_of(method) for method in methods}},
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
    return [*each, all(one for one, counts in zip(each, task.counted, strict=True) if counts)]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_as_the_pipeline_does_it_run_by_run(method):
    task = a_task(METHODS)
    found = judged(task)[method]
    assert {name: accepted.tolist() for name, accepted in found.items()} == alone(task, method)


def test_these_methods_neither_accept_nor_reject_everything():
    shares = [
        np.concatenate([one[:, :-1] for one in by_variant.values()]).mean()
        for by_variant in judged(a_task(METHODS)).values()
    ]
    assert all(0.02 < share < 0.98 for share in shares), shares


def test_a_method_is_judged_the_same_whichever_others_there_are():
    together, one = judged(a_task(METHODS)), judged(a_task(METHODS[-1:]))
    for name in TEST:
        np.testing.assert_array_equal(together[METHODS[-1]][name], one[METHODS[-1]][name])


def test_properties_that_never_scatter_need_no_particles():
    random = np.random.default_rng(1)
    values = random.normal(10, 1, (8, 20, 6))
    values[:, :, [1, 4]] = random.normal(5, 1, (20, 2))
    values[:, 7, 5] = np.nan
    points = time_points(np.arange(20.0), values)
    some = bounds_of(points, FEW, [2.0, 6.0])
    whole = ALGORITHMS["particle"].make(points, FEW, [2.0, 6.0])
    for one, other in zip(some, whole, strict=True):
        for side in ("lower", "upper", "expected"):
            np.testing.assert_array_equal(getattr(one, side), getattr(other, side))


def test_processor_time_is_seen_but_does_not_decide_with_the_thesiss_properties():
    task = a_task(METHODS[:1])
    by_name = {prop.name: bool(counts) for prop, counts in zip(task.properties, task.counted, strict=True)}
    assert [name for name, counts in by_name.items() if not counts] == ["jvm.cpu.time"]
    assert set(STEADY) < by_name.keys()
