"""Scores as a verdict: its p-value, its findings, its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from buto.judging.protocol import Reasoning
from buto.judging.settings import Settings
from buto.judging.verdict import Difference, Direction, Effect, Finding, Verdict
from buto.run.labels import Label
from buto.run.model import FloatArray, Run
from buto.run.properties import Better, Property
from buto.run.units import format_percent
from buto_replications.detectors.history.known import WORDS, LabelledColumns, deviations
from buto_replications.detectors.history.learning import Judge, p_value, validity_row
from buto_replications.detectors.history.settings import ALPHA, DETECTOR, FEWEST_BAD, LEARNER
from buto_replications.detectors.history.similarity import IntArray


@dataclass(frozen=True, eq=False, slots=True)
class JudgedByPast:
    """What the past says of the runs of a check, by their median.

    Attributes:
        score: log odds to be bad; None if no run is labelled bad.
        p_value: share of held-out good checks with such a score; None likewise.
        distance: to the nearest labelled run.
        is_invalid: whether most runs look like runs that were labelled invalid.
        good_needed: how many more good checks, all with lower scores, could make this a regression.
    """

    score: float | None
    p_value: float | None
    distance: float
    is_invalid: bool
    good_needed: int = 0


def judged(
    judge: Judge, values: FloatArray, disturbances: Sequence[tuple[float, float]], settings: Settings
) -> JudgedByPast:
    """Judge runs together.

    Args:
        values: shape (n_runs, n_columns), finite.
        disturbances: of each run, see :class:`buto_replications.detectors.history.known.LabelledRow`.
    """
    distance = float(np.median(judge.distances(values)))
    away = deviations(values, judge.expected, judge.scale)
    invalid = False
    if judge.validity is not None:
        rows = np.array([validity_row(*pair) for pair in zip(away, disturbances, strict=True)])
        invalid = bool(np.median(judge.validity.scores(rows)) > 0)
    if judge.engine is None:
        return JudgedByPast(None, None, distance, invalid)
    score = float(np.median(judge.scores(values, settings)))
    higher = int(np.count_nonzero(judge.held_out >= score))
    # The smallest number of good checks of which so few are a share of alpha.
    needed = ceil((1 + higher) / settings.values["alpha"] - 1e-9) - 1
    return JudgedByPast(
        score, p_value(score, judge.held_out), distance, invalid, max(0, needed - len(judge.held_out))
    )


MOST = 10
"""Number of findings."""

SHARE = 0.05
"""Of what all properties together add to the score; those that add less are not named."""


def findings_of_score(
    judge: Judge, columns: LabelledColumns, runs: Sequence[Run], values: FloatArray, settings: Settings
) -> tuple[Finding, ...]:
    """Return the properties that raise the score of these runs most; at least one.

    A property's weight is by how much the score falls if its columns are as in the baseline.
    """
    middle, place_of = _middle(values), _places(columns)
    whole = judge.scores(middle, settings)[0]
    weights = np.zeros(len(columns.quantities))
    for place in np.unique(place_of):
        without = np.where(place_of == place, judge.expected, middle)
        weights[place] = whole - judge.scores(without, settings)[0]
    return _findings(judge, columns, runs, middle[0], np.maximum(weights, 0.0))


def findings_of_distance(
    judge: Judge, columns: LabelledColumns, runs: Sequence[Run], values: FloatArray
) -> tuple[Finding, ...]:
    """Return the properties in which these runs are furthest from every labelled run; at least one."""
    middle, place_of = _middle(values), _places(columns)
    away = np.abs(judge.remembered - deviations(middle, judge.expected, judge.scale)[0]).min(axis=0)
    weights = np.zeros(len(columns.quantities))
    np.maximum.at(weights, place_of, np.where(away > judge.usual, away, 0.0))
    if not weights.any():
        np.maximum.at(weights, place_of, away)
    return _findings(judge, columns, runs, middle[0], weights)


def _findings(
    judge: Judge, columns: LabelledColumns, runs: Sequence[Run], values: FloatArray, weights: FloatArray
) -> tuple[Finding, ...]:
    size = np.abs(deviations(values, judge.expected, judge.scale))
    place_of = _places(columns)
    largest = np.array([size[place_of == place].max() for place in range(len(weights))])
    # A property that did not change beyond its scatter is no cause.
    weights = np.where(largest > np.arcsinh(1.0), weights, 0.0)
    weights = weights if weights.any() else np.where(largest == largest.max(), 1.0, 0.0)
    order = [
        int(place) for place in np.argsort(-weights, kind="stable") if weights[place] >= SHARE * weights.sum()
    ]
    chosen = order[:MOST] or [int(weights.argmax())]
    findings = []
    for place in chosen:
        own = np.flatnonzero(place_of == place)
        column = int(own[size[own].argmax()])
        share = float(weights[place] / weights.sum())
        findings.append(_finding(judge, columns, runs, values, column, share))
    return tuple(findings)


def _finding(
    judge: Judge, columns: LabelledColumns, runs: Sequence[Run], values: FloatArray, column: int, share: float
) -> Finding:
    prop = columns.quantities[columns.kept[column].column]
    observed, expected = float(values[column]), float(judge.expected[column])
    direction = Direction.MORE if observed > expected else Direction.LESS
    away = abs(observed - expected) / float(judge.scale[column])
    return Difference(
        DETECTOR,
        prop.name,
        runs[0].id,
        direction,
        _effect(prop, direction),
        unit=prop.unit,
        observed=observed,
        expected=expected,
        severity=min(away, 1e9),
        evidence=share,
        measure=WORDS[columns.kept[column].name],
    )


def _middle(values: FloatArray) -> FloatArray:
    return np.median(values, axis=0, keepdims=True)


def _places(columns: LabelledColumns) -> IntArray:
    return np.array([feature.column for feature in columns.kept])


def _effect(prop: Property, direction: Direction) -> Effect:
    if prop.better is Better.UNKNOWN:
        return Effect.UNKNOWN
    return Effect.BETTER if (direction is Direction.LESS) == (prop.better is Better.LOWER) else Effect.WORSE


GUARANTEE = "new good runs differ from their baseline as the labelled good ones did"

INVALID = (
    "these runs look like those that were labelled invalid: the measurement was disturbed; check again, or "
    "label them good or bad if it was not"
)


def unlike(judge: Judge, judgement: JudgedByPast) -> str:
    """Return why a check that is like nothing labelled is inconclusive, and what would decide it."""
    known = "and no run is labelled bad yet" if judge.engine is None else "good or bad"
    return (
        "these runs are further from every labelled run than training runs are from each other "
        f"({judgement.distance:.1f} units, usual are {judge.usual:.1f}), {known}; one label decides: label "
        "them good or bad, and train again"
    )


def not_decided(judge: Judge, judgement: JudgedByPast) -> str:
    """Return why a check that is like bad runs is inconclusive, and what would decide it."""
    return (
        "these runs are more like bad runs than like good ones, but among "
        f"{_checks(len(judge.held_out))} known to be good that is not rare enough "
        f"(p = {judgement.p_value:.3g}); {_checks(judgement.good_needed, 'more ')} labelled good, none of "
        "them like these, could make this a regression; if these are good, label them so"
    )


def training_warnings(judge: Judge, n_alone: int, settings: Settings) -> Iterator[str]:
    n_bad = Counter(judge.labels)[Label.BAD]
    if judge.engine is None:
        yield (
            "no run is labelled bad, so no check can fail: a run unlike the training runs is inconclusive "
            "until it is labelled"
        )
    else:
        n_needed = ceil(1 / settings.values[ALPHA] - 1e-9) - 1 - len(judge.held_out)
        if n_needed > 0:
            yield (
                f"no check can fail yet: for alpha {settings.values[ALPHA]:g}, "
                f"{_checks(n_needed, 'more ')} must be labelled good"
            )
        if n_bad < FEWEST_BAD:
            yield (
                f"{_runs(n_bad)} of this test labelled bad; from {FEWEST_BAD} on it can have a classifier of "
                "its own, until then that of all tests judges it"
            )
    if judge.missed:
        yield (
            f"{len(judge.missed)} of {judge.n_regressions} labelled regressions would not be found by what "
            f"the others teach: {', '.join(judge.missed)}"
        )
    if n_alone:
        yield (
            f"{_runs(n_alone)} with a label cannot be learned from: no earlier training of the same "
            "environment is stored to compare with"
        )


def explain(verdict: Verdict, judge: Judge, settings: Settings) -> Reasoning:
    counts = Counter(judge.labels)
    learned = (
        f"{verdict.n_training} {verdict.roles.known_runs} are the baseline. Labels say of "
        f"{_runs(len(judge.labels))} of this test whether their difference from a baseline is good "
        f"({counts[Label.GOOD]}) or bad ({counts[Label.BAD]})."
    )
    unlike_all = "A run that is unlike all labelled ones is inconclusive."
    if judge.engine is None:
        return Reasoning(learned, f"No run is labelled bad, so no check can fail. {unlike_all}")
    return Reasoning(
        learned,
        f"A check fails if at most {format_percent(settings.values[ALPHA])} of good checks have so high a "
        f"score. It is compared with the scores of {_checks(len(judge.held_out))} by classifiers "
        f"({settings.values[LEARNER]}) that had not seen them. A training run counts as a check. "
        f"{unlike_all}",
    )


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"


def _checks(number: int, more: str = "") -> str:
    return f"1 {more}check" if number == 1 else f"{number} {more}checks"
