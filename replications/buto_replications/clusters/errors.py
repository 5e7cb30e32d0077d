"""Tables 4 to 8 of Shang et al. on the bed.

Tables 4 and 5 are the errors of the models of clusters in each checked run. Tables 6 to 8 are those of models
of typed targets, and a t-test of every counter. How many runs of each kind fail, by detector, decides whether
load cancels out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from buto.judging.features import observations
from buto.judging.load.findings import errors_of
from buto.judging.load.models import correlation, varies
from buto.judging.readable import find_judged_properties
from buto.judging.verdict import Status
from buto.oracle import settings_from
from buto.run.model import FloatArray
from buto_replications.bed.effects import HIGH
from buto_replications.bed.labels import BedRun, Labels, together
from buto_replications.clusters.comparison import ALPHA, CheckedRun
from buto_replications.detectors.regression_fits import fitted, reduced
from buto_replications.detectors.regression_models import DISTANCE, REDUNDANT, STRETCHES, THRESHOLD, judged

SHANG = settings_from({"method": "shang"})


@dataclass(frozen=True, slots=True)
class ModelErrors:
    """What the paper's method makes of one checked run; errors are absolute.

    Attributes:
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
    known, values = together(training), SHANG.values
    properties, _ = find_judged_properties([*known.runs, checked.run], known.properties, SHANG)
    old = [observations(run, properties, values[STRETCHES]) for run in known]
    new = observations(checked.run, properties, values[STRETCHES])
    names = [prop.name for prop in properties]
    clusters = list(judged(old, new, names, values[REDUNDANT], values[DISTANCE]))
    modelled = [cluster.new.absolute for cluster in clusters if cluster.predictors]
    above = sum(cluster.new.absolute > values[THRESHOLD] for cluster in clusters)
    return ModelErrors(checked, len(clusters), len(modelled), max(modelled, default=nan), above)


OTHER_MIX = "writes"
"""In the label of a load with another mix of requests."""

OTHER_LOAD = "unchanged, other load in all"


@dataclass(frozen=True, slots=True)
class RunKind:
    """Runs that should be judged alike.

    Attributes:
        failed, inconclusive: by detector, how many of them are.
    """

    title: str
    changed: bool
    n_runs: int
    failed: Mapping[str, int]
    inconclusive: Mapping[str, int]

    @property
    def expected(self) -> float:
        """How many unchanged runs fail on average if the share alpha of them does."""
        return ALPHA * self.n_runs

    @property
    def standard_error(self) -> float:
        """Standard error of this number, if runs fail independently."""
        return sqrt(self.expected * (1 - ALPHA))


def kinds(runs: Sequence[CheckedRun]) -> list[RunKind]:
    """Return the kinds of these runs, in the order in which they appear.

    Runs under another load are counted in two kinds, and all together in a third.
    """
    of_title: dict[str, list[CheckedRun]] = {}
    for run in runs:
        of_title.setdefault(_title(run.checked.labels), []).append(run)
    other = [run for run in runs if run.checked.labels.role == "other-load"]
    if other:
        of_title[OTHER_LOAD] = other
    return [_kind(title, some) for title, some in of_title.items()]


def _title(labels: Labels) -> str:
    match labels.role:
        case "fault" | "steady-fault":
            return f"{labels.role}, {'high' if labels.fault.endswith(HIGH) else 'low'}"
        case "other-load":
            return "unchanged, another mix" if OTHER_MIX in labels.load else "unchanged, other rates"
        case "steady":
            return "unchanged, steady rates"
        case _:
            return "unchanged"


def _kind(title: str, some: Sequence[CheckedRun]) -> RunKind:
    def count(status: Status) -> dict[str, int]:
        names = some[0].verdicts
        return {name: sum(run.verdicts[name].status is status for run in some) for name in names}

    changed = not title.startswith("unchanged")
    return RunKind(title, changed, len(some), count(Status.REGRESSION), count(Status.INCONCLUSIVE))


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
    properties, _ = find_judged_properties([*known.runs, checked.run], known.properties, SHANG)
    before = np.vstack([observations(run, properties, values[STRETCHES]) for run in known])
    after = observations(checked.run, properties, values[STRETCHES])
    both = np.vstack([before, after])
    moving = np.flatnonzero(varies(both))
    before, after = before[:, moving], after[:, moving]
    names = [properties[column].name for column in moving]
    kept = reduced(both[:, moving], values[REDUNDANT]).kept
    with np.errstate(divide="ignore", invalid="ignore"):
        moments = [
            (sample.mean(axis=0), sample.std(axis=0, ddof=1), len(sample)) for sample in (before, after)
        ]
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
