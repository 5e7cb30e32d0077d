"""The engine: learns from labelled rows which changes are abnormal (Huang and others, 2015, figure 3).

Training leaves out invalid rows and learns one scale and one projection for all groups from all rows. Each
group then has a classifier, after under-sampling and with costs; groups with too few abnormal rows share a
global one. Prediction projects a row and asks the group's classifier. Scale, projection, under-sampling and
costs are learned from training rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from buto.run.model import FloatArray
from buto.run.stored import plain
from buto_replications.detectors.history.examples import (
    ALONE,
    CONCATENATED,
    THIRDS,
    ClassErrors,
    Examples,
    errors_of,
    grouped_folds,
    has_both,
    paired,
    two_to_one,
)
from buto_replications.detectors.history.learners import LEARNERS, READERS, SIMILARITY, TREE
from buto_replications.detectors.history.similarity import BoolArray, IntArray, MixtureModel, floats

FARTHEST = 20.0
"""Deviations from the mean beyond which a value is equally far."""


@dataclass(frozen=True, eq=False, slots=True)
class Projection:
    """Scales columns and projects them on the directions in which rows differ most.

    Attributes:
        centre, scale: shape (n_columns,); a column that never varies has scale 1.
        directions: shape (n_dimensions, n_columns); None to keep all columns.
    """

    centre: FloatArray
    scale: FloatArray
    directions: FloatArray | None

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return rows of shape (n_rows, n_dimensions)."""
        scaled: FloatArray = np.clip((rows - self.centre) / self.scale, -FARTHEST, FARTHEST)
        return scaled if self.directions is None else scaled @ self.directions.T

    @property
    def n_dimensions(self) -> int:
        return len(self.centre) if self.directions is None else len(self.directions)

    def cut(self, dimension: int | None) -> Self:
        """Return the same projection with fewer directions; with all columns for None."""
        directions = None if dimension is None or self.directions is None else self.directions[:dimension]
        return type(self)(self.centre, self.scale, directions)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read stored numbers; KeyError, TypeError or ValueError for other data."""
        centre, scale = floats(data, "centre"), floats(data, "scale")
        directions = None if data["directions"] is None else floats(data, "directions", 2)
        if len(scale) != len(centre) or not (scale > 0).all():
            raise ValueError("each column must have a centre and a positive scale")
        if directions is not None and directions.shape[1] != len(centre):
            raise ValueError("a direction must have a number for each column")
        return cls(centre, scale, directions)


def learn_projection(rows: FloatArray, dimension: int | None) -> Projection:
    """Return the projection on so many directions, fewer if rows or columns are fewer; None for no
    projection.
    """
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    # A column that never varies: its deviation is that of rounding.
    still = scale <= 1e-9 * np.maximum(np.abs(centre), 1e-300)
    plain = Projection(centre, np.where(still, 1.0, scale), None)
    if dimension is None or dimension >= rows.shape[1]:
        return plain
    from sklearn.decomposition import PCA

    scaled = plain(rows)
    learner = PCA(min(dimension, *scaled.shape), svd_solver="covariance_eigh").fit(scaled)
    return Projection(plain.centre, plain.scale, np.ascontiguousarray(learner.components_, dtype=float))


ALL_ROWS = 0.0
"""A ratio of normal to abnormal rows that keeps all of them."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What is done against imbalance.

    Attributes:
        ratio: how many normal rows are kept for each abnormal one; :data:`ALL_ROWS` for all.
        cost: how many times as much a missed abnormal row counts as a false alarm.
    """

    ratio: float = ALL_ROWS
    cost: float = 1.0


NO_BALANCE = (Balance(),)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Settings of the engine.

    Attributes:
        learner: by its name in :data:`learners.LEARNERS`.
        pairing: how a baseline is taken into account; the similarity learner has its own way.
        dimensions: that are tried; the one with the best balanced accuracy is kept. Empty for no projection.
        balances: that are tried for each classifier; the one with the best balanced accuracy is kept.
        fewest_abnormal: a group with fewer abnormal rows has the global classifier.
        tries_groups: whether groups have classifiers of their own only if they then have the better balanced
            accuracy in grouped folds within the training rows.
    """

    learner: str = TREE
    pairing: str = ALONE
    dimensions: tuple[int, ...] = ()
    grouped: bool = True
    balances: tuple[Balance, ...] = NO_BALANCE
    fewest_abnormal: int = 4
    tries_groups: bool = False

    @property
    def is_similarity(self) -> bool:
        """Whether target and baseline share their weights, and so also scale and projection."""
        return self.learner == SIMILARITY

    @property
    def row_pairing(self) -> str:
        return CONCATENATED if self.is_similarity else self.pairing


DIMENSIONS = (10, 25, 50, 100)


def within(limit: int) -> tuple[int, ...]:
    """Return the dimensions to try under a limit, which is the last of them."""
    return (*(dimension for dimension in DIMENSIONS if dimension < limit), limit)


GLOBAL = -1
"""The group of the classifier that was learned from all rows."""


