"""Judged counters as findings and sentences, and how like the environments are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.judging.environments import Environment, environment_words
from buto.judging.protocol import Reasoning, Section
from buto.judging.verdict import Difference, Direction, Effect, Finding, Verdict
from buto.run.model import FloatArray, Run
from buto.run.properties import Better, Kind, Property
from buto.run.units import format_list, format_range
from buto_replications.detectors.ensemble.data import LearnedEnsemble
from buto_replications.detectors.ensemble.mining import NONE, STRIDE, Bins, Rules
from buto_replications.detectors.ensemble.rules import (
    BoolArray,
    Ensemble,
    Judgement,
    Judging,
    PriorTest,
    broken,
    likeness,
    lone,
    only,
    outside,
)

GOOD_TESTS = 5

SMALL = 0.05
"""A factor of the machine that is nearer to 1 needs no word."""

_MAY_DIFFER = "differences may come from the environment alone, so train with runs of more environments"


def of_training(ensemble: Ensemble) -> tuple[str, ...]:
    """Return what to know of the prior tests: too few, or alone in their environment."""
    said = []
    if len(ensemble.tests) < GOOD_TESTS:
        said.append(
            f"{len(ensemble.tests)} prior tests are few: each has much weight, so what was special in one "
            f"flags counters; {GOOD_TESTS} or more are better"
        )
    named = Counter(environment_words(test.environment) for test in ensemble.tests)
    if len(named) > 1:
        said += [
            f"only one prior test is of this environment, so the others may outvote it: {name}"
            for name, number in named.items()
            if number == 1
        ]
    return tuple(said)


def not_comparable(ensemble: Ensemble, environment: Environment, judgement: Judgement) -> str:
    """Return why a difference in a new test may come from its environment alone; empty if it cannot.

    That is so if it is unlike all prior tests, or if these are of one other environment, so that they do not
    show what differs between environments.
    """
    name = environment_words(environment)
    if environment and max(judgement.shared) == 0:
        return f"the environment ({name}) is unlike that of every prior test: {_MAY_DIFFER}"
    first = ensemble.tests[0].environment
    if first != environment and all(test.environment == first for test in ensemble.tests):
        theirs = environment_words(first)
        return f"all prior tests are of one environment ({theirs}), not of {name}: {_MAY_DIFFER}"
    return ""


def of_judgement(
    ensemble: Ensemble, environment: Environment, judgement: Judgement, how: Judging
) -> tuple[str, ...]:
    """Return the machine's factor, and how like the environment of a new test is to which prior tests.

    If the environment equals that of all prior tests, say only the factor.
    """
    said = _factor(judgement.factor)
    shared, ids = judgement.shared, [test.run_id for test in ensemble.tests]
    most = max(shared)
    if not environment:
        return (*said, "the run has no metadata of its environment, so all prior tests have the same weight")
    if most == 0:
        that = "with a weight above 0 " if how.components else ""
        same = "is that of a prior test, so all have the same weight"
        return (*said, f"no component of the environment {that}{same}")
    if all(test.environment == environment for test in ensemble.tests):
        return tuple(said)
    alike = [run_id for run_id, number in zip(ids, shared, strict=True) if number == most]
    weight = sum(judgement.weight[place] for place, number in enumerate(shared) if number == most)
    votes = f"{'has' if len(alike) == 1 else 'have'} {weight:.0%} of the votes"
    of = f"{most:g} of {likeness(environment, environment, how.components):g}"
    what = f"components of weight {of}" if how.components else f"{of} components"
    like = f"the environment shares {what} with {format_list(alike)}, which {votes}"
    said.append(f"{like}; the least like prior test shares {min(shared):g}")
    alone = lone(shared)
    if alone is not None:
        said.append(
            f"only {ids[alone]} has the environment most like this one, and with {weight:.0%} of the votes "
            "it cannot flag a counter alone: train with more runs of this environment"
        )
    return tuple(said)


def _factor(factor: float) -> list[str]:
    if abs(factor - 1) < SMALL:
        return []
    return [f"times that depend on the machine are divided by {factor:.2f}, its factor"]


_WORDS = ("very low", "low", "medium", "high", "very high")


def level_word(number: int, count: int) -> str:
    """Return what a bin is called among so many inner bins."""
    if number < 1:
        return "lower than in any prior test"
    if number > count:
        return "higher than in any prior test"
    if count == 1:
        return "as in the prior tests"
    words = _WORDS[1:4:2] if count == 2 else _WORDS[1:4] if count == 3 else _WORDS
    return words[(number - 1) * len(words) // count]


def item_words(item: int, properties: Sequence[Property], bins: Bins) -> str:
    """Return an item as ``the growth of jvm.gc.time is high``."""
    counter, number = divmod(item, STRIDE)
    prop = properties[counter]
    name = f"the growth of {prop.name}" if prop.kind is Kind.COUNTER else prop.name
    return f"{name} is {level_word(number, int(bins.counts[counter]))}"


def rule_words(rules: Rules, number: int, properties: Sequence[Property], bins: Bins) -> str:
    """Return a rule as ``when heap is high, GC time is high (2 ms to 4 ms)``."""
    premise = [item_words(int(item), properties, bins) for item in rules.premises[number] if item != NONE]
    consequent = int(rules.consequents[number])
    counter, place = divmod(consequent, STRIDE)
    limits = format_range(*bins.limits(counter, place), properties[counter].unit)
    then = f"{item_words(consequent, properties, bins)} ({limits})"
    return f"when {' and '.join(premise)}, {then}" if premise else then


def range_words(low: float, high: float, prop: Property) -> str:
    name = f"the growth of {prop.name}" if prop.kind is Kind.COUNTER else prop.name
    return f"{name} stays in its range ({format_range(low, high, prop.unit)})"


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


def findings(
    learned: LearnedEnsemble, judged: Sequence[tuple[Run, Judgement]], how: Judging
) -> tuple[Finding, ...]:
    """Return one finding for each counter that is flagged in most of the judged runs.

    Sorted by the votes, then by severity, then by name. It is of the run with the most severe violation.
    """
    often = np.sum([judged_test.flagged for _, judged_test in judged], axis=0) * 2 > len(judged)
    ordered = []
    for counter in map(int, np.flatnonzero(often)):
        flagging = [judged_test for judged_test in judged if judged_test[1].flagged[counter]]
        run, judgement = max(flagging, key=lambda pair: float(pair[1].severity[counter]))
        finding = _finding(learned, run, judgement, counter, how)
        ordered.append(((-float(judgement.share[counter]), -finding.severity, finding.subject), finding))
    return tuple(finding for _, finding in sorted(ordered, key=lambda pair: pair[0]))


def violated_rules(
    learned: LearnedEnsemble, judgement: Judgement, counter: int, how: Judging
) -> list[Violated]:
    """Return the violated rules of a counter: those with most votes, then with the largest change first."""
    merged: dict[str, Violated] = {}
    tests = zip(learned.ensemble.tests, judgement.changes, judgement.weight.tolist(), strict=True)
    for place, (test, changes, weight) in enumerate(tests):
        rules = _rules_of(learned, test, weight, changes, judgement, counter, how)
        left = float(judgement.range_changes[place, counter])
        ranges = (
            [_range_of(learned, test, weight, left, judgement.values, counter)] if left > how.change else []
        )
        for rule in (*rules, *(ranges if how.ranges else ())):
            known = merged.get(rule.words, replace(rule, votes=0.0))
            merged[rule.words] = replace(
                known, votes=known.votes + rule.votes, change=max(known.change, rule.change)
            )
    return sorted(merged.values(), key=lambda rule: (-round(rule.votes, 9), -rule.change, rule.words))


def _rules_of(
    learned: LearnedEnsemble,
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
    learned: LearnedEnsemble, test: PriorTest, weight: float, change: float, values: FloatArray, counter: int
) -> Violated:
    limits = float(test.lowest[counter]), float(test.highest[counter])
    words = range_words(*limits, learned.properties[counter])
    return Violated(
        words, weight, change, *limits, _median(values[:, counter], outside(values, test)[:, counter])
    )


def _median(values: FloatArray, where: BoolArray) -> float:
    return float(np.median(values[where]))


def _finding(learned: LearnedEnsemble, run: Run, judgement: Judgement, counter: int, how: Judging) -> Finding:
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
    return Difference(
        SOURCE,
        prop.name,
        run.id,
        direction,
        _effect(prop.better, direction),
        unit=prop.unit,
        observed=rules[0].observed,
        lower=rules[0].lower,
        upper=rules[0].upper,
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


def explain(verdict: Verdict, learned: LearnedEnsemble, how: Judging) -> Reasoning:
    """Return what was learned of the prior tests, how they vote, and what they flag."""
    n_rules = sum(len(test.rules) for test in learned.ensemble.tests)
    return Reasoning(
        f"{len(learned.ensemble.tests)} prior tests gave {n_rules} rules between "
        f"{len(learned.properties)} counters in intervals of {learned.interval_s:g} s, such as: when one "
        "counter is high, another is high.",
        "A prior test flags a counter if a rule about it holds clearly less often now: 1 - cosine similarity "
        f"of its confidences is above {how.change:g}. {_vote(how)}",
        (_environments(learned), *_flag(verdict)),
    )


def _vote(how: Judging) -> str:
    if how.stacking:
        return (
            "A counter is a regression if prior tests with more than half of the votes flag it. A prior test "
            "has the more votes, the more components its environment shares with this one."
        )
    return "A counter is a regression if at least half of the prior tests flag it."


def _environments(learned: LearnedEnsemble) -> Section:
    tests = defaultdict(list)
    for test in learned.ensemble.tests:
        tests[environment_words(test.environment)].append(test)
    rows = tuple(
        (words, format_list([test.run_id for test in some]), str(sum(len(test.rules) for test in some)))
        for words, some in tests.items()
    )
    return Section(
        "Environments of the prior tests", columns=("environment", "prior tests", "rules"), rows=rows
    )


def _flag(verdict: Verdict) -> tuple[Section, ...]:
    rows = tuple(
        (finding.subject, f"{finding.severity:.0%}", finding.text)
        for finding in verdict.findings
        if finding.source == SOURCE
    )
    columns = ("counter", "severity", "who says so, and the violated rules")
    text = "Severity is the share of intervals in which a violated rule is broken."
    return (Section("Flagged counters", text, columns, rows),) if rows else ()
