"""The paper's tables 4 to 8, their trials on other histories, and regressions of kinds not learned from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from buto_replications.detectors.history.engine import (
    NO_BALANCE,
    Balance,
    Scheme,
    cross_validated,
    learned_predictions,
)
from buto_replications.detectors.history.examples import (
    ALONE,
    CONCATENATED,
    SUBTRACTED,
    ClassErrors,
    Examples,
    clustered_error,
    errors_of,
)
from buto_replications.detectors.history.learners import FOREST, LOGISTIC, SIMILARITY, TAN, TREE
from buto_replications.detectors.history.similarity import BoolArray, IntArray
from buto_replications.history.replay import History, TextArray, summarised

DIMENSION = 50
BALANCES = (Balance(), Balance(cost=5.0), Balance(ratio=5.0))
CLASSIFIERS = {TREE: "DTree", LOGISTIC: "Logistic", TAN: "TAN"}
SIMILARITY_NAME, FOREST_NAME = "Sim-Logistic", "Forest"
PREFIXES = {ALONE: "", CONCATENATED: "Conc-", SUBTRACTED: "Sub-"}
CHOSEN = ", chosen"
"""After the name of a classifier: groups have one of their own only if folds within the training say so."""

MOST_COLUMNS_OF_TAN = 1000
"""TAN compares each column with each other one, which takes hours for thousands of columns."""

UNSEEN_KIND, UNSEEN_PROGRAM = "new kind", "new program"
"""Instead of a table's number: no regression of this kind, or of this program, was learned from."""


@dataclass(frozen=True, eq=False, slots=True)
class TableTrial:
    """One row of a table to be measured.

    Attributes:
        table: its number in the paper, or what is measured instead.
        classifier: as the paper calls it; of forests it has table 2 alone, and :data:`CHOSEN` is not in it.
        is_summary: whether only summary metrics are learned from.
        kinds: of the rows; those of the judged regressions are not learned from. None for all other trials.
    """

    table: str
    classifier: str
    scheme: Scheme
    is_summary: bool = False
    kinds: TextArray | None = None


@dataclass(frozen=True, eq=False, slots=True)
class MeasuredTrial:
    """What a trial yielded.

    Attributes:
        error: standard error of the balanced accuracy, clustered by group; NaN if it is not known.
        seconds: of processor time, for all folds together.
    """

    trial: TableTrial
    errors: ClassErrors
    error: float
    seconds: float


def paper_trials() -> Iterator[TableTrial]:
    """Yield the rows of Tables 4 to 8, and the full scheme of Table 5 for differences from the baseline, too.

    In Table 5, all but the similarity learner see single vectors.
    """
    for learner, name in CLASSIFIERS.items():
        yield TableTrial("4", name, Scheme(learner, grouped=False), is_summary=True)
    for pairing in (ALONE, SUBTRACTED):
        for learner, name in CLASSIFIERS.items():
            yield TableTrial(
                "5", f"{PREFIXES[pairing]}{name}", Scheme(learner, pairing, (DIMENSION,), True, BALANCES)
            )
    yield TableTrial("5", SIMILARITY_NAME, Scheme(SIMILARITY, ALONE, (DIMENSION,), True, NO_BALANCE))
    for table, grouped in (("6", False), ("7", True)):
        for learner, name in CLASSIFIERS.items():
            yield TableTrial(table, name, Scheme(learner, ALONE, (DIMENSION,), grouped))
    yield TableTrial("8", SIMILARITY_NAME, Scheme(SIMILARITY, ALONE, (DIMENSION,), grouped=False))
    for learner, name in CLASSIFIERS.items():
        for pairing in (CONCATENATED, SUBTRACTED):
            scheme = Scheme(learner, pairing, (DIMENSION,), grouped=False)
            yield TableTrial("8", f"{PREFIXES[pairing]}{name}", scheme)


def replay_trials(history: History) -> Iterator[TableTrial]:
    """Yield rows like those of Tables 5 to 7 for targets that are deviations from their baselines, and rows
    of regressions that were not learned from. TAN sees a projection, the others all columns.
    """
    n_groups, n_columns = len(history.groups), history.deviating.target.shape[1]
    wide = n_columns > MOST_COLUMNS_OF_TAN
    known = {learner: name for learner, name in CLASSIFIERS.items() if not (wide and learner == TAN)}
    every = {**known, FOREST: FOREST_NAME}

    def plain(learner: str) -> Scheme:
        return Scheme(learner, ALONE, (DIMENSION,) if learner == TAN else (), grouped=False)

    for learner, name in known.items() if n_groups > 1 else ():
        full = replace(plain(learner), grouped=True, balances=BALANCES, tries_groups=True)
        yield TableTrial("5", f"{name}{CHOSEN}", full)
    for learner, name in every.items():
        yield TableTrial("6", name, plain(learner))
    for learner, name in known.items() if n_groups > 1 else ():
        yield TableTrial("7", name, replace(plain(learner), grouped=True))
    for learner, name in every.items():
        yield TableTrial(UNSEEN_KIND, name, plain(learner), kinds=history.kinds)
        if n_groups > 1:
            yield TableTrial(UNSEEN_PROGRAM, name, plain(learner), kinds=history.programs)


