"""The comparison of predictions with measurements, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from beds.store.evaluation import Evaluation, Number, agrees
from beds.store.loads import FIXED
from beds.store.model import CORES
from buto.experiments.architecture.store import Judged, Outcome
from buto.report.experiments import text
from buto.report.experiments.content import Columns

BUSY = 0.7
"""Above this measured utilisation, response times depend on what no model knows."""


def lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield all tables as lines."""
    for table in (_versions(evaluation.changed), _scores(evaluation), _errors(evaluation.numbers)):
        yield from text.lines(table)
        yield ""
    if evaluation.lacking:
        yield f"not measured: {', '.join(evaluation.lacking)}"


def _versions(changed: Sequence[Judged]) -> Columns:
    return Columns(
        "Changed versions: the largest Cliff's delta of an endpoint's response times",
        ("load", "changed", "slower by", "measured", "predicted", "status", "outcome"),
        tuple(
            (
                one.load,
                one.location,
                f"{100 * one.intensity:.0f} %",
                f"{one.truth:.3f}",
                f"{one.predicted:.3f}",
                one.status.value,
                one.outcome.value,
            )
            for one in changed
        ),
        left=2,
    )


def _scores(evaluation: Evaluation) -> Columns:
    rows = (
        ("fixed load", [one for one in evaluation.changed if one.load == FIXED.name]),
        ("three varied loads", [one for one in evaluation.changed if one.load != FIXED.name]),
        ("no change, or one too small to matter", evaluation.unchanged),
    )
    return Columns(
        "How often the prediction was right; by delta alone: without its interval, as in the paper",
        ("", "versions", "outcomes", "right by delta alone"),
        tuple(
            (what, str(len(judged)), _outcomes(judged), str(sum(map(agrees, judged))))
            for what, judged in rows
        ),
        left=1,
    )


def _outcomes(judged: Sequence[Judged]) -> str:
    counts = Counter(one.outcome for one in judged)
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]) or "none"


def _errors(numbers: Sequence[Number]) -> Columns:
    below = [one for one in numbers if one.utilisation < BUSY]
    rows = []
    for what in sorted({one.what for one in below}, key=lambda name: (name == CORES, name)):
        errors = np.abs([one.error for one in below if one.what == what])
        middle, high = np.quantile(errors, [0.5, 0.9])
        rows.append((what, str(len(errors)), f"{100 * middle:.1f} %", f"{100 * high:.1f} %"))
    return Columns(
        f"Errors of predicted mean response times and utilisation, below a utilisation of {100 * BUSY:.0f} %",
        ("", "versions and loads", "median error", "90 % within"),
        tuple(rows),
    )
