"""Classifiers of our own: tree-augmented naive Bayes, and the similarity of two vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto.run.stored import plain

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_NODES = 1 << 20
"""Numbers in one array of a stored classifier."""


class MixtureModel(ABC):
    """A classifier that has learned."""

    __slots__ = ()

    @abstractmethod
    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the log odds of each row to be abnormal, shape (n_rows,); abnormal is more likely above 0.

        Args:
            rows: shape (n_rows, n_columns), finite.
        """

    def to_data(self) -> dict[str, Any]:
        """Return plain numbers and lists."""
        data: dict[str, Any] = plain(self)
        return data


def log_odds(share: FloatArray) -> FloatArray:
    """Return the log odds of shares between 0 and 1, both excluded."""
    odds: FloatArray = np.log(share) - np.log1p(-share)
    return odds


def floats(data: Mapping[str, Any], key: str, dimensions: int = 1) -> FloatArray:
    """Return stored numbers as an array; KeyError, TypeError or ValueError for other data."""
    array = np.array(data[key], dtype=float)
    if array.ndim != dimensions or array.size > MOST_NODES or not np.isfinite(array).all():
        raise ValueError(f"{key} must be finite numbers in {dimensions} dimensions")
    return array


def wholes(data: Mapping[str, Any], key: str, low: int, high: int) -> IntArray:
    """Return stored whole numbers within both limits; KeyError, TypeError or ValueError for other data."""
    listed: Sequence[Any] = data[key]
    if not isinstance(listed, list) or not all(
        type(whole) is int and low <= whole <= high for whole in listed
    ):
        raise ValueError(f"{key} must be whole numbers from {low} to {high}")
    return np.array(listed, dtype=np.int64)


RIDGE = 1.0
"""Strength of the penalty on the squared weights."""

MOST_STEPS = 300
TOLERANCE = 1e-7
"""EM ends when a step improves the objective by less than this share."""

STARTS = 3


@dataclass(frozen=True, eq=False, slots=True)
class Similarity(MixtureModel):
    """The weights that both vectors of a pair share.

    Attributes:
        weights: shape (n_columns,).
    """

    weights: FloatArray
    intercept: float

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return the log odds of each pair to be abnormal.

        Args:
            rows: shape (n_pairs, 2 * n_columns), the target's columns before the baseline's.
        """
        target, baseline = np.hsplit(rows, 2)
        return pair_odds(target @ self.weights + self.intercept, baseline @ self.weights + self.intercept)

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        weights = floats(data, "weights")
        if 2 * len(weights) != n_columns:
            raise ValueError(f"there must be {n_columns // 2} weights")
        return cls(weights, float(floats(data, "intercept", 0)))


@dataclass(frozen=True, eq=False, slots=True)
class LearnedMixture:
    """What EM found.

    Attributes:
        model: with the largest objective of all starts.
        objectives: penalised log likelihood after each step; never falls.
    """

    model: Similarity
    objectives: tuple[float, ...]


def learn_similarity(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> Similarity:
    """Return the best model from some random starts; ``weights`` as for a tree."""
    random = np.random.default_rng(seed)
    n_columns = rows.shape[1] // 2
    starts = random.normal(0, 1 / np.sqrt(n_columns), (STARTS, n_columns + 1))
    fits = [expectation_maximisation(rows, abnormal, weights, start) for start in starts]
    return max(fits, key=lambda learned: learned.objectives[-1]).model


def expectation_maximisation(
    rows: FloatArray, abnormal: BoolArray, weights: FloatArray, start: FloatArray
) -> LearnedMixture:
    """Return the model to which EM climbs from a start.

    Args:
        rows: as for :meth:`Similarity.scores`.
        start: shape (n_columns + 1,), weights and intercept.

    Raises:
        UsageError: all weights of the start are zero.
    """
    if not np.any(start[:-1]):
        raise UsageError(
            "EM cannot start with all weights zero: it would never leave them; use a random start"
        )
    n_pairs = len(rows)
    both = np.vstack(np.hsplit(rows, 2))
    columns = np.column_stack([both, np.ones(len(both))])
    twice = np.concatenate([weights, weights])
    coefficients, objectives = start.astype(float), [objective(start, columns, abnormal, weights)]
    for _ in range(MOST_STEPS):
        hidden = _find_hidden(columns[:n_pairs] @ coefficients, columns[n_pairs:] @ coefficients, abnormal)
        coefficients = _maximise(columns, hidden, twice, coefficients)
        objectives.append(objective(coefficients, columns, abnormal, weights))
        if objectives[-1] - objectives[-2] <= TOLERANCE * abs(objectives[-1]):
            break
    return LearnedMixture(Similarity(coefficients[:-1].copy(), float(coefficients[-1])), tuple(objectives))


def objective(parameters: FloatArray, columns: FloatArray, abnormal: BoolArray, weights: FloatArray) -> float:
    """Return the penalised log likelihood.

    Args:
        parameters: shape (n_columns + 1,), weights and intercept.
        columns: shape (2 * n_pairs, n_columns + 1), all targets before all baselines, the last column 1.
    """
    target, baseline = np.split(columns @ parameters, 2)
    odds = pair_odds(target, baseline)
    likely = -np.logaddexp(0.0, np.where(abnormal, -odds, odds))
    return float(weights @ likely - 0.5 * RIDGE * parameters[:-1] @ parameters[:-1])


def pair_odds(target: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return the log odds that the hidden classes of two vectors differ, from the log odds of each."""
    odds: FloatArray = np.logaddexp(target, baseline) - np.logaddexp(0.0, target + baseline)
    return odds


