"""``buto experiments run outside``: learning from labels, on series that others measured and labelled."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import numpy as np

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.detectors.history.engine import N_FOLDS, Scheme, cross_validated
from buto_replications.detectors.history.examples import ALONE, Examples, clustered_error, errors_of
from buto_replications.detectors.history.learners import FOREST, LOGISTIC, TREE
from buto_replications.detectors.history.similarity import BoolArray
from buto_replications.history.outside import (
    ADVICE,
    BEFORE,
    REGRESSION,
    Check,
    SameBuild,
    alarm,
    checks,
    examples_of,
    labelled,
    learned_alarms,
    same_builds,
)
from buto_replications.history.tables import BALANCES
from buto_replications.report.content import Columns
from buto_replications.rivals import RIVALS

LEARNERS = {TREE: "decision tree", LOGISTIC: "logistic regression", FOREST: "forest"}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print how well labelled regressions are found, and how often one build differs from itself."""
    if request.data is None:
        raise UsageError("outside needs data that buto's repository does not have", advice=ADVICE)
    found = [one for series in labelled(request.data) for one in checks(series)]
    examples = examples_of(found)
    called = {one.title: np.array([alarm(one, check.prior, check.new) for check in found]) for one in RIVALS}
    for one in RIVALS:
        called[f"{one.title}, limit learned"] = learned_alarms(found, one, request.seed, N_FOLDS)
    for learner, title in LEARNERS.items():
        balances = BALANCES if learner != FOREST else BALANCES[:1]
        scheme = Scheme(learner, ALONE, grouped=False, balances=balances)
        called[title] = cross_validated(examples, scheme, request.seed, N_FOLDS)
    show([_labelled(examples, found, called), _same(list(same_builds(request.data)))], console)
    return EXIT_PASS


def _labelled(examples: Examples, found: Sequence[Check], called: dict[str, BoolArray]) -> Columns:
    kinds = sorted({one.series.kind for one in found} - {REGRESSION})
    of_kind = {kind: np.array([one.series.kind == kind for one in found]) for kind in kinds}
    bad = {one.series.name for one in found if one.abnormal}
    rows = []
    for title, which in called.items():
        errors, error = errors_of(which, examples.abnormal), clustered_error(which, examples)
        hit = {
            one.series.name for one, yes in zip(found, which.tolist(), strict=True) if yes and one.abnormal
        }
        rows.append(
            (
                title,
                f"{errors.balanced_accuracy:.3f}{'' if isnan(error) else f' ± {error:.3f}'}",
                f"{1 - errors.missed:.0%}",
                f"{len(hit)} of {len(bad)}",
                *(f"{which[of_kind[kind]].mean():.1%}" for kind in kinds),
            )
        )
    n_series = len({one.series.name for one in found})
    return Columns(
        f"{len(found)} builds of {n_series} series; {int(examples.abnormal.sum())} have a regression",
        ("method", "balanced accuracy", "bad builds", "regressions", *(f"alarms: {kind}" for kind in kinds)),
        tuple(rows),
        left=1,
        notes=(
            f"each build against the {BEFORE} before it; ±: clustered by series, of {n_series}",
            "classifiers and limits are learned from the other series alone",
        ),
    )


def _same(found: Sequence[SameBuild]) -> Columns:
    return Columns(
        "Measurements of one build, divided in two",
        ("rival", "measured on", "differ", "series", "comparisons"),
        tuple(
            (
                one.rival,
                one.place,
                f"{one.share:.1%} ± {one.error:.1%}",
                str(one.series),
                str(one.comparisons),
            )
            for one in found
        ),
        left=2,
        notes=("mean of all series; ±: if series are independent",),
    )
