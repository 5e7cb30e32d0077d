"""The load of runs: mean rates of each kind of requests, and whether runs differ in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

import numpy as np

from buto.analysis.series import series_of
from buto.properties import Property
from buto.runs import FloatArray, Run
from buto.units import format_number

RATES = "load.throughput*"
"""What a load generator that is recorded with the program says of the work that is done."""

CLEARLY = 1.25
"""Runs whose mean rates differ by a smaller factor had the same load."""

CHANCE = 4.0
"""Arrivals are random: counts that differ by fewer deviations had the same load, too."""


def is_rate(prop: Property) -> bool:
    """Return whether a property is a rate of requests."""
    return fnmatchcase(prop.name, RATES)


def rate_names(runs: Iterable[Run]) -> tuple[str, ...]:
    """Return the names of the rates that any of these runs has, sorted."""
    return tuple(sorted({prop.name for run in runs for prop in run.properties if is_rate(prop)}))


def mean_rates(runs: Sequence[Run], names: Sequence[str]) -> FloatArray:
    """Return the mean rates of runs, shape (n_runs, n_names); 0 for a kind of requests that a run lacks."""
    found = np.zeros((len(runs), len(names)))
    for row, run in enumerate(runs):
        for column, name in enumerate(names):
            if name in run.column_of:
                values = series_of(run, [run.properties[run.column_of[name]]]).values
                found[row, column] = np.nanmean(values) if not np.isnan(values).all() else 0.0
    return found


def load_varies(runs: Sequence[Run]) -> bool:
    """Return whether some rate differs between these runs by clearly more than chance."""
    names = rate_names(runs)
    if not names:
        return False
    rates, seconds = mean_rates(runs, names), min(run.outcome.duration_s for run in runs)
    return bool(other_rates(rates.min(axis=0), rates.max(axis=0), seconds).any())


def other_rates(
    low: FloatArray, high: FloatArray, seconds: float
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which rates are another load than others, shape (n_rates,).

    Args:
        low, high: the smaller and the larger of two mean rates, shape (n_rates,).
        seconds: over which they are means.
    """
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = (high > CLEARLY * low) & (
        (high - low) * seconds > CHANCE * np.sqrt(np.maximum(high * seconds, 1.0))
    )
    return found


def range_words(totals: FloatArray) -> str:
    """Return the range of rates of all requests together in words."""
    low, high = (format_number(float(f"{one:.3g}")) for one in (totals.min(), totals.max()))
    return f"{low} requests/s" if low == high else f"{low} to {high} requests/s"
