"""What a reader should know where all training runs had one load, and a check another.

Training itself warns of nothing: a rate that is fixed in the configuration is the one of checks, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.judging.load.observed import is_rate, other_rates
from buto.judging.profile import TrainingProfile
from buto.run.model import FloatArray
from buto.run.units import format_quantity, format_range


def another_load(profile: TrainingProfile, checked: Sequence[FloatArray]) -> str:
    """Return, in a sentence, that runs had another load than the training runs; empty if they had not.

    Args:
        checked: features of the checked runs, as the profile measures them.
    """
    columns = _rate_columns(profile)
    rates, known = np.mean(checked, axis=0)[columns], profile.values[:, columns]
    usual = known.mean(axis=0)
    other = other_rates(np.minimum(usual, rates), np.maximum(usual, rates), profile.end_s)
    if not other.any():
        return ""
    place = int(np.flatnonzero(other)[0])
    prop = profile.quantities[profile.catalogue[columns[place]].column]
    before = format_range(float(known[:, place].min()), float(known[:, place].max()), prop.unit)
    return (
        f"{prop.name} is {format_quantity(float(rates[place]), prop.unit)} and was {before} in training, "
        "where all runs had the same load: train with a range of rates (rate: 20..60), then the load is "
        "adjusted for"
    )


def _rate_columns(profile: TrainingProfile) -> list[int]:
    """Return the columns with the mean rates of requests."""
    return [
        place
        for place, feature in enumerate(profile.catalogue)
        if feature.name == "mean" and is_rate(profile.quantities[feature.column])
    ]
