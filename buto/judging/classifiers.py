"""The thesis's classifiers of metadata and notifications, which runs have beside samples (sections 4.5, 4.6).

Metadata (C.11 and C.12) show whether runs come from the same environment. In the thesis, every item that is
not filtered must be equal in all training runs and in the run under test. This is ``deciding=("*",)``. The
default departs from it: only some keys *decide* whether runs can be compared. The others may change with
every build and are only reported.

Notifications (C.13 and C.14) are grouped by type, source and sequence number. The times of a group in the
training runs give its band. In the thesis, training fails unless all groups have the same size; this is
``strict``. Otherwise groups that some training run does not have exactly once are left out: threads and time
limits change which notifications come last in a run.

As printed, C.14 reports every first notification of a group as a duplicate and none of the others
(the test of ``unprocessedBounds`` is the wrong way round); here it is as the text of 4.6 says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from math import isfinite, nan
from pathlib import PurePosixPath

import numpy as np
from msgspec import Struct

from buto.errors import JudgeError
from buto.run.model import FloatArray, MetadataValue, Notification
from buto.run.names import metadata_texts
from buto.run.patterns import fits
from buto.run.window import WINDOW
from buto.steps import Action, Advice, Step

_CLASS_PATH = "jvm.class.path"


class MetadataSettings(Struct, frozen=True):
    """Shell patterns for keys; a key that matches both lists is ignored.

    Attributes:
        ignored: keys that are not compared (the thesis's filter list).
        deciding: keys that must be equal.
    """

    ignored: tuple[str, ...]
    deciding: tuple[str, ...]

    def is_deciding(self, key: str) -> bool:
        return key == WINDOW or (_matches(key, self.deciding) and not _matches(key, self.ignored))


class DifferenceKind(Enum):
    MISSING = "missing"
    DIFFERENT = "different"
    EXTRA = "extra"


class MetadataDifference(Struct, frozen=True):
    """An item that differs from training; ``expected`` is None if extra, ``observed`` is None if missing."""

    kind: DifferenceKind
    key: str
    expected: MetadataValue
    observed: MetadataValue
    deciding: bool

    def describe(self) -> str:
        """Return the difference in words, for messages."""
        observed, expected = _quote(self.key, self.observed, self.expected)
        if self.kind is DifferenceKind.MISSING:
            return f"{self.key} is missing; it was {expected} in training"
        if self.kind is DifferenceKind.EXTRA:
            return f"{self.key} is {observed}; training had none"
        return f"{self.key} is {observed}; it was {expected} in training"


class MetadataModel(Struct, frozen=True):
    """The environment of the training runs.

    Attributes:
        values: items that are equal in all training runs.
        varying: keys, not deciding, whose values differ between training runs.
    """

    values: Mapping[str, MetadataValue]
    varying: tuple[str, ...] = ()


def learn_metadata(runs: Sequence[Mapping[str, MetadataValue]], settings: MetadataSettings) -> MetadataModel:
    """Return the model of at least one training run. JudgeError if runs differ in a deciding key."""
    kept = [_find_kept(run, settings) for run in runs]
    values: dict[str, MetadataValue] = {}
    varying = []
    unlike = []
    for key in sorted(set().union(*kept)):
        first = kept[0].get(key)
        if all(key in run and run[key] == first for run in kept):
            values[key] = first
        elif settings.is_deciding(key):
            seen = list(dict.fromkeys(run[key] for run in kept if key in run))
            missing = [] if all(key in run for run in kept) else ["missing"]
            unlike.append(f"{key} is {' or '.join([*_quote(key, *seen), *missing])}")
        else:
            varying.append(key)
    if unlike:
        raise JudgeError(
            "runs of one test come from different environments: " + "; ".join(unlike),
            advice=Advice(
                "delete the runs of one environment (",
                Step(Action.LIST_RUNS),
                " lists them), or record all of them again; a key that changes with every run can be put on "
                "metadata-ignored in judge",
            ),
        )
    return MetadataModel(values, tuple(varying))


def compare_metadata(
    model: MetadataModel, run: Mapping[str, MetadataValue], settings: MetadataSettings
) -> tuple[MetadataDifference, ...]:
    """Return what is missing, different or extra in a run, sorted by key."""
    differences = []
    observed = _find_kept(run, settings)
    expected = _find_kept(model.values, settings)
    for key in sorted((observed.keys() - set(model.varying)) | expected.keys()):
        if key not in observed:
            kind = DifferenceKind.MISSING
        elif key not in expected:
            kind = DifferenceKind.EXTRA
        elif observed[key] != expected[key]:
            kind = DifferenceKind.DIFFERENT
        else:
            continue
        differences.append(
            MetadataDifference(kind, key, expected.get(key), observed.get(key), settings.is_deciding(key))
        )
    return tuple(differences)


def _find_kept(run: Mapping[str, MetadataValue], settings: MetadataSettings) -> dict[str, MetadataValue]:
    return {key: _plain(key, value) for key, value in run.items() if not _matches(key, settings.ignored)}


def _plain(key: str, value: MetadataValue) -> MetadataValue:
    if key == _CLASS_PATH and isinstance(value, str):
        return ":".join(PurePosixPath(entry).name for entry in value.split(":"))
    # NaN is not equal to itself, and JSON has neither NaN nor infinity.
    return value if not isinstance(value, float) or isfinite(value) else str(value)


@lru_cache(maxsize=1 << 12)
def _matches(key: str, patterns: tuple[str, ...]) -> bool:
    return any(fits(key, pattern) for pattern in patterns)


def _quote(key: str, *values: MetadataValue) -> list[str]:
    """Return values for a message: sizes as people read them, other texts in quotes and not too long."""
    texts = metadata_texts(key, *values)
    return [
        repr(text if len(text) <= 80 else text[:77] + "...") if text == value else text
        for text, value in zip(texts, values, strict=True)
    ]


class BandLimits(Struct, frozen=True, eq=False):
    """Bands of several quantities, each of shape (n,)."""

    expected: FloatArray
    lower: FloatArray
    upper: FloatArray


Band = Callable[[FloatArray], BandLimits]
"""Compute bands from values (n_runs, n); the settings of the detector determine their width."""


class EmitterBands(Struct, frozen=True, eq=False):
    """All notifications of one type from one source.

    Attributes:
        sequences: sequence numbers that every training run had exactly once, increasing.
        times_s: band of the time of each, seconds from the program's start.
    """

    type: str
    source: str
    sequences: tuple[int, ...]
    times_s: BandLimits


class NotificationModel(Struct, frozen=True, eq=False):
    """The notifications of the training runs, sorted by type and source."""

    emitters: tuple[EmitterBands, ...]


class NotificationKind(Enum):
    LATE_OR_EARLY = "outside its time"
    UNMATCHED = "unknown"
    MISSING = "missing"
    DUPLICATE = "duplicate"


class NotificationDifference(Struct, frozen=True):
    """A difference of a notification from training; times are NaN if there are none."""

    kind: NotificationKind
    type: str
    source: str
    sequence: int
    time_s: float = nan
    expected_s: float = nan
    lower_s: float = nan
    upper_s: float = nan


Key = tuple[str, str]


def learn_notifications(
    runs: Sequence[Sequence[Notification]], band_of_times: Band, *, strict: bool
) -> NotificationModel:
    """Return the model of at least one training run; JudgeError if ``strict`` and groups differ in size."""
    groups: dict[tuple[str, str, int], list[list[float]]] = defaultdict(lambda: [[] for _ in runs])
    for row, run in enumerate(runs):
        for notification in run:
            key = (notification.type, notification.source, notification.sequence)
            groups[key][row].append(notification.time_s)
    if strict:
        _refuse_unequal(groups, len(runs))
    by_emitter: dict[Key, list[int]] = defaultdict(list)
    for type_, source, sequence in sorted(groups):
        by_emitter[type_, source].append(sequence)
    emitters = []
    for (type_, source), sequences in by_emitter.items():
        steady = [n for n in sequences if all(len(times) == 1 for times in groups[type_, source, n])]
        times = np.array([[groups[type_, source, n][row][0] for n in steady] for row in range(len(runs))])
        limits = band_of_times(times.reshape(len(runs), len(steady)))
        emitters.append(EmitterBands(type_, source, tuple(steady), limits))
    return NotificationModel(tuple(emitters))


def compare_notifications(
    model: NotificationModel, run: Sequence[Notification]
) -> tuple[NotificationDifference, ...]:
    """Return the differences of the four kinds of section 4.6, in the order of the run; missing ones last."""
    differences = []
    place = {
        (emitter.type, emitter.source, sequence): (emitter.times_s, row)
        for emitter in model.emitters
        for row, sequence in enumerate(emitter.sequences)
    }
    seen: Counter[tuple[str, str, int]] = Counter()
    for notification in run:
        key = (notification.type, notification.source, notification.sequence)
        seen[key] += 1
        if key not in place:
            differences.append(
                NotificationDifference(NotificationKind.UNMATCHED, *key, time_s=notification.time_s)
            )
            continue
        if seen[key] > 1:
            differences.append(
                NotificationDifference(NotificationKind.DUPLICATE, *key, time_s=notification.time_s)
            )
        band, row = place[key]
        lower, upper = float(band.lower[row]), float(band.upper[row])
        if not lower <= notification.time_s <= upper:
            differences.append(
                NotificationDifference(
                    NotificationKind.LATE_OR_EARLY,
                    *key,
                    time_s=notification.time_s,
                    expected_s=float(band.expected[row]),
                    lower_s=lower,
                    upper_s=upper,
                )
            )
    for key, (band, row) in place.items():
        if key not in seen:
            differences.append(
                NotificationDifference(
                    NotificationKind.MISSING,
                    *key,
                    expected_s=float(band.expected[row]),
                    lower_s=float(band.lower[row]),
                    upper_s=float(band.upper[row]),
                )
            )
    return tuple(differences)


def _refuse_unequal(groups: dict[tuple[str, str, int], list[list[float]]], n_runs: int) -> None:
    for (type_, source, sequence), rows in groups.items():
        once = sum(len(times) == 1 for times in rows)
        if once != n_runs:
            raise JudgeError(
                f"the training runs emitted different notifications: number {sequence} of type {type_!r} "
                f"from {source!r} came exactly once in only {once} of {n_runs} runs",
                advice="leave out judge: {method: thesis}, so that only their number is judged, or do not "
                "subscribe to the MBean (notifications: false)",
            )
