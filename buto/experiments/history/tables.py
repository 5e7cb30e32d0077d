"""The paper's tables on other histories: which measures are taken, and what each yields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from buto.detectors.history.engine.evaluation import cross_validated_errors
from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.measures import Errors
from buto.detectors.history.engine.models.learners import LOGISTIC, SIMILARITY, TAN, TREE
from buto.detectors.history.engine.pairing import ALONE, CONCATENATED, SUBTRACTED
from buto.detectors.history.engine.scheme import NO_BALANCE, Balance, Scheme
from buto.experiments.history.synthetic import summarised

DIMENSION = 50
BALANCES = (Balance(), Balance(cost=5.0), Balance(ratio=5.0))
CLASSIFIERS = {TREE: "DTree", LOGISTIC: "Logistic", TAN: "TAN"}
SIMILARITY_NAME = "Sim-Logistic"
PREFIXES = {ALONE: "", CONCATENATED: "Conc-", SUBTRACTED: "Sub-"}


@dataclass(frozen=True, slots=True)
class Trial:
    """One row of a table to be measured.

    Attributes:
        table: its number in the paper.
        classifier: as the paper calls it.
        is_summary: whether only summary metrics are learned from.
    """

    table: int
    classifier: str
    scheme: Scheme
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What a trial yielded.

    Attributes:
        seconds: for all folds together.
    """

    trial: Trial
    errors: Errors
    seconds: float


def paper_trials() -> Iterator[Trial]:
    """Yield the rows of Tables 4 to 8; the full scheme of Table 5 subtracts the baseline."""
    for learner, name in CLASSIFIERS.items():
        yield Trial(4, name, Scheme(learner, grouped=False), is_summary=True)
    for learner, name in CLASSIFIERS.items():
        yield Trial(5, name, Scheme(learner, SUBTRACTED, (DIMENSION,), True, BALANCES))
    yield Trial(5, SIMILARITY_NAME, Scheme(SIMILARITY, ALONE, (DIMENSION,), True, NO_BALANCE))
    for table, grouped in ((6, False), (7, True)):
        for learner, name in CLASSIFIERS.items():
            yield Trial(table, name, Scheme(learner, ALONE, (DIMENSION,), grouped))
    yield Trial(8, SIMILARITY_NAME, Scheme(SIMILARITY, ALONE, (DIMENSION,), grouped=False))
    for learner, name in CLASSIFIERS.items():
        for pairing in (CONCATENATED, SUBTRACTED):
            scheme = Scheme(learner, pairing, (DIMENSION,), grouped=False)
            yield Trial(8, f"{PREFIXES[pairing]}{name}", scheme)


def replay_trials() -> Iterator[Trial]:
    """Yield rows like those of Tables 5 to 7 for targets that are deviations from their baselines."""
    for learner, name in CLASSIFIERS.items():
        yield Trial(5, name, Scheme(learner, ALONE, (), True, BALANCES))
    for table, grouped in ((6, False), (7, True)):
        for learner, name in CLASSIFIERS.items():
            yield Trial(table, name, Scheme(learner, ALONE, (), grouped))


def measured(examples: Examples, trial: Trial, seed: int, n_folds: int) -> Measured:
    """Return the errors of a trial by grouped folds, and the time that it took."""
    if trial.is_summary:
        target, baseline = summarised(examples.target), summarised(examples.baseline)
        examples = replace(examples, target=target, baseline=baseline)
    start = perf_counter()
    errors = cross_validated_errors(examples, trial.scheme, seed, n_folds)
    return Measured(trial, errors, perf_counter() - start)
