"""The envelope of the training runs over time, drawn beside checked runs. It decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.analysis.features import on_grid
from buto.analysis.series import LARGEST, series_of
from buto.detectors.readable import MOST_UNREAD
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import drawn
from buto.steps import Action, Advice, Step

DIGITS = 4
"""Significant digits that are kept: finer than any picture shows."""

N_POINTS = 25
"""Points of a curve: enough for a picture, and few enough for a file that people review."""

SIDES = ("lower", "mean", "upper")


@dataclass(frozen=True, eq=False, slots=True)
class Envelope:
    """Least, mean and largest value of each property in any training run, at common times.

    Attributes:
        properties: those that are judged.
        times_s: shape (n_points,), from the program's start to the end of the shortest run.
        lower, mean, upper: shape (n_points, n_properties).
        unread: shape (n_properties,), the largest share of samples without a value in a training run.
        left_out: properties that are not judged, each with the reason.
    """

    properties: tuple[Property, ...]
    times_s: FloatArray
    lower: FloatArray
    mean: FloatArray
    upper: FloatArray
    unread: FloatArray
    left_out: Mapping[str, str]

    def partly_unread(self, run: Run, names: set[str]) -> tuple[str, ...]:
        """Return a sentence for each of these properties that a run lacks in far more samples than training.

        Only of properties that every training run had in most samples: others are read seldom.
        """
        shares = _unread(run, self.properties)
        return tuple(
            f"{prop.name} could not be read in {share:.0%} of the samples of {run.id}"
            for prop, share, known in zip(self.properties, shares, self.unread, strict=True)
            if known <= MOST_UNREAD < share < 1.0 and prop.name in names
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain data; curves of equal values as one number."""
        sides = (self.lower, self.mean, self.upper)
        return {
            "end_s": float(self.times_s[-1]),
            "left_out": dict(sorted(self.left_out.items())),
            "curves": {
                prop.name: [_curve(side[:, column]) for side in sides] + [float(self.unread[column])]
                for column, prop in enumerate(self.properties)
            },
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], properties: Sequence[Property]) -> Envelope:
        """Invert :meth:`to_data`. KeyError, TypeError or ValueError for data of another shape."""
        blocks = [data["curves"][prop.name] for prop in properties]
        sides = [np.array([_values(block[side]) for block in blocks]).T for side in range(len(SIDES))]
        unread = np.array([float(block[len(SIDES)]) for block in blocks])
        end_s = float(data["end_s"])
        if not 0 <= end_s <= LARGEST:
            raise ValueError(f"the end {end_s} is no time")
        left_out = {str(name): str(why) for name, why in data["left_out"].items()}
        times_s = np.linspace(0.0, end_s, N_POINTS)
        lower, mean, upper = (side.reshape(N_POINTS, -1) for side in sides)
        return cls(tuple(properties), times_s, lower, mean, upper, unread, left_out)


def judged_properties(runs: RunSet, judges: Sequence[Property]) -> tuple[list[Property], dict[str, str]]:
    """Return the properties that every run has read, by name, and why each of the others is left out.

    Args:
        judges: those that the settings judge.

    Raises:
        JudgeError: there are none.
    """
    found, left_out = [], {}
    for prop in sorted(judges, key=lambda one: one.name):
        without = [run for run in runs if not _has(run, prop)]
        if without:
            where = "any" if len(without) == len(runs) else f"{len(without)} of {len(runs)}"
            why = without[0].nan_reasons.get(prop.name, _why_not(without[0], prop))
            left_out[prop.name] = f"not read in {where} of the training runs: {why}"
        else:
            found.append(prop)
    if not found:
        raise JudgeError(
            "no property was read in every training run",
            advice=Advice("see why: ", Step(Action.SHOW_RUN, runs.runs[0].test, run_id=runs.runs[0].id)),
        )
    return found, left_out


def envelope(runs: Sequence[Run], properties: Sequence[Property], left_out: Mapping[str, str]) -> Envelope:
    """Return the envelope of runs that have all of these properties; of long runs, of the samples drawn."""
    shown = [drawn(run) for run in runs]
    series = [series_of(run, properties) for run in shown]
    end_s = min((float(one.times_s[-1]) for one in series if len(one)), default=0.0)
    values = np.array([on_grid(one, end_s, N_POINTS) for one in series])
    values = np.nan_to_num(values, nan=0.0)
    lower, mean, upper = (
        _rounded(side) for side in (values.min(axis=0), values.mean(axis=0), values.max(axis=0))
    )
    unread = np.array([_unread(run, properties) for run in shown]).max(axis=0).round(3)
    times_s = np.linspace(0.0, end_s, N_POINTS)
    return Envelope(tuple(properties), times_s, lower, mean, upper, unread, left_out)


def _unread(run: Run, properties: Sequence[Property]) -> FloatArray:
    values = series_of(drawn(run), properties).values
    if not len(values):
        return np.ones(len(properties))
    shares: FloatArray = np.isnan(values).mean(axis=0)
    return shares


def _rounded(values: FloatArray) -> FloatArray:
    flat = [float(f"{value:.{DIGITS}g}") for value in values.ravel()]
    return np.array(flat).reshape(values.shape)


def _curve(values: FloatArray) -> Any:
    listed = [float(value) for value in values]
    return listed[0] if all(value == listed[0] for value in listed) else listed


def _values(written: Any) -> FloatArray:
    listed = written if isinstance(written, list) else [written] * N_POINTS
    numbers = np.array([float(value) for value in listed])
    if len(numbers) != N_POINTS or not (np.abs(numbers) <= LARGEST).all():
        raise ValueError(f"a curve has not {N_POINTS} numbers")
    return numbers


def _why_not(run: Run, prop: Property) -> str:
    column = run.column_of.get(prop.name)
    read = column is not None and not np.isnan(run.smallest_read(column))
    return "its values are too large for statistics" if read else "no value"


def _has(run: Run, prop: Property) -> bool:
    column = run.column_of.get(prop.name)
    return column is not None and run.smallest_read(column) <= LARGEST