@dataclass(frozen=True, eq=False, slots=True)
class HistoryEngine:
    """What was learned.

    Attributes:
        projection: of rows; of single vectors if they share their weights.
        models: by group, :data:`GLOBAL` for all others.
    """

    scheme: Scheme
    projection: Projection
    models: Mapping[int, MixtureModel]

    def scores(self, target: FloatArray, baseline: FloatArray, group: IntArray) -> FloatArray:
        """Return the log odds of each row to be abnormal, shape (n_rows,).

        Args:
            target, baseline: shape (n_rows, n_columns).
            group: shape (n_rows,).
        """
        rows = project(self.scheme, self.projection, target, baseline)
        scores = np.empty(len(rows))
        for present_group in np.unique(group):
            model = self.models.get(int(present_group), self.models[GLOBAL])
            scores[group == present_group] = model.scores(rows[group == present_group])
        return scores

    def predict(self, examples: Examples) -> BoolArray:
        """Return which examples are abnormal; their labels are not looked at."""
        abnormal: BoolArray = self.scores(examples.target, examples.baseline, examples.group) > 0
        return abnormal

    def to_data(self) -> dict[str, Any]:
        return {
            "projection": plain(self.projection),
            "models": [{"group": group, **model.to_data()} for group, model in sorted(self.models.items())],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], scheme: Scheme) -> Self:
        """Invert :meth:`to_data`; KeyError, TypeError or ValueError for other data."""
        projection = Projection.from_data(data["projection"])
        n_columns = projection.n_dimensions * (2 if scheme.is_similarity else 1)
        blocks: Sequence[Mapping[str, Any]] = data["models"]
        models = {int(block["group"]): READERS[scheme.learner](block, n_columns) for block in blocks}
        if GLOBAL not in models:
            raise ValueError("there is no global classifier")
        return cls(scheme, projection, models)


def train(examples: Examples, scheme: Scheme, seed: int) -> HistoryEngine:
    """Learn from valid examples of both classes; ValueError if one class is missing."""
    if not has_both(examples.abnormal):
        raise ValueError("there must be normal and abnormal examples")
    widest = learned_projection(examples, scheme, max(scheme.dimensions, default=None))
    projection = widest.cut(_best_dimension(examples, scheme, seed)) if scheme.dimensions else widest
    rows = project(scheme, projection, examples.target, examples.baseline)
    everything = np.ones(len(rows), dtype=bool)
    models = {GLOBAL: _learn(rows, examples, everything, scheme, seed)}
    for group in _helpful_groups(examples, scheme, projection.n_dimensions, seed):
        models[group] = _learn(rows, examples, examples.group == group, scheme, seed)
    return HistoryEngine(scheme, projection, models)


def learned_projection(examples: Examples, scheme: Scheme, dimension: int | None) -> Projection:
    """Return the projection of all examples; where both vectors share their weights, of single vectors."""
    if scheme.is_similarity:
        return learn_projection(np.vstack([examples.target, examples.baseline]), dimension)
    return learn_projection(paired(examples.target, examples.baseline, scheme.pairing), dimension)


