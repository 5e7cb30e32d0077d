"""The worked example of Foo and others (ICSE 2015), computed again, and their table IV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.environments import Environment, components_shared, weights
from buto.detectors.ensemble.rules.violations import BoolArray, confidence_change
from buto.detectors.ensemble.rules.voting import bagged, stacked

COUNTERS = ("CPU", "throughput", "memory", "transactions")
ORDER = ("throughput", "memory", "CPU", "transactions")
VOTES = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
"""Which counters each of four models flags, so that table II follows."""

T1: Environment = {"CPU": "2 GHz, 2 cores", "memory": "2 GB", "database": 2, "architecture": "32 bit"}
T2: Environment = {"CPU": "2 GHz, 2 cores", "memory": "1 GB", "database": 1, "architecture": "64 bit"}
T5: Environment = {"CPU": "2 GHz, 2 cores", "memory": "2 GB", "database": 1, "architecture": "64 bit"}
"""The environments of table III."""


@dataclass(frozen=True, slots=True)
class Worked:
    """A step of the worked example: what the paper prints, and what the formulas give."""

    step: str
    printed: str
    computed: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of table IV: precision, recall and F of a single model, of bagging and of stacking.

    Attributes:
        cells: nine numbers as printed.
    """

    system: str
    test: str
    cells: tuple[float, ...]

    def f_measures(self) -> tuple[float, ...]:
        """Return the three F measures that follow from the printed precision and recall."""
        return tuple(_f(*self.cells[place : place + 2]) for place in (0, 3, 6))


TABLE_IV = (
    Row("DS2", "D4", (0, 1, 0, 1, 1, 1, 1, 1, 1)),
    Row("DS2", "D5, one prior test", (1, 0.57, 0.73, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    Row("DS2", "D5, three prior tests", (1, 0.14, 0.25, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    Row("JPetStore", "J3", (1, 0.5, 0.66, 1, 0.5, 0.66, 1, 0.5, 0.66)),
    Row("enterprise", "E1", (1, 0.46, 0.63, 0.72, 1, 0.84, 0.85, 0.85, 0.92)),
    Row("enterprise", "E2", (0.86, 0.4, 0.55, 0.75, 1, 0.86, 0.93, 0.87, 0.90)),
    Row("enterprise", "E3", (1, 1, 1, 0, 1, 0, 1, 1, 1)),
)


def worked_example() -> Iterator[Worked]:
    """Yield the steps of the paper's example, tables II and III and both changes of confidence."""
    counted = dict(zip(COUNTERS, VOTES.sum(axis=0).tolist(), strict=True))
    yield Worked(
        "table II: models that flag each counter", "3, 2, 1, 1", ", ".join(str(counted[one]) for one in ORDER)
    )
    yield Worked("bagging flags", "throughput, memory", _named(bagged(VOTES)))
    shared = [components_shared(one, T5) for one in (T1, T2)]
    yield Worked("table III: weights of T1 and T2", "0.45, 0.55", _two(shared))
    yield Worked("the same in the text", "0.55, 0.45", _two([3, 2]))
    yield Worked(
        "stacking of the first two models flags",
        "throughput, CPU",
        _named(stacked(VOTES[:2], weights([3, 2]))),
    )
    for after, printed in ((0.2, "0.652"), (0.5, "0.219")):
        change = float(confidence_change(np.array([0.9]), np.array([after]))[0])
        yield Worked(f"confidence 0.9 becomes {after:g}: 1 - cosine similarity", printed, f"{change:.3f}")


def _named(flagged: BoolArray) -> str:
    chosen = {name for name, yes in zip(COUNTERS, flagged.tolist(), strict=True) if yes}
    return ", ".join(name for name in ORDER if name in chosen)


def _two(shared: list[int]) -> str:
    return ", ".join(f"{one:.2f}" for one in weights(shared))


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
