"""Whether a check's load is beyond that of training, and in which predictors."""

from __future__ import annotations

import numpy as np

from buto.detectors.calibrated.load.judged import Judged
from buto.runs import FloatArray
from buto.units import format_number, format_percent

NAMED = 3

NARROW = 0.25
"""The range of training counts as at least this share of its mean rate: arrivals are random."""


def beyond_training(check: Judged, limit: float) -> str:
    """Return, in a sentence, that the load is further from training than the models allow; else nothing.

    Args:
        limit: the largest variance of a prediction, in variances of a run, see
            :attr:`buto.detectors.calibrated.load.models.Residuals.reach`; and the largest distance
            of the mean rate from the range of training, in widths of this range.
    """
    reach, distance = check.evidence.reach, _distance(check.rates, check.first_checked)
    if max(reach, distance) <= limit:
        return ""
    measured = (
        f"the variance of their predictions is {format_number(reach)} times that of a run"
        if reach > limit
        else f"the mean rate is outside the range of training by {format_number(distance)} times its width"
    )
    listed = _outside(check)
    where = f": {', '.join(listed)}" if listed else ""
    return (
        "the load is beyond that of the training runs, so the models extrapolate "
        f"({measured}; the limit is {limit:g}){where}"
    )


def _distance(rates: FloatArray, first_checked: int) -> float:
    """Return how far the checked runs' mean rate is outside the range of the others, in widths of it.

    How a program depends on the rate within a run, where it also becomes warm, need not be how it depends on
    the mean rate of a run. If all training runs had the same rate, they do not show the latter.

    Args:
        rates: of each run, shape (n_runs,), 0 at no load.
    """
    usual, mean = rates[:first_checked], float(rates[first_checked:].mean())
    width = max(float(np.ptp(usual)), NARROW * abs(float(usual.mean())))
    outside = max(mean - float(usual.max()), float(usual.min()) - mean, 0.0)
    return outside / width if width else 0.0


def _outside(check: Judged) -> list[str]:
    """Return the known kinds of load that are outside the range of the training runs' means."""
    found = []
    for name, means in zip(check.load_names, check.loads.T, strict=True):
        usual, ours = means[: check.first_checked], means[check.first_checked :]
        low, high, mean = float(usual.min()), float(usual.max()), float(ours.mean())
        if mean > high or mean < low:
            side, bound = ("above", high) if mean > high else ("below", low)
            share = abs(mean / bound - 1) if bound else np.inf
            far = format_percent(share) if np.isfinite(share) else "far"
            found.append((share, f"{name} is {far} {side} every training run"))
    return [text for _, text in sorted(found, reverse=True)[:NAMED]]
