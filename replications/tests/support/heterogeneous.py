"""Tests of one system in unlike environments: counters that follow two loads, noise, and constants."""

import numpy as np

N_COUNTERS, N_INTERVALS = 40, 720
COMPONENTS = ("cpu", "memory", "database", "architecture")
ENVIRONMENTS = {
    name: dict(zip(COMPONENTS, values, strict=True))
    for name, values in {"A": "aaaa", "B": "abbb", "C": "cacc"}.items()
}


def values_of(seed, number, environment, faulty=()):
    """The counters of one test, shape (N_INTERVALS, N_COUNTERS); faulty ones are half as large again."""
    system = np.random.default_rng(seed)
    load = system.integers(0, 4, N_COUNTERS)
    level = system.uniform(10, 1000, N_COUNTERS)
    constant = system.random(N_COUNTERS) < 0.15
    noise = system.choice([0.01, 0.03, 0.1], N_COUNTERS)
    random = np.random.default_rng((seed, number))
    phases = np.repeat(random.permutation([0.5, 1.0, 1.0, 1.0, 1.5, 1.0] * 2), N_INTERVALS // 12)
    loads = 1 + 0.02 * random.standard_normal((N_INTERVALS, 4))
    loads[:, :2] *= phases[:, None]
    values = level * loads[:, load] * (1 + noise * random.standard_normal((N_INTERVALS, N_COUNTERS)))
    values[:, constant] = level[constant]
    values *= _factors(environment)
    values[:, list(faulty)] *= 1.5
    return values


def _factors(environment):
    factors = np.ones(N_COUNTERS)
    if environment != "A":
        random = np.random.default_rng(ord(environment))
        factors[random.choice(N_COUNTERS, 8, replace=False)] = random.choice([0.6, 1.6], 8)
    return factors