def _find_hidden(target: FloatArray, baseline: FloatArray, abnormal: BoolArray) -> FloatArray:
    """Return the probabilities of class 1 given the labels, of all targets, then of all baselines."""
    alike = _sigma(target + baseline)
    differ = _sigma(target - baseline)
    return np.concatenate([np.where(abnormal, differ, alike), np.where(abnormal, 1 - differ, alike)])


def _maximise(columns: FloatArray, hidden: FloatArray, weights: FloatArray, start: FloatArray) -> FloatArray:
    """Return parameters after one step of Newton's method, halved until the expected likelihood rises."""
    penalty = np.full(len(start), RIDGE)
    penalty[-1] = 0.0

    def find_expected(parameters: FloatArray) -> float:
        odds = columns @ parameters
        return float(
            weights @ (hidden * odds - np.logaddexp(0.0, odds)) - 0.5 * parameters @ (penalty * parameters)
        )

    probability = _sigma(columns @ start)
    gradient = columns.T @ (weights * (hidden - probability)) - penalty * start
    curvature = weights * probability * (1 - probability)
    hessian = (columns.T * curvature) @ columns + np.diag(penalty + 1e-9)
    step, before = np.linalg.solve(hessian, gradient), find_expected(start)
    for _ in range(30):
        if find_expected(start + step) >= before:
            moved: FloatArray = start + step
            return moved
        step = step / 2
    return start


def _sigma(odds: FloatArray) -> FloatArray:
    share: FloatArray = np.exp(-np.logaddexp(0.0, -odds))
    return share


N_BINS = 5
BLOCK = 64
"""Columns that are compared with all others at once, so that memory suffices for thousands of columns."""

PRIOR = 1.0
"""Rows that each bin has before any is seen."""

ROOT = -1


@dataclass(frozen=True, eq=False, slots=True)
class TreeBayes(MixtureModel):
    """The tree and its tables.

    Attributes:
        edges: shape (n_columns, n_bins - 1), limits of the bins.
        parent: shape (n_columns,), the column that a column depends on, -1 for none.
        ratios: shape (n_columns, n_bins, n_bins), log of how much more likely a bin is in abnormal rows than
            in normal ones, by the parent's bin and its own; of a column without a parent all rows are equal.
        odds: log odds of a row of which nothing is known.
    """

    edges: FloatArray
    parent: IntArray
    ratios: FloatArray
    odds: float

    def scores(self, rows: FloatArray) -> FloatArray:
        bins = binned(rows, self.edges)
        above = bins[:, np.maximum(self.parent, 0)]
        scores: FloatArray = self.odds + self.ratios[np.arange(len(self.parent)), above, bins].sum(axis=1)
        return scores

    @classmethod
    def from_data(cls, data: Mapping[str, Any], n_columns: int) -> Self:
        edges, ratios = floats(data, "edges", 2), floats(data, "ratios", 3)
        parent = wholes(data, "parent", ROOT, n_columns - 1)
        n_bins = edges.shape[1] + 1
        if len(parent) != n_columns or len(edges) != n_columns:
            raise ValueError(f"there must be {n_columns} columns")
        if ratios.shape != (n_columns, n_bins, n_bins):
            raise ValueError("each column must have a table of its bins by those of its parent")
        return cls(edges, parent, ratios, float(floats(data, "odds", 0)))


