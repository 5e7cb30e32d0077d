"""Tables of the ensembles on recorded runs, and those of Foo and others (ICSE 2015).

Ours are shares of checks that failed, and Matthews's correlation. The paper's are its worked example,
computed again, and its table IV.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.calibrated.environments import Environment, components_shared, weights
from buto.judging.verdict import Status
from buto_replications.detectors.ensemble.rules import BoolArray, bagged, confidence_change, stacked
from buto_replications.ensembles.sites import Share
from buto_replications.scores import MCC


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all experiments of one environment with one method.

    Attributes:
        unchanged, changed, subtle: shares of runs that failed.
        error: standard error of ``unchanged``, clustered by variant; NaN for a single variant.
        unchanged_checks, changed_checks: the same of checks with confirmation.
        inconclusive: share of the changed runs that could not be judged.
        mcc: of the single runs of all but the subtle experiments.
    """

    site: str
    seen: str
    method: str
    trained: int
    unchanged: float
    error: float
    changed: float
    subtle: float
    unchanged_checks: float
    changed_checks: float
    inconclusive: float
    mcc: float


def summaries(shares: Iterable[Share]) -> list[Summary]:
    """Return one summary for each environment, way of training, and method, in the order of the shares."""
    grouped: dict[tuple[str, str, str], list[Share]] = {}
    for one in shares:
        grouped.setdefault((one.site, one.seen, one.method), []).append(one)
    return [_summary(*key, some) for key, some in grouped.items()]


def _summary(site: str, seen: str, method: str, some: Sequence[Share]) -> Summary:
    plain = [one for one in some if not one.is_subtle]
    # An unchanged variant is judged once, and belongs to several experiments.
    of_variant = {one.training: one for one in plain}.values()
    failing = np.array([_failed(one.unchanged) for one in of_variant])
    return Summary(
        site,
        seen,
        method,
        max(one.trained for one in some),
        float(failing.mean()),
        float(failing.std(ddof=1) / np.sqrt(len(failing))) if len(failing) > 1 else float("nan"),
        _mean([one.changed for one in plain]),
        _mean([one.changed for one in some if one.is_subtle]),
        _mean([one.unchanged_checks for one in of_variant]),
        _mean([one.changed_checks for one in plain]),
        float(np.mean([status is Status.INCONCLUSIVE for one in plain for status in one.changed])),
        _mcc(plain),
    )


def _mcc(plain: Sequence[Share]) -> float:
    good = [status is not Status.REGRESSION for one in plain for status in one.unchanged]
    bad = [status is Status.REGRESSION for one in plain for status in one.changed]
    counts = (sum(good), len(good) - sum(good), sum(bad), len(bad) - sum(bad))
    return float(MCC.value(np.array(counts)))


def _mean(groups: Sequence[Sequence[Status]]) -> float:
    return float(np.mean([_failed(one) for one in groups])) if groups else float("nan")


def _failed(statuses: Sequence[Status]) -> float:
    return float(np.mean([status is Status.REGRESSION for status in statuses]))


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
