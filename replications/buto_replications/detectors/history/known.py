"""Labelled runs as rows of columns, compared with the version before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from buto.errors import JudgeError
from buto.judging.classifiers import MetadataSettings, compare_metadata, learn_metadata
from buto.judging.contrasts import grains
from buto.judging.features import Feature, catalogue, features, series_of
from buto.run.labels import TRAIN, Label, Labelling, Past, current
from buto.run.model import SESSION, FloatArray, Run, RunSet
from buto.run.properties import DURATION, Property

KEPT = frozenset({"mean", "slope", "high", "total", "increase-late"})
"""The features of :mod:`buto.judging.features` that are learned from."""

WORDS = {
    "mean": "mean",
    "slope": "growth from the first to the last third",
    "high": "nine tenths of the time below",
    "total": "total",
    "increase-late": "growth in the last third",
}
"""What each is called in findings."""

DURATION_GRAIN_S = 0.1


@dataclass(frozen=True)
class LabelledColumns:
    """What a row has.

    Attributes:
        properties: that are read in every run; the run's duration is the last column.
    """

    properties: tuple[Property, ...]

    @cached_property
    def kept(self) -> tuple[Feature, ...]:
        """The feature in each column; that of the duration is the total of the property after all others."""
        own = (feature for feature in catalogue(self.properties) if feature.name in KEPT)
        return (*own, Feature(len(self.properties), "total"))

    @property
    def quantities(self) -> tuple[Property, ...]:
        """The properties that features are of."""
        return (*self.properties, DURATION)

    def measure(self, run: Run) -> FloatArray:
        """Return the row of a run in the properties' units, shape (n_columns,); NaN if nothing was read."""
        series = series_of(run, self.properties)
        end_s = float(series.times_s[-1]) if len(series) else 0.0
        every = features(series, self.properties, end_s)
        chosen = [feature.name in KEPT for feature in catalogue(self.properties)]
        return np.append(every[chosen], run.outcome.duration_s)

    def grain(self, runs: Sequence[Run]) -> FloatArray:
        """Return the smallest meaningful difference in each column, shape (n_columns,)."""
        of_property = grains(self.properties, (series_of(run, self.properties).values for run in runs))
        by_quantity = np.append(of_property, DURATION_GRAIN_S)
        return by_quantity[[feature.column for feature in self.kept]]


FEWEST_IN_VERSION = 3
"""Training runs that show how much a version scatters."""

LEVEL_SHARE = 0.01
"""Differences below this share of a level mean nothing."""

STILL = 0.01
"""The scatter of a column of shares that is 0 in every run."""

N_SIZES = 2
"""Columns that :func:`with_sizes` adds."""

OWN = 0
"""The group of the test that is learned; each other test is a group of its own."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelledRow:
    """One labelled run.

    Attributes:
        unit: of runs that were judged together, and so share a label; a training run is its own.
        values, expected: shape (n_columns,), of the run and of its baseline; equal where one was not read.
        scale: shape (n_columns,), how much runs of its baseline scatter.
        disturbance: share of samples missed, and of the cores used by others.
        is_taught: whether it is one of the runs of a baseline, compared with the others of it.
    """

    run_id: str
    label: Label
    group: int
    unit: str
    values: FloatArray
    expected: FloatArray
    scale: FloatArray
    disturbance: tuple[float, float]
    is_taught: bool

    @property
    def deviation(self) -> FloatArray:
        """How far the run is from its baseline, see :func:`deviations`."""
        return deviations(self.values, self.expected, self.scale)


@dataclass(frozen=True, eq=False, slots=True)
class Baseline:
    """A version that runs are compared with.

    Attributes:
        expected, scale: see :class:`LabelledRow`.
    """

    expected: FloatArray
    scale: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class KnownLabels:
    """What labels say.

    Attributes:
        baseline: of the test's newest version.
        rows: by test, the own one first, and by run.
        n_alone: labelled runs that no earlier version of the same environment can be compared with.
    """

    columns: LabelledColumns
    baseline: Baseline
    rows: tuple[LabelledRow, ...]
    n_alone: int


def deviations(values: FloatArray, expected: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the distance from what is expected, in units of the scatter; large ones on the scale of
    logarithms.
    """
    distance: FloatArray = np.arcsinh((values - expected) / scale)
    return distance


