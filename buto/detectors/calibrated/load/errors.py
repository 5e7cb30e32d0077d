"""How wrong predictions are, and how far two distributions are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.runs import FloatArray


def ks_statistics(old: FloatArray, new: FloatArray) -> FloatArray:
    """Return the largest distance of the two distributions of each counter, shape (n_counters,).

    Kolmogorov's and Smirnov's statistic for two samples. All counters have equally many observations, so the
    largest statistic has the smallest p-value.

    Args:
        old, new: shapes (n_old, n_counters) and (n_new, n_counters), each with a row at least.
    """
    result = np.empty(old.shape[1])
    for column in range(old.shape[1]):
        before, after = np.sort(old[:, column]), np.sort(new[:, column])
        both = np.concatenate([before, after])
        shares = [np.searchsorted(one, both, side="right") / len(one) for one in (before, after)]
        result[column] = np.abs(shares[0] - shares[1]).max()
    return result


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors of predictions over some observations.

    Attributes:
        signed: mean of (prediction - value) / value; of no error where both are 0.
        absolute: mean of its magnitude.
        undefined: share of observations that are 0 where another value was predicted. They are not in the
            means; where there are no others, the means are infinite.
    """

    signed: float
    absolute: float
    undefined: float

    def by(self, measure: str) -> float:
        """Return the error by which a cluster is judged: ``absolute``, or the magnitude of ``signed``."""
        return self.absolute if measure == "absolute" else abs(self.signed)


def errors_of(predicted: FloatArray, measured: FloatArray) -> Errors:
    """Return the errors of predictions.

    Args:
        predicted, measured: shape (n_observations,), at least one.
    """
    grain = 1e-9 * max(float(np.abs(measured).max()), float(np.abs(predicted).max()))
    distance = predicted - measured
    equal = np.abs(distance) <= grain
    defined = equal | (measured != 0)
    if not defined.any():
        return Errors(float(np.sign(distance.sum())) * np.inf, np.inf, 1.0)
    shares = np.zeros(len(measured))
    np.divide(distance, measured, out=shares, where=defined & ~equal)
    shares = shares[defined]
    return Errors(float(shares.mean()), float(np.abs(shares).mean()), float(1 - defined.mean()))
