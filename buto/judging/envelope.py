"""The envelope of the training runs over time, drawn beside checked runs. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from buto.judging.features import on_grid, series_of, significant
from buto.judging.readable import MOST_UNREAD, partly_unread, unread
from buto.judging.stored import array_of, array_to_data, size_of, texts_of
from buto.judging.views import Band, RunsView
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Property
from buto.run.thinning import thin

DIGITS = 4
"""Significant digits that are kept: finer than any picture shows."""

N_POINTS = 25
"""Points of a curve: enough for a picture, and few enough for a file that people review."""

SIDES = ("lower", "mean", "upper")


class Envelope(Struct, frozen=True, eq=False):
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

        Only of properties that every training run had in most samples: others are read seldom. The latency of
        a rare request is missing in intervals without an answer, in some runs in more of them than in others.
        """
        shares = unread(run, self.properties)
        return tuple(
            partly_unread(prop.name, share, run)
            for prop, share, known in zip(self.properties, shares, self.unread, strict=True)
            if known <= MOST_UNREAD < share - known and share < 1.0 and prop.name in names
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain data; curves of equal values as one number."""
        sides = (self.lower, self.mean, self.upper)
        return {
            "end_s": float(self.times_s[-1]),
            "left_out": dict(sorted(self.left_out.items())),
            "curves": {
                prop.name: [array_to_data(side[:, column]) for side in sides] + [float(self.unread[column])]
                for column, prop in enumerate(self.properties)
            },
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], properties: Sequence[Property]) -> Envelope:
        """Invert :meth:`to_data`. KeyError, TypeError or ValueError for data of another shape."""
        blocks = [data["curves"][prop.name] for prop in properties]
        sides = [
            np.array([array_of(block[side], N_POINTS) for block in blocks]).T for side in range(len(SIDES))
        ]
        shares = np.array([float(block[len(SIDES)]) for block in blocks])
        times_s = np.linspace(0.0, size_of(data["end_s"]), N_POINTS)
        lower, mean, upper = (side.reshape(N_POINTS, -1) for side in sides)
        return cls(tuple(properties), times_s, lower, mean, upper, shares, texts_of(data["left_out"]))


def envelope(runs: Sequence[Run], properties: Sequence[Property], left_out: Mapping[str, str]) -> Envelope:
    """Return the envelope of runs that have all of these properties; of long runs, of the samples drawn."""
    shown = [thin(run) for run in runs]
    series = [series_of(run, properties) for run in shown]
    end_s = min((float(run_series.times_s[-1]) for run_series in series if len(run_series)), default=0.0)
    values = np.array([on_grid(run_series, end_s, N_POINTS) for run_series in series])
    values = np.nan_to_num(values, nan=0.0)
    lower, mean, upper = (
        significant(side, DIGITS) for side in (values.min(axis=0), values.mean(axis=0), values.max(axis=0))
    )
    shares = np.array([unread(run, properties) for run in runs]).max(axis=0).round(3)
    times_s = np.linspace(0.0, end_s, N_POINTS)
    return Envelope(tuple(properties), times_s, lower, mean, upper, shares, left_out)


class CalibratedView(RunsView):
    """The envelope over time, and the share of what would make each property an outlier."""

    reach_of = "of what would stand out"
    bands_decide = False

    def __init__(self, envelope: Envelope, shares: Callable[[RunSet], Mapping[str, float]]) -> None:
        """Make a view; ``shares`` gives by name the largest contrast of each property, as a share of what
        would make it an outlier.
        """
        self._envelope, self._shares = envelope, shares
        self.properties, self.left_out = envelope.properties, envelope.left_out

    def band(self, column: int) -> Band | None:
        own_envelope = self._envelope
        return Band(
            own_envelope.times_s,
            own_envelope.lower[:, column],
            own_envelope.mean[:, column],
            own_envelope.upper[:, column],
        )

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the largest contrast of each property as a share of what makes it an outlier by itself."""
        if not runs:
            return np.full(len(self.properties), np.nan)
        shares = self._shares(RunSet(tuple(runs)))
        return np.array([shares.get(prop.name, np.nan) for prop in self.properties])
