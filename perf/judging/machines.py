"""How often does the judge fail an unchanged program on a machine that training does not know?

Simulated training runs, 7 of each environment, have some quantities with one number each, and noise of
deviation 1. Each environment adds an effect of its own to each quantity. The new run is of a new
environment. Changes are added to one quantity that counts as exact; a fifth of them do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from buto.run.model import BoolArray, FloatArray
from buto_replications.detectors.machines.groups import Groups, dependences, held_out_environments
from buto_replications.detectors.machines.ranking import ranked
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude

TITLE = "False alarms on a machine that training does not know, simulated"

ALPHA, EACH, KNOWN_SHARE = 0.05, 7, 5
CHANGES = (0.0, 10.0, 30.0, 100.0)

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

EFFECTS: dict[str, tuple[int, Draw]] = {
    "none": (50, lambda random, shape: np.zeros(shape)),
    "uniform, up to 1": (200, lambda random, shape: random.uniform(-1, 1, shape)),
    "few quantities, uniform, up to 2": (20, lambda random, shape: random.uniform(-2, 2, shape)),
    "uniform, up to 2": (50, lambda random, shape: random.uniform(-2, 2, shape)),
    "normal, deviation 2": (50, lambda random, shape: 2 * random.standard_normal(shape)),
    "Student's t of 3, times 1.5": (50, lambda random, shape: 1.5 * random.standard_t(3, shape)),
    "three of ten quantities 10, others 0.3": (
        50,
        lambda random, shape: (
            np.where(random.random(shape[1]) < 0.3, 10.0, 0.3) * random.standard_normal(shape)
        ),
    ),
    "one effect in 33 of 30, others none": (
        50,
        lambda random, shape: np.where(random.random(shape) < 0.03, 30 * random.standard_normal(shape), 0.0),
    ),
}
"""By name, the number of quantities, and the effects of environments, (n_environments, n_quantities)."""


def shares(name: str, n_environments: int, n_systems: int) -> tuple[FloatArray, float]:
    """Return the share of runs that fail for each change, and of unchanged ones that name a quantity."""
    n, draw = EFFECTS[name]
    random = np.random.default_rng([n, n_environments])
    failed, named = np.zeros(len(CHANGES)), 0
    quantity, no = np.arange(n), np.zeros(n, dtype=bool)
    exact = quantity < n // KNOWN_SHARE
    place = np.repeat(np.arange(n_environments), EACH)
    environments = tuple({"machine": str(number), "pool": "ci"} for number in range(n_environments))
    for _ in range(n_systems):
        effects = draw(random, (n_environments + 1, n))
        values = 100 + effects[place] + random.standard_normal((len(place), n))
        groups = Groups(values, np.zeros(n), place, environments, ~no, no, quantity, no)
        known = dependences(groups, np.arange(n_environments))
        held_out = held_out_environments(groups, 1)
        new = 100 + effects[-1] + random.standard_normal(n)
        for number, change in enumerate(CHANGES):
            changed = np.where(quantity == 0, new + change, new)
            where = {"machine": "new", "pool": "ci"}
            run = ranked(groups, known, held_out, exact, quantity, where, changed, ALPHA, everything)
            failed[number] += run is not None and run.p_value <= ALPHA
            named += change == 0 and run is not None and bool((run.reach > 1).any())
    return failed / n_systems, named / n_systems


def everything(values: FloatArray, expected: FloatArray) -> BoolArray:
    """Return that every number counts."""
    return np.ones(values.shape, np.bool_)


def measure(n_systems: int) -> tuple[BenchmarkFigure, ...]:
    """Return the false alarms of each kind of effect, and print what of the changes is found."""
    figures = []
    for n_environments in (3, 5):
        for name, (n, _) in EFFECTS.items():
            failing, named = shares(name, n_environments, n_systems)
            what = f"{n_environments} environments, {n} quantities, effects: {name}"
            changes = ", ".join(f"{found_shares:.0%}" for found_shares in failing[1:])
            print(f"{what}: fails {failing[0]:.1%}; found {changes}; named {named:.1%}", flush=True)
            figures.append(at_most(f"{what}: fails", [float(failing[0])], ALPHA, "share", 3))
    return tuple(figures)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument(
        "--systems", type=int, default=500, help="simulated systems of each kind (default: 500)"
    )
    options = parser.parse_args()
    return conclude(TITLE, measure(options.systems), options)


if __name__ == "__main__":
    raise SystemExit(main())
