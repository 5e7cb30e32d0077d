"""Tables of the ensembles: shares of checks that failed, and Matthews's correlation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from buto.experiments.ensembles.left_out import Share
from buto.experiments.scores import MCC
from buto.verdicts import Status


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