def known_rows(
    runs: RunSet, pasts: Sequence[Past], columns: LabelledColumns, metadata: MetadataSettings
) -> KnownLabels:
    """Return what is known of a test after training with these runs.

    Args:
        runs: the newest version, in the order of their start.
        pasts: of this test and of others.

    Raises:
        JudgeError: a person labelled one of the training runs bad or invalid.
    """
    test = runs.runs[0].test
    own = [past for past in pasts if past.test == test]
    others = sorted((past for past in pasts if past.test != test), key=lambda past: past.test)
    newest = _History(columns, [*own, Past(test, runs.runs, ())], metadata, runs.runs)
    rows, n_alone = list(newest.rows(OWN)), newest.n_alone()
    for number, past in enumerate(others, start=OWN + 1):
        rows += _History(columns, [past], metadata, ()).rows(number)
    baseline = newest.baseline(tuple(run.id for run in runs))
    return KnownLabels(columns, baseline, tuple(rows), n_alone)


def with_sizes(deviation: FloatArray) -> FloatArray:
    """Return deviations with :data:`N_SIZES` columns more: the largest and the mean size of a row.

    They tell of all tests and all kinds of regressions how much a run changed, whatever changed.
    """
    size = np.abs(deviation)
    return np.column_stack([deviation, size.max(axis=1), size.mean(axis=1)])


