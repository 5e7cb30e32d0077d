"""Accuracy, precision and Matthews's correlation, with standard errors (thesis, section 3.4).

A judgement is *positive* if it accepts a run. Counts are the last axis of an array: true positives,
false negatives, true negatives, false positives, in the order of the thesis's tables.

Standard errors
---------------
The same run is judged in many splits and in several experiments, so judgements are not independent, but runs
are. All judgements of one run form a cluster, and the runs of one variant a stratum. A score is linearised in
the counts, and the variance of the linear score is summed over runs::

    u_i = gradient · counts_i          var = Σ_strata n/(n-1) Σ_runs (u_i - mean u)²

as in Binder, "On the variances of asymptotically normal estimators from complex surveys" (1983), and,
with the name cluster-robust, in Liang and Zeger (1986) and Cameron and Miller (2015).

The error is conditional on the training sets. It does not contain their influence on a score, because splits
share training runs as well. In simulations with a rule of bounds and ten splits of fifty runs, of which
twenty train, it was 0.5 to 0.9 of the true deviation of a score, and 0.7 to 1 of that of a :func:`difference`
between two rules judged on the same splits. It is 0 if all judgements of the runs agree, which means that it
could not be estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.run.model import BoolArray, FloatArray, IntArray

TP, FN, TN, FP = range(4)


@dataclass(frozen=True, slots=True)
class Score:
    """A number that says how good judgements are.

    Attributes:
        value: maps counts, shape (..., 4), to the score, shape (...); NaN for 0 / 0.
        gradient: maps counts, shape (4,), to the derivatives of the score, shape (4,); NaN if undefined.
    """

    name: str
    value: Callable[[npt.ArrayLike], FloatArray]
    gradient: Callable[[npt.ArrayLike], FloatArray]


def tally(runs: IntArray, positive: BoolArray, accepted: BoolArray, n_runs: int) -> IntArray:
    """Count judgements for each run.

    Args:
        runs: shape (n_judgements,), the number of the judged run, from 0 to ``n_runs`` - 1.
        positive: shape (n_judgements,), whether the run should be accepted.
        accepted: shape (n_judgements,), whether it was accepted.

    Returns:
        shape (n_runs, 4); the sum over runs gives the counts of an experiment.
    """
    kind = np.where(positive, np.where(accepted, TP, FN), np.where(accepted, FP, TN))
    return np.bincount(4 * runs + kind, minlength=4 * n_runs).reshape(n_runs, 4)


def standard_error(score: Score, by_run: npt.ArrayLike, strata: npt.ArrayLike) -> float:
    """Return the standard error of a score; see the module's text.

    Args:
        by_run: shape (n_runs, 4), see :func:`tally`; runs that were not judged are left out.
        strata: shape (n_runs,), the variant of each run.

    Returns:
        NaN if the score is undefined, or if only one run of a variant was judged.
    """
    counts = np.asarray(by_run, np.float64)
    return _deviation(_influence(score, counts), _judge(counts), np.asarray(strata))


def difference(
    score: Score, by_run: npt.ArrayLike, other: npt.ArrayLike, strata: npt.ArrayLike
) -> tuple[float, float]:
    """Return the difference of two rules' scores and its standard error.

    Args:
        by_run, other: shape (n_runs, 4), the counts of the two rules on the same runs and splits.
    """
    ours, two = np.asarray(by_run, np.float64), np.asarray(other, np.float64)
    apart = float(score.value(ours.sum(axis=0)) - score.value(two.sum(axis=0)))
    influence = _influence(score, ours) - _influence(score, two)
    return apart, _deviation(influence, _judge(ours + two), np.asarray(strata))


def _judge(by_run: FloatArray) -> BoolArray:
    judged: BoolArray = by_run.sum(axis=1) > 0
    return judged


def _influence(score: Score, by_run: FloatArray) -> FloatArray:
    influence: FloatArray = by_run @ score.gradient(by_run.sum(axis=0))
    return influence


def _deviation(influence: FloatArray, judged: BoolArray, strata: npt.NDArray[np.generic]) -> float:
    variance = 0.0 if judged.any() else float("nan")
    for stratum in np.unique(strata[judged]):
        ours = influence[judged & (strata == stratum)]
        if len(ours) < 2:
            return float("nan")
        variance += len(ours) * float(ours.var(ddof=1))
    return float(np.sqrt(variance))


def _accuracy(counts: npt.ArrayLike) -> FloatArray:
    tp, fn, tn, fp = _parts(counts)
    return _ratio(tp + tn, tp + fp + fn + tn)


def _accuracy_gradient(counts: npt.ArrayLike) -> FloatArray:
    total = np.asarray(counts, np.float64).sum()
    return _ratio(np.array([1.0, 0.0, 1.0, 0.0]) - _accuracy(counts), total)


def _precision(counts: npt.ArrayLike) -> FloatArray:
    tp, _, _, fp = _parts(counts)
    return _ratio(tp, tp + fp)


def _precision_gradient(counts: npt.ArrayLike) -> FloatArray:
    tp, _, _, fp = _parts(counts)
    return _ratio(np.array([fp, 0.0, 0.0, -tp]), (tp + fp) ** 2)


def _mcc(counts: npt.ArrayLike) -> FloatArray:
    tp, fn, tn, fp = _parts(counts)
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _mcc_gradient(counts: npt.ArrayLike) -> FloatArray:
    tp, fn, tn, fp = _parts(counts)
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    accepted, positive, negative, rejected = 1 / _no_zero(np.array([tp + fp, tp + fn, tn + fp, tn + fn]))
    shrinking = np.array([accepted + positive, positive + rejected, negative + rejected, accepted + negative])
    gradient: FloatArray = _ratio(np.array([tn, -fp, tp, -fn]), root) - _mcc(counts) / 2 * shrinking
    return gradient


def _parts(counts: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    tp, fn, tn, fp = np.moveaxis(np.asarray(counts, np.float64), -1, 0)
    return tp, fn, tn, fp


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.asarray(numerator) / _no_zero(denominator)


def _no_zero(values: FloatArray) -> FloatArray:
    return np.where(values == 0, np.nan, values)


ACCURACY = Score("accuracy", _accuracy, _accuracy_gradient)
"""Share of correct judgements (3.1)."""

PRECISION = Score("precision", _precision, _precision_gradient)
"""Share of the accepted runs that should be accepted (3.2); undefined if none was accepted."""

MCC = Score("MCC", _mcc, _mcc_gradient)
"""Matthews's correlation coefficient (3.3); undefined if all runs were accepted, or none was, or only
positive ones were judged, or only negative ones."""

SCORES = (ACCURACY, PRECISION, MCC)


def area(unchanged: FloatArray, changed: FloatArray, clusters: Sequence[str]) -> tuple[float, float]:
    """Return the area under the curve of hits over false alarms, and its standard error.

    It is the share of pairs in which the changed run has the larger score; a tie counts a half. The error is
    that of Obuchowski, "Nonparametric analysis of clustered ROC curve data" (1997): each run's part in the
    area is added up within its cluster.

    Args:
        unchanged, changed: shape (n_unchanged,), (n_changed,), scores without NaN.
        clusters: of the unchanged and then of the changed runs; those of one cluster depend on each other.

    Returns:
        NaN without runs of both kinds. The error is NaN if it cannot be estimated: from fewer than two
        clusters, or if no pair is in the wrong order.
    """
    if not len(unchanged) or not len(changed):
        return float("nan"), float("nan")
    pairs = np.greater.outer(changed, unchanged) + np.equal.outer(changed, unchanged) / 2
    share = float(pairs.mean())
    part = np.concatenate(
        [(pairs.mean(axis=0) - share) / len(unchanged), (pairs.mean(axis=1) - share) / len(changed)]
    )
    names = np.array(clusters)
    sums = np.array([part[names == name].sum() for name in np.unique(names)])
    if len(sums) < 2 or not (np.abs(sums) > 1e-12).any():
        return share, float("nan")
    return share, float(np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()))
