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
    BuildCheck,
    SameBuild,
    alarm,
    checks,
    examples_of,
    labelled,
    learned_alarms,
    same_builds,
)
from buto_replications.history.tables import BALANCES
from buto_replications.report.content import TextTable
from buto_replications.rivals import RIVALS

LEARNERS = {TREE: "decision tree", LOGISTIC: "logistic regression", FOREST: "forest"}


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print how well labelled regressions are found, and how often one build differs from itself."""
    if request.data is None:
        raise UsageError("outside needs data that buto's repository does not have", advice=ADVICE)
    build_checks = [check for series in labelled(request.data) for check in checks(series)]
    examples = examples_of(build_checks)
    called = {
        rival.title: np.array([alarm(rival, check.prior, check.new) for check in build_checks])
        for rival in RIVALS
    }
    for rival in RIVALS:
        called[f"{rival.title}, limit learned"] = learned_alarms(build_checks, rival, request.seed, N_FOLDS)
    for learner, title in LEARNERS.items():
        balances = BALANCES if learner != FOREST else BALANCES[:1]
        scheme = Scheme(learner, ALONE, grouped=False, balances=balances)
        called[title] = cross_validated(examples, scheme, request.seed, N_FOLDS)
    show([_label(examples, build_checks, called), _same(list(same_builds(request.data)))], console)
    return EXIT_PASS


def _label(examples: Examples, build_checks: Sequence[BuildCheck], called: dict[str, BoolArray]) -> TextTable:
    kinds = sorted({check.series.kind for check in build_checks} - {REGRESSION})
    of_kind = {kind: np.array([check.series.kind == kind for check in build_checks]) for kind in kinds}
    bad = {check.series.name for check in build_checks if check.abnormal}
    rows = []
    for title, which in called.items():
        errors, error = errors_of(which, examples.abnormal), clustered_error(which, examples)
        hit = {
            check.series.name
            for check, yes in zip(build_checks, which.tolist(), strict=True)
            if yes and check.abnormal
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
    n_series = len({check.series.name for check in build_checks})
    return TextTable(
        f"{len(build_checks)} builds of {n_series} series; {int(examples.abnormal.sum())} have a regression",
        ("method", "balanced accuracy", "bad builds", "regressions", *(f"alarms: {kind}" for kind in kinds)),
        tuple(rows),
        left=1,
        notes=(
            f"each build against the {BEFORE} before it; ±: clustered by series, of {n_series}",
            "classifiers and limits are learned from the other series alone",
        ),
    )


def _same(builds: Sequence[SameBuild]) -> TextTable:
    return TextTable(
        "Measurements of one build, divided in two",
        ("rival", "measured on", "differ", "series", "comparisons"),
        tuple(
            (
                build.rival,
                build.place,
                f"{build.share:.1%} ± {build.error:.1%}",
                str(build.series),
                str(build.comparisons),
            )
            for build in builds
        ),
        left=2,
        notes=("mean of all series; ±: if series are independent",),
    )
