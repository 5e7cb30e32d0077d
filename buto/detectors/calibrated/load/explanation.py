"""How a verdict under a load that varies came about."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.calibrated.load.listed import REACH
from buto.detectors.explanation import Explanation
from buto.units import format_count
from buto.verdicts import Verdict

NAMED = 3


def explain(verdict: Verdict, n_properties: int, rates: Sequence[str]) -> Explanation:
    """Return what was learned, and by which rule it decides.

    Args:
        rates: names of the properties that are the load.
    """
    load = f"{', '.join(rates[:NAMED])}{f' and {len(rates) - NAMED} more' if len(rates) > NAMED else ''}"
    known_runs = format_count(verdict.n_training, f"{verdict.roles.known} run")
    properties = format_count(n_properties, "property")
    return Explanation(
        f"{known_runs} showed how {properties} depend on the load. The load is {load}.",
        "A run's deviation is the mean difference between what was measured and what the models of the "
        "other runs expect under its load, or the part of the difference that grows with the prediction, if "
        "that is larger; both in deviations of the other runs. Of what requests may keep, its growth has a "
        "deviation, too. A difference smaller than the size that matters counts in no choice. The score is "
        "the larger of two parts, each compared with its usual scatter: the mean logarithm of the largest "
        "deviations, of a tenth of the quantities and at most of five; and the largest increase of a cost or "
        "of a growth. The p-value is the share of choices of as many runs whose score is as high. Nothing is "
        f"decided if the variance of the predictions is more than {REACH:g} times that of a run, or if the "
        f"mean rate is outside the range of training by more than {REACH:g} times its width.",
    )
