"""From training runs to whole prior tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.ensemble.intervals import rounded
from buto.detectors.ensemble.sentences import unknown_work
from buto.detectors.ensemble.settings import WORK, environment_of
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.numbers import numbers_for, quantities_of
from buto.detectors.ensemble.work import learn_work
from buto.detectors.settings import Settings
from buto.properties import Kind, Property
from buto.runs import Run


def learn_whole(runs: Sequence[Run], settings: Settings) -> tuple[WholeTests, dict[str, str]]:
    """Return prior tests as numbers, and quantities that are not judged, each with the reason.

    Args:
        runs: in the order of their ids.
    """
    work = learn_work(runs, settings.values[WORK])
    given = set() if work is None else set(work.names)
    quantities = tuple(one for name, one in quantities_of(runs, settings).items() if name not in given)
    numbers = numbers_for(runs, quantities, work)
    values = rounded(np.array([numbers.measure(run) for run in runs]))
    environments = tuple(environment_of(run.metadata, settings) for run in runs)
    lost: dict[Property, int] = {}
    for feature, column in zip(numbers.catalogue, values.T, strict=True):
        quantity = numbers.quantities[feature.column]
        lost[quantity] = max(lost.get(quantity, 0), int(np.isnan(column).sum()))
    unknown = unknown_work(work, runs)
    left_out = {
        quantity.name: unknown
        if unknown and quantity.kind is Kind.COUNTER
        else f"not read in enough samples of {number} of {len(runs)} training runs"
        for quantity, number in lost.items()
        if number
    }
    return WholeTests(numbers, values, environments), left_out
