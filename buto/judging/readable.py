"""What can be read of each property of runs: whether samples suffice, which values are possible or expected.

A property is judged only if it was read in enough samples. A range that people are shown has no values that
the property cannot have. A :class:`Level` is what a detector expects of one number of a run: what people
compare and review.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.features import LARGEST, series_of
from buto.judging.settings import Settings, judges
from buto.judging.verdict import Difference
from buto.judging.views import Band
from buto.run.model import BoolArray, FloatArray, MetadataValue, Run
from buto.run.properties import Property, Topic, topic_of
from buto.run.stored import Number
from buto.run.thinning import thin
from buto.steps import Action, Advice, Step

MOST_UNREAD = 1 / 3
"""If a larger share of a property's samples is missing, a run says nothing about it."""


def unread(run: Run, properties: Sequence[Property]) -> FloatArray:
    """Return the share of samples without a value, shape (n_properties,); of a long run, of those drawn."""
    values = series_of(thin(run), properties).values
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


def find_judged_properties(
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

    Args: as for :func:`find_judged_properties`.

    Raises:
        JudgeError: there are none.
    """
    complete, left_out = [], {}
    for prop in sorted((prop for prop in properties if judges(settings, prop)), key=lambda prop: prop.name):
        without = [run for run in runs if not has(run, prop)]
        if without:
            where = "any" if len(without) == len(runs) else f"{len(without)} of {len(runs)}"
            why = without[0].nan_reasons.get(prop.name, _why_not(without[0], prop))
            left_out[prop.name] = f"not read in {where} of the training runs: {why}"
        else:
            complete.append(prop)
    if not complete:
        raise JudgeError("no property was read in every training run", advice=see_why(runs[0]))
    return complete, left_out


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


HEAP_MAX = "jvm.memory.heap.max"
"""The key of a run's metadata with the maximum size of its heap, in bytes."""


def highest(prop: Property, runs: Iterable[Run]) -> float:
    """Return the largest possible value in the property's unit, infinite if none is known.

    That of the heap and its pools is the largest maximum heap size of these runs.
    """
    if prop.unit != "By" or topic_of(prop.name) is not Topic.HEAP:
        return prop.upper
    return min(prop.upper, max((_bytes(run.metadata.get(HEAP_MAX)) for run in runs), default=math.inf))


def possible_band(band: Band, prop: Property, runs: Iterable[Run]) -> Band:
    """Return a band of levels without what is impossible."""
    least, most = prop.lower, highest(prop, runs)
    sides = (np.clip(side, least, most) for side in (band.lower, band.expected, band.upper))
    return Band(band.times_s, *sides)


def possible_level(finding: Difference, prop: Property, runs: Iterable[Run]) -> Difference:
    """Return a finding about a level whose range has nothing impossible."""
    if finding.upper is None or not math.isfinite(finding.upper):
        return finding
    return replace(finding, upper=min(finding.upper, highest(prop, runs)))


def _bytes(size: MetadataValue) -> float:
    """Return a size of metadata, which older runs have as text; infinite if it is not known."""
    try:
        return math.inf if size is None else float(size)
    except ValueError:
        return math.inf


EACH_SECOND = "each second"
"""The number of a counter where runs are of different lengths or loads."""


class Level(Struct, frozen=True):
    """What is expected of one number of a run: its centre and its band, in the property's unit.

    Attributes:
        prop: what the number is of; of notifications its name is their type and emitter.
        number: which number of the property it is: a feature of :mod:`buto.judging.features`, as ``total``,
            ``largest`` or ``mean``; ``number`` of notifications; or :data:`EACH_SECOND`.
        deviation: the standard deviation of one run.
    """

    prop: Property
    number: str
    expected: Number
    lower: Number
    upper: Number
    deviation: Number

    @classmethod
    def of(cls, prop: Property, number: str, values: FloatArray) -> Level:
        """Return the level of a number that the training runs had, shape (n_runs,)."""
        deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return cls(prop, number, float(values.mean()), float(values.min()), float(values.max()), deviation)

    @classmethod
    def of_band(
        cls, prop: Property, number: str, sides: tuple[float, float, float], deviations: float
    ) -> Level:
        """Return the level of a band (lower, expected, upper), so many deviations wide on each side."""
        lower, expected, upper = sides
        level = cls(prop, number, expected, lower, upper, 0.0)
        return structs.replace(level, deviation=level.half_width / deviations)

    @property
    def half_width(self) -> float:
        """From the centre to the limit that is not cut off by what is possible."""
        ends = (self.upper - self.expected, self.expected - self.lower)
        return max((end for end in ends if math.isfinite(end)), default=0.0)
