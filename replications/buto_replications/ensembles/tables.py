"""The paper's tables beside ours, and every judged run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.calibrated.environments import Environment, components_shared, weights
from buto.judging.verdict import Status
from buto.run.model import Run
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT
from buto_replications.detectors.ensemble.rules import BoolArray, bagged, confidence_change, stacked
from buto_replications.detectors.ensemble.settings import FEWEST
from buto_replications.ensembles.ablation import ENVELOPE, EVERYTHING, TITLES
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
from buto_replications.ensembles.scenarios import (
    BOTH_ENTERPRISE,
    BOTH_SAME,
    ENTERPRISE,
    PET_STORE,
    SAME,
    STORE,
)
from buto_replications.ensembles.scoring import Judged, alarms, difference, false_alarms, mean_f, means
from buto_replications.ensembles.sites import Share
from buto_replications.report.content import Columns, csv_text
from buto_replications.scores import MCC


@dataclass(frozen=True, slots=True)
class Summary:
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


def summaries(shares: Iterable[Share]) -> list[Summary]:
    """Return one summary for each environment, way of training, and method, in the order of the shares."""
    grouped: dict[tuple[str, str, str], list[Share]] = {}
    for one in shares:
        grouped.setdefault((one.site, one.seen, one.method), []).append(one)
    return [_summary(*key, some) for key, some in grouped.items()]


def _summary(site: str, seen: str, method: str, some: Sequence[Share]) -> Summary:
    plain = [one for one in some if not one.is_subtle]
    # An unchanged variant is judged once, and belongs to several experiments.
    of_variant = {one.training: one for one in plain}.values()
    failing = np.array([_failed(one.unchanged) for one in of_variant])
    return Summary(
        site,
        seen,
        method,
        max(one.trained for one in some),
        float(failing.mean()),
        float(failing.std(ddof=1) / np.sqrt(len(failing))) if len(failing) > 1 else float("nan"),
        _mean([one.changed for one in plain]),
        _mean([one.changed for one in some if one.is_subtle]),
        _mean([one.unchanged_checks for one in of_variant]),
        _mean([one.changed_checks for one in plain]),
        float(np.mean([status is Status.INCONCLUSIVE for one in plain for status in one.changed])),
        _mcc(plain),
    )


def _mcc(plain: Sequence[Share]) -> float:
    good = [status is not Status.REGRESSION for one in plain for status in one.unchanged]
    bad = [status is Status.REGRESSION for one in plain for status in one.changed]
    counts = (sum(good), len(good) - sum(good), sum(bad), len(bad) - sum(bad))
    return float(MCC.value(np.array(counts)))


def _mean(groups: Sequence[Sequence[Status]]) -> float:
    return float(np.mean([_failed(one) for one in groups])) if groups else float("nan")


def _failed(statuses: Sequence[Status]) -> float:
    return float(np.mean([status is Status.REGRESSION for status in statuses]))


COUNTERS = ("CPU", "throughput", "memory", "transactions")
ORDER = ("throughput", "memory", "CPU", "transactions")
VOTES = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
"""Which counters each of four models flags, so that table II follows."""

T1: Environment = {"CPU": "2 GHz, 2 cores", "memory": "2 GB", "database": 2, "architecture": "32 bit"}
T2: Environment = {"CPU": "2 GHz, 2 cores", "memory": "1 GB", "database": 1, "architecture": "64 bit"}
T5: Environment = {"CPU": "2 GHz, 2 cores", "memory": "2 GB", "database": 1, "architecture": "64 bit"}
"""The environments of table III."""


@dataclass(frozen=True, slots=True)
class Worked:
    """A step of the worked example: what the paper prints, and what the formulas give.

    Attributes:
        printed: empty where the paper has no such value.
    """

    step: str
    printed: str
    computed: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of table IV: precision, recall and F of a single model, of bagging and of stacking.

    Attributes:
        cells: nine numbers as printed.
    """

    system: str
    test: str
    cells: tuple[float, ...]

    def f_measures(self) -> tuple[float, ...]:
        """Return the three F measures that follow from the printed precision and recall."""
        return tuple(_f(*self.cells[place : place + 2]) for place in (0, 3, 6))


