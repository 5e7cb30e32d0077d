"""Tables of what was judged, beside the paper's, and every judged run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.verdict import Status
from buto.run.model import Run
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT
from buto_replications.detectors.ensemble.settings import FEWEST
from buto_replications.ensembles.ablation import BARE, ENVELOPE, EVERYTHING, TITLES
from buto_replications.ensembles.methods import (
    ALPHA,
    EACH,
    JUDGE,
    METHODS,
    PAPERS,
    PROMISING,
    UNLIKE,
    interval_of,
)
from buto_replications.ensembles.paper import TABLE_IV
from buto_replications.ensembles.scenarios import (
    BOTH_ENTERPRISE,
    BOTH_SAME,
    ENTERPRISE,
    OF_THE_PAPER,
    PET_STORE,
    SAME,
    STORE,
)
from buto_replications.ensembles.scoring import (
    ScoredScenario,
    alarms,
    difference,
    false_alarms,
    mean_f,
    means,
)
from buto_replications.ensembles.sites import StatusShares
from buto_replications.report.content import TextTable, csv_text
from buto_replications.scores import MCC


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """What became of all experiments of one environment with one method.

    Attributes:
        unchanged, changed, subtle: shares of runs that failed.
        error: standard error of ``unchanged``, clustered by variant; NaN for a single variant.
        unchanged_checks, changed_checks: the same of checks with confirmation.
        inconclusive: share of the changed runs that could not be judged.
        mcc: of the single runs of all but the subtle experiments.
    """

    site: str
    seen: str
    method: str
    trained: int
    unchanged: float
    error: float
    changed: float
    subtle: float
    unchanged_checks: float
    changed_checks: float
    inconclusive: float
    mcc: float


def summaries(shares: Iterable[StatusShares]) -> list[ExperimentSummary]:
    """Return one summary for each environment, way of training, and method, in the order of the shares."""
    grouped: dict[tuple[str, str, str], list[StatusShares]] = {}
    for share in shares:
        grouped.setdefault((share.site, share.seen, share.method), []).append(share)
    return [_summary(*key, some) for key, some in grouped.items()]


def _summary(site: str, seen: str, method: str, some: Sequence[StatusShares]) -> ExperimentSummary:
    plain = [shares for shares in some if not shares.is_subtle]
    # An unchanged variant is judged once, and belongs to several experiments.
    of_variant = {shares.training: shares for shares in plain}.values()
    failing = np.array([_find_failed(shares.unchanged) for shares in of_variant])
    return ExperimentSummary(
        site,
        seen,
        method,
        max(shares.trained for shares in some),
        float(failing.mean()),
        float(failing.std(ddof=1) / np.sqrt(len(failing))) if len(failing) > 1 else float("nan"),
        _mean([shares.changed for shares in plain]),
        _mean([shares.changed for shares in some if shares.is_subtle]),
        _mean([shares.unchanged_checks for shares in of_variant]),
        _mean([shares.changed_checks for shares in plain]),
        float(np.mean([status is Status.INCONCLUSIVE for shares in plain for status in shares.changed])),
        _mcc(plain),
    )


def _mcc(plain: Sequence[StatusShares]) -> float:
    good = [status is not Status.REGRESSION for shares in plain for status in shares.unchanged]
    bad = [status is Status.REGRESSION for shares in plain for status in shares.changed]
    counts = (sum(good), len(good) - sum(good), sum(bad), len(bad) - sum(bad))
    return float(MCC.value(np.array(counts)))


def _mean(groups: Sequence[Sequence[Status]]) -> float:
    return float(np.mean([_find_failed(group) for group in groups])) if groups else float("nan")


def _find_failed(statuses: Sequence[Status]) -> float:
    return float(np.mean([status is Status.REGRESSION for status in statuses]))


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


def beside(scenarios: Sequence[ScoredScenario]) -> TextTable:
    """Return precision, recall and F of the paper's methods: its own, ours, and on the bed as published."""
    theirs = {row.test: row.cells for row in TABLE_IV}
    rows = []
    for (study, begins), test in _THEIRS.items():
        rows.append((study, test, PAPER, *(f"{cell:.2f}" for cell in theirs[test])))
        some = [
            scenario
            for scenario in scenarios
            if scenario.scenario.study == study and scenario.scenario.test.startswith(begins)
        ]
        rows += [(study, scenario.scenario.test, "bed", *_cells([scenario])) for scenario in some]
    enterprise = [row.cells for row in TABLE_IV if row.system == "enterprise"]
    mean = [sum(of) / len(enterprise) for of in zip(*enterprise, strict=True)]
    rows.append((ENTERPRISE, "mean of E1 to E3", PAPER, *(f"{cell:.2f}" for cell in mean)))
    for what, some in _by_fault(scenarios, ENTERPRISE):
        rows.append((ENTERPRISE, what, "bed", *_cells(some)))
    every = [row.cells for row in TABLE_IV]
    rows.append(
        (ALL, "mean of 7", PAPER, *(f"{sum(of) / len(every):.2f}" for of in zip(*every, strict=True)))
    )
    ours = _of_the_paper(scenarios)
    rows.append((ALL, _mean_of(ours), "bed", *_cells(ours)))
    groups = (("", 3), *((name.removeprefix("rules, "), 3) for name in PAPERS), (BARE, 3))
    heads = ("system", "test", "runs of", *("P", "R", "F") * (len(PAPERS) + 1))
    return TextTable(
        "The paper's table IV and the same on the bed",
        heads,
        tuple(row + ("",) * (len(heads) - len(row)) for row in rows),
        groups,
        left=3,
        notes=tuple(_of_rules(scenarios)),
    )


