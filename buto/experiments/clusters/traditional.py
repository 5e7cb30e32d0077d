"""Tables 6 to 8 of Shang et al. on the bed: models of typed targets, and a t-test of every counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.features import observations
from buto.detectors.calibrated.load_findings import errors_of
from buto.detectors.calibrated.load_models import correlation, varies
from buto.detectors.readable import judged_properties
from buto.detectors.regression_models.models import fitted
from buto.detectors.regression_models.redundancy import reduced
from buto.detectors.regression_models.settings import REDUNDANT, STRETCHES
from buto.experiments.bed.labels import BedRun, together
from buto.experiments.clusters.errors import SHANG
from buto.runs import FloatArray

TARGETS: Mapping[str, str] = {
    "CPU": "jvm.cpu.time",
    "memory": "jvm.memory.heap.used",
    "load": "host.load.1min",
}
"""The counters that an engineer would choose, as in the paper."""

LEVEL = 0.05
"""A p-value of the t-test below this is a significant difference."""


@dataclass(frozen=True, slots=True)
class Traditional:
    """What the methods that the paper compares itself with make of one checked run.

    Attributes:
        checked: the run.
        errors: absolute error of the model of each typed target that varies, by title.
        differing: number of counters of which the t-test finds different means, of ``compared``.
    """

    checked: BedRun
    errors: Mapping[str, float]
    differing: int
    compared: int


def traditional(training: Sequence[BedRun], checked: BedRun) -> Traditional:
    """Return the errors of models that are learned from the training runs, and the number of differences."""
    from scipy.stats import ttest_ind_from_stats

    known, values = together(training), SHANG.values
    properties, _ = judged_properties([*known.runs, checked.run], known.properties, SHANG)
    before = np.vstack([observations(run, properties, values[STRETCHES]) for run in known])
    after = observations(checked.run, properties, values[STRETCHES])
    both = np.vstack([before, after])
    moving = np.flatnonzero(varies(both))
    before, after = before[:, moving], after[:, moving]
    names = [properties[column].name for column in moving]
    kept = reduced(both[:, moving], values[REDUNDANT]).kept
    with np.errstate(divide="ignore", invalid="ignore"):
        moments = [(one.mean(axis=0), one.std(axis=0, ddof=1), len(one)) for one in (before, after)]
        differs = ttest_ind_from_stats(*moments[0], *moments[1]).pvalue < LEVEL
    errors = {
        title: _error(before, after, kept, names.index(name))
        for title, name in TARGETS.items()
        if name in names
    }
    return Traditional(checked, errors, int(differs.sum()), len(moving))


def _error(before: FloatArray, after: FloatArray, kept: Sequence[int], target: int) -> float:
    """Return the absolute error of a target's model by the counters that are not redundant.

    A counter that alone predicts the target, such as another source's copy of it, is no predictor.
    """
    shares = correlation(np.vstack([before, after])[:, [target, *kept]])[0, 1:] ** 2
    predictors = [
        column
        for column, share in zip(kept, shares.tolist(), strict=True)
        if column != target and share <= SHANG.values[REDUNDANT]
    ]
    model = fitted(before[:, predictors], before[:, target])
    return errors_of(model.predict(after[:, predictors]), after[:, target]).absolute
