"""Made-up files as those of the ICPE data challenge."""

import numpy as np

SYSTEMS = ("eshopper", "trainticket")


def write_scenario(path, delayed=1000, normal=2000):
    """Requests of 100 ms: 50 of their own, 50 in ``outer``, of which 20 are in ``inner``.

    ``aside`` takes 30 ms at the same time, and nobody waits for it. Delay 1 adds 50 ms to ``inner``, delay 2
    to ``aside``.
    """
    rng = np.random.default_rng(5)
    delay = rng.permutation(np.repeat([0, 1, 2], [normal, delayed, delayed]))
    count = len(delay)
    inner = 20 + 4 * rng.standard_normal(count) + 50 * (delay == 1)
    outer = 30 + 3 * rng.standard_normal(count) + inner
    aside = 30 + 10 * rng.random(count) + 50 * (delay == 2)
    latency = 50 + 2 * rng.standard_normal(count) + outer
    rows = np.column_stack([latency, outer, inner, aside, delay])
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, rows, "%d", ",", header="Latency,outer,inner,aside,anomaly", comments="")
    return path


def write_systems(directory):
    """One scenario of each system."""
    for system in SYSTEMS:
        write_scenario(directory / system / "001.csv")
    return directory