def per_fault(scenarios: Sequence[ScoredScenario]) -> TextTable:
    ours = [scenario for scenario in scenarios if scenario.scenario.study == ENTERPRISE]
    kinds = dict.fromkeys(kind_of(scenario.scenario.fault) for scenario in ours)
    rows = []
    for kind in sorted(kinds, key=lambda kind: (kind != NO_FAULT, kind)):
        some = [scenario for scenario in ours if kind_of(scenario.scenario.fault) == kind]
        cells = [cell for method in METHODS for cell in map(_two, means(some, method))]
        rows.append((kind, str(len(some)), *cells))
    groups = (("", 2), *((name, 3) for name in METHODS))
    heads = ("fault", "runs", *("P", "R", "F") * len(METHODS))
    title = "Each environment of the bed left out once: mean precision, recall and F of flagged counters"
    return TextTable(title, heads, tuple(rows), groups, left=1, notes=tuple(_of_rules(ours)))


def f_measures(scenarios: Sequence[ScoredScenario]) -> TextTable:
    rows = [("all case studies", _mean_of(_of_the_paper(scenarios)), *_f_cells(_of_the_paper(scenarios)))]
    rows += [
        (where, what, *_f_cells(some))
        for study, where in _STUDIES.items()
        for what, some in _by_fault(scenarios, study)
    ]
    title = "Mean F on the bed, with its standard error clustered by environment"
    heads = ("prior tests of", "runs", *METHODS)
    return TextTable(title, heads, tuple(rows), left=2, notes=tuple(_of_rules(scenarios)))


def whole_tests(scenarios: Sequence[ScoredScenario]) -> TextTable:
    """Return how many whole tests fail, with and without a fault.

    Beside the share of the unchanged ones that fail is its standard error clustered by environment, and alpha
    with the error that chance alone has in so many runs.
    """
    rows = []
    for study in _STUDIES:
        some = [scenario for scenario in scenarios if scenario.scenario.study == study]
        for method in METHODS if some else ():
            cells = []
            for faulty in (False, True):
                failed, open_, known = alarms(some, method, faulty=faulty)
                cells += [f"{failed} of {known}" if known else "–", str(open_) if known else "–"]
                if not faulty:
                    cells += [_with_error(*false_alarms(some, method)), _promise(method, known)]
            rows.append((study, method, *cells))
    of_unchanged = ("unchanged: fail", "inconclusive", "share", "alpha")
    heads = ("prior tests of", "method", *of_unchanged, "faulty: fail", "inconclusive")
    named = tuple((_STUDIES[study], *rest) for study, *rest in rows)
    return TextTable("Whole tests on the bed", heads, named, left=2, notes=tuple(_of_rules(scenarios)))


