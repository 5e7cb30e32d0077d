"""Whether a check's load is beyond that of training, and in which predictors."""

from __future__ import annotations

import numpy as np

from buto.detectors.regression_models.by_load.judged import Judged
from buto.units import format_number, format_percent

NAMED = 3


def beyond_training(check: Judged, limit: float) -> str:
    """Return, in a sentence, that the load is further from training than the models allow; else nothing.

    Args:
        limit: the largest variance of a prediction, in variances of a run; see
            :attr:`buto.detectors.regression_models.by_load.models.Residuals.reach`.
    """
    reach = check.evidence.reach
    if reach <= limit:
        return ""
    listed = _outside(check)
    where = f": {', '.join(listed)}" if listed else ""
    return (
        "the load is beyond that of the training runs, so the models extrapolate (the variance of their "
        f"predictions is {format_number(reach)} times that of a run; the limit is {limit:g}){where}"
    )


def _outside(check: Judged) -> list[str]:
    """Return the known kinds of load that are outside the range of the training runs' means."""
    if not check.predictors.known:
        return []
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
