"""Decide by metadata whether runs come from the same environment (thesis, section 4.5, C.11 and C.12).

In the thesis, every item that is not filtered must be equal in all training runs and in the run under test.
This is ``deciding=("*",)``. The default departs from it: only some keys *decide* whether runs can be
compared. The others may change with every build and are only reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import PurePosixPath

from buto.errors import JudgeError
from buto.runs import MetadataValue
from buto.runs.metadata_text import metadata_texts
from buto.runs.window import WINDOW
from buto.steps import Action, Advice, Step

_CLASS_PATH = "jvm.class.path"


@dataclass(frozen=True, slots=True)
class MetadataSettings:
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


@dataclass(frozen=True, slots=True)
class MetadataDifference:
    """An item that differs from training; ``expected`` is None if extra, ``observed`` is None if missing."""

    kind: DifferenceKind
    key: str
    expected: MetadataValue
    observed: MetadataValue
    deciding: bool

    def describe(self) -> str:
        """Return the difference in words, for messages."""
        observed, expected = _quoted(self.key, self.observed, self.expected)
        if self.kind is DifferenceKind.MISSING:
            return f"{self.key} is missing; it was {expected} in training"
        if self.kind is DifferenceKind.EXTRA:
            return f"{self.key} is {observed}; training had none"
        return f"{self.key} is {observed}; it was {expected} in training"


@dataclass(frozen=True, slots=True)
class MetadataModel:
    """The environment of the training runs.

    Attributes:
        values: items that are equal in all training runs.
        varying: keys, not deciding, whose values differ between training runs.
    """

    values: Mapping[str, MetadataValue]
    varying: tuple[str, ...] = ()


def learn_metadata(runs: Sequence[Mapping[str, MetadataValue]], settings: MetadataSettings) -> MetadataModel:
    """Return the model of at least one training run. JudgeError if runs differ in a deciding key."""
    kept = [_kept(run, settings) for run in runs]
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
            unlike.append(f"{key} is {' or '.join([*_quoted(key, *seen), *missing])}")
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
    observed = _kept(run, settings)
    expected = _kept(model.values, settings)
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


def _kept(run: Mapping[str, MetadataValue], settings: MetadataSettings) -> dict[str, MetadataValue]:
    return {key: _plain(key, value) for key, value in run.items() if not _matches(key, settings.ignored)}


def _plain(key: str, value: MetadataValue) -> MetadataValue:
    if key == _CLASS_PATH and isinstance(value, str):
        return ":".join(PurePosixPath(entry).name for entry in value.split(":"))
    # NaN is not equal to itself, and JSON has neither NaN nor infinity.
    return value if not isinstance(value, float) or isfinite(value) else str(value)


def _matches(key: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def _quoted(key: str, *values: MetadataValue) -> list[str]:
    """Return values for a message: sizes as people read them, other texts in quotes and not too long."""
    texts = metadata_texts(key, *values)
    return [
        repr(text if len(text) <= 80 else text[:77] + "...") if text == value else text
        for text, value in zip(texts, values, strict=True)
    ]
