"""Which properties of runs were read in enough samples to be judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from buto.analysis.series import series_of
from buto.detectors.settings import Settings, judges
from buto.properties import Property
from buto.runs import Run

MOST_UNREAD = 1 / 3
"""If a larger share of a property's samples is missing, a run says nothing about it."""


def readable(run: Run, properties: Sequence[Property]) -> npt.NDArray[np.bool_]:
    """Return which properties have a value in enough samples of a run, shape (n_properties,)."""
    values = series_of(run, properties).values
    if not len(values):
        return np.zeros(len(properties), dtype=bool)
    enough: npt.NDArray[np.bool_] = np.isnan(values).mean(axis=0) <= MOST_UNREAD
    return enough


def judged_properties(
    runs: Sequence[Run], properties: Sequence[Property], settings: Settings
) -> tuple[tuple[Property, ...], dict[str, str]]:
    """Return the properties that can be judged, by name, and why each of the others cannot.

    Args:
        runs: of a training, at least one.
        properties: of any of them; those that the settings do not judge are in neither part.
    """
    wanted = sorted((prop for prop in properties if judges(settings, prop)), key=lambda prop: prop.name)
    enough = np.array([readable(run, wanted) for run in runs])
    left_out = {
        prop.name: f"read in enough samples of only {n_read} of the {len(runs)} training runs"
        for prop, n_read in zip(wanted, enough.sum(axis=0).tolist(), strict=True)
        if n_read < len(runs)
    }
    return tuple(prop for prop in wanted if prop.name not in left_out), left_out
