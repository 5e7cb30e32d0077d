"""Measure what training and checking of the calibrated detector cost, after all imports."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from buto.detectors.calibrated.settings import CALIBRATED
from buto.oracle import check, train
from buto.runs import Run, RunSet

N_TRAINING, N_PROPERTIES, N_SAMPLES = 20, 60, 60
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Cost:
    """Median times in seconds, and the size of the data."""

    train_s: float
    check_s: float
    n_training: int
    n_properties: int
    n_samples: int


def cost(runs: Sequence[Run]) -> Cost:
    """Return the time of training with twenty runs, or all but one if there are fewer, and of checking one
    more.

    Args:
        runs: at least six usable runs of one test; each is cut to sixty properties and sixty samples.
    """
    cut = [_cut(run) for run in runs[: N_TRAINING + 1]]
    training, last = RunSet(tuple(cut[:-1])), RunSet((cut[-1],))
    oracle = train(training, CALIBRATED)
    check(oracle, last)
    return Cost(
        _median_s(lambda: train(training, CALIBRATED)),
        _median_s(lambda: check(oracle, last)),
        len(training),
        max(len(run.properties) for run in cut),
        max(len(run.times_s) for run in cut),
    )


def _cut(run: Run) -> Run:
    return replace(
        run,
        properties=run.properties[:N_PROPERTIES],
        times_s=run.times_s[:N_SAMPLES],
        values=run.values[:N_SAMPLES, :N_PROPERTIES],
        nan_reasons={},
    )


def _median_s(function: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        function()
        times.append(time.perf_counter() - begun)
    return median(times)
