"""What the paper prints of its worked example and in its table IV, and what its formulas give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.environments import Environment, components_shared, weights
from buto_replications.detectors.ensemble.rules import BoolArray, bagged, confidence_change, stacked

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
    """A step of the worked example: what the paper prints, and what the formulas give.

    Attributes:
        printed: empty where the paper has no such value.
    """

    step: str
    printed: str
    computed: str


@dataclass(frozen=True, slots=True)
class PaperRow:
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
    PaperRow("DS2", "D4", (0, 1, 0, 1, 1, 1, 1, 1, 1)),
    PaperRow("DS2", "D5, one prior test", (1, 0.57, 0.73, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    PaperRow("DS2", "D5, three prior tests", (1, 0.14, 0.25, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    PaperRow("JPetStore", "J3", (1, 0.5, 0.66, 1, 0.5, 0.66, 1, 0.5, 0.66)),
    PaperRow("enterprise", "E1", (1, 0.46, 0.63, 0.72, 1, 0.84, 0.85, 0.85, 0.92)),
    PaperRow("enterprise", "E2", (0.86, 0.4, 0.55, 0.75, 1, 0.86, 0.93, 0.87, 0.90)),
    PaperRow("enterprise", "E3", (1, 1, 1, 0, 1, 0, 1, 1, 1)),
)

MEANS = (0.84, 0.58, 0.55, 0.78, 0.81, 0.69, 0.97, 0.77, 0.85)
"""The last line of table IV, as printed: means of its seven rows."""


def worked_example() -> Iterator[Worked]:
    """Yield the steps of the paper's example, tables II and III, and what its formulas give beyond them.

    The text takes T1 and T5 to share three components and T2 and T5 two; its table III has two and three.
    """
    counted = dict(zip(COUNTERS, VOTES.sum(axis=0).tolist(), strict=True))
    yield Worked(
        "table II: models that flag each counter",
        "3, 2, 1, 1",
        ", ".join(str(counted[host]) for host in ORDER),
    )
    yield Worked("bagging flags", "throughput, memory", _name(bagged(VOTES)))
    text, table = [3, 2], [len(components_shared(environment, T5)) for environment in (T1, T2)]
    yield Worked("lengths of the two vectors of the text", "1.7, 1.4", _lengths_of(text))
    yield Worked("weight of T1 in the text", "0.55", f"{weights(text)[0]:.2f}")
    yield Worked("the same by table III", "", f"{weights(table)[0]:.2f}")
    yield Worked("stacking of T1 and T2 flags", "", _name(stacked(VOTES[:2], weights(text))))
    for after in (0.2, 0.5):
        change = float(confidence_change(np.array([0.9]), np.array([after]))[0])
        yield Worked(f"confidence 0.9 becomes {after:g}: 1 - cosine similarity", "", f"{change:.3f}")


def _name(flagged: BoolArray) -> str:
    chosen = {name for name, yes in zip(COUNTERS, flagged.tolist(), strict=True) if yes}
    return ", ".join(name for name in ORDER if name in chosen)


def _lengths_of(shared: Sequence[int]) -> str:
    return ", ".join(f"{math.sqrt(length):.1f}" for length in shared)


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