def learn_tan(rows: FloatArray, abnormal: BoolArray, weights: FloatArray, seed: int) -> TreeBayes:
    """Return the network of rows of both classes; ``weights`` as for a tree. Nothing is random."""
    edges = bin_edges(rows)
    bins = binned(rows, edges)
    parent = spanning_tree(information(bins, abnormal, weights))
    return TreeBayes(edges, parent, _ratios(bins, abnormal, weights, parent), _odds(abnormal, weights))


def bin_edges(rows: FloatArray) -> FloatArray:
    """Return limits between bins of equally many rows, shape (n_columns, N_BINS - 1)."""
    edges: FloatArray = np.quantile(rows, np.arange(1, N_BINS) / N_BINS, axis=0).T
    return edges


def binned(rows: FloatArray, edges: FloatArray) -> IntArray:
    """Return the bin of each value, shape (n_rows, n_columns); a value that is a limit is above it."""
    bins = np.zeros(rows.shape, dtype=np.int64)
    for limit in edges.T:
        bins += rows >= limit
    return bins


def information(bins: IntArray, abnormal: BoolArray, weights: FloatArray) -> FloatArray:
    """Return what two columns tell of each other within the classes, shape (n_columns, n_columns).

    Args:
        bins: shape (n_rows, n_columns), from 0 to N_BINS - 1.
        abnormal, weights: shape (n_rows,), the class of each row and how much it counts.
    """
    n_columns = bins.shape[1]
    shared = np.zeros((n_columns, n_columns))
    for is_abnormal in (False, True):
        ours, weight = bins[abnormal == is_abnormal], weights[abnormal == is_abnormal]
        seen = (ours[:, :, None] == np.arange(N_BINS)).reshape(len(ours), -1).astype(float)
        weighted, size = seen * weight[:, None], weight.sum()
        single = weighted.sum(axis=0).reshape(n_columns, N_BINS)
        for first in range(0, n_columns if size else 0, BLOCK):
            block = slice(first, first + BLOCK)
            table = weighted[:, first * N_BINS : (first + BLOCK) * N_BINS].T @ seen
            table = table.reshape(-1, N_BINS, n_columns, N_BINS)
            expected = single[block][:, :, None, None] * single[None, None] / size
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(table > 0, table * np.log(table / expected), 0.0)
            shared[block] += terms.sum(axis=(1, 3)) / weights.sum()
    return shared


def spanning_tree(weights: FloatArray) -> IntArray:
    """Return each column's parent in the spanning tree of greatest weight from column 0, shape (n_columns,).

    Prim's algorithm; of equal weights the first column counts.

    Args:
        weights: shape (n_columns, n_columns), symmetric.
    """
    n_columns = len(weights)
    parent = np.full(n_columns, ROOT, dtype=np.int64)
    best, source = weights[0].copy(), np.zeros(n_columns, dtype=np.int64)
    outside = np.arange(n_columns) > 0
    for _ in range(n_columns - 1):
        nearest = int(np.argmax(np.where(outside, best, -np.inf)))
        parent[nearest], outside[nearest] = source[nearest], False
        nearer = outside & (weights[nearest] > best)
        best[nearer], source[nearer] = weights[nearest][nearer], nearest
    return parent


def _ratios(bins: IntArray, abnormal: BoolArray, weights: FloatArray, parent: IntArray) -> FloatArray:
    """Return the log ratio of both classes' tables, see :class:`TreeBayes`."""
    n_columns = len(parent)
    above = bins[:, np.maximum(parent, 0)]
    cell = (np.arange(n_columns) * N_BINS + above) * N_BINS + bins
    logs = []
    for is_abnormal in (False, True):
        weight = np.where(abnormal == is_abnormal, weights, 0.0).repeat(n_columns)
        table = np.bincount(cell.ravel(), weight, n_columns * N_BINS**2).reshape(n_columns, N_BINS, N_BINS)
        table[parent == ROOT] = table[parent == ROOT].sum(axis=1, keepdims=True)
        smooth = table + PRIOR
        logs.append(np.log(smooth / smooth.sum(axis=2, keepdims=True)))
    ratios: FloatArray = logs[1] - logs[0]
    return ratios


def _odds(abnormal: BoolArray, weights: FloatArray) -> float:
    return float(np.log(weights[abnormal].sum() / weights[~abnormal].sum()))
