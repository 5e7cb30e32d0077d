"""From judgements of the runs of a check to findings: flagged counters with the rules that they violate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.rules.mining import STRIDE
from buto.detectors.ensemble.rules.model import Judgement, Judging, PriorTest, only, outside
from buto.detectors.ensemble.rules.violations import BoolArray, broken
from buto.detectors.ensemble.sentences import range_words, rule_words
from buto.properties import Better, Kind
from buto.runs import FloatArray, Run
from buto.units import format_list
from buto.verdicts import Direction, Effect, Finding

SOURCE = "foo"

MOST_RULES = 3
"""Number of violated rules that a finding says."""


@dataclass(frozen=True, slots=True)
class Violated:
    """A rule of prior tests that a run violates.

    Attributes:
        words: the rule as a sentence.
        votes: of the prior tests that have the rule.
        change: by how much its confidence drops, the largest of these tests.
        lower, upper: limits of its consequent's bin, or of the range.
        observed: median of the counter where the rule is broken.
    """

    words: str
    votes: float
    change: float
    lower: float
    upper: float
    observed: float

    @property
    def direction(self) -> Direction:
        return Direction.MORE if self.observed > (self.lower + self.upper) / 2 else Direction.LESS


def findings(learned: Learned, judged: Sequence[tuple[Run, Judgement]], how: Judging) -> tuple[Finding, ...]:
    """Return one finding for each counter that is flagged in most of the judged runs.

    Sorted by the votes, then by severity, then by name. It is of the run with the most severe violation.
    """
    often = np.sum([one.flagged for _, one in judged], axis=0) * 2 > len(judged)
    ordered = []
    for counter in map(int, np.flatnonzero(often)):
        flagging = [one for one in judged if one[1].flagged[counter]]
        run, judgement = max(flagging, key=lambda one: float(one[1].severity[counter]))
        found = _finding(learned, run, judgement, counter, how)
        ordered.append(((-float(judgement.share[counter]), -found.severity, found.subject), found))
    return tuple(found for _, found in sorted(ordered, key=lambda one: one[0]))


def violated_rules(learned: Learned, judgement: Judgement, counter: int, how: Judging) -> list[Violated]:
    """Return the violated rules of a counter: those with most votes, then with the largest change first."""
    merged: dict[str, Violated] = {}
    tests = zip(learned.ensemble.tests, judgement.changes, judgement.weight.tolist(), strict=True)
    for place, (test, changes, weight) in enumerate(tests):
        rules = _rules_of(learned, test, weight, changes, judgement, counter, how)
        left = float(judgement.range_changes[place, counter])
        ranges = (
            [_range_of(learned, test, weight, left, judgement.values, counter)] if left > how.change else []
        )
        for one in (*rules, *(ranges if how.ranges else ())):
            known = merged.get(one.words, replace(one, votes=0.0))
            merged[one.words] = replace(
                known, votes=known.votes + one.votes, change=max(known.change, one.change)
            )
    return sorted(merged.values(), key=lambda one: (-round(one.votes, 9), -one.change, one.words))


def _rules_of(
    learned: Learned,
    test: PriorTest,
    weight: float,
    changes: FloatArray,
    judgement: Judgement,
    counter: int,
    how: Judging,
) -> Iterator[Violated]:
    chosen = (test.rules.consequents // STRIDE == counter) & (changes > how.change)
    rules = only(test.rules, chosen)
    _, fails = broken(judgement.bins, rules)
    for number, change in enumerate(changes[chosen].tolist()):
        words = rule_words(rules, number, learned.properties, learned.ensemble.bins)
        limits = learned.ensemble.bins.limits(counter, int(rules.consequents[number] % STRIDE))
        yield Violated(
            words, weight, change, *limits, _median(judgement.values[:, counter], fails[:, number])
        )


def _range_of(
    learned: Learned, test: PriorTest, weight: float, change: float, values: FloatArray, counter: int
) -> Violated:
    limits = float(test.lowest[counter]), float(test.highest[counter])
    words = range_words(*limits, learned.properties[counter])
    return Violated(
        words, weight, change, *limits, _median(values[:, counter], outside(values, test)[:, counter])
    )


def _median(values: FloatArray, where: BoolArray) -> float:
    return float(np.median(values[where]))


def _finding(learned: Learned, run: Run, judgement: Judgement, counter: int, how: Judging) -> Finding:
    prop, step = learned.properties[counter], learned.interval_s
    rules = violated_rules(learned, judgement, counter, how)
    directions = {rule.direction for rule in rules}
    direction = directions.pop() if len(directions) == 1 else Direction.OTHER
    places = np.flatnonzero(judgement.broken[:, counter])
    severity = float(judgement.severity[counter])
    voters = [
        test.run_id
        for test, vote in zip(learned.ensemble.tests, judgement.votes, strict=True)
        if vote[counter]
    ]
    who = "all" if len(voters) == len(judgement.weight) else format_list(voters)
    said = (
        f"{len(voters)} of {len(judgement.weight)} prior tests say so, with {judgement.share[counter]:.0%} "
        f"of the votes ({who}); usually: {'; '.join(rule.words for rule in rules[:MOST_RULES])}"
    )
    growth = f"growth in {step:g} s" if prop.kind is Kind.COUNTER else "median"
    return Finding(
        SOURCE,
        prop.name,
        run.id,
        direction,
        _effect(prop.better, direction),
        prop.unit,
        rules[0].observed,
        rules[0].lower,
        rules[0].upper,
        at_s=float(places[0]) * step,
        window_s=(float(places[0]) * step, float(places[-1] + 1) * step),
        outside_share=severity,
        severity=severity,
        measure=f"{growth} where a rule is broken",
        text=said,
    )


def _effect(better: Better, direction: Direction) -> Effect:
    if better is Better.UNKNOWN or direction is Direction.OTHER:
        return Effect.UNKNOWN
    return Effect.BETTER if (direction is Direction.LESS) == (better is Better.LOWER) else Effect.WORSE
