"""How the method ``regression-models`` explains its verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.explanation import Explanation
from buto.units import format_count
from buto.verdicts import Verdict

NAMED = 3


def explain(
    verdict: Verdict, n_properties: int, known: Sequence[str], blocks: int, limit: float
) -> Explanation:
    """Return what was learned, and by which rule it decides.

    Args:
        known: names of the properties that are the load.
        blocks: into how many each run is divided.
    """
    unit = "block" if blocks > 1 else "run"
    load = f"{', '.join(known[:NAMED])}{f' and {len(known) - NAMED} more' if len(known) > NAMED else ''}"
    if not known:
        load = (
            "the properties that most others follow, because no property with a rate of requests was recorded"
        )
    known_runs = format_count(verdict.n_training, f"{verdict.roles.known} run")
    each = ", each" if verdict.n_training > 1 else ","
    divided = f"{each} divided into {blocks} blocks of time," if blocks > 1 else ""
    others = "blocks of training" if blocks > 1 else "other runs"
    rank = (
        "Each checked block is ranked among the blocks of training, by the share of them whose score is as "
        "high. The p-value is twice the median of these shares."
        if blocks > 1
        else "The p-value is the share of choices of as many runs whose score is as high."
    )
    return Explanation(
        f"{known_runs}{divided} showed how "
        f"{format_count(n_properties, 'property')} depend on the load. The load is {load}.",
        f"A {unit}'s deviation is the mean difference between what was measured and what the models of the "
        f"{others} expect under its load, or the part of the difference that grows with the prediction, if "
        f"that is larger; both in deviations of the {others}. Of what requests may keep, its growth has a "
        "deviation, too. The score is the larger of two parts, each compared with its usual scatter: the "
        "mean logarithm of the largest deviations, of a tenth of the quantities and at most of five; and the "
        f"largest increase of a cost or of a growth. {rank} Nothing is decided if the variance of the "
        f"predictions is more than {limit:g} times that of a {unit}, or if the mean rate is outside the "
        f"range of training by more than {limit:g} times its width.",
    )
