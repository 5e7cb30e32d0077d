"""What a claim of the thesis is, and how tables decide whether it replicates.

A difference counts as one if it is further from nothing than :data:`SURE` standard errors. Errors here
are clustered by run and leave out what the training sets that were drawn contribute; in simulations
they are 0.7 to 1 of the truth (:mod:`buto.experiments.scores`), so that three of them are two or more
true ones. An undefined MCC (all runs were accepted, or none) is 0 in comparisons, as in Table 5.34.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise
from math import hypot, isnan, nan, sqrt

import numpy as np
import numpy.typing as npt

from buto.experiments import published
from buto.experiments.evaluation import Evaluation
from buto.experiments.grids import GRIDS, Configuration
from buto.experiments.notified import NotifiedRuns
from buto.experiments.published import Example, Scope
from buto.experiments.scores import MCC, Score, difference, standard_error
from buto.experiments.tables import by_run

SURE = 3.0


_FEW = 2.0
"""Notifications of a run that do not matter: a few more than the .6 of Table 5.41."""


class Outcome(Enum):
    REPLICATES = "replicates"
    DIFFERS = "does not"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a claim.

    Attributes:
        thesis: the thesis's numbers, in words.
        ours: ours, in words.
        apart: the number that decided, NaN if there is not just one.
        error: its standard error.
    """

    outcome: Outcome
    thesis: str
    ours: str
    apart: float = nan
    error: float = nan


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that was measured on one host; notifications by the number of their figure."""

    evaluation: Evaluation
    notified: Mapping[str, NotifiedRuns]

    @cached_property
    def _found(self) -> dict[tuple[str, str], tuple[npt.NDArray[np.int64], list[str]] | None]:
        return {}

    def counts(self, table: str, label: str) -> tuple[npt.NDArray[np.int64], list[str]] | None:
        """Of a table's configuration by run, and each run's variant; None where nothing was measured."""
        key = table, label
        if key not in self._found:
            one = configuration(table, label)
            self._found[key] = by_run(self.evaluation, one.method, published.SCOPES.get(table, Scope()))
        return self._found[key]


Decide = Callable[[Evidence], Decision]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the thesis.

    Attributes:
        table: where its numbers are, if they are in one.
        why: what is known of the reason for a difference, or of a slip in the thesis.
    """

    section: str
    table: str
    text: str
    decide: Decide
    why: str = ""


def configuration(table: str, label: str) -> Configuration:
    """A line of a table by its label, those that the thesis does not print too; KeyError if there is none."""
    grid = next((one for one in GRIDS.values() if one.table == table), GRIDS["overall"])
    return {one.label: one for one in grid.all}[label]


def printed(table: str, label: str, score: Score = MCC) -> float:
    """A score of the thesis, made anew from its counts; NaN where the line is not printed."""
    rows = {row.configuration: row for row in published.rows(table)}
    return float(score.value(rows[label].counts)) if label in rows else nan


def above(table: str, one: str, other: str, score: Score = MCC) -> Decide:
    """One configuration is better than another."""

    def decide(evidence: Evidence) -> Decision:
        apart, error = compared(evidence, table, one, other, score)
        thesis = _said(table, one, other, score)
        return Decision(_sign(apart, error), thesis, _points(apart, error), apart, error)

    return decide


def alike(table: str, one: str, other: str, margin: float, score: Score = MCC) -> Decide:
    """Two configurations differ by no more than a margin."""

    def decide(evidence: Evidence) -> Decision:
        apart, error = compared(evidence, table, one, other, score)
        thesis = _said(table, one, other, score)
        return Decision(_within(apart, error, margin), thesis, _points(apart, error), apart, error)

    return decide


def level(table: str, label: str, margin: float = 0.05, score: Score = MCC) -> Decide:
    """A score lies within a margin of the printed one."""

    def decide(evidence: Evidence) -> Decision:
        value, error = _value(evidence, table, label, score)
        thesis = printed(table, label, score)
        apart = value - thesis
        return Decision(_within(apart, error, margin), _number(thesis), _number(value, error), apart, error)

    return decide