class _History:
    """The labelled runs of one test, and the versions that it had.

    Args:
        newest: the training runs of its newest version, which are good whatever commands said of them; none
            for a test of which only the past is known.

    Raises:
        JudgeError: a person labelled one of the training runs bad or invalid.
    """

    def __init__(
        self,
        columns: LabelledColumns,
        pasts: Sequence[Past],
        metadata: MetadataSettings,
        newest: Sequence[Run],
    ) -> None:
        labellings = [labelling for past in pasts for labelling in past.labellings]
        known = current(labellings)
        ids = {run.id for run in newest}
        _require_good(ids, known)
        self._columns, self._metadata = columns, metadata
        self._runs = {run.id: run for past in pasts for run in past.runs if run.id in known or run.id in ids}
        self._labels = {run_id: labelling.label for run_id, labelling in known.items()} | dict.fromkeys(
            ids, Label.GOOD
        )
        trained = [run_ids for past in pasts for run_ids in past.trainings]
        # An acceptance labels also runs that it did not train on, and a result may have been deleted.
        labelled = [labelling.run_ids for labelling in labellings if labelling.command == TRAIN]
        self._versions = self._usable([*trained, *labelled, tuple(ids)])
        self._values = {run_id: columns.measure(run) for run_id, run in sorted(self._runs.items())}
        self._scale = self._scatter()

    def rows(self, group: int) -> Iterator[LabelledRow]:
        """Yield a row for each run that has a baseline."""
        for run_id in self._values:
            version = self._version_of(run_id)
            if version is None:
                continue
            run, others = self._runs[run_id], tuple(known_id for known_id in version if known_id != run_id)
            baseline = self.baseline(others)
            values = self._values[run_id]
            read = ~np.isnan(values) & ~np.isnan(baseline.expected)
            taught = run_id in version
            yield LabelledRow(
                run_id,
                self._labels[run_id],
                group,
                run_id if taught else f"{run.test} {run.metadata.get(SESSION, run_id)}",
                np.where(read, values, 0.0),
                np.where(read, baseline.expected, 0.0),
                baseline.scale,
                disturbance_of(run),
                taught,
            )

    def n_alone(self) -> int:
        """Return how many runs have no baseline."""
        return sum(self._version_of(run_id) is None for run_id in self._values)

    def baseline(self, run_ids: Sequence[str]) -> Baseline:
        """Return what is expected of runs like these."""
        return Baseline(_median(np.array([self._values[run_id] for run_id in run_ids])), self._scale)

    def _usable(self, taught: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Return each version's runs that are stored and still good, oldest first; of one environment."""
        versions = set()
        for ids in taught:
            version = tuple(
                sorted(
                    run_id
                    for run_id in ids
                    if run_id in self._runs and self._labels.get(run_id) is Label.GOOD
                )
            )
            if len(version) >= FEWEST_IN_VERSION and self._is_of_one_environment(version):
                versions.add(version)
        return sorted(versions, key=lambda version: (version[-1], len(version)))

    def _is_of_one_environment(self, version: Sequence[str]) -> bool:
        try:
            learn_metadata([self._runs[run_id].metadata for run_id in version], self._metadata)
        except JudgeError:
            return False
        return True

    def _version_of(self, run_id: str) -> tuple[str, ...] | None:
        """Return the newest version that a run belongs to, or else the newest one before it of the same
        environment; None without one.
        """
        newest_first = self._versions[::-1]
        own = (version for version in newest_first if run_id in version)
        before = (
            version for version in newest_first if version[-1] < run_id and self._is_like(run_id, version)
        )
        return next(own, None) or next(before, None)

    def _is_like(self, run_id: str, version: Sequence[str]) -> bool:
        model = learn_metadata([self._runs[known_id].metadata for known_id in version], self._metadata)
        differences = compare_metadata(model, self._runs[run_id].metadata, self._metadata)
        return not any(difference.deciding for difference in differences)

    def _scatter(self) -> FloatArray:
        """Return the deviation between runs of one version, of all versions together, in each column."""
        n_columns = len(self._columns.kept)
        if not self._versions:
            return np.ones(n_columns)
        values = [np.array([self._values[run_id] for run_id in version]) for version in self._versions]
        variance = _mean_where_read(np.array([_variance(run_values) for run_values in values]))
        level = np.abs(_median(values[-1]))
        grain = self._columns.grain([self._runs[run_id] for run_id in self._versions[-1]])
        scale = np.sqrt(variance + grain**2 + (LEVEL_SHARE * np.where(np.isnan(level), 0.0, level)) ** 2)
        return np.where(scale > 0, scale, STILL)


def _require_good(run_ids: Iterable[str], known: Mapping[str, Labelling]) -> None:
    """Raise JudgeError if a person decided that a training run is not good."""
    labels = {
        run_id: known[run_id].label
        for run_id in sorted(run_ids)
        if run_id in known and known[run_id].is_decision
    }
    wrong = [f"{run_id} ({label.value})" for run_id, label in labels.items() if label is not Label.GOOD]
    if wrong:
        raise JudgeError(
            f"training runs must not be labelled bad or invalid, got {', '.join(wrong)}",
            advice="name other runs, or label them good",
        )


def by_label(rows: Sequence[LabelledRow]) -> Mapping[Label, int]:
    return {label: sum(row.label is label for row in rows) for label in Label}


def disturbance_of(run: Run) -> tuple[float, float]:
    """Return the share of samples that a run missed, and of the cores that others used, 0 if unknown."""
    load = run.quality.foreign_load
    return run.quality.missed_share, 0.0 if np.isnan(load) else load


def _variance(values: FloatArray) -> FloatArray:
    """Return the variance in each column, NaN where fewer than two rows were read."""
    count = (~np.isnan(values)).sum(axis=0)
    mean = np.where(count > 0, np.nansum(values, axis=0) / np.maximum(count, 1), np.nan)
    total = np.nansum((values - mean) ** 2, axis=0)
    return np.where(count > 1, total / np.maximum(count - 1, 1), np.nan)


def _mean_where_read(values: FloatArray) -> FloatArray:
    count = (~np.isnan(values)).sum(axis=0)
    mean: FloatArray = np.nansum(values, axis=0) / np.maximum(count, 1)
    return mean


def _median(values: FloatArray) -> FloatArray:
    """Return the median of what was read in each column, NaN where nothing was."""
    median = np.full(values.shape[1], np.nan)
    read = ~np.isnan(values).all(axis=0)
    median[read] = np.nanmedian(values[:, read], axis=0)
    return median
