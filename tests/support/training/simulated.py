"""Trainings drawn from known distributions: 45 gauges and 10 counters whose features are correlated."""

from __future__ import annotations

import numpy as np

from buto.judging.accusing import accusing_features
from buto.judging.features import COUNTER_FEATURES, GAUGE_FEATURES
from buto.judging.profile import TrainingProfile
from buto.run.model import FloatArray
from buto.run.properties import Kind, Property

N_GAUGES, N_COUNTERS = 45, 10
PROPERTIES = tuple(
    Property(f"gauge.{number}", "By", Kind.GAUGE, lower=0.0) for number in range(N_GAUGES)
) + tuple(Property(f"counter.{number}", "{call}", Kind.COUNTER, lower=0.0) for number in range(N_COUNTERS))
KINDS = ("normal", "uniform", "student", "exponential", "common", "counts")


def training(n_runs: int, kind: str, seed: int, shift: FloatArray | float = 0.0) -> TrainingProfile:
    """A training of exchangeable runs.

    Args:
        kind: how levels scatter: one of KINDS; ``student`` has 3 degrees of freedom, ``common`` shares half
            of its variance among all quantities, ``counts`` are whole numbers around six.
        shift: shape (n_runs, n_quantities) or what broadcasts to it, added to the levels in deviations.
    """
    random = np.random.default_rng(seed)
    n = N_GAUGES + N_COUNTERS
    level = _drawn(random, kind, (n_runs, n)) + shift
    blocks = []
    for number, prop in enumerate(PROPERTIES):
        own = level[:, [number]]
        if prop.kind is Kind.GAUGE:
            block = 40e6 + 2e6 * (own + 0.5 * random.normal(size=(n_runs, 12)))
            block[:, 0] = 40e6 + 2e6 * own[:, 0]
        else:
            block = 200 + 20 * (own + 0.5 * random.normal(size=(n_runs, 5)))
            block[:, :2] = 200 + 20 * own
        if kind == "counts":
            block = np.rint(6 + 2 * (block - block.mean()) / block.std())
        names = GAUGE_FEATURES if prop.kind is Kind.GAUGE else COUNTER_FEATURES
        blocks.append(block[:, [names.index(name) for name in accusing_features(prop)]])
    duration = 5.0 + 0.2 * random.normal(size=(n_runs, 1))
    byte, call = (0.5, 0.5) if kind == "counts" else (65536.0, 0.5)
    grain = np.array([*[byte] * N_GAUGES, *[call] * N_COUNTERS, 0.1])
    return TrainingProfile(PROPERTIES, (), grain, end_s=4.8, values=np.hstack([*blocks, duration]))


def _drawn(random: np.random.Generator, kind: str, shape: tuple[int, int]) -> FloatArray:
    if kind == "uniform":
        return random.uniform(-(3**0.5), 3**0.5, shape)
    if kind == "student":
        return random.standard_t(3, shape) / 3**0.5
    if kind == "exponential":
        return random.exponential(size=shape) - 1
    if kind == "common":
        return (random.normal(size=shape) + random.normal(size=(shape[0], 1))) / 2**0.5
    return random.normal(size=shape)
