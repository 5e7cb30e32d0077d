"""From a ranked test to findings: which quantities are off, by how much, and which rules say so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.calibrated.findings import LEVELS, MEASURES, NOT_ALONE
from buto.detectors.calibrated.relevance import SHAPES, effect_of
from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.findings import violated_rules
from buto.detectors.ensemble.intervals import intervals_of
from buto.detectors.ensemble.rules.model import Judgement, judge
from buto.detectors.ensemble.sentences import some_of
from buto.detectors.ensemble.settings import DETECTOR, environment_of, judging_of
from buto.detectors.ensemble.whole.groups import Dependence
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.ranking import Ranked
from buto.detectors.keys import ALPHA
from buto.detectors.settings import Settings
from buto.properties import DURATION
from buto.runs import FloatArray, Run
from buto.verdicts import Direction, Finding

FEWEST = 3
"""So many are named even if none is off by itself: together they are."""

MOST_RULES = 2

OF_MACHINE = {
    Dependence.SAME: "the same in all environments",
    Dependence.SCALED: "the same in all environments after division by the machine's factor",
    Dependence.OWN: "depends on the environment, and is judged by the prior tests of this one",
}


def findings(
    whole: WholeTests,
    rules: Learned,
    runs: Sequence[Run],
    values: Sequence[FloatArray],
    found: Ranked,
    settings: Settings,
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is off, the clearest one first.

    A quantity is off if one of its numbers is beyond its limit, as any number at all is in at most a share
    alpha of tests of an unchanged program. If a check fails with none of them, the three that are nearest to
    their limits are named.
    """
    named = _named(found.reach, found.p_value <= settings.values[ALPHA.name])
    if not named:
        return ()
    violated = _Violated(rules, runs[0], settings)
    shares = np.minimum(found.reach, 1e6) ** 2
    shares /= max(float(shares.sum()), 1e-300)
    return tuple(
        _finding(whole, runs, values, found, place, float(shares[place]), violated) for place in named
    )


def _named(reach: FloatArray, fails: bool) -> list[int]:
    by_size = [int(place) for place in np.argsort(-reach, kind="stable")]
    off = [place for place in by_size if reach[place] > 1]
    if off or not fails:
        return off
    return [place for place in by_size[:FEWEST] if reach[place] > 0]


class _Violated:
    """The violated rules of a run's counters, with the time in which they are broken."""

    def __init__(self, rules: Learned, run: Run, settings: Settings) -> None:
        self._learned, self._how = rules, judging_of(settings)
        self._place = {prop.name: place for place, prop in enumerate(rules.properties)}
        values = intervals_of(run, rules.properties, rules.interval_s, rules.work)
        environment = environment_of(run.metadata, settings)
        self._judgement: Judgement | None = None
        if len(values):
            self._judgement = judge(rules.ensemble, environment, values, self._how)

    def of(self, name: str) -> tuple[str, tuple[float, float] | None]:
        """Return the violated rules of a counter in words, and when they are broken; nothing if none is."""
        place, step = self._place.get(name), self._learned.interval_s
        if place is None or self._judgement is None:
            return "", None
        votes = self._judgement.votes[:, place].tolist()
        tests = self._learned.ensemble.tests
        voters = [test.run_id for test, vote in zip(tests, votes, strict=True) if vote]
        rules = violated_rules(self._learned, self._judgement, place, self._how)
        if not rules:
            return "", None
        words = "; ".join(rule.words for rule in rules[:MOST_RULES])
        broken = np.flatnonzero(self._judgement.broken[:, place])
        window = (float(broken[0]) * step, float(broken[-1] + 1) * step) if len(broken) else None
        who = "all" if len(voters) == len(tests) else some_of(voters)
        return f"violates rules of {len(voters)} of {len(tests)} prior tests ({who}): {words}", window


def _finding(
    whole: WholeTests,
    runs: Sequence[Run],
    values: Sequence[FloatArray],
    found: Ranked,
    place: int,
    share: float,
    violated: _Violated,
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
    said, window = violated.of(prop.name)
    depends = Dependence.OWN if whole.dependences is None else whole.dependences.of(best)
    remark = "" if found.reach[place] > 1 else NOT_ALONE
    known = whole.dependences is not None
    texts = (OF_MACHINE[depends] if known else "", said, remark, _of_runs(len(runs)))
    is_number = prop == DURATION
    floor = -np.inf if feature.name == "slope" else 0.0 if feature.name in SHAPES else prop.lower
    return Finding(
        source=DETECTOR,
        subject=prop.name,
        run_id=runs[furthest].id,
        direction=direction,
        effect=effect_of(feature, prop, direction),
        unit=prop.unit,
        observed=float(np.median(observed)),
        lower=max(lower, floor),
        upper=min(upper, prop.upper),
        expected=expected,
        window_s=window,
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
