"""Runs under a load: the rates of requests, rates and means of each property over stretches of time, and what
stands for the load in models of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, structs

from buto.judging.features import observations, series_of, significant
from buto.judging.load.models import varies
from buto.run.model import BoolArray, FloatArray, Run
from buto.run.patterns import fits
from buto.run.properties import Kind, Property
from buto.run.units import format_number

STRETCHES = 12
"""Into how many stretches of time a run is divided."""

REACH = 1.0
"""How many times the variance of a run a prediction may have, and by how many widths of the range of training
a mean rate may be outside of it; beyond, the load is extrapolated."""

ALL_OF_PROCESS = ("jvm.*", "process.*")
"""Recorded properties that are judged beside the usual ones: under unlike load, any of them may tell."""

OF_A_LIFETIME = (
    "host.*",
    "load.late",
    "metrics.*_max",
    "metrics.*_max[[]*",
    "metrics.*_max_*",
    "metrics.*average*",
    "metrics.*ratio*",
    "metrics.*_cpu_usage*",
    "metrics.*_load_*",
    "metrics.*time_since*",
    "metrics.*_start_time_*",
    "metrics.system_*",
)
"""Largest values, averages, ratios and times since the start do not depend on the present load; the others
are of the machine."""

PAID_FOR = (
    "*cpu.time",
    "*memory.allocated",
    "*jvm.memory.heap.used_after_last_gc",
    "*.io.bytes*",
    "*.io.calls*",
    "*.disk.io[[]write]",
    "load.latency.p50*",
)
"""What requests cost. There are few of these, so one of them can decide alone. What is read from a disk is
not among them, because it depends on what the kernel has in its cache."""

MAY_LEAK = ("*jvm.memory.heap.used_after_last_gc", "*jvm.thread.count", "process.unix.file_descriptor.count")
"""What requests may leave behind. Processes of a database come and go, so theirs is not among them."""

COUNTED_ONCE = ("jvm.memory.heap.live", "jvm.object.live")
"""Exact counters that are read at the end alone, after the last request: there is no course to adjust. They
are compared given the number of requests, with the live objects of each class."""

WITHOUT_ANSWERS = "load.latency*"
"""A kind of request that is rare under this load has no latency in most samples, and nothing is wrong."""


RATES = "load.throughput*"
"""What a load generator that is recorded with the program says of the work that is done."""

CLEARLY = 1.25
"""Runs whose mean rates differ by a smaller factor had the same load."""

CHANCE = 4.0
"""Arrivals are random: counts that differ by fewer deviations had the same load, too."""


def is_rate(prop: Property) -> bool:
    """Return whether a property is a rate of requests."""
    return fits(prop.name, RATES)


def load_varies(runs: Sequence[Run]) -> bool:
    """Return whether some rate differs between these runs by clearly more than chance."""
    kinds = {prop.name: prop for run in runs for prop in run.properties if is_rate(prop)}
    if not kinds:
        return False
    # A run that lacks a kind of requests had none of them.
    rates = np.array([_means(series_of(run, tuple(kinds.values())).values) for run in runs])
    seconds = min(run.outcome.duration_s for run in runs)
    return bool(other_rates(rates.min(axis=0), rates.max(axis=0), seconds).any())


def _means(values: FloatArray) -> FloatArray:
    """Return the mean of each column without its gaps; 0 for a column of gaps alone."""
    read = ~np.isnan(values)
    means: FloatArray = np.where(read, values, 0.0).sum(axis=0) / np.maximum(read.sum(axis=0), 1)
    return means


def other_rates(low: FloatArray, high: FloatArray, seconds: float) -> BoolArray:
    """Return which rates are another load than others, shape (n_rates,).

    Args:
        low, high: the smaller and the larger of two mean rates, shape (n_rates,).
        seconds: over which they are means.
    """
    chance = CHANCE * np.sqrt(np.maximum(high * seconds, 1.0))
    differs: BoolArray = (high > CLEARLY * low) & ((high - low) * seconds > chance)
    return differs


def range_words(totals: FloatArray) -> str:
    """Return the range of rates of all requests together in words."""
    low, high = map(format_number, significant(np.array([totals.min(), totals.max()]), 3).tolist())
    return f"{low} requests/s" if low == high else f"{low} to {high} requests/s"


FEWEST_SAMPLES = 2


class Observed(Struct, frozen=True, eq=False):
    """One run.

    Attributes:
        rows: means of gauges and rates of counters, shape (n_stretches, n_properties).
        stretch_s: length of a stretch in seconds.
        step: smallest increase of each counter, 0 for others; shape (n_properties,).
        growth: increase per second of each gauge that requests may keep, 0 for others; the shape of ``rows``.
    """

    rows: FloatArray
    stretch_s: float
    step: FloatArray
    growth: FloatArray

    def of(self, columns: BoolArray) -> Observed:
        """Return the same run with some of the properties."""
        return Observed(self.rows[:, columns], self.stretch_s, self.step[columns], self.growth[:, columns])


def observe(run: Run, properties: Sequence[Property]) -> Observed:
    """Return what is known of a run; no rows if it has fewer than two samples.

    Args:
        properties: those that are :func:`buto.judging.readable.readable` in the run.
    """
    rows = observations(run, properties, STRETCHES)
    growth = np.zeros(rows.shape)
    growing = [column for column in matching(properties, MAY_LEAK) if properties[column].kind is Kind.GAUGE]
    # The growth of a gauge is what the rate of a counter is.
    counted = [structs.replace(properties[column], kind=Kind.COUNTER) for column in growing]
    if counted:
        growth[:, growing] = observations(run, counted, STRETCHES)
    series = series_of(run, properties)
    seconds = float(series.times_s[-1] - series.times_s[0]) if len(series) else 0.0
    stretch_s = float(significant(np.array(seconds / max(1, len(rows)))))
    return Observed(rows, stretch_s, significant(_steps(series.values, properties)), growth)


def matching(properties: Sequence[Property], patterns: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of properties whose names match a pattern."""
    return tuple(
        column
        for column, prop in enumerate(properties)
        if any(fits(prop.name, pattern) for pattern in patterns)
    )


