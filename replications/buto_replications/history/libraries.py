"""Releases of the benchmark: each library is judged by what the labels of all other libraries teach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from buto.errors import BadFileError
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind
from buto_replications.dataset import archive
from buto_replications.dataset.generate import HOSTS
from buto_replications.detectors.history.engine import Scheme, learned_predictions
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.known import LabelledColumns, deviations, with_sizes
from buto_replications.detectors.history.similarity import BoolArray
from buto_replications.history.replay import columns_of, rows_of, unit_of
from buto_replications.history.rivals import best_limit
from buto_replications.history.series import RUNS_OF_CHECK
from buto_replications.rivals import RIVALS, Rival, levels

PARALLEL = HOSTS[0]
OLD, NEW = "-old", "-new"
BAD, GOOD = "pairs", "good"
"""Directories of the benchmark's files: of releases with a regression, and of releases without one."""

N_BASELINE = 10
"""Runs of an older release that both releases are compared with."""

T_TEST = RIVALS[0]


@dataclass(frozen=True, eq=False, slots=True)
class ReleasePair:
    """Recorded runs of two releases of a library in one cell, each in the order of their start."""

    library: str
    is_good: bool
    old: Sequence[Run]
    new: Sequence[Run]


def read_pairs(data: Path, described: Path) -> list[ReleasePair]:
    """Return the pairs of all recorded cells.

    Args:
        data: the directory with the cells.
        described: the directory with the benchmark's files.

    Raises:
        BadFileError: there is no cell, or one is damaged.
    """
    cells = sorted(path.parent for path in data.glob(f"*/{archive.RUNS}"))
    if not cells:
        raise BadFileError(f"there are no data sets below {data}", advice="name data/benchmark: --data DIR")
    labels = dict(_labels(described))
    return [pair for cell in cells for pair in _pairs(archive.load(cell, PARALLEL), labels)]


def _labels(described: Path) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Yield the name of each pair with its library and whether the newer release is good."""
    for kind in (BAD, GOOD):
        for path in sorted((described / kind).glob("*.yaml")):
            library = yaml.safe_load(path.read_text(encoding="utf-8"))["library"]
            # Modules of one project, such as Spring's, are one library.
            yield path.stem, (library.split()[0], kind == GOOD)


def _pairs(runs: dict[str, RunSet], labels: dict[str, tuple[str, bool]]) -> Iterator[ReleasePair]:
    for name, (library, is_good) in labels.items():
        if f"{name}{OLD}" in runs and f"{name}{NEW}" in runs:
            old, new = (list(runs[f"{name}{side}"].valid()) for side in (OLD, NEW))
            if len(old) >= N_BASELINE:
                yield ReleasePair(library, is_good, old, new)


@dataclass(frozen=True, eq=False, slots=True)
class ReleaseChecks:
    """Checks of all releases.

    Attributes:
        examples: a row for each check, in units of the older release's scatter; each library is a group.
        is_new: shape (n_checks,), whether the newer release is checked, or the older one once more.
        scores: by rival, shape (n_checks,).
    """

    libraries: tuple[str, ...]
    examples: Examples
    is_new: BoolArray
    scores: dict[str, FloatArray]


def checks_of(pairs: Sequence[ReleasePair]) -> ReleaseChecks:
    columns = columns_of([run for pair in pairs for run in (*pair.old, *pair.new)])
    libraries = tuple(sorted({pair.library for pair in pairs}))
    checks = [check for pair in pairs for check in _checks(pair, columns)]
    rows = with_sizes(np.array([check.row for check in checks]))
    group = np.array([libraries.index(check.library) for check in checks])
    return ReleaseChecks(
        libraries,
        Examples(rows, np.zeros_like(rows), np.array([check.abnormal for check in checks]), group, group),
        np.array([check.is_new for check in checks]),
        {title: np.array([check.scores[title] for check in checks]) for title in checks[0].scores},
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Check:
    row: FloatArray
    library: str
    abnormal: bool
    is_new: bool
    scores: dict[str, float]


def _checks(pair: ReleasePair, columns: LabelledColumns) -> Iterator[_Check]:
    baseline, others = pair.old[:N_BASELINE], pair.old[N_BASELINE:]
    rows = rows_of(columns, baseline)
    expected = np.median(rows, axis=0)
    unit = unit_of(rows.var(axis=0, ddof=1), expected, columns.grain(baseline))
    shared = set.intersection(*({prop.name for prop in run.properties} for run in (*pair.old, *pair.new)))
    counters = [prop for prop in columns.properties if prop.name in shared and prop.kind is not Kind.CONSTANT]
    before = levels(baseline, counters)
    for is_new, runs in ((False, others), (True, pair.new)):
        measured, numbers = rows_of(columns, runs), levels(runs, counters)
        for first in range(0, len(runs) - RUNS_OF_CHECK + 1, RUNS_OF_CHECK):
            of_check = slice(first, first + RUNS_OF_CHECK)
            yield _Check(
                deviations(np.median(measured[of_check], axis=0), expected, unit),
                pair.library,
                is_new and not pair.is_good,
                is_new,
                {rival.title: _score(rival, before, numbers[of_check]) for rival in RIVALS},
            )


def _score(rival: Rival, before: FloatArray, after: FloatArray) -> float:
    # What was 0 has no share.
    kept = np.ones(before.shape[1], dtype=bool) if rival is T_TEST else (before != 0).all(axis=0)
    return float(rival.worst(before[:, kept], after[:, kept].mean(axis=0)[None], len(after))[0])


def by_classifier(examples: Examples, scheme: Scheme, seed: int) -> BoolArray:
    """Return which checks are called abnormal by what the other libraries teach, shape (n_checks,)."""
    return _by_others(
        examples,
        lambda ours: learned_predictions(examples.at(~ours), examples.at(ours), scheme, seed),
    )


def by_limit(checks: ReleaseChecks, rival: Rival) -> BoolArray:
    """Return the same of a rival whose limit is the best one for the other libraries."""
    scores, abnormal = checks.scores[rival.title], checks.examples.abnormal
    return _by_others(checks.examples, lambda ours: scores[ours] > best_limit(scores[~ours], abnormal[~ours]))


def _by_others(examples: Examples, predict: Callable[[BoolArray], BoolArray]) -> BoolArray:
    called = np.zeros(len(examples), dtype=bool)
    for library in np.unique(examples.group):
        ours = examples.group == library
        called[ours] = predict(ours)
    return called
