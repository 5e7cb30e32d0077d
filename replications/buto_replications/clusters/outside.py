"""Counters that others measured: the PetShop data set (CC-BY-4.0), in a checkout of it.

https://github.com/amazon-science/petshop-root-cause-analysis has the numbers of requests, the latencies and
the availabilities of some forty services of one system, every five minutes: two days without an issue, and
five observations around each injected issue. This was written before any result was seen:

- a run is two observations that follow each other; training runs are every third pair of the two days;
- with an issue: the first two observations from the time on at which the issue was noticed;
- unchanged: the two observations before it, so that both are equally far from training, which was on other
  days. An issue that is older than its notice makes these worse than they should be;
- counters: number of requests, mean latency and mean availability of each service, of which nine tenths of
  the training observations are there, and that every issue has; what is missing is the mean in training;
- for rivals, requests are divided by those of the front end;
- what one service does wrong in one way is one kind of issue: its runs depend on each other.

Seen afterwards: a time is probably the beginning of its five minutes, so that the second observation before a
notice has the notice in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from buto.errors import BadFileError
from buto.run.model import FloatArray
from buto_replications.bed.labels import NO_FAULT
from buto_replications.clusters.separation import (
    Separation,
    by_rivals,
    largest_errors,
    separation,
)

ADVICE = "git clone https://github.com/amazon-science/petshop-root-cause-analysis, then: --data DIRECTORY"

COUNTERS = frozenset({("requests", "Sum"), ("latency", "Average"), ("availability", "Average")})
REQUESTS, FRONT = "requests", "PetSite"

LENGTH, EVERY = 2, 3
"""Observations of a run; of the pairs without an issue so many-th trains."""

OFTEN = 0.9
"""Share of the observations that a counter has."""


@dataclass(frozen=True, eq=False, slots=True)
class Issue:
    """Observations before an issue was noticed, and from then on.

    Attributes:
        kind: the service, and how the issue was made.
        before, since: shape (LENGTH, n_counters).
    """

    kind: str
    before: FloatArray
    since: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Traffic:
    """One kind of load.

    Attributes:
        usual: training runs, each of shape (LENGTH, n_counters).
        front: column of the front end's requests.
        requests: columns of numbers of requests.
    """

    name: str
    counters: tuple[str, ...]
    usual: tuple[FloatArray, ...]
    issues: tuple[Issue, ...]
    front: int
    requests: tuple[int, ...]

    def level(self, run: FloatArray) -> FloatArray:
        """Return one number of each counter, requests as a share of those of the front end."""
        level: FloatArray = run.mean(axis=0)
        level[list(self.requests)] /= level[self.front]
        return np.delete(level, self.front)


def traffics(directory: Path) -> list[Traffic]:
    """Return the loads of which a checkout has observations without an issue.

    Raises:
        BadFileError: the directory is no checkout of the data set.
    """
    usual = sorted((directory / "dataset").glob("*/noissue/metrics.csv"))
    if not usual:
        raise BadFileError(f"{directory} has no dataset/*/noissue/metrics.csv", advice=ADVICE)
    return [_traffic(path.parents[1]) for path in usual]


def outside_separations(directory: Path) -> Iterator[Separation]:
    """Yield how well each method's score tells runs with an issue; raises as :func:`traffics`."""
    for traffic in traffics(directory):
        prior = np.array([traffic.level(run) for run in traffic.usual])
        runs = [(issue.before, NO_FAULT, issue.kind) for issue in traffic.issues]
        runs += [(issue.since, issue.kind, issue.kind) for issue in traffic.issues]
        scored = [
            largest_errors(traffic.usual, run, traffic.counters) | by_rivals(prior, traffic.level(run)[None])
            for run, _, _ in runs
        ]
        for method in scored[0] if scored else ():
            yield separation(
                traffic.name,
                method,
                [scores[method] for scores in scored],
                [kind for _, kind, _ in runs],
                [group for _, _, group in runs],
            )


def _traffic(directory: Path) -> Traffic:
    usual = _read(directory / "noissue" / "metrics.csv")
    paths = sorted(directory.glob("t*/issue_*/target.json"))
    tables = [_read(path.with_name("metrics.csv")) for path in paths]
    often = (usual.notna().mean() >= OFTEN).tolist()
    shared = set.intersection(*(set(_keys(table)) for table in (usual, *tables)))
    columns = [key for key, yes in zip(_keys(usual), often, strict=True) if yes and key in shared]
    mean = usual[columns].mean()
    rows = usual[columns].fillna(mean).to_numpy(float)
    pairs = np.split(rows[: len(rows) // LENGTH * LENGTH], len(rows) // LENGTH)
    issues = []
    for path, table in zip(paths, tables, strict=True):
        kind, noticed = _target(path)
        values = table[columns].fillna(mean).to_numpy(float)
        first = int((table.index.to_numpy(float) < noticed).sum())
        if first >= LENGTH and len(values) >= first + LENGTH:
            issues.append(Issue(kind, values[first - LENGTH : first], values[first : first + LENGTH]))
    if (FRONT, REQUESTS) not in (column[:2] for column in columns):
        raise BadFileError(f"{directory} has no requests of {FRONT}", advice=ADVICE)
    return Traffic(
        directory.name.replace("_", " "),
        tuple("_".join(column) for column in columns),
        tuple(pairs[::EVERY]),
        tuple(issues),
        [column[:2] for column in columns].index((FRONT, REQUESTS)),
        tuple(place for place, column in enumerate(columns) if column[1] == REQUESTS),
    )


def _target(path: Path) -> tuple[str, float]:
    """Return the service and how its issue was made, without its size, and when it was noticed."""
    try:
        target = json.loads(path.read_text(encoding="utf-8"))
        made = str(target["metadata"]["reproducibility"]["command"])
        kind = f"{target['root_cause']['node']}: {''.join(name for name in made if not name.isdigit())}"
        return kind, float(target["target"]["timestamp"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadFileError(f"{path} does not describe an issue: {error!r}", advice=ADVICE) from error


def _read(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, header=[0, 1, 2], index_col=0)
    except (OSError, ValueError) as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=ADVICE) from error
    return table[[key for key in _keys(table) if key[1:] in COUNTERS]]


def _keys(table: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return service, metric and statistic of each column."""
    return [tuple(map(str, column)) for column in table.columns]
