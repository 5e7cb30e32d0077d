"""How the preset ``regression-models`` explains its verdicts."""

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
    divided = f", each divided into {blocks} blocks of time" if blocks > 1 else ""
    return Explanation(
        f"{verdict.n_training} {verdict.roles.known_runs}{divided} showed how "
        f"{format_count(n_properties, 'property')} depend on the load. The load is {load}.",
        f"A {unit}'s deviation is the mean difference between what was measured and what the others' models "
        f"expect under its load, in deviations of the other {unit}s. The score is the mean logarithm of the "
        "largest deviations: of a tenth of the quantities, at most of five. The p-value is the share of "
        f"choices of as many {unit}s whose score is as high. Nothing is decided if the variance of the "
        f"predictions is more than {limit:g} times that of a {unit}.",
    )
