"""Which properties a verdict rests on: those without whose change the score would be lower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.history.columns import WORDS, Columns
from buto.detectors.history.engine.models.model import IntArray
from buto.detectors.history.known import deviations
from buto.detectors.history.learning import Judge
from buto.detectors.history.settings import DETECTOR
from buto.detectors.settings import Settings
from buto.properties import Better, Property
from buto.runs import FloatArray, Run
from buto.verdicts import Direction, Effect, Finding

MOST = 10
"""Number of findings."""

SHARE = 0.05
"""Of what all properties together add to the score; those that add less are not named."""


def findings_of_score(
    judge: Judge, columns: Columns, runs: Sequence[Run], values: FloatArray, settings: Settings
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
    judge: Judge, columns: Columns, runs: Sequence[Run], values: FloatArray
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
    judge: Judge, columns: Columns, runs: Sequence[Run], values: FloatArray, weights: FloatArray
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
    found = []
    for place in chosen:
        own = np.flatnonzero(place_of == place)
        column = int(own[size[own].argmax()])
        share = float(weights[place] / weights.sum())
        found.append(_finding(judge, columns, runs, values, column, share))
    return tuple(found)


def _finding(
    judge: Judge, columns: Columns, runs: Sequence[Run], values: FloatArray, column: int, share: float
) -> Finding:
    prop = columns.quantities[columns.kept[column].column]
    observed, expected = float(values[column]), float(judge.expected[column])
    direction = Direction.MORE if observed > expected else Direction.LESS
    away = abs(observed - expected) / float(judge.scale[column])
    return Finding(
        DETECTOR,
        prop.name,
        runs[0].id,
        direction,
        _effect(prop, direction),
        prop.unit,
        observed,
        expected=expected,
        severity=min(away, 1e9),
        evidence=share,
        measure=WORDS[columns.kept[column].name],
    )


def _middle(values: FloatArray) -> FloatArray:
    return np.median(values, axis=0, keepdims=True)


def _places(columns: Columns) -> IntArray:
    """Return the place of the quantity in each column."""
    return np.array([one.column for one in columns.kept])


def _effect(prop: Property, direction: Direction) -> Effect:
    if prop.better is Better.UNKNOWN:
        return Effect.UNKNOWN
    return Effect.BETTER if (direction is Direction.LESS) == (prop.better is Better.LOWER) else Effect.WORSE