def best(table: str, label: str, among: Sequence[str] = ()) -> Decide:
    """No other configuration has a higher MCC; undecided where the one that has may have it by chance."""

    def decide(evidence: Evidence) -> Decision:
        labels = among or tuple(one.label for one in _configurations(table))
        return _best(evidence, table, label, labels)

    return decide


def worst(table: str, label: str) -> Decide:
    """Every other configuration has a higher MCC."""

    def decide(evidence: Evidence) -> Decision:
        values = _values(evidence, table, [one.label for one in _configurations(table)])
        if label not in values or not any(values.values()):
            return _nothing()
        lowest = min(values, key=lambda other: (values[other], other != label))
        apart, error = (0.0, 0.0) if lowest == label else compared(evidence, table, label, lowest)
        outcome = Outcome.REPLICATES if lowest == label else _sign(-apart, error)
        thesis = f"{label}: {_number(printed(table, label))}"
        return Decision(outcome, thesis, f"worst is {lowest}: {_number(values[lowest])}", apart, error)

    return decide


def best_rule(table: str, letter: str) -> Decide:
    """The best configuration of one rule (S, K, P) is better than the best of the others."""

    def decide(evidence: Evidence) -> Decision:
        labels = [one.label for one in _configurations(table)]
        values = _values(evidence, table, labels)
        mine = {label: value for label, value in values.items() if label.startswith(letter)}
        others = {label: value for label, value in values.items() if not label.startswith(letter)}
        if not mine or not others:
            return _nothing()
        one, other = max(mine, key=lambda each: mine[each]), max(others, key=lambda each: others[each])
        apart, error = compared(evidence, table, one, other)
        rows = published.rows(table)
        thesis = next((row for row in rows if row.configuration.startswith(letter)), rows[0])
        rival = next((row for row in rows if not row.configuration.startswith(letter)), None)
        said = f"{thesis.configuration}: {_number(float(MCC.value(thesis.counts)))}"
        if rival is not None:
            said += f", {rival.configuration}: {_number(float(MCC.value(rival.counts)))}"
        ours = f"{one}: {_number(values[one])}, {other}: {_number(values[other])}; {_points(apart, error)}"
        return Decision(_sign(apart, error), said, ours, apart, error)

    return decide


def rising(table: str, labels: Sequence[str], score: Score = MCC) -> Decide:
    """From one configuration to the next a score does not fall, and from the first to the last it rises."""

    def decide(evidence: Evidence) -> Decision:
        steps = [compared(evidence, table, b, a, score) for a, b in pairwise(labels)]
        apart, error = compared(evidence, table, labels[-1], labels[0], score)
        falls = [
            label for label, step in zip(labels[1:], steps, strict=True) if _sign(*step) is Outcome.DIFFERS
        ]
        outcome = Outcome.DIFFERS if falls else _sign(apart, error)
        ours = ", ".join(_number(_value(evidence, table, label, score)[0]) for label in labels)
        if falls:
            ours += f"; it falls at {', '.join(falls)}"
        said = ", ".join(_number(printed(table, label, score)) for label in labels)
        return Decision(outcome, said, ours, apart, error)

    return decide


def steepest(table: str, labels: Sequence[str]) -> Decide:
    """The first step from one configuration to the next raises the MCC more than any later one."""

    def decide(evidence: Evidence) -> Decision:
        steps = [compared(evidence, table, b, a) for a, b in pairwise(labels)]
        if any(isnan(apart) for apart, _ in steps):
            return _nothing()
        (first, of_first), (second, of_second) = steps[0], max(steps[1:])
        apart, error = first - second, hypot(of_first, of_second)
        said = [printed(table, b) - printed(table, a) for a, b in pairwise(labels)]
        thesis = f"{said[0]:+.2f}, later at most {max(said[1:]):+.2f}"
        ours = f"{first:+.2f} ± {of_first:.2f}, later at most {second:+.2f} ± {of_second:.2f}"
        return Decision(_sign(apart, error), thesis, ours, apart, error)

    return decide


