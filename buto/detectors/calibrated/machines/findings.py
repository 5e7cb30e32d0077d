"""From a ranked run to findings: which quantities are off, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.calibrated.findings import LEVELS, MEASURES, NOT_ALONE
from buto.detectors.calibrated.machines.groups import Dependence
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.ranking import Ranked
from buto.detectors.calibrated.relevance import SHAPES, effect_of
from buto.detectors.calibrated.settings import NAME
from buto.properties import DURATION
from buto.runs import FloatArray, Run
from buto.verdicts import Direction, Finding

FEWEST = 3
"""So many are named even if none is off by itself: together they are."""

OF_MACHINE = {
    Dependence.SAME: "the same in all environments",
    Dependence.SCALED: "the same in all environments after division by the machine's factor",
}


def findings(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], found: Ranked, alpha: float
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is off, the clearest one first.

    A quantity is off if one of its numbers is beyond its limit, as any number at all is in at most a share
    alpha of tests of an unchanged program. If a check fails with none of them, the three that are nearest to
    their limits are named.
    """
    named = _named(found.reach, found.p_value <= alpha)
    shares = np.minimum(found.reach, 1e6) ** 2
    shares /= max(float(shares.sum()), 1e-300)
    return tuple(_finding(whole, runs, values, found, place, float(shares[place])) for place in named)


def _named(reach: FloatArray, fails: bool) -> list[int]:
    by_size = [int(place) for place in np.argsort(-reach, kind="stable")]
    off = [place for place in by_size if reach[place] > 1]
    if off or not fails:
        return off
    return [place for place in by_size[:FEWEST] if reach[place] > 0]


def _finding(
    whole: WholeTests,
    runs: Sequence[Run],
    values: Sequence[FloatArray],
    found: Ranked,
    place: int,
    share: float,
) -> Finding:
    column = int(found.quantity[place])
    prop = whole.numbers.quantities[column]
    best = _most_telling(whole, found, column)
    feature = whole.numbers.catalogue[whole.kept[best]]
    contrast = float(found.contrast[best])
    direction = Direction.MORE if contrast > 0 else Direction.LESS
    centre, half = found.expected.centre, found.limits * found.expected.deviation
    lower, expected, upper = (
        float(whole.in_units(side)[best]) for side in (centre - half, centre, centre + half)
    )
    observed = [float(one[whole.kept[best]]) for one in values]
    furthest = int(np.argmax(np.abs(np.array(observed) - expected)))
    assert whole.dependences is not None
    remark = "" if found.reach[place] > 1 else NOT_ALONE
    texts = (OF_MACHINE[whole.dependences.of(best)], remark, _of_runs(len(runs)))
    is_number = prop == DURATION
    floor = -np.inf if feature.name == "slope" else 0.0 if feature.name in SHAPES else prop.lower
    return Finding(
        source=NAME,
        subject=prop.name,
        run_id=runs[furthest].id,
        direction=direction,
        effect=effect_of(feature, prop, direction),
        unit=prop.unit,
        observed=float(np.median(observed)),
        lower=max(lower, floor),
        upper=min(upper, prop.upper),
        expected=expected,
        severity=abs(contrast),
        evidence=share,
        measure="" if is_number else MEASURES[feature.name],
        text="; ".join(filter(None, texts)),
        is_level=feature.name in LEVELS,
    )


def _most_telling(whole: WholeTests, found: Ranked, column: int) -> int:
    """Return the number that is furthest beyond its limit; if possible, one that is no shape."""
    ours = np.flatnonzero(whole.quantity == column)
    beyond = np.abs(found.contrast) - found.limits
    plain = [one for one in ours if whole.numbers.catalogue[whole.kept[one]].name not in SHAPES]
    telling = [one for one in plain if beyond[one] > 0] or list(ours)
    return int(max(telling, key=lambda one: float(beyond[one])))


def _of_runs(n_runs: int) -> str:
    return "" if n_runs == 1 else f"median of {n_runs} runs"
