"""Rules by which other projects accept or refuse a change, with the thresholds that they publish.

Each decides for one counter at a time from launches of the old and of the new program, and fails if it
accuses any. Nothing is tuned. Counters are columns, runs are rows; all runs have all counters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import isnan, sqrt
from typing import Any

import numpy as np
from scipy import stats

from benchmark.halves import Half
from benchmark.judged import BUTO, Judgement, launches, share
from benchmark.pairs import Difficulty, Pair
from benchmark.rules import Named, Said, Use, common
from benchmark.rules import table as table_of
from benchmark.tables import alarms_of, found_by, percent
from buto.judging.effects import find_stood_in_for, is_ever_minded
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import property_for
from buto_replications.report.content import TextTable

OWN = ("jvm.cpu.time", "seconds", "process.memory.usage", "jvm.memory.allocated")
"""Processor time, wall time, resident memory and allocation: what these projects watch."""

SEED = 20261130
OLD, NEW = "o", "n"

Judge = Callable[[FloatArray, FloatArray], BoolArray]
"""From old and new runs, shapes ``(n_old, n_counters)`` and ``(n_new, n_counters)``, which are accused."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A rule of another project.

    Attributes:
        order: launches in the order of time, ``o`` for the old program and ``n`` for the new one; a text for
            each occasion. What was launched on an occasion without the new program is kept for all checks.
        source: where the rule is written.
        allowed: so many accused counters pass.
        confirms: whether the first half of the launches must accuse a counter, and the second half again.
        least_s: a smaller difference of medians of a time is none, in seconds.
    """

    name: str
    short: str
    judge: Judge
    order: tuple[str, ...]
    source: str
    allowed: int = 0
    confirms: bool = False
    least_s: float = 0.0

    def number(self, side: str) -> int:
        """Return how many launches of a side it looks at."""
        return "".join(self.order).count(side)

    @property
    def most_launches(self) -> int:
        """Return how many launches a check takes at most."""
        return sum(len(occasion) for occasion in self.order if NEW in occasion)

    def says(self, before: FloatArray, after: FloatArray, is_time: BoolArray) -> Said:
        """Return the answer for old and new runs, each in the order of their launches.

        Args:
            is_time: which counters are in seconds, shape ``(n_counters,)``.
        """
        if self.confirms:
            half = len(before) // 2, len(after) // 2
            accused = self._accused(before[: half[0]], after[: half[1]], is_time)
            if accused.sum() <= self.allowed:
                return Said(False, self.most_launches // 2)
            accused &= self._accused(before[half[0] :], after[half[1] :], is_time)
        else:
            accused = self._accused(before, after, is_time)
        return Said(bool(accused.sum() > self.allowed), self.most_launches)

    def _accused(self, before: FloatArray, after: FloatArray, is_time: BoolArray) -> BoolArray:
        more = np.median(after, axis=0) - np.median(before, axis=0)
        return self.judge(before, after) & ~(is_time & (more <= self.least_s) & (self.least_s > 0))

    def on(self, names: Sequence[str] | None, called: str) -> Named:
        """Return the rule for the benchmark, on named counters, or on all that buto judges.

        Args:
            called: what the counters are called; it follows the name of the rule.
        """

        def rule(old: Sequence[Use], new: Sequence[Use]) -> Said:
            beside = old[: self.number(OLD)]
            in_all = common([*beside, *new], judged_counters(old[0]) if names is None else names)
            is_time = np.array([name == "seconds" or property_for(name).unit == "s" for name in in_all])
            before, after = table_of(beside, in_all), table_of(new, in_all)
            return self.says(before, after, is_time)

        return Named(f"{self.name}{SEPARATOR}{called}", self.short, rule, self.number(NEW), self.source)


SEPARATOR = ": "
FOUR, ALL = "four counters", "all counters"


def judged_counters(run: Use) -> tuple[str, ...]:
    """Return the time of a run and those of its counters of which a change may fail a check of buto."""
    instead = find_stood_in_for(run.run.properties, {})
    unminded = {prop.name for prop, other in zip(run.run.properties, instead, strict=True) if other}
    return tuple(name for name in run.counts if is_ever_minded(name) and name not in unminded)


def relative(before: FloatArray, after: FloatArray) -> FloatArray:
    """Return by how much of the old value the new one is larger; infinite if something follows zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(before == after, 0.0, (after - before) / np.abs(before))
    return found


