"""Made-up runs of 28 counters in four groups; each group follows a demand of its own."""

import numpy as np

N_COUNTERS, N_GROUPS, N_OBSERVATIONS = 28, 4, 60
NAMES = [f"counter {number:02}" for number in range(N_COUNTERS)]


def run(seed, number, change="", rate=1.0):
    """One run, shape (60, 28).

    Args:
        seed: of the system: levels, how strongly counters follow their group's demand, and noise.
        number: of the run.
        change: ``offset`` (one counter half as much again) or ``reversed`` (it falls as its group rises).
        rate: of all demands.
    """
    system = np.random.default_rng(seed)
    level = system.uniform(20, 200, N_COUNTERS)
    follows = system.uniform(0.1, 0.3, N_COUNTERS) * system.choice([1, -1], N_COUNTERS)
    noise = system.uniform(0.01, 0.05, N_COUNTERS)
    random = np.random.default_rng((seed, number))
    demand = rate * random.uniform(0.5, 1.5, (N_OBSERVATIONS, N_GROUPS)) - 1
    if change == "reversed":
        follows[0] *= -1
    values = 1 + follows * demand[:, np.arange(N_COUNTERS) % N_GROUPS]
    if change == "offset":
        values[:, 0] += 0.5
    return level * (values + noise * random.normal(size=values.shape))
