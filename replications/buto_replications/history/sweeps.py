"""Figures 4 to 7 of Huang et al., a support vector machine, oversampling, and what invalid data do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from buto_replications.detectors.history.engine import Balance, Scheme, cross_validated
from buto_replications.detectors.history.examples import (
    ALONE,
    ClassErrors,
    Examples,
    clustered_error,
    errors_of,
)
from buto_replications.detectors.history.learners import FOREST, LOGISTIC, SVM, TAN, TREE
from buto_replications.history.tables import CLASSIFIERS, DIMENSION, FOREST_NAME

FOLDS = 3
COSTS = (1.0, 5.0, 20.0)
RATIOS = (0.0, 5.0, 1.0)
"""Normal rows for each abnormal one; 0 keeps all, 28."""

DIMENSIONS = (10, 25, 50, 100, 200)
COPIES = 9
"""Made-up rows for each abnormal one."""

INVALID = 0.09
"""Share of the rows to learn from that are invalid, as in the paper."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One point of a figure.

    Attributes:
        shows: the figure, or what else is varied.
        setting: what is varied, in words.
        prepare: changes what is learned from.
    """

    shows: str
    classifier: str
    setting: str
    scheme: Scheme
    prepare: Callable[[Examples], Examples] = lambda learned: learned


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """What a sweep yielded; seconds are of processor time, for all folds together."""

    sweep: Sweep
    errors: ClassErrors
    error: float
    seconds: float


def sweeps(seed: int) -> Iterator[Sweep]:
    """Yield the points, all on single vectors and without grouping unless they say so."""
    names = {**CLASSIFIERS, SVM: "SVM", FOREST: FOREST_NAME}
    plain = {learner: Scheme(learner, ALONE, (DIMENSION,), grouped=False) for learner in names}
    for learner in plain:
        yield Sweep("table 2", names[learner], "as it is", plain[learner])
    for cost in COSTS:
        for learner in CLASSIFIERS:
            scheme = replace(plain[learner], balances=(Balance(cost=cost),))
            yield Sweep("figure 4", names[learner], f"cost {cost:g}", scheme)
    for grouped in (False, True):
        for ratio in RATIOS:
            for learner in CLASSIFIERS:
                scheme = replace(plain[learner], grouped=grouped, balances=(Balance(ratio=ratio),))
                kept = f"{ratio:g} to 1" if ratio else "all"
                yield Sweep("figure 5", names[learner], f"{kept}{', grouped' if grouped else ''}", scheme)
    for dimension in DIMENSIONS:
        for learner in CLASSIFIERS:
            scheme = replace(plain[learner], dimensions=(dimension,))
            yield Sweep("figures 6 and 7", names[learner], f"{dimension} dimensions", scheme)
    for learner in (TREE, LOGISTIC, TAN):
        more = Sweep("oversampling", names[learner], f"{COPIES} for each", plain[learner])
        yield replace(more, prepare=lambda learned: over_sampled(learned, COPIES, seed))
    for learner in (TREE, LOGISTIC, TAN):
        bad = Sweep("invalid data", names[learner], f"{INVALID:.0%} invalid", plain[learner])
        yield replace(bad, prepare=lambda learned: with_invalid(learned, INVALID, seed))


def point(examples: Examples, sweep: Sweep, seed: int) -> SweepPoint:
    start = process_time()
    with threadpool_limits(1):
        called = cross_validated(examples, sweep.scheme, seed, FOLDS, sweep.prepare)
    errors, error = errors_of(called, examples.abnormal), clustered_error(called, examples)
    return SweepPoint(sweep, errors, error, process_time() - start)


def over_sampled(examples: Examples, copies: int, seed: int) -> Examples:
    """Add rows between two abnormal ones of a group, so many for each; as in SMOTE, but of any two."""
    random = np.random.default_rng(seed)
    places = np.flatnonzero(examples.abnormal).repeat(copies)
    other = places.copy()
    for group in np.unique(examples.group[places]):
        ours = examples.group[places] == group
        other[ours] = random.choice(np.unique(places[ours]), np.count_nonzero(ours))
    share = random.random((len(places), 1))

    def add(rows: np.ndarray) -> np.ndarray:
        return np.vstack([rows, rows[places] + share * (rows[other] - rows[places])])

    kept = examples.at(np.concatenate([np.arange(len(examples)), places]))
    return replace(kept, target=add(examples.target), baseline=add(examples.baseline))


def with_invalid(examples: Examples, share: float, seed: int) -> Examples:
    """Replace some rows by what a broken measurement gives: each number is another row's, lost or wrong in
    its sign or size. Their labels stay, because labels belong to configurations.
    """
    random = np.random.default_rng(seed)
    target = examples.target.copy()
    rows = random.permutation(len(target))[: round(share * len(target))]
    factors = random.choice([-1.0, 0.0, 0.01, 100.0], (len(rows), target.shape[1]))
    target[rows] = factors * target[random.integers(len(target), size=len(rows))]
    return replace(examples, target=target)
