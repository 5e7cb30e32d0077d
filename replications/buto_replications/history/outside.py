"""Series that others measured: SAP's performance regression data set (CC-BY-4.0), in a checkout of it.

https://github.com/SAP/performance-regression-data-set has 25 series of one number each that people labelled,
and 7,522 without labels. Builds follow each other, and most were measured several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from buto.errors import BadFileError
from buto.run.model import FloatArray
from buto_replications.detectors.history.examples import Examples, grouped_folds
from buto_replications.detectors.history.similarity import BoolArray
from buto_replications.history.rivals import best_limit
from buto_replications.rivals import GRAIN, RIVALS, Rival

ADVICE = "git clone https://github.com/SAP/performance-regression-data-set, then: --data DIRECTORY"

SMALL, LARGE = "hana/small_2021", "hana/large_2022"

EVERY = 20
"""Of the series without labels so many-th is taken: neighbours measure the same."""

BEFORE = 10
"""A build is compared with so many builds before it. After a regression, so many builds still show it; later
ones are compared with each other."""

FEWEST = 3
"""Measurements on a day that is compared with another one."""

NO_CHANGE = 0
REGRESSION = "regression"


@dataclass(frozen=True, eq=False, slots=True)
class SystemSeries:
    """One number of one system in its builds.

    Attributes:
        kind: what people say of it.
        builds: in the order in which they are measured, each with its measurements.
        change: the number of the first build with the regression; :data:`NO_CHANGE` if there is none.
    """

    name: str
    kind: str
    builds: tuple[FloatArray, ...]
    change: int


def labelled(directory: Path) -> list[SystemSeries]:
    """Return the series with labels.

    Raises:
        BadFileError: the directory is no checkout of the data set.
    """
    place = directory / SMALL
    details = pd.read_csv(_there(place / "metadata" / "dataset_details.csv"), sep=";")
    series = []
    for kind, name, last in details.itertuples(index=False):
        table = pd.read_csv(_there(place / "data" / name))
        groups = [group for _, group in table.groupby("GHC", sort=True)]
        builds = tuple(group["Measurement"].to_numpy(float) for group in groups)
        bad = [number for number, group in enumerate(groups) if last and group["Index"].min() > last]
        series.append(SystemSeries(name, kind.strip().lower(), builds, bad[0] if bad else NO_CHANGE))
    return series


@dataclass(frozen=True, eq=False, slots=True)
class BuildCheck:
    """A build, and those that it is compared with."""

    series: SystemSeries
    prior: FloatArray
    new: FloatArray
    abnormal: bool


def checks(series: SystemSeries) -> Iterator[BuildCheck]:
    """Yield each build that has enough builds before it.

    The builds from the change on are compared with those before it, and later ones with builds that all have
    the regression, too.
    """
    for number in range(BEFORE, len(series.builds)):
        since = number - series.change
        shows = series.change != NO_CHANGE and 0 <= since < BEFORE
        end = series.change if shows else number
        if end >= BEFORE:
            prior = np.concatenate(series.builds[end - BEFORE : end])
            yield BuildCheck(series, prior, series.builds[number], shows)


def examples_of(build_checks: Sequence[BuildCheck]) -> Examples:
    """Return a row for each check: how far its numbers are from those of the prior builds, in deviations of
    single measurements and in hundredths; each series is one configuration.
    """
    rows = np.array([_row(check) for check in build_checks])
    names = {
        name: number for number, name in enumerate(dict.fromkeys(check.series.name for check in build_checks))
    }
    series = np.array([names[check.series.name] for check in build_checks])
    return Examples(
        rows, np.zeros_like(rows), np.array([check.abnormal for check in build_checks]), series, series
    )


def _row(check: BuildCheck) -> FloatArray:
    shares = (0.1, 0.5, 0.9)
    before, after = ([values.mean(), *np.quantile(values, shares)] for values in (check.prior, check.new))
    level = abs(check.prior.mean()) or 1.0
    apart = np.subtract(after, before)
    deviations = apart / np.hypot(check.prior.std(ddof=1), GRAIN * level)
    numbers: FloatArray = np.arcsinh(np.append(deviations, apart / (GRAIN * level)))
    return numbers


def alarm(rival: Rival, prior: FloatArray, new: FloatArray) -> bool:
    """Return whether the mean of new measurements fails."""
    return _score(rival, prior, new) > rival.limit


def learned_alarms(build_checks: Sequence[BuildCheck], rival: Rival, seed: int, n_folds: int) -> BoolArray:
    """Return which checks fail, shape (n_checks,), if the limit is not typed but learned from other series.

    It is the one with the best balanced accuracy there, so a rival knows as many labels as a classifier.
    """
    examples = examples_of(build_checks)
    scores = np.array([_score(rival, check.prior, check.new) for check in build_checks])
    failing = np.zeros(len(build_checks), dtype=bool)
    for learned, held_out in grouped_folds(examples, n_folds, seed):
        failing[held_out] = scores[held_out] > best_limit(scores[learned], examples.abnormal[learned])
    return failing


def _score(rival: Rival, prior: FloatArray, new: FloatArray) -> float:
    return float(rival.worst(prior[:, None], np.array([[new.mean()]]), len(new))[0])


@dataclass(frozen=True, slots=True)
class SameBuild:
    """How often a rival tells measurements of one build apart.

    Attributes:
        place: how the measurements are divided.
        share: that fails, the mean over series with its standard error.
        series, comparisons: how many there are.
    """

    rival: str
    place: str
    share: float
    error: float
    series: int
    comparisons: int


SAME_DAY, OTHER_DAY = "the same day", "two days"


def same_builds(directory: Path) -> Iterator[SameBuild]:
    """Yield how often measurements of one build differ, on one day and on two; raises as :func:`labelled`."""
    flags: dict[tuple[str, str], list[list[bool]]] = {}
    paths = sorted((directory / LARGE / "data").glob("*.csv"))
    if not paths:
        raise BadFileError(f"{directory} has no {LARGE}/data", advice=ADVICE)
    for path in [inner for inner in paths if int(inner.name[:5]) % EVERY == 1]:
        pairs = list(_pairs(path))
        for place in (SAME_DAY, OTHER_DAY):
            some = [(prior, new) for where, prior, new in pairs if where == place]
            for rival in RIVALS if some else ():
                flags.setdefault((place, rival.title), []).append([alarm(rival, *pair) for pair in some])
    for (place, title), of in flags.items():
        shares = [np.mean(measurement) for measurement in of]
        error = float(np.std(shares, ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else float("nan")
        yield SameBuild(title, place, float(np.mean(shares)), error, len(of), sum(map(len, of)))


def _pairs(path: Path) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Yield measurements of one build: every second one of a day against the others, and a day against the
    next one.
    """
    table = pd.read_csv(path, usecols=["timestamp", "sut_version", "value"])
    days = table["timestamp"].str[:10]
    for _, build in table.groupby(table["sut_version"]):
        of_day = [daily["value"].to_numpy(float) for _, daily in build.groupby(days.loc[build.index])]
        enough = [measurement for measurement in of_day if len(measurement) >= FEWEST]
        if enough and len(enough[0]) >= 2 * FEWEST:
            yield SAME_DAY, enough[0][::2], enough[0][1::2]
        if len(enough) > 1:
            yield OTHER_DAY, enough[0], enough[1]


def _there(path: Path) -> Path:
    if not path.is_file():
        raise BadFileError(f"there is no {path}", advice=ADVICE)
    return path
