"""From training runs of several machines to what a run of another machine is judged by."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from buto.detectors.calibrated.load.rates import RATES
from buto.detectors.calibrated.machines.environments import environment_of
from buto.detectors.calibrated.machines.fitted import FittedMachines, Known
from buto.detectors.calibrated.machines.groups import grouped
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.notices import FEWEST_LIKE
from buto.detectors.calibrated.machines.numbers import numbers_for, quantities_of, rounded
from buto.detectors.calibrated.machines.work import learn_work, unknown_work
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.protocol import FittedDetector
from buto.properties import Kind, Property
from buto.runs import Run, RunSet


def learn(runs: RunSet, settings: JudgeSettings, alike: Callable[[RunSet], FittedDetector]) -> FittedMachines:
    """Learn from valid runs of several environments.

    Args:
        alike: learns from runs of one environment, at least FEWEST_LIKE.
    """
    ordered = sorted(runs, key=lambda run: run.id)
    whole, left_out = learn_whole(ordered, settings)
    whole.sizes(settings.minimum_effect)
    place, different = grouped(whole.environments)
    counts = np.bincount(place)
    if 2 * len(different) > len(ordered):
        return FittedMachines(settings, (Known({}, len(ordered), alike(runs)),), whole, left_out)
    known = [
        Known(
            different[one],
            int(counts[one]),
            alike(RunSet(tuple(run for run, where in zip(ordered, place, strict=True) if where == one))),
        )
        for one in np.argsort(-counts, kind="stable").tolist()
        if counts[one] >= FEWEST_LIKE
    ]
    return FittedMachines(settings, tuple(known), whole, left_out)


def learn_whole(runs: Sequence[Run], settings: JudgeSettings) -> tuple[WholeTests, dict[str, str]]:
    """Return the runs as numbers, and quantities that are not judged, each with the reason.

    Args:
        runs: in the order of their ids.
    """
    work = learn_work(runs, [RATES])
    given = set() if work is None else set(work.names)
    quantities = tuple(one for name, one in quantities_of(runs, settings).items() if name not in given)
    numbers = numbers_for(runs, quantities, work)
    values = rounded(np.array([numbers.measure(run) for run in runs]))
    environments = tuple(environment_of(run.metadata, settings.metadata) for run in runs)
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
