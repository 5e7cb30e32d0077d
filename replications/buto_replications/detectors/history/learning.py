"""From labelled rows to all that a check needs: the engine, and what its score means.

The score of a check is compared with scores of good checks that the engine has not seen. For these, the good
runs of the test are divided into folds, of which no unit is in two; the bad ones are always learned from. The
runs of one check are one unit with one score, their median; a training run is a unit of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.settings import Settings
from buto.run.labels import Label
from buto.run.model import FloatArray
from buto_replications.detectors.history.engine import GLOBAL, HistoryEngine, Scheme, train
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.known import (
    OWN,
    KnownLabels,
    LabelledRow,
    by_label,
    deviations,
    with_sizes,
)
from buto_replications.detectors.history.learners import DecisionTree, learn_tree, require_learners
from buto_replications.detectors.history.settings import FEWEST_BAD, is_deviations, scheme_of
from buto_replications.detectors.history.similarity import BoolArray, IntArray

N_FOLDS = 10
SEED = 1
DIGITS = 3
"""Decimals of remembered deviations, so that an oracle file is short."""

MOST_LEFT_OUT = 20
"""Regressions that are left out in turn, to say whether the others would find them."""

USUAL_FACTOR, USUAL_DISTANCE = 1.5, 1.0
"""A run is unlike all others if it is so much further from them than any training run, and at least so far.
"""


@dataclass(frozen=True, eq=False, slots=True)
class Judge:
    """What judges runs of one test.

    Attributes:
        expected, scale: shape (n_columns,), the baseline.
        run_ids, labels: of the labelled runs of the test.
        remembered: shape (n_labelled, n_columns), their deviations.
        usual: the largest distance from the nearest labelled run that is usual.
        engine: None if no run is labelled bad.
        held_out: a score for each unit of good runs, by an engine that had not seen it; sorted.
        validity: tells disturbed runs; None if too few runs are labelled invalid.
        missed: labelled regressions that an engine does not find without them, by one of their runs.
        n_regressions: how many were left out in turn.
    """

    expected: FloatArray
    scale: FloatArray
    run_ids: tuple[str, ...]
    labels: tuple[Label, ...]
    remembered: FloatArray
    usual: float
    engine: HistoryEngine | None
    held_out: FloatArray
    validity: DecisionTree | None
    missed: tuple[str, ...] = ()
    n_regressions: int = 0

    def scores(self, values: FloatArray, settings: Settings) -> FloatArray:
        """Return the engine's scores of runs, shape (n_runs,).

        Args:
            values: shape (n_runs, n_columns).
        """
        assert self.engine is not None
        n_runs = len(values)
        expected, scale = (np.tile(array, (n_runs, 1)) for array in (self.expected, self.scale))
        target, baseline = engine_rows(values, expected, scale, settings)
        return self.engine.scores(target, baseline, np.full(n_runs, OWN))

    def distances(self, values: FloatArray) -> FloatArray:
        """Return the distance of each run to the nearest labelled one, shape (n_runs,)."""
        return nearest(deviations(values, self.expected, self.scale), self.remembered)


def learned_judge(known: KnownLabels, settings: Settings) -> Judge:
    """Learn from what is known of a test and of others."""
    valid = [row for row in known.rows if row.label is not Label.INVALID]
    own = [row for row in valid if row.group == OWN]
    remembered = np.round(np.array([row.deviation for row in own]), DIGITS)
    engine, held_out = None, np.empty(0)
    missed: tuple[str, ...] = ()
    left_out: list[str] = []
    if by_label(valid)[Label.BAD]:
        require_learners()
        from threadpoolctl import threadpool_limits

        # Many small fits: threads would wait for each other for longer than they compute.
        with threadpool_limits(1):
            examples = _examples(valid, settings)
            scheme = scheme_of(settings)
            engine = _own_models(train(examples, scheme, SEED))
            held_out = _find_held_out_scores(examples, valid, scheme)
            left_out = list(dict.fromkeys(row.unit for row in own if row.label is Label.BAD))[:MOST_LEFT_OUT]
            missed = tuple(_find_missed(examples, valid, left_out, scheme, held_out, settings))
    return Judge(
        known.baseline.expected,
        known.baseline.scale,
        tuple(row.run_id for row in own),
        tuple(row.label for row in own),
        remembered,
        _usual_distance(own, remembered),
        engine,
        held_out,
        _validity(known.rows),
        missed,
        len(left_out),
    )


def engine_rows(
    values: FloatArray, expected: FloatArray, scale: FloatArray, settings: Settings
) -> tuple[FloatArray, FloatArray]:
    """Return what the engine learns from: targets and their baselines, all of shape (n_runs, n_columns).

    Deviations have :data:`buto_replications.detectors.history.known.N_SIZES` columns more.
    """
    if is_deviations(settings):
        away = with_sizes(deviations(values, expected, scale))
        return away, np.zeros_like(away)
    if scheme_of(settings).row_pairing == "subtracted":
        return values, expected
    return np.arcsinh(values / scale), np.arcsinh(expected / scale)


def validity_row(deviation: FloatArray, disturbance: Sequence[float]) -> FloatArray:
    """Return what the validity tree looks at, shape (n_columns + 2,)."""
    return np.append(deviation, disturbance)


def nearest(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return for each row the distance to the nearest other one: the largest difference in any column."""
    return np.array([np.abs(others - row).max(axis=1).min() for row in rows])


