"""What a calibrated oracle compares over builds: the exact totals of its runs at their end."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from buto.judging.effects import PART
from buto.judging.features import TOTAL
from buto.judging.monitor import BuildSeries, OverBuilds, is_exact_total
from buto.judging.profile import TrainingProfile
from buto.run.model import FloatArray, Run
from buto.run.properties import Kind, Property, is_counted

_AT_THE_END = {Kind.COUNTER: TOTAL, Kind.GAUGE: "last"}


def over_builds(profile: TrainingProfile, minimum: Mapping[str, str]) -> OverBuilds:
    """Return the series that begins with the training runs, and how a later run is measured for it.

    Args:
        minimum: sizes that matter by pattern, in place of the usual ones.
    """
    places = [
        place
        for place, feature in enumerate(profile.catalogue)
        if (prop := profile.quantities[feature.column]) in profile.properties
        and is_exact_total(prop.name)
        and feature.name == _AT_THE_END.get(prop.kind)
    ]
    columns = [profile.catalogue[place].column for place in places]
    quantities = tuple(profile.quantities[column] for column in columns)

    def measure(run: Run) -> FloatArray:
        numbers: FloatArray = profile.measure(run)[places]
        return numbers

    share = np.array([_share(prop) for prop in quantities])
    series = BuildSeries(
        quantities, share, profile.grain[columns], profile.values[:, places], minimum=minimum
    )
    return OverBuilds(series, measure)


def _share(prop: Property) -> float:
    """Return from which multiple of its size on a value at the end matters.

    What was in use at the exit, by chance just before or after a collection, is a part of the run.
    """
    is_whole = prop.kind is Kind.COUNTER or is_counted(prop) or prop.unit.startswith("{")
    return 1.0 if is_whole else PART