def _steps(values: FloatArray, properties: Sequence[Property]) -> FloatArray:
    counters = np.array([prop.kind is Kind.COUNTER for prop in properties])
    with np.errstate(invalid="ignore"):
        increases = np.diff(values, axis=0)
        smallest = np.where(increases > 0, increases, np.inf).min(axis=0, initial=np.inf)
    steps: FloatArray = np.where(counters & np.isfinite(smallest), smallest, 0.0)
    return steps


ROWS_FOR_EACH = 4
"""So many observations, or runs, are needed for each predictor; with fewer, the sum of all kinds of requests
is one."""


class Predictors(Struct, frozen=True):
    """Which columns stand for the load.

    Attributes:
        columns: of the rates that vary.
        together: whether they are added up.
    """

    columns: tuple[int, ...]
    together: bool = False

    @property
    def count(self) -> int:
        """Number of predictors besides the constant; the last is what has accumulated since the start."""
        if not self.columns:
            return 0
        return 2 if self.together else len(self.columns) + 1


def choose(runs: Sequence[Observed], rates: Sequence[int]) -> Predictors:
    """Return what stands for the load in these runs, the checked ones among them: the rates that vary."""
    rows = np.vstack([run.rows for run in runs])
    moving = varies(rows)
    columns = tuple(column for column in rates if moving[column])
    return Predictors(columns, together=len(rows) < ROWS_FOR_EACH * (len(columns) + 2))


def designs(runs: Sequence[Observed], chosen: Predictors) -> list[FloatArray]:
    """Return the predictors of each run, shape (n_stretches, 1 + n_predictors).

    A constant, the load, and the load that has accumulated since the start of the run, because a gauge may
    grow with each request. All but the constant have mean 0 and variance 1 over all runs.
    """
    ones = [np.ones((len(run.rows), 1)) for run in runs]
    if not chosen.columns:
        return ones
    loads = [run.rows[:, chosen.columns] for run in runs]
    totals = [load.sum(axis=1) for load in loads]
    if chosen.together:
        loads = [total[:, None] for total in totals]
    sums = [(total.cumsum() - total / 2) * run.stretch_s for run, total in zip(runs, totals, strict=True)]
    parts = [np.column_stack(pair) for pair in zip(loads, sums, strict=True)]
    together = np.vstack(parts)
    centre, scale = together.mean(axis=0), together.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return [
        np.hstack([part_of_ones, (part - centre) / scale])
        for part_of_ones, part in zip(ones, parts, strict=True)
    ]