def randomised(floor: float) -> Judge:
    """ClickHouse: medians differ by at least a floor, and more than random labels let them, p < .001.

    README of ``docker/test/performance-comparison`` in ClickHouse/ClickHouse: the difference of medians is
    compared with those of random divisions of all runs, p < .001. Pull request 107692 raised the floor from
    .10 to .15. Floors that a history of runs raises are left out, as where none can be read (121189).

    Where ClickHouse draws 10,000 divisions, these are all. Its script takes the upper of two middle values
    for a median, with which ten and ten runs have no p below .0013. With the usual median it is .0008.
    """

    def judge(before: FloatArray, after: FloatArray) -> BoolArray:
        old, new = np.median(before, axis=0), np.median(after, axis=0)
        accused: BoolArray = relative(old, new) >= floor
        middles, weights = _divisions(len(before), len(after))
        for number in np.flatnonzero(accused):
            pooled = np.sort(np.concatenate([before[:, number], after[:, number]]))
            first, second = pooled[middles].mean(axis=2)
            seen = abs(new[number] - old[number]) * (1 - ROUNDING)
            accused[number] = weights[np.abs(second - first) >= seen].sum() < RANDOMISED_P
        return accused

    return judge


RANDOMISED_P = 0.001
ROUNDING = 1e-9