def _examples(rows: Sequence[LabelledRow], settings: Settings) -> Examples:
    values = np.array([row.values for row in rows])
    expected, scale = (np.array([getattr(row, name) for row in rows]) for name in ("expected", "scale"))
    target, baseline = engine_rows(values, expected, scale, settings)
    units = {unit: number for number, unit in enumerate(dict.fromkeys(row.unit for row in rows))}
    return Examples(
        target,
        baseline,
        np.array([row.label is Label.BAD for row in rows]),
        np.array([row.group for row in rows]),
        np.array([units[row.unit] for row in rows]),
    )


def _own_models(engine: HistoryEngine) -> HistoryEngine:
    """Return the engine without the classifiers of other tests."""
    models = {group: model for group, model in engine.models.items() if group in (GLOBAL, OWN)}
    return HistoryEngine(engine.scheme, engine.projection, models)


def _find_held_out_scores(examples: Examples, rows: Sequence[LabelledRow], scheme: Scheme) -> FloatArray:
    """Return a score for each unit of own good runs, their median, by an engine without its fold; sorted."""
    judged = np.array([row.group == OWN and row.label is Label.GOOD for row in rows])
    units = np.unique(examples.configuration[judged])
    order = np.random.default_rng(SEED).permutation(len(units))
    medians: list[float] = []
    for fold in range(min(N_FOLDS, len(units))):
        chosen = units[order[fold::N_FOLDS]]
        held = judged & np.isin(examples.configuration, chosen)
        if (held | examples.abnormal).all():
            continue
        scores = _scores(train(examples.at(~held), scheme, SEED), examples, held)
        unit_of = examples.configuration[held]
        medians += [float(np.median(scores[unit_of == unit])) for unit in chosen]
    return np.sort(np.array(medians))


def _find_missed(
    examples: Examples,
    rows: Sequence[LabelledRow],
    units: Sequence[str],
    scheme: Scheme,
    held_out: FloatArray,
    settings: Settings,
) -> list[str]:
    """Return the regressions that are not found without having been learned from, by their first runs."""
    missed = []
    of_unit = np.array([row.unit for row in rows])
    for unit in units:
        held = (of_unit == unit) & examples.abnormal
        rest = examples.at(~held)
        is_found = rest.abnormal.any() and is_alarm(
            float(np.median(_scores(train(rest, scheme, SEED), examples, held))),
            held_out,
            settings.values["alpha"],
        )
        if not is_found:
            missed.append(rows[int(np.flatnonzero(held)[0])].run_id)
    return missed


def p_value(score: float, held_out: FloatArray) -> float:
    """Return the share of good units that score at least as high, with the judged check among them."""
    return float(1 + np.count_nonzero(held_out >= score)) / (len(held_out) + 1)


def is_alarm(score: float, held_out: FloatArray, alpha: float) -> bool:
    """Return whether a score is too high for a good check."""
    return p_value(score, held_out) <= alpha


def _scores(engine: HistoryEngine, examples: Examples, chosen: BoolArray) -> FloatArray:
    some = examples.at(chosen)
    groups: IntArray = some.group
    return engine.scores(some.target, some.baseline, groups)


def _usual_distance(rows: Sequence[LabelledRow], remembered: FloatArray) -> float:
    """Return how far training runs are from all other runs, at most."""
    taught = [number for number, row in enumerate(rows) if row.is_taught]
    distances = [
        nearest(remembered[[distance]], np.delete(remembered, distance, axis=0))[0] for distance in taught
    ]
    return max(USUAL_DISTANCE, USUAL_FACTOR * float(max(distances)))


def _validity(rows: Sequence[LabelledRow]) -> DecisionTree | None:
    """Return what tells runs that were labelled invalid; None if there are fewer than FEWEST_BAD."""
    invalid = np.array([row.label is Label.INVALID for row in rows])
    if np.count_nonzero(invalid) < FEWEST_BAD or invalid.all():
        return None
    require_learners()
    seen = np.array([validity_row(row.deviation, row.disturbance) for row in rows])
    return learn_tree(seen, invalid, np.ones(len(rows)), SEED)