TABLE_IV = (
    Row("DS2", "D4", (0, 1, 0, 1, 1, 1, 1, 1, 1)),
    Row("DS2", "D5, one prior test", (1, 0.57, 0.73, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    Row("DS2", "D5, three prior tests", (1, 0.14, 0.25, 1, 0.57, 0.73, 1, 0.57, 0.73)),
    Row("JPetStore", "J3", (1, 0.5, 0.66, 1, 0.5, 0.66, 1, 0.5, 0.66)),
    Row("enterprise", "E1", (1, 0.46, 0.63, 0.72, 1, 0.84, 0.85, 0.85, 0.92)),
    Row("enterprise", "E2", (0.86, 0.4, 0.55, 0.75, 1, 0.86, 0.93, 0.87, 0.90)),
    Row("enterprise", "E3", (1, 1, 1, 0, 1, 0, 1, 1, 1)),
)

MEANS = (0.84, 0.58, 0.55, 0.78, 0.81, 0.69, 0.97, 0.77, 0.85)
"""The last line of table IV, as printed: means of its seven rows."""


def worked_example() -> Iterator[Worked]:
    """Yield the steps of the paper's example, tables II and III, and what its formulas give beyond them.

    The text takes T1 and T5 to share three components and T2 and T5 two; its table III has two and three.
    """
    counted = dict(zip(COUNTERS, VOTES.sum(axis=0).tolist(), strict=True))
    yield Worked(
        "table II: models that flag each counter", "3, 2, 1, 1", ", ".join(str(counted[one]) for one in ORDER)
    )
    yield Worked("bagging flags", "throughput, memory", _named(bagged(VOTES)))
    text, table = [3, 2], [components_shared(one, T5) for one in (T1, T2)]
    yield Worked("lengths of the two vectors of the text", "1.7, 1.4", _lengths_of(text))
    yield Worked("weight of T1 in the text", "0.55", f"{weights(text)[0]:.2f}")
    yield Worked("the same by table III", "", f"{weights(table)[0]:.2f}")
    yield Worked("stacking of T1 and T2 flags", "", _named(stacked(VOTES[:2], weights(text))))
    for after in (0.2, 0.5):
        change = float(confidence_change(np.array([0.9]), np.array([after]))[0])
        yield Worked(f"confidence 0.9 becomes {after:g}: 1 - cosine similarity", "", f"{change:.3f}")


def _named(flagged: BoolArray) -> str:
    chosen = {name for name, yes in zip(COUNTERS, flagged.tolist(), strict=True) if yes}
    return ", ".join(name for name in ORDER if name in chosen)


def _lengths_of(shared: Sequence[int]) -> str:
    return ", ".join(f"{math.sqrt(one):.1f}" for one in shared)


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


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
    return Columns(
        "The paper's table IV and the same on the bed",
        heads,
        tuple(rows),
        groups,
        left=3,
        notes=tuple(_of_rules(found)),
    )


def per_fault(found: Sequence[Judged]) -> Columns:
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
    return Columns(title, heads, tuple(rows), groups, left=1, notes=tuple(_of_rules(ours)))


def f_measures(found: Sequence[Judged]) -> Columns:
    rows = [("all case studies", _mean_of(_of_the_paper(found)), *_f_cells(_of_the_paper(found)))]
    rows += [
        (where, what, *_f_cells(some))
        for study, where in _STUDIES.items()
        for what, some in _by_fault(found, study)
    ]
    title = "Mean F on the bed, with its standard error clustered by environment"
    heads = ("prior tests of", "runs", *METHODS)
    return Columns(title, heads, tuple(rows), left=2, notes=tuple(_of_rules(found)))


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
    return Columns("Whole tests on the bed", heads, named, left=2, notes=tuple(_of_rules(found)))


def ablations(found: Sequence[Judged]) -> Columns:
    """Return what each part of the ensemble is worth where the prior tests are of other environments."""
    ours = [one for one in found if one.scenario.study == ENTERPRISE]
    fine = [one for one in ours if one.scenario.fault == NO_FAULT]
    faulty = [one for one in ours if one.scenario.fault != NO_FAULT]
    n_environments = len({one.scenario.judged.labels.environment for one in ours})
    rows = []
    for title in (*TITLES, EACH, JUDGE):
        apart = [_apart(ours, title, other) for other in (EVERYTHING, ENVELOPE)]
        known_fine, known_faulty = (
            [one.scores[title] for one in some if one.scores[title].status is not None]
            for some in (fine, faulty)
        )
        flagging = sum(score.flagged > 0 for score in known_fine)
        right = sum(score.right > 0 for score in known_faulty)
        of = (f"{flagging} of {len(known_fine)}", f"{right} of {len(known_faulty)}")
        rows.append((title, _with_error(*mean_f(ours, title)), *apart, *of))
    return Columns(
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
        notes=(f"±: standard error clustered by environment, of {n_environments}", *_of_rules(ours)),
    )


def _apart(ours: Sequence[Judged], title: str, other: str) -> str:
    return "" if title == other else _with_error(*difference(ours, title, other))


def _of_rules(ours: Sequence[Judged]) -> Iterator[str]:
    fewest: int = UNLIKE.values[FEWEST]
    most = max((_n_intervals(one.scenario.judged.run) for one in ours), default=0)
    if most < fewest:
        yield (
            f"no rule holds in {fewest} of {most} intervals: several models, and everything, have ranges but "
            "no rules"
        )


def _n_intervals(run: Run) -> int:
    return round(float(run.times_s[-1]) / interval_of(run))


def scores_csv(found: Sequence[Judged]) -> str:
    heads = "study test environment fault prior_tests method status flagged right expected found"
    rows = []
    for one in found:
        where, labels = one.scenario, one.scenario.judged.labels
        for method, score in one.scores.items():
            row = (where.study, where.test, labels.environment, labels.fault, len(where.prior), method)
            counts = (score.flagged, score.right, score.expected, score.found)
            shares = (f"{share:.4f}" for share in (score.precision, score.recall, score.f))
            status = "not judged" if score.status is None else score.status.value
            rows.append((*row, status, *counts, *shares))
    return csv_text((*heads.split(), "precision", "recall", "f"), rows)


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
