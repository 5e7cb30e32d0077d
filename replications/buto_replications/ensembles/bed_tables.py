"""The paper's table IV beside the same case studies on the bed, and every judged run."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT
from buto_replications.ensembles.bed_rules import PAPERS
from buto_replications.ensembles.methods import ALPHA, METHODS, PROMISING
from buto_replications.ensembles.scenarios import (
    BOTH_ENTERPRISE,
    BOTH_SAME,
    ENTERPRISE,
    PET_STORE,
    SAME,
    STORE,
)
from buto_replications.ensembles.scoring import Judged, alarms, false_alarms, mean_f, means
from buto_replications.ensembles.tables import TABLE_IV
from buto_replications.report.content import Columns

PAPER = "paper"
ALL = "all"

_THEIRS = {
    (STORE, "D4"): "D4",
    (STORE, "D5, one prior test"): "D5, one prior test",
    (STORE, "D5, three prior tests"): "D5, three prior tests",
    (PET_STORE, "J3"): "J3",
}
"""By case study and how our tests of it begin, the paper's test."""


_STUDIES = {
    ENTERPRISE: "other environments",
    BOTH_ENTERPRISE: "other environments, both blocks",
    SAME: SAME,
    BOTH_SAME: BOTH_SAME,
}
"""By study, where the prior tests of a whole test are from."""


def beside(found: Sequence[Judged]) -> Columns:
    """Return precision, recall and F of the paper's methods, its own and ours on the bed."""
    theirs = {row.test: row.cells for row in TABLE_IV}
    rows = []
    for (study, begins), test in _THEIRS.items():
        rows.append((study, test, PAPER, *(f"{cell:.2f}" for cell in theirs[test])))
        some = [one for one in found if one.scenario.study == study and one.scenario.test.startswith(begins)]
        rows += [(study, one.scenario.test, "bed", *_cells([one])) for one in some]
    enterprise = [row.cells for row in TABLE_IV if row.system == "enterprise"]
    mean = [sum(of) / len(enterprise) for of in zip(*enterprise, strict=True)]
    rows.append((ENTERPRISE, "mean of E1 to E3", PAPER, *(f"{cell:.2f}" for cell in mean)))
    for what, some in _by_fault(found, ENTERPRISE):
        rows.append((ENTERPRISE, what, "bed", *_cells(some)))
    every = [row.cells for row in TABLE_IV]
    rows.append(
        (ALL, "mean of 7", PAPER, *(f"{sum(of) / len(every):.2f}" for of in zip(*every, strict=True)))
    )
    ours = _of_the_paper(found)
    rows.append((ALL, _mean_of(ours), "bed", *_cells(ours)))
    groups = (("", 3), *((name.removeprefix("rules, "), 3) for name in PAPERS))
    heads = ("system", "test", "runs of", *("P", "R", "F") * len(PAPERS))
    return Columns("The paper's table IV and the same on the bed", heads, tuple(rows), groups, left=3)


def per_fault(found: Sequence[Judged]) -> Columns:
    """Return mean precision, recall and F of all methods for each fault, in environments left out."""
    ours = [one for one in found if one.scenario.study == ENTERPRISE]
    kinds = dict.fromkeys(kind_of(one.scenario.fault) for one in ours)
    rows = []
    for kind in sorted(kinds, key=lambda kind: (kind != NO_FAULT, kind)):
        some = [one for one in ours if kind_of(one.scenario.fault) == kind]
        cells = [cell for method in METHODS for cell in map(_two, means(some, method))]
        rows.append((kind, str(len(some)), *cells))
    groups = (("", 2), *((name, 3) for name in METHODS))
    heads = ("fault", "runs", *("P", "R", "F") * len(METHODS))
    title = "Each environment of the bed left out once: mean precision, recall and F of flagged counters"
    return Columns(title, heads, tuple(rows), groups, left=1)


def f_measures(found: Sequence[Judged]) -> Columns:
    """Return the mean F of each method with its standard error."""
    rows = [("all case studies", _mean_of(_of_the_paper(found)), *_f_cells(_of_the_paper(found)))]
    rows += [
        (where, what, *_f_cells(some))
        for study, where in _STUDIES.items()
        for what, some in _by_fault(found, study)
    ]
    title = "Mean F on the bed, with its standard error clustered by environment"
    return Columns(title, ("prior tests of", "runs", *METHODS), tuple(rows), left=2)


def whole_tests(found: Sequence[Judged]) -> Columns:
    """Return how many whole tests fail, with and without a fault.

    Beside the share of the unchanged ones that fail is its standard error clustered by environment, and alpha
    with the error that chance alone has in so many runs.
    """
    rows = []
    for study in _STUDIES:
        some = [one for one in found if one.scenario.study == study]
        for method in METHODS if some else ():
            cells = []
            for faulty in (False, True):
                failed, open_, known = alarms(some, method, faulty=faulty)
                cells += [f"{failed} of {known}" if known else "–", str(open_) if known else "–"]
                if not faulty:
                    cells += [_with_error(*false_alarms(some, method)), _promised(method, known)]
            rows.append((study, method, *cells))
    of_unchanged = ("unchanged: fail", "inconclusive", "share", "alpha")
    heads = ("prior tests of", "method", *of_unchanged, "faulty: fail", "inconclusive")
    named = tuple((_STUDIES[study], *rest) for study, *rest in rows)
    return Columns("Whole tests on the bed", heads, named, left=2)


def scores_csv(found: Sequence[Judged]) -> str:
    """Return one line for each judged run and method."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ("study", "test", "environment", "fault", "prior_tests", "method", "status")
    writer.writerow((*heads, "flagged", "right", "expected", "found", "precision", "recall", "f"))
    for one in found:
        where, labels = one.scenario, one.scenario.judged.labels
        for method, score in one.scores.items():
            row = (where.study, where.test, labels.environment, labels.fault, len(where.prior), method)
            counts = (score.flagged, score.right, score.expected, score.found)
            shares = tuple(f"{share:.4f}" for share in (score.precision, score.recall, score.f))
            status = "not judged" if score.status is None else score.status.value
            writer.writerow((*row, status, *counts, *shares))
    return out.getvalue()


def _by_fault(found: Sequence[Judged], study: str) -> list[tuple[str, list[Judged]]]:
    ours = [one for one in found if one.scenario.study == study]
    faulty = [one for one in ours if one.scenario.fault != NO_FAULT]
    fine = [one for one in ours if one.scenario.fault == NO_FAULT]
    groups = (("no fault", fine), ("a fault", faulty), ("all", ours))
    return [(f"{what}: {_mean_of(some)}", some) for what, some in groups if some]


def _mean_of(some: Sequence[Judged]) -> str:
    return f"mean of {len(some)}"


def _f_cells(some: Sequence[Judged]) -> list[str]:
    return [_with_error(*mean_f(some, method)) for method in METHODS]


def _of_the_paper(found: Sequence[Judged]) -> list[Judged]:
    return [one for one in found if one.scenario.study in (STORE, PET_STORE, ENTERPRISE)]


def _promised(method: str, n_runs: int) -> str:
    if method not in PROMISING or not n_runs:
        return "–"
    return _with_error(ALPHA, math.sqrt(ALPHA * (1 - ALPHA) / n_runs))


def _with_error(mean: float, error: float) -> str:
    return _two(mean) if math.isnan(error) else f"{_two(mean)} ± {error:.2f}"


def _cells(some: Sequence[Judged]) -> list[str]:
    return [cell for method in PAPERS for cell in map(_two, means(some, method))]


def _two(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.2f}"
