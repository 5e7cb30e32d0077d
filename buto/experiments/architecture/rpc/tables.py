"""Predictions from times of remote calls, as tables and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from enum import Enum

import numpy as np

from buto.experiments.architecture.outcomes import counts
from buto.experiments.architecture.rpc.comparison import Compared
from buto.experiments.architecture.rpc.reading import SYSTEMS
from buto.report.experiments.content import Columns

_PREDICTIONS: dict[str, Callable[[Compared], float]] = {
    "of its change": lambda one: one.predicted_s,
    "all calls propagated": lambda one: one.propagated_s,
    "inclusive times added": lambda one: one.inclusive_s,
}


def tables(compared: Sequence[Compared]) -> Iterator[Columns]:
    """Yield all tables, of the scenarios that chose nothing."""
    reported = [one for one in compared if one.reports]
    yield _errors(reported)
    yield _verdicts(reported)


def rows_csv(compared: Sequence[Compared]) -> str:
    """Return the delays of every scenario, one in a row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(Compared)]
    writer.writerow((*names, "reports"))
    for one in compared:
        writer.writerow((*(_cell(getattr(one, name)) for name in names), one.reports))
    return out.getvalue()


def _cell(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _errors(reported: Sequence[Compared]) -> Columns:
    rows = []
    for system in SYSTEMS:
        ours = [one for one in reported if one.system == system and one.delays]
        if not ours:
            continue
        change = np.median([one.new_s / one.old_s - 1 for one in ours])
        level = _middle([one.predicted_s / one.new_s - 1 for one in ours])
        errors = [
            _middle([one.error(predicted_s(one)) for one in ours]) for predicted_s in _PREDICTIONS.values()
        ]
        cells = (f"{100 * value:.1f} %" for pair in (level, *errors) for value in pair)
        rows.append((system, str(len(ours)), f"{100 * change:+.0f} %", *cells))
    return Columns(
        "Mean response times with injected delays, predicted from the times of remote calls",
        ("", "delays", "median change", *("median", "90 % within") * 4),
        tuple(rows),
        groups=(("", 3), ("error of the response time", 2), *((name, 2) for name in _PREDICTIONS)),
    )


def _middle(errors: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 90 % quantile of the errors without their signs."""
    middle, high = np.quantile(np.abs(errors), [0.5, 0.9])
    return float(middle), float(high)


def _verdicts(reported: Sequence[Compared]) -> Columns:
    rows = []
    for system in SYSTEMS:
        for what, is_delayed in (("with delays", True), ("without, divided in two", False)):
            ours = [one for one in reported if one.system == system and bool(one.delays) is is_delayed]
            rows.append((system, what, str(len(ours)), counts(one.judged for one in ours)))
    return Columns(
        "Verdicts on the response times, beside Cliff's delta of the measured ones",
        ("", "requests", "verdicts", "outcomes"),
        tuple(rows),
        left=2,
    )
