"""``buto experiments run libraries``: releases of the benchmark, judged by labels of other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

import numpy as np

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.checkout import CHECKOUT, DATA
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show
from buto_replications.detectors.history.engine import Scheme
from buto_replications.detectors.history.examples import (
    ALONE,
    Examples,
    clustered_difference,
    clustered_error,
    errors_of,
)
from buto_replications.detectors.history.learners import FOREST, TAN, TREE
from buto_replications.detectors.history.similarity import BoolArray
from buto_replications.history.libraries import ReleaseChecks, by_classifier, by_limit, checks_of, read_pairs
from buto_replications.history.tables import CLASSIFIERS, DIMENSION, FOREST_NAME
from buto_replications.report.content import TextTable
from buto_replications.rivals import RIVALS

PAIRS = DATA / "benchmark"
DESCRIBED = CHECKOUT / "replications" / "benchmark"
LEARNERS = {**CLASSIFIERS, FOREST: FOREST_NAME}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print how well each way tells bad releases from good ones."""
    checks = checks_of(read_pairs(checkout.recorded(request.data, PAIRS), DESCRIBED))
    tasks = [(checks.examples, learner, request.seed) for learner in LEARNERS]
    called = dict(zip(LEARNERS.values(), done(_learn, tasks, "libraries", request, console), strict=True))
    for rival in RIVALS:
        called[rival.title] = checks.scores[rival.title] > rival.limit
        called[f"{rival.title}, limit learned"] = by_limit(checks, rival)
    show([_table(checks, called)], console)
    return EXIT_PASS


def _learn(task: tuple[Examples, str, int]) -> list[BoolArray]:
    from threadpoolctl import threadpool_limits

    examples, learner, seed = task
    scheme = Scheme(learner, ALONE, (DIMENSION,) if learner == TAN else (), grouped=False)
    with threadpool_limits(1):
        return [by_classifier(examples, scheme, seed)]


def _table(checks: ReleaseChecks, called: dict[str, BoolArray]) -> TextTable:
    released = checks.examples.at(checks.is_new)
    tree = called[LEARNERS[TREE]][checks.is_new]
    rows = []
    for title, which in called.items():
        ours, unchanged = which[checks.is_new], which[~checks.is_new]
        errors = errors_of(ours, released.abnormal)
        apart = clustered_difference(tree, ours, released)
        rows.append(
            (
                title,
                _with_error(errors.balanced_accuracy, clustered_error(ours, released)),
                "" if title == LEARNERS[TREE] else _with_error(*apart),
                f"{1 - errors.missed:.1%}",
                f"{errors.alarms:.1%}",
                f"{unchanged.mean():.1%}",
            )
        )
    return TextTable(
        f"{len(released)} checks of newer releases, {released.abnormal.sum()} of them bad, and "
        f"{np.count_nonzero(~checks.is_new)} of unchanged ones",
        ("method", "balanced accuracy", "tree less this", "bad: fail", "good: fail", "unchanged: fail"),
        tuple(rows),
        left=1,
        notes=tuple(_notes(checks)),
    )


def _notes(checks: ReleaseChecks) -> Iterator[str]:
    yield f"each library is judged by the labels of the others; ±: by library, of {len(checks.libraries)}"
    yield f"{checks.examples.target.shape[1]} numbers of a check"


def _with_error(value: float, error: float) -> str:
    return f"{value:.3f}" if isnan(error) else f"{value:.3f} ± {error:.3f}"
