"""Which properties of runs were read, and in enough samples to be judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from buto.analysis.matching import BoolArray
from buto.analysis.series import LARGEST, series_of
from buto.detectors.settings import Settings, judges
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs import FloatArray, Run
from buto.runs.long import drawn
from buto.steps import Action, Advice, Step

MOST_UNREAD = 1 / 3
"""If a larger share of a property's samples is missing, a run says nothing about it."""


def unread(run: Run, properties: Sequence[Property]) -> FloatArray:
    """Return the share of samples without a value, shape (n_properties,); of a long run, of those drawn."""
    values = series_of(drawn(run), properties).values
    if not len(values):
        return np.ones(len(properties))
    shares: FloatArray = np.isnan(values).mean(axis=0)
    return shares


def readable(runs: Iterable[Run], properties: Sequence[Property]) -> BoolArray:
    """Return which properties have a value in enough samples of each run, shape (n_properties,)."""
    enough: BoolArray = np.all([unread(run, properties) <= MOST_UNREAD for run in runs], axis=0)
    return enough


def partly_unread(name: str, share: float, run: Run) -> str:
    """Return that a run lacks too many samples of a property."""
    return f"{name} could not be read in {share:.0%} of the samples of {run.id}"


def judged_properties(
    runs: Sequence[Run], properties: Sequence[Property], settings: Settings
) -> tuple[tuple[Property, ...], dict[str, str]]:
    """Return the properties that were read in enough samples of every run, by name, and why each of the
    others is left out.

    Args:
        runs: of a training, at least one.
        properties: of any of them; those that the settings do not judge are in neither part.
    """
    wanted = sorted((prop for prop in properties if judges(settings, prop)), key=lambda prop: prop.name)
    n_read = np.sum([unread(run, wanted) <= MOST_UNREAD for run in runs], axis=0).tolist()
    left_out = {
        prop.name: seldom_read(number, len(runs))
        for prop, number in zip(wanted, n_read, strict=True)
        if number < len(runs)
    }
    return tuple(prop for prop in wanted if prop.name not in left_out), left_out


def seldom_read(n_read: int, n_runs: int) -> str:
    """Return why a property is left out that was read in enough samples of some runs only."""
    return f"read in enough samples of only {n_read} of the {n_runs} training runs"


def read_at_all(
    runs: Sequence[Run], properties: Sequence[Property], settings: Settings
) -> tuple[list[Property], dict[str, str]]:
    """Return the properties that have a value in every run, by name, and why each of the others is left out.

    Args: as for :func:`judged_properties`.

    Raises:
        JudgeError: there are none.
    """
    found, left_out = [], {}
    for prop in sorted((prop for prop in properties if judges(settings, prop)), key=lambda prop: prop.name):
        without = [run for run in runs if not has(run, prop)]
        if without:
            where = "any" if len(without) == len(runs) else f"{len(without)} of {len(runs)}"
            why = without[0].nan_reasons.get(prop.name, _why_not(without[0], prop))
            left_out[prop.name] = f"not read in {where} of the training runs: {why}"
        else:
            found.append(prop)
    if not found:
        raise JudgeError("no property was read in every training run", advice=see_why(runs[0]))
    return found, left_out


def see_why(run: Run) -> Advice:
    """Return what shows why properties of a run were not read."""
    return Advice("see why: ", Step(Action.SHOW_RUN, run.test, run_id=run.id))


def has(run: Run, prop: Property) -> bool:
    """Return whether a run has a value of a property from which statistics can be made."""
    column = run.column_of.get(prop.name)
    return column is not None and run.smallest_read(column) <= LARGEST


def _why_not(run: Run, prop: Property) -> str:
    column = run.column_of.get(prop.name)
    read = column is not None and not np.isnan(run.smallest_read(column))
    return "its values are too large for statistics" if read else "no value"