def ablations(scenarios: Sequence[ScoredScenario], step_s: float | None = None) -> TextTable:
    """Return what each part of the ensemble is worth where the prior tests are of other environments.

    Args:
        step_s: length of an interval, if it is not the usual one.
    """
    ours = [scenario for scenario in scenarios if scenario.scenario.study == ENTERPRISE]
    fine = [scenario for scenario in ours if scenario.scenario.fault == NO_FAULT]
    faulty = [scenario for scenario in ours if scenario.scenario.fault != NO_FAULT]
    n_environments = len({scenario.scenario.judged.labels.environment for scenario in ours})
    rows = []
    for title in (*TITLES, EACH, JUDGE):
        apart = [_apart(ours, title, other) for other in (EVERYTHING, ENVELOPE)]
        known_fine, known_faulty = (
            [scenario.scores[title] for scenario in some if scenario.scores[title].status is not None]
            for some in (fine, faulty)
        )
        flagging = sum(score.flagged > 0 for score in known_fine)
        right = sum(score.right > 0 for score in known_faulty)
        of = (f"{flagging} of {len(known_fine)}", f"{right} of {len(known_faulty)}")
        rows.append((title, _with_error(*mean_f(ours, title)), *apart, *of))
    return TextTable(
        f"Parts taken away one by one, and plain rivals: {len(ours)} runs judged by prior tests of other "
        "environments",
        (
            "method",
            "mean F",
            "less everything",
            "less the envelope",
            "unchanged: flags",
            "faults: flags rightly",
        ),
        tuple(rows),
        left=1,
        notes=(
            f"±: standard error clustered by environment, of {n_environments}",
            *([f"in intervals of {step_s:g} seconds"] if step_s else _of_rules(ours)),
        ),
    )


def _apart(ours: Sequence[ScoredScenario], title: str, other: str) -> str:
    return "" if title == other else _with_error(*difference(ours, title, other))


def _of_rules(ours: Sequence[ScoredScenario]) -> Iterator[str]:
    fewest: int = UNLIKE.values[FEWEST]
    most = max((_n_intervals(scenario.scenario.judged.run) for scenario in ours), default=0)
    if most < fewest:
        yield (
            f"no rule holds in {fewest} of {most} intervals: several models, and everything, have ranges but "
            "no rules"
        )


def _n_intervals(run: Run) -> int:
    return round(float(run.times_s[-1]) / interval_of(run))


def scores_csv(scenarios: Sequence[ScoredScenario]) -> str:
    heads = "study test environment fault prior_tests method status flagged right expected found"
    rows = []
    for scenario in scenarios:
        where, labels = scenario.scenario, scenario.scenario.judged.labels
        for method, score in scenario.scores.items():
            row = (where.study, where.test, labels.environment, labels.fault, len(where.prior), method)
            counts = (score.flagged, score.right, score.expected, score.hits)
            shares = (f"{share:.4f}" for share in (score.precision, score.recall, score.f))
            status = "not judged" if score.status is None else score.status.value
            rows.append((*row, status, *counts, *shares))
    return csv_text((*heads.split(), "precision", "recall", "f"), rows)


def _by_fault(scenarios: Sequence[ScoredScenario], study: str) -> list[tuple[str, list[ScoredScenario]]]:
    ours = [scenario for scenario in scenarios if scenario.scenario.study == study]
    faulty = [scenario for scenario in ours if scenario.scenario.fault != NO_FAULT]
    fine = [scenario for scenario in ours if scenario.scenario.fault == NO_FAULT]
    groups = (("no fault", fine), ("a fault", faulty), ("all", ours))
    return [(f"{what}: {_mean_of(some)}", some) for what, some in groups if some]


def _mean_of(some: Sequence[ScoredScenario]) -> str:
    return f"mean of {len(some)}"


def _f_cells(some: Sequence[ScoredScenario]) -> list[str]:
    return [_with_error(*mean_f(some, method)) for method in METHODS]


def _of_the_paper(scenarios: Sequence[ScoredScenario]) -> list[ScoredScenario]:
    return [scenario for scenario in scenarios if scenario.scenario.study in OF_THE_PAPER]


def _promise(method: str, n_runs: int) -> str:
    if method not in PROMISING or not n_runs:
        return "–"
    return _with_error(ALPHA, math.sqrt(ALPHA * (1 - ALPHA) / n_runs))


def _with_error(mean: float, error: float) -> str:
    return _two(mean) if math.isnan(error) else f"{_two(mean)} ± {error:.2f}"


def _cells(some: Sequence[ScoredScenario]) -> list[str]:
    return [cell for method in (*PAPERS, BARE) for cell in map(_two, means(some, method))]


def _two(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.2f}"