def at_least(table: str, labels: Sequence[str], limit: float, score: Score) -> Decide:
    """A score of all of these configurations reaches a limit."""

    def decide(evidence: Evidence) -> Decision:
        found = [_value(evidence, table, label, score) for label in labels]
        known = [one for one in found if not isnan(one[0])]
        if not known:
            return _nothing()
        value, error = min(known)
        lowest = min(printed(table, label, score) for label in labels)
        apart = value - limit
        outcome = Outcome.REPLICATES if apart >= 0 else _sign(apart, error)
        return Decision(
            outcome, f"{_number(lowest)} or more", f"{_number(value, error)} or more", apart, error
        )

    return decide


def shown(example: Example) -> Decide:
    """As many runs of one experiment are accepted as in the thesis, within a tenth of them."""

    def decide(evidence: Evidence) -> Decision:
        method = configuration("5.14", example.configuration).method
        pair = (example.training, example.negative)
        found = next(
            (one for one in evidence.evaluation.experiments if (one.training, one.negative) == pair), None
        )
        column = None
        if found is not None:
            names = [prop.name for prop in evidence.evaluation.properties[found.program]]
            column = next((names.index(name) for name in example.properties if name in names), None)
        if found is None or column is None or (method, found) not in evidence.evaluation.judged:
            return _nothing()
        judged = evidence.evaluation.judged[method, found]
        ours = [_share(counts[:, column]) for counts in (judged.positive, judged.negative)]
        tp, fn, tn, fp = example.counts
        said = tp / (tp + fn), fp / (tn + fp)
        outcome = together(
            [_within(share - thesis, error, 0.1) for (share, error), thesis in zip(ours, said, strict=True)]
        )
        text = "{} of positive, {} of negative runs"
        return Decision(
            outcome,
            text.format(*(f"{value:.0%}" for value in said)),
            text.format(*(f"{share:.0%}" for share, _ in ours)),
        )

    return decide


def notified(figure: str, *, far: bool) -> Decide:
    """In negative runs more notifications are flagged, by more than two; or else by two at most."""

    def decide(evidence: Evidence) -> Decision:
        thesis = next(one for one in published.NOTIFIED if one.figure == figure)
        said = f"{thesis.of_positive[0]} and {thesis.of_negative[0]} notifications a run"
        ours = evidence.notified.get(figure)
        if ours is None:
            return replace(_nothing(), thesis=said)
        (positive, one), (negative, other) = ours.positive.mean_and_error(), ours.negative.mean_and_error()
        apart, error = negative - positive, hypot(one, other)
        outcome = _sign(apart - _FEW, error) if far else _within(apart, error, _FEW)
        return Decision(outcome, said, f"{positive:.2f} and {negative:.2f}", apart, error)

    return decide


