"""Training and prediction (Huang and others, 2015, figure 3).

Training: leave out invalid rows; one projection from all rows; a classifier for each group, after
under-sampling and with costs; a global classifier for groups with too few abnormal rows. Prediction: project,
then the group's classifier. Scale, projection, under-sampling and costs are learned from training rows only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.folds import THIRDS, grouped_folds, has_both, two_to_one
from buto.detectors.history.engine.measures import errors_of
from buto.detectors.history.engine.models.learners import LEARNERS, READERS
from buto.detectors.history.engine.models.model import BoolArray, IntArray, Model
from buto.detectors.history.engine.pairing import paired
from buto.detectors.history.engine.projection import Projection, learn_projection
from buto.detectors.history.engine.scheme import ALL_ROWS, Balance, Scheme
from buto.runs import FloatArray

GLOBAL = -1
"""The group of the classifier that was learned from all rows."""


@dataclass(frozen=True, eq=False, slots=True)
class Engine:
    """What was learned.

    Attributes:
        projection: of rows; of single vectors if they share their weights.
        models: by group, :data:`GLOBAL` for all others.
    """

    scheme: Scheme
    projection: Projection
    models: Mapping[int, Model]

    def scores(self, target: FloatArray, baseline: FloatArray, group: IntArray) -> FloatArray:
        """Return the log odds of each row to be abnormal, shape (n_rows,).

        Args:
            target, baseline: shape (n_rows, n_columns).
            group: shape (n_rows,).
        """
        rows = project(self.scheme, self.projection, target, baseline)
        scores = np.empty(len(rows))
        for one in np.unique(group):
            model = self.models.get(int(one), self.models[GLOBAL])
            scores[group == one] = model.scores(rows[group == one])
        return scores

    def predict(self, examples: Examples) -> BoolArray:
        """Return which examples are abnormal; their labels are not looked at."""
        abnormal: BoolArray = self.scores(examples.target, examples.baseline, examples.group) > 0
        return abnormal

    def to_data(self) -> dict[str, Any]:
        """Return plain numbers, texts and lists."""
        return {
            "projection": self.projection.to_data(),
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


def train(examples: Examples, scheme: Scheme, seed: int) -> Engine:
    """Learn from valid examples of both classes; ValueError if one class is missing."""
    if not has_both(examples.abnormal):
        raise ValueError("there must be normal and abnormal examples")
    widest = learned_projection(examples, scheme, max(scheme.dimensions, default=None))
    projection = widest.cut(_best_dimension(examples, scheme, seed)) if scheme.dimensions else widest
    rows = project(scheme, projection, examples.target, examples.baseline)
    everything = np.ones(len(rows), dtype=bool)
    models = {GLOBAL: _learned(rows, examples, everything, scheme, seed)}
    for group in _helpful_groups(examples, scheme, projection.n_dimensions, seed):
        models[group] = _learned(rows, examples, examples.group == group, scheme, seed)
    return Engine(scheme, projection, models)


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
        by_all[held_out] = Engine(always, engine.projection, {GLOBAL: engine.models[GLOBAL]}).predict(judged)
    labels = examples.abnormal[tried]
    accuracy = [errors_of(one[tried], labels).balanced_accuracy for one in (by_group, by_all)]
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
        scheme.learner,
        scheme.pairing,
        (),
        scheme.grouped,
        scheme.balances[:1],
        scheme.fewest_abnormal,
    )
    accuracies = []
    for dimension in tried:
        projection = widest.cut(dimension)
        rows = project(plain, projection, learned.target, learned.baseline)
        models = {GLOBAL: _learned(rows, learned, np.ones(len(rows), dtype=bool), plain, seed)}
        for group in _large_groups(learned, plain):
            models[group] = _learned(rows, learned, learned.group == group, plain, seed)
        predicted = Engine(plain, projection, models).predict(held_out)
        accuracies.append(errors_of(predicted, held_out.abnormal).balanced_accuracy)
    return tried[int(np.argmax(accuracies))]


def _learned(rows: FloatArray, examples: Examples, chosen: BoolArray, scheme: Scheme, seed: int) -> Model:
    """Return the classifier of some rows with the balance that is best for them."""
    some, labelled = rows[chosen], examples.at(chosen)
    balance = _best_balance(some, labelled, scheme, seed)
    return _balanced(some, labelled.abnormal, scheme, balance, seed)


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
        model = _balanced(rows[learned], examples.abnormal[learned], scheme, balance, seed)
        predicted = model.scores(rows[held_out]) > 0
        accuracies.append(errors_of(predicted, examples.abnormal[held_out]).balanced_accuracy)
    return scheme.balances[int(np.argmax(accuracies))]


def _balanced(rows: FloatArray, abnormal: BoolArray, scheme: Scheme, balance: Balance, seed: int) -> Model:
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