@cache
def _divisions(n_first: int, n_second: int) -> tuple[np.ndarray[Any, np.dtype[np.int64]], FloatArray]:
    """Return where the middle values of all divisions of sorted runs are, and the share of each case.

    The first has shape ``(2, n_cases, 2)``: for both parts, the places of their two middle values, which are
    equal for an odd number.
    """
    every = set(range(n_first + n_second))
    cases: Counter[tuple[int, ...]] = Counter()
    for first in combinations(sorted(every), n_first):
        second = sorted(every.difference(first))
        cases[
            first[(n_first - 1) // 2], first[n_first // 2], second[(n_second - 1) // 2], second[n_second // 2]
        ] += 1
    places = np.array(list(cases)).reshape(-1, 2, 2).swapaxes(0, 1)
    return places, np.array(list(cases.values())) / cases.total()


def apart(least: float, *, or_equal: bool) -> Judge:
    """Graphite and Grails: the means differ by a share, and their intervals of 99.9 % do not overlap.

    The intervals are those that JMH prints: Student's, for the mean.

    Args:
        or_equal: whether a difference of exactly this share counts.
    """

    def judge(before: FloatArray, after: FloatArray) -> BoolArray:
        means, halves = [], []
        for side in (before, after):
            means.append(side.mean(axis=0))
            quantile = stats.t.ppf(1 - (1 - JMH_LEVEL) / 2, len(side) - 1)
            halves.append(quantile * side.std(axis=0, ddof=1) / sqrt(len(side)))
        more = relative(*means)
        large = more >= least if or_equal else more > least
        found: BoolArray = large & (means[1] - halves[1] > means[0] + halves[0])
        return found

    return judge


JMH_LEVEL = 0.999


def beyond(threshold: float) -> Judge:
    """Datadog: the interval of the relative difference of means lies wholly beyond a threshold.

    As each report of its benchmarks says (DataDog/dd-trace-js, pull request 9685). The threshold is 2 % in
    the scripts of dd-trace-go and in the analysis of dd-trace-dotnet (8663). No level was found in what
    Datadog publishes; this is 95 %, by the percentiles of a bootstrap.
    """

    def judge(before: FloatArray, after: FloatArray) -> BoolArray:
        random = np.random.default_rng([SEED, len(before), len(after)])
        means = [
            side[random.integers(len(side), size=(N_BOOTSTRAPS, len(side)))].mean(axis=1)
            for side in (before, after)
        ]
        lower = np.quantile(relative(*means), (1 - DATADOG_LEVEL) / 2, axis=0, method="lower")
        found: BoolArray = lower > threshold
        return found

    return judge


DATADOG_LEVEL = 0.95
N_BOOTSTRAPS = 2_000


def gradle(before: FloatArray, after: FloatArray) -> BoolArray:
    """Gradle: Mann-Whitney with a confidence above .999; never up to 5 %, always from more than 20 %.

    ``BaselineVersion.groovy`` in gradle/gradle, and pull requests 4780, 12418 and 19721: medians, the test
    with two sides, the difference as a share of the smaller median; a time must differ by more than 10 ms.
    The 5 % holds for one of Gradle's own tests, and for all here.
    """
    old, new = np.median(before, axis=0), np.median(after, axis=0)
    more = relative(old, new)
    test = stats.mannwhitneyu(after, before, axis=0, method="asymptotic", use_continuity=False)
    confident = np.nan_to_num(1 - np.atleast_1d(test.pvalue)) > GRADLE_CONFIDENCE
    found: BoolArray = (more > GRADLE_HIGH) | ((more > GRADLE_LEAST) & confident)
    return found


GRADLE_CONFIDENCE, GRADLE_LEAST, GRADLE_HIGH, GRADLE_LEAST_S = 0.999, 0.05, 0.20, 0.010


def above(share: float) -> Judge:
    """CodSpeed: one value more than a share above that of the base; 10 % unless a project sets another.

    https://codspeed.io/docs/features/customization.md.
    """

    def judge(before: FloatArray, after: FloatArray) -> BoolArray:
        found: BoolArray = relative(before[-1], after[0]) > share
        return found

    return judge


def around(share: float) -> Judge:
    """Typed bounds around the first value, both above and below, as Infinispan's FootprintIT has them.

    Those of infinispan/infinispan, 16467, are 1.7 % apart: 11,800 and 12,000 classes.
    """

    def judge(before: FloatArray, after: FloatArray) -> BoolArray:
        found: BoolArray = np.abs(after[0] - before[0]) > share * np.abs(before[0])
        return found

    return judge


N_EACH = 10
"""Launches of each program, as many as a check of buto takes in turns."""

N_FORKS = 5
"""Launches of each program in one pass of graphite (johnsonlee/graphite, pull request 135)."""

# Of Datadog's and Gradle's launches no order was found: one block follows the other.
_TURNS = ((OLD + NEW) * N_EACH,)
_BLOCKS = (OLD * N_EACH + NEW * N_EACH,)
_REVERSED = (OLD * N_FORKS + NEW * N_FORKS + NEW * N_FORKS + OLD * N_FORKS,)
_TWO_RUNNERS = (OLD * N_FORKS + NEW * N_FORKS, NEW * N_FORKS + OLD * N_FORKS)
_EARLIER = (OLD, NEW)

_CLICKHOUSE = "ClickHouse/ClickHouse, docker/test/performance-comparison, pull request 107692"
_CODSPEED = "codspeed.io/docs/features/customization"
_GRAPHITE = "johnsonlee/graphite, .github/scripts/benchmark-gate.mjs, pull requests 97, 109, 135"
_GRAILS = "apache/grails-core, pull request 16071"
_INFINISPAN = "infinispan/infinispan, FootprintIT"

NEIGHBOURS = (
    Neighbour("ClickHouse, floor .10", "ch10", randomised(0.10), _TURNS, _CLICKHOUSE),
    Neighbour("ClickHouse, floor .15", "ch15", randomised(0.15), _TURNS, _CLICKHOUSE),
    Neighbour("ClickHouse, .15, ten allowed", "ch15+", randomised(0.15), _TURNS, _CLICKHOUSE, allowed=10),
    Neighbour("graphite", "gr", apart(0.15, or_equal=False), _REVERSED, _GRAPHITE, confirms=True),
    Neighbour("Grails", "gs", apart(0.10, or_equal=True), _TWO_RUNNERS, _GRAILS),
    Neighbour("Datadog, 2 %", "dd", beyond(0.02), _BLOCKS, "DataDog/dd-trace-js, pull request 9685"),
    Neighbour(
        "Gradle", "gd", gradle, _BLOCKS, "gradle/gradle, BaselineVersion.groovy", least_s=GRADLE_LEAST_S
    ),
    Neighbour("CodSpeed, 5 %", "cs5", above(0.05), _EARLIER, _CODSPEED),
    Neighbour("CodSpeed, 10 %", "cs10", above(0.10), _EARLIER, _CODSPEED),
    Neighbour("bounds of ± 2 %", "b2", around(0.02), _EARLIER, _INFINISPAN),
    Neighbour("bounds of ± 10 %", "b10", around(0.10), _EARLIER, _INFINISPAN),
)

RULES = tuple(
    neighbour.on(names, called) for neighbour in NEIGHBOURS for names, called in ((OWN, FOUR), (None, ALL))
)


def table(judged: Sequence[Judgement], pairs: Mapping[str, Pair], halves: Mapping[str, Half]) -> TextTable:
    """Return what each rule finds of the pairs set apart and fails wrongly, by four and by all counters."""
    rows = [_row(neighbour.name, (FOUR, ALL), judged, pairs, halves) for neighbour in NEIGHBOURS]
    heads = (*Difficulty, "good", "launches")
    return TextTable(
        "Found of the pairs set apart, good pairs that fail, launches of both: % of checks, errors by pair",
        ("rule", *heads, *heads),
        (_row(BUTO, ("", ALL), judged, pairs, halves), *rows),
        groups=(("", 1), (FOUR, len(heads)), (ALL, len(heads))),
    )


def _row(
    name: str,
    called: Sequence[str],
    judged: Sequence[Judgement],
    pairs: Mapping[str, Pair],
    halves: Mapping[str, Half],
) -> tuple[str, ...]:
    cells = [name]
    for counters in called:
        rule = name if name == BUTO and counters else f"{name}{SEPARATOR}{counters}"
        found = [
            judgement for judgement in found_by(rule, judged, pairs) if halves[judgement.pair] == "apart"
        ]
        alarms = alarms_of(rule, judged, pairs)
        cells += [
            percent(share([judgement for judgement in found if _difficulty(pairs[judgement.pair]) is level]))
            for level in Difficulty
        ]
        taken = launches(found), launches(alarms)
        cells += [percent(share(alarms)), "" if isnan(taken[0]) else f"{taken[0]:.1f}, {taken[1]:.1f}"]
    return tuple(cells)


def _difficulty(pair: Pair) -> Difficulty | None:
    return pair.regression.difficulty if pair.regression else None