def all_of(*parts: Decide) -> Decide:
    """Several claims in one sentence."""

    def decide(evidence: Evidence) -> Decision:
        decisions = [part(evidence) for part in parts]
        thesis, ours = ("; ".join(getattr(one, side) for one in decisions) for side in ("thesis", "ours"))
        return Decision(together([one.outcome for one in decisions]), thesis, ours)

    return decide


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Replicates if all do; does not if any does not."""
    if Outcome.DIFFERS in outcomes:
        return Outcome.DIFFERS
    return Outcome.UNDECIDED if Outcome.UNDECIDED in outcomes else Outcome.REPLICATES


def compared(evidence: Evidence, table: str, one: str, other: str, score: Score = MCC) -> tuple[float, float]:
    """By how much a configuration's score is above another's, and the standard error of that; or NaN."""
    first, second = evidence.counts(table, one), evidence.counts(table, other)
    if first is None or second is None:
        return nan, nan
    apart, error = difference(score, first[0], second[0], first[1])
    if isnan(apart) and score is MCC:
        (value, of_value), (rival, of_rival) = (
            _value(evidence, table, label, score) for label in (one, other)
        )
        # Where only one is defined the other is 0, without error; two that are not say nothing.
        return (value - rival, max(of_value, of_rival)) if max(of_value, of_rival) > 0 else (nan, nan)
    return apart, error


def _value(evidence: Evidence, table: str, label: str, score: Score) -> tuple[float, float]:
    found = evidence.counts(table, label)
    if found is None:
        return nan, nan
    counts, variants = found
    value = float(score.value(counts.sum(axis=0)))
    if isnan(value):
        return (0.0, 0.0) if score is MCC else (nan, nan)
    return value, standard_error(score, counts, variants)


def _values(evidence: Evidence, table: str, labels: Sequence[str]) -> dict[str, float]:
    values = {label: _value(evidence, table, label, MCC)[0] for label in labels}
    return {label: value for label, value in values.items() if not isnan(value)}


def _best(evidence: Evidence, table: str, label: str, labels: Sequence[str]) -> Decision:
    values = _values(evidence, table, labels)
    thesis = f"{label}: {_number(printed(table, label))}"
    if label not in values or not any(values.values()):
        return replace(_nothing(), thesis=thesis)
    first = max(values, key=lambda other: (values[other], other == label))
    if first == label:
        return Decision(Outcome.REPLICATES, thesis, f"{label}: {_number(values[label])}", 0.0, 0.0)
    apart, error = compared(evidence, table, label, first)
    outcome = Outcome.DIFFERS if _sign(-apart, error) is Outcome.REPLICATES else Outcome.UNDECIDED
    ours = f"{first}: {_number(values[first])}, {label}: {_number(values[label])}"
    return Decision(outcome, thesis, ours, apart, error)


def _configurations(table: str) -> tuple[Configuration, ...]:
    grid = next((one for one in GRIDS.values() if one.table == table), GRIDS["overall"])
    return grid.configurations


def _share(counts: npt.NDArray[np.int32]) -> tuple[float, float]:
    """The share of judgements that accepted, and its error by run."""
    judged = counts.sum(axis=1)
    total = judged.sum()
    share = float(counts[:, 1].sum() / total)
    away = counts[:, 1] - share * judged
    n = int((judged > 0).sum())
    return share, sqrt(n / max(n - 1, 1) * float(np.square(away).sum())) / float(total)


def _sign(apart: float, error: float) -> Outcome:
    if isnan(apart) or isnan(error) or abs(apart) <= SURE * error or apart == 0:
        return Outcome.UNDECIDED
    return Outcome.REPLICATES if apart > 0 else Outcome.DIFFERS


def _within(apart: float, error: float, margin: float) -> Outcome:
    if isnan(apart) or isnan(error):
        return Outcome.UNDECIDED
    if abs(apart) + SURE * error <= margin:
        return Outcome.REPLICATES
    return Outcome.DIFFERS if abs(apart) - SURE * error > margin else Outcome.UNDECIDED


def _nothing() -> Decision:
    return Decision(Outcome.UNDECIDED, "", "nothing was measured")


def _number(value: float, error: float = nan) -> str:
    if isnan(value):
        return "not printed"
    return f"{value:.2f}" if isnan(error) else f"{value:.2f} ± {error:.2f}"


def _points(apart: float, error: float) -> str:
    return "neither can be had" if isnan(apart) else f"{apart:+.2f} ± {error:.2f}"


def _said(table: str, one: str, other: str, score: Score) -> str:
    apart = printed(table, one, score) - printed(table, other, score)
    return "not printed" if isnan(apart) else f"{apart:+.2f}"
