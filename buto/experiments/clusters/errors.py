"""Tables 4 and 5 of Shang et al. on the bed: the errors of the models of clusters in each checked run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from buto.analysis.features import observations
from buto.detectors.readable import judged_properties
from buto.detectors.regression_models.judging import judged
from buto.detectors.regression_models.settings import DISTANCE, REDUNDANT, STRETCHES, THRESHOLD
from buto.experiments.bed.labels import BedRun, together
from buto.oracle import settings_from

SHANG = settings_from({"method": "shang"})


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """What the paper's method makes of one checked run; errors are absolute.

    Attributes:
        checked: the run.
        clusters: how many there are.
        models: how many have more than one counter, and therefore a model.
        largest: the largest error of these models; NaN without one.
        above: how many clusters have an error above the paper's threshold, with a model or without.
    """

    checked: BedRun
    clusters: int
    models: int
    largest: float
    above: int


def model_errors(training: Sequence[BedRun], checked: BedRun) -> ModelErrors:
    """Return the errors of models that are learned from the training runs."""
    known, values = together(training), SHANG.values
    properties, _ = judged_properties([*known.runs, checked.run], known.properties, SHANG)
    old = [observations(run, properties, values[STRETCHES]) for run in known]
    new = observations(checked.run, properties, values[STRETCHES])
    names = [prop.name for prop in properties]
    found = list(judged(old, new, names, values[REDUNDANT], values[DISTANCE]))
    modelled = [one.new.absolute for one in found if one.predictors]
    above = sum(one.new.absolute > values[THRESHOLD] for one in found)
    return ModelErrors(checked, len(found), len(modelled), max(modelled, default=nan), above)