def measured(examples: Examples, trial: TableTrial, seed: int, n_folds: int) -> MeasuredTrial:
    """Return the errors of a trial by grouped folds, and the time that it took."""
    if trial.is_summary:
        target, baseline = summarised(examples.target), summarised(examples.baseline)
        examples = replace(examples, target=target, baseline=baseline)
    from threadpoolctl import threadpool_limits

    start = process_time()
    # Many small fits: threads would wait for each other for longer than they compute.
    with threadpool_limits(1):
        if trial.kinds is None:
            predicted = cross_validated(examples, trial.scheme, seed, n_folds)
        else:
            predicted = unseen(examples, trial.kinds, trial.scheme, seed, n_folds)
    errors = errors_of(predicted, examples.abnormal)
    return MeasuredTrial(trial, errors, clustered_error(predicted, examples), process_time() - start)


NORMAL, ABNORMAL = 20_180, 740
"""Vectors of Tables 4 to 7."""

PAIRS, ABNORMAL_PAIRS = 9_540, 377
"""Pairs of vectors of Table 8 and of the last row of Table 5."""

TOLERANCE = 0.0051
"""Printed accuracies have two digits."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table."""

    table: int
    classifier: str
    printed: float
    errors: ClassErrors


def _row(table: int, classifier: str, printed: float, positives: int, negatives: int) -> TableRow:
    is_pairs = table == 8 or classifier == "Sim-Logistic"
    normal, abnormal = (PAIRS - ABNORMAL_PAIRS, ABNORMAL_PAIRS) if is_pairs else (NORMAL, ABNORMAL)
    return TableRow(table, classifier, printed, ClassErrors(normal, abnormal, positives, negatives))


ROWS = (
    _row(4, "DTree", 0.61, 58, 577),
    _row(4, "Logistic", 0.50, 2, 739),
    _row(4, "TAN", 0.59, 172, 605),
    _row(5, "DTree", 0.91, 280, 122),
    _row(5, "Logistic", 0.81, 808, 253),
    _row(5, "TAN", 0.87, 846, 160),
    _row(5, "Sim-Logistic", 0.82, 454, 117),
    _row(6, "DTree", 0.81, 179, 282),
    _row(6, "Logistic", 0.54, 43, 674),
    _row(6, "TAN", 0.78, 1149, 277),
    _row(7, "DTree", 0.85, 157, 223),
    _row(7, "Logistic", 0.77, 332, 322),
    _row(7, "TAN", 0.83, 390, 235),
    _row(8, "Sim-Logistic", 0.69, 379, 215),
    _row(8, "Conc-Logistic", 0.61, 99, 290),
    _row(8, "Sub-Logistic", 0.55, 45, 334),
    _row(8, "Conc-DTree", 0.81, 72, 138),
    _row(8, "Sub-DTree", 0.72, 148, 204),
    _row(8, "Conc-TAN", 0.79, 411, 142),
    _row(8, "Sub-TAN", 0.69, 563, 209),
)
"""All rows; the paper says what each table changes."""


def unseen(examples: Examples, kinds: TextArray, scheme: Scheme, seed: int, n_folds: int) -> BoolArray:
    """Return which rows are called abnormal if no other regression of the same kind was learned from.

    Each fold leaves out whole kinds of regressions, and whole configurations. The regressions of its kinds,
    in all configurations, and the good rows of its configurations are judged.

    Args:
        kinds: shape (n_rows,), of each regression; of good rows nothing is looked at.

    Raises:
        ValueError: there are fewer than two kinds.
    """
    random = np.random.default_rng(seed)
    n_folds = min(n_folds, len(np.unique(kinds[examples.abnormal])))
    if n_folds < 2:
        raise ValueError("regressions must be of at least two kinds")
    fold_of_kind = _folds(kinds, examples.abnormal, n_folds, random)
    fold_of_place = _folds(examples.configuration, np.ones(len(examples), dtype=bool), n_folds, random)
    predicted = np.zeros(len(examples), dtype=bool)
    for fold in range(n_folds):
        is_kind = examples.abnormal & (fold_of_kind == fold)
        is_place = fold_of_place == fold
        held_out = is_kind | (is_place & ~examples.abnormal)
        learned, judged = examples.at(~is_kind & ~is_place), examples.at(held_out)
        predicted[held_out] = learned_predictions(learned, judged, scheme, seed)
    return predicted


def _folds(
    labels: TextArray | IntArray, chosen: np.ndarray, n_folds: int, random: np.random.Generator
) -> IntArray:
    """Return the fold of each row, the same for the same label; -1 of rows that are not chosen."""
    names, number = np.unique(labels[chosen], return_inverse=True)
    folds = np.full(len(labels), -1)
    folds[chosen] = (random.permutation(len(names)) % n_folds)[number]
    return folds
