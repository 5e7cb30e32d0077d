"""Criteria by which a table decides whether a claim of the thesis replicates.

A difference counts if it exceeds :data:`SURE` standard errors. Errors are clustered by run and do not contain
the influence of the choice of training sets. In simulations the errors of differences were 0.7 to 1 of the
true ones (:mod:`buto_replications.scores`), so three of them are at least two true ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot, isnan, nan, sqrt

import numpy as np
import numpy.typing as npt

from buto_replications.scores import MCC, Score
from buto_replications.thesis import published
from buto_replications.thesis.claims import ClaimDecision, ClaimOutcome, Decide, MeasuredTable
from buto_replications.thesis.published import Example
from buto_replications.thesis.score_tables import example_by_run

SURE = 3.0

_FEW = 2.0
"""Number of notifications that does not matter: somewhat more than the .6 of Table 5.41."""

_NO_MATTER = 0.01
"""A difference between scores that is too small to be mentioned."""

_NOTHING = ClaimDecision(ClaimOutcome.UNDECIDED, "", "nothing was measured")


def above(first: str, other: str, score: Score = MCC) -> Decide:
    """Decide whether one configuration is better than another.

    It is not if the difference is surely less than half of the printed one, or than .01 if none is printed.
    """

    def decide(measured: MeasuredTable) -> ClaimDecision:
        apart, error = measured.apart(first, other, score)
        printed = measured.printed(first, score) - measured.printed(other, score)
        outcome = _sign(apart, error)
        least = _NO_MATTER if isnan(printed) else printed / 2
        if outcome is ClaimOutcome.UNDECIDED and apart + SURE * error < least:
            outcome = ClaimOutcome.DIFFERS
        return ClaimDecision(outcome, _difference_text(printed), _points(apart, error), apart, error)

    return decide


def alike(first: str, other: str, margin: float) -> Decide:
    """Decide whether the MCCs of two configurations differ by no more than a margin."""

    def decide(measured: MeasuredTable) -> ClaimDecision:
        apart, error = measured.apart(first, other)
        thesis = _difference_text(measured.printed(first) - measured.printed(other))
        return ClaimDecision(_within(apart, error, margin), thesis, _points(apart, error), apart, error)

    return decide


def level(label: str, margin: float = 0.05) -> Decide:
    """Decide whether an MCC is within a margin of the printed one."""

    def decide(measured: MeasuredTable) -> ClaimDecision:
        value, error = measured.value(label)
        thesis = measured.printed(label)
        apart = value - thesis
        return ClaimDecision(
            _within(apart, error, margin), _number(thesis), _number(value, error), apart, error
        )

    return decide


def best(label: str) -> Decide:
    """Decide whether every other configuration has a lower MCC.

    Undecided if a configuration that does not may do so by chance.
    """
    return _extreme(label, +1)


def worst(label: str) -> Decide:
    """Decide whether every other configuration has a higher MCC.

    Undecided if a configuration that does not may do so by chance.
    """
    return _extreme(label, -1)


def _extreme(label: str, sign: int) -> Decide:
    def decide(measured: MeasuredTable) -> ClaimDecision:
        values = measured.values()
        thesis = f"{label}: {_number(measured.printed(label))}"
        if label not in values or len(values) == 1 or not any(values.values()):
            return replace(_NOTHING, thesis=thesis)
        rival = max((other for other in values if other != label), key=lambda other: sign * values[other])
        apart, error = measured.apart(label, rival)
        ours = f"{label}: {_number(values[label])}, {rival}: {_number(values[rival])}"
        ahead = sign * (values[label] - values[rival])
        outcome = ClaimOutcome.REPLICATES if ahead > 0 else _sign(sign * apart, error)
        return ClaimDecision(outcome, thesis, ours, apart, error)

    return decide


def best_rule(letter: str) -> Decide:
    """Decide whether the best configuration of one rule (S, K, P) is better than the best of the others."""
    return _rule(letter, +1)


def worst_rule(letter: str) -> Decide:
    """Decide whether the best configuration of one rule is worse than the best of each of the others."""
    return _rule(letter, -1)


def _rule(letter: str, sign: int) -> Decide:
    def decide(measured: MeasuredTable) -> ClaimDecision:
        tops = _tops(measured.values())
        if letter not in tops or len(tops) == 1:
            return _NOTHING
        printed = _tops({label: measured.printed(label) for label in measured.labels})
        (winner, value), *others = [tops.pop(letter), *tops.values()]
        rival, other = max(others, key=lambda top: sign * top[1])
        apart, error = measured.apart(winner, rival)
        printed_text = ", ".join(f"{label}: {_number(top)}" for label, top in printed.values())
        ours = f"{winner}: {_number(value)}, {rival}: {_number(other)}; {_points(apart, error)}"
        return ClaimDecision(_sign(sign * apart, error), printed_text, ours, apart, error)

    return decide


def _tops(values: dict[str, float]) -> dict[str, tuple[str, float]]:
    """Return by rule the configuration with the highest MCC, and its MCC."""
    tops: dict[str, tuple[str, float]] = {}
    for label, value in values.items():
        if not isnan(value) and value > tops.get(label[0], ("", -2.0))[1]:
            tops[label[0]] = label, value
    return tops


def rising(*labels: str, score: Score = MCC) -> Decide:
    """Decide whether a score never falls from one configuration to the next, and rises from the first to the
    last.
    """

    def decide(measured: MeasuredTable) -> ClaimDecision:
        steps = {b: measured.apart(b, a, score) for a, b in pairwise(labels)}
        falls = [label for label, step in steps.items() if _sign(*step) is ClaimOutcome.DIFFERS]
        apart, error = measured.apart(labels[-1], labels[0], score)
        outcome = ClaimOutcome.DIFFERS if falls else _sign(apart, error)
        ours = ", ".join(_number(measured.value(label, score)[0]) for label in labels)
        if falls:
            ours += f"; it falls at {', '.join(falls)}"
        printed_text = ", ".join(_number(measured.printed(label, score)) for label in labels)
        return ClaimDecision(outcome, printed_text, ours, apart, error)

    return decide


def steepest(*labels: str) -> Decide:
    """Decide whether the first step from one configuration to the next raises the MCC more than any later
    one.
    """

    def decide(measured: MeasuredTable) -> ClaimDecision:
        steps = [measured.apart(b, a) for a, b in pairwise(labels)]
        if any(isnan(apart) for apart, _ in steps):
            return _NOTHING
        (first, of_first), (second, of_second) = steps[0], max(steps[1:])
        apart, error = first - second, hypot(of_first, of_second)
        steps_printed = [measured.printed(b) - measured.printed(a) for a, b in pairwise(labels)]
        thesis = f"{steps_printed[0]:+.2f}, later at most {max(steps_printed[1:]):+.2f}"
        ours = f"{_points(first, of_first)}, later at most {_points(second, of_second)}"
        return ClaimDecision(_sign(apart, error), thesis, ours, apart, error)

    return decide


def at_least(limit: float, *labels: str, score: Score) -> Decide:
    """Decide whether a score of all of these configurations reaches a limit."""

    def decide(measured: MeasuredTable) -> ClaimDecision:
        scores = [measured.value(label, score) for label in labels]
        known = [share for share in scores if not isnan(share[0])]
        if not known:
            return _NOTHING
        value, error = min(known)
        lowest = min(measured.printed(label, score) for label in labels)
        apart = value - limit
        outcome = ClaimOutcome.REPLICATES if apart >= 0 else _sign(apart, error)
        ours = f"{_number(value, error)} or more"
        return ClaimDecision(outcome, f"{_number(lowest)} or more", ours, apart, error)

    return decide


def shown(example: Example) -> Decide:
    """Decide whether the share of accepted runs of one experiment is that of the thesis, within .1."""

    def decide(measured: MeasuredTable) -> ClaimDecision:
        by_run = example_by_run(measured.evidence.evaluation, example)
        if by_run is None:
            return _NOTHING
        ours = [_share(counts) for counts in by_run]
        tp, fn, tn, fp = example.counts
        printed = tp / (tp + fn), fp / (tn + fp)
        outcomes = [
            _within(share - thesis, error, 0.1) for (share, error), thesis in zip(ours, printed, strict=True)
        ]
        text = "{:.0%} of positive, {:.0%} of negative runs"
        return ClaimDecision(
            combined(outcomes), text.format(*printed), text.format(*(share for share, _ in ours))
        )

    return decide


def notified(figure: str, *, far: bool) -> Decide:
    """Decide whether negative runs have more than two more flagged notifications (``far``), or at most two
    more.
    """

    def decide(measured: MeasuredTable) -> ClaimDecision:
        thesis = next(
            published_figure for published_figure in published.NOTIFIED if published_figure.figure == figure
        )
        printed_text = f"{thesis.of_positive[0]} and {thesis.of_negative[0]} notifications a run"
        ours = measured.evidence.notified.get(figure)
        if ours is None:
            return replace(_NOTHING, thesis=printed_text)
        (positive, positive_mean), (negative, other) = (
            ours.positive.mean_and_error(),
            ours.negative.mean_and_error(),
        )
        apart, error = negative - positive, hypot(positive_mean, other)
        outcome = _sign(apart - _FEW, error) if far else _within(apart, error, _FEW)
        return ClaimDecision(outcome, printed_text, f"{positive:.2f} and {negative:.2f}", apart, error)

    return decide


def all_of(*parts: Decide) -> Decide:
    """Combine several claims of one sentence."""

    def decide(measured: MeasuredTable) -> ClaimDecision:
        decisions = [part(measured) for part in parts]
        thesis, ours = (
            "; ".join(getattr(decision, side) for decision in decisions) for side in ("thesis", "ours")
        )
        return ClaimDecision(combined([decision.outcome for decision in decisions]), thesis, ours)

    return decide


def combined(outcomes: Sequence[ClaimOutcome]) -> ClaimOutcome:
    """Return that a claim replicates if all of its parts do, and that it does not if one part does not."""
    if ClaimOutcome.DIFFERS in outcomes:
        return ClaimOutcome.DIFFERS
    return ClaimOutcome.UNDECIDED if ClaimOutcome.UNDECIDED in outcomes else ClaimOutcome.REPLICATES


def _share(counts: npt.NDArray[np.int32]) -> tuple[float, float]:
    """Return the share of accepting judgements and its standard error, clustered by run.

    If all judgements agree, nothing scatters. The error is then that of a share with one more run of each
    kind.
    """
    judged = counts.sum(axis=1)
    total = judged.sum()
    share = float(counts[:, 1].sum() / total)
    n = int((judged > 0).sum())
    if share in (0.0, 1.0):
        return share, sqrt((n + 1) / (n + 2) ** 2 / n)
    away = counts[:, 1] - share * judged
    return share, sqrt(n / max(n - 1, 1) * float(np.square(away).sum())) / float(total)


def _sign(apart: float, error: float) -> ClaimOutcome:
    if isnan(apart) or isnan(error) or abs(apart) <= SURE * error or apart == 0:
        return ClaimOutcome.UNDECIDED
    return ClaimOutcome.REPLICATES if apart > 0 else ClaimOutcome.DIFFERS


def _within(apart: float, error: float, margin: float) -> ClaimOutcome:
    if isnan(apart) or isnan(error):
        return ClaimOutcome.UNDECIDED
    if abs(apart) + SURE * error <= margin:
        return ClaimOutcome.REPLICATES
    return ClaimOutcome.DIFFERS if abs(apart) - SURE * error > margin else ClaimOutcome.UNDECIDED


def _number(value: float, error: float = nan) -> str:
    if isnan(value):
        return "not printed"
    return f"{value:.2f}" if isnan(error) else f"{value:.2f} ± {error:.2f}"


def _difference_text(apart: float) -> str:
    return "not printed" if isnan(apart) else f"{apart:+.2f}"


def _points(apart: float, error: float) -> str:
    return "both are undefined" if isnan(apart) else f"{apart:+.2f} ± {error:.2f}"