def project(scheme: Scheme, projection: Projection, target: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return the rows that classifiers see."""
    if scheme.is_similarity:
        return np.hstack([projection(target), projection(baseline)])
    return projection(paired(target, baseline, scheme.pairing))


def _helpful_groups(examples: Examples, scheme: Scheme, dimension: int, seed: int) -> list[int]:
    """Return the groups that have a classifier of their own.

    If groups are tried, none has one unless all of them together are better than the global classifier, by
    balanced accuracy in grouped folds of these examples, without balance. Folds with only one class to learn
    from are left out.
    """
    groups = _large_groups(examples, scheme)
    if not scheme.tries_groups or not groups:
        return groups
    dimensions = (dimension,) if scheme.dimensions else ()
    always = replace(scheme, dimensions=dimensions, balances=scheme.balances[:1], tries_groups=False)
    by_group, by_all, tried = (np.zeros(len(examples), dtype=bool) for _ in range(3))
    for learned, held_out in grouped_folds(examples, THIRDS, seed):
        if not has_both(examples.abnormal[learned]):
            continue
        tried[held_out] = True
        engine, judged = train(examples.at(learned), always, seed), examples.at(held_out)
        by_group[held_out] = engine.predict(judged)
        by_all[held_out] = HistoryEngine(always, engine.projection, {GLOBAL: engine.models[GLOBAL]}).predict(
            judged
        )
    labels = examples.abnormal[tried]
    accuracy = [errors_of(scores[tried], labels).balanced_accuracy for scores in (by_group, by_all)]
    return groups if accuracy[0] > accuracy[1] else []


def _large_groups(examples: Examples, scheme: Scheme) -> list[int]:
    """Return the groups with enough abnormal rows, and any normal ones, for a classifier of their own."""
    groups = np.unique(examples.group)
    # The only group is learned as that of all rows.
    if not scheme.grouped or len(groups) < 2:
        return []
    return [
        int(group)
        for group in groups
        if np.count_nonzero(examples.abnormal[examples.group == group]) >= scheme.fewest_abnormal
        and not examples.abnormal[examples.group == group].all()
    ]


def _best_dimension(examples: Examples, scheme: Scheme, seed: int) -> int:
    """Return the dimension with the best balanced accuracy on a third that was not learned from.

    Of equally good ones the smallest; the largest if there are too few examples to try.
    """
    tried, divided = sorted(scheme.dimensions), two_to_one(examples, seed)
    if len(tried) == 1 or divided is None:
        return tried[-1]
    learned, held_out = (examples.at(part) for part in divided)
    widest = learned_projection(learned, scheme, tried[-1])
    plain = Scheme(
        scheme.learner, scheme.pairing, (), scheme.grouped, scheme.balances[:1], scheme.fewest_abnormal
    )
    accuracies = []
    for dimension in tried:
        projection = widest.cut(dimension)
        rows = project(plain, projection, learned.target, learned.baseline)
        models = {GLOBAL: _learn(rows, learned, np.ones(len(rows), dtype=bool), plain, seed)}
        for group in _large_groups(learned, plain):
            models[group] = _learn(rows, learned, learned.group == group, plain, seed)
        predicted = HistoryEngine(plain, projection, models).predict(held_out)
        accuracies.append(errors_of(predicted, held_out.abnormal).balanced_accuracy)
    return tried[int(np.argmax(accuracies))]


def _learn(
    rows: FloatArray, examples: Examples, chosen: BoolArray, scheme: Scheme, seed: int
) -> MixtureModel:
    """Return the classifier of some rows with the balance that is best for them."""
    some, labelled = rows[chosen], examples.at(chosen)
    balance = _best_balance(some, labelled, scheme, seed)
    return _balance(some, labelled.abnormal, scheme, balance, seed)


def _best_balance(rows: FloatArray, examples: Examples, scheme: Scheme, seed: int) -> Balance:
    """Return the balance with the best balanced accuracy on a third, the first of equally good ones."""
    if len(scheme.balances) == 1:
        return scheme.balances[0]
    divided = two_to_one(examples, seed)
    if divided is None:
        return scheme.balances[0]
    learned, held_out = divided
    accuracies = []
    for balance in scheme.balances:
        model = _balance(rows[learned], examples.abnormal[learned], scheme, balance, seed)
        predicted = model.scores(rows[held_out]) > 0
        accuracies.append(errors_of(predicted, examples.abnormal[held_out]).balanced_accuracy)
    return scheme.balances[int(np.argmax(accuracies))]


def _balance(
    rows: FloatArray, abnormal: BoolArray, scheme: Scheme, balance: Balance, seed: int
) -> MixtureModel:
    kept = under_sampled(abnormal, balance.ratio, seed)
    weights = np.where(abnormal[kept], balance.cost, 1.0)
    return LEARNERS[scheme.learner](rows[kept], abnormal[kept], weights, seed)


def under_sampled(abnormal: BoolArray, ratio: float, seed: int) -> IntArray:
    """Return the places of all abnormal rows and of at most so many random normal ones for each."""
    normal = np.flatnonzero(~abnormal)
    n_kept = max(1, round(ratio * np.count_nonzero(abnormal)))
    if ratio != ALL_ROWS and n_kept < len(normal):
        normal = np.random.default_rng(seed).permutation(normal)[:n_kept]
    return np.sort(np.concatenate([normal, np.flatnonzero(abnormal)]))


N_FOLDS = 10


def cross_validated(
    examples: Examples,
    scheme: Scheme,
    seed: int,
    n_folds: int = N_FOLDS,
    prepare: Callable[[Examples], Examples] = lambda learned: learned,
) -> BoolArray:
    """Return for each example whether an engine that has not seen its configuration calls it abnormal.

    Args:
        prepare: changes the examples that are learned from, in each fold.

    ValueError if abnormal or normal examples are of one configuration only.
    """
    predicted = np.zeros(len(examples), dtype=bool)
    n_done = 0
    for learned, held_out in grouped_folds(examples, n_folds, seed):
        prepared, judged = prepare(examples.at(learned)), examples.at(held_out)
        predicted[held_out] = learned_predictions(prepared, judged, scheme, seed)
        n_done += 1
    if not n_done:
        raise ValueError("normal and abnormal examples must be of at least two configurations each")
    return predicted


def learned_predictions(learned: Examples, judged: Examples, scheme: Scheme, seed: int) -> BoolArray:
    """Return whether an engine that knows some examples calls others abnormal, shape (n_judged,).

    An engine that learned from one class only calls every row that class.
    """
    if not has_both(learned.abnormal):
        return np.full(len(judged), bool(learned.abnormal.all()))
    return train(learned, scheme, seed).predict(judged)


def cross_validated_errors(
    examples: Examples, scheme: Scheme, seed: int, n_folds: int = N_FOLDS
) -> ClassErrors:
    """Return the errors on all examples, see :func:`cross_validated`."""
    return errors_of(cross_validated(examples, scheme, seed, n_folds), examples.abnormal)
