"""What a calibrated oracle learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.features import COUNTER_FEATURES, GAUGE_FEATURES
from buto.analysis.series import LARGEST
from buto.analysis.spread import COUNT_GRAIN
from buto.detectors.bounds.data import property_of, property_to_data
from buto.detectors.calibrated.envelope import Envelope
from buto.detectors.calibrated.live_classes import LiveClasses
from buto.detectors.calibrated.profile import CLASS_GRAIN, TOTAL, Emitter, Profile
from buto.errors import BadFileError
from buto.properties import Kind
from buto.runs import FloatArray

DIGITS = 6
"""Significant digits of a feature that are kept; a tenth of a percent of any difference that counts."""

MOST_RUNS = 100_000
"""What a number of runs is taken for damage beyond, before so many numbers are made of it."""

CLASSES = "live_classes"
"""The key of what the live objects of each class use, if that is compared."""

_NAMES = {Kind.GAUGE: GAUGE_FEATURES, Kind.COUNTER: COUNTER_FEATURES}


def rounded(profile_values: FloatArray) -> FloatArray:
    """Round features to DIGITS digits, so that an oracle judges equally before and after it was stored."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in profile_values.ravel()]).reshape(
        profile_values.shape
    )


def write(profile: Profile, envelope: Envelope) -> dict[str, Any]:
    """Return plain data; of a feature that is equal in all runs only that one value.

    Each property has one block with its features.
    """
    columns = iter(profile.values.T)
    blocks = [
        {
            **property_to_data(prop),
            "grain": float(profile.grain[number]),
            "features": [_array(next(columns)) for _ in _NAMES[prop.kind]],
        }
        for number, prop in enumerate(profile.properties)
    ]
    first = len(profile.properties)
    known = {prop.name for prop in profile.properties}
    written = {
        "n_runs": len(profile.values),
        "end_s": profile.end_s,
        "duration_s": {"grain": float(profile.grain[first]), TOTAL: _array(next(columns))},
        "notification_counts": [
            {"type": emitter.type, "source": emitter.source, TOTAL: _array(next(columns))}
            for emitter in profile.emitters
        ],
        "properties": [
            *blocks,
            *(property_to_data(prop) for prop in envelope.properties if prop.name not in known),
        ],
        "envelope": envelope.to_data(),
    }
    if profile.classes is None:
        return written
    sizes = {name: _array(next(columns)) for name in profile.classes.names}
    return {**written, CLASSES: {"floor": profile.classes.floor, "sizes": sizes}}


def read(data: Mapping[str, Any]) -> tuple[Profile, Envelope]:
    """Return the inverse of :func:`write`. BadFileError for data of another shape."""
    try:
        blocks = data["properties"]
        properties = sorted(map(property_of, blocks), key=lambda prop: prop.name)
        profile = _read(data, [block for block in blocks if "features" in block])
        return profile, Envelope.from_data(data["envelope"], properties)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the features are damaged: {what}") from error


def _read(data: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]) -> Profile:
    n_runs = data["n_runs"]
    if type(n_runs) is not int or not 1 <= n_runs <= MOST_RUNS:
        raise ValueError(f"there are {_short(n_runs)} training runs")
    counts = data["notification_counts"]
    properties = tuple(map(property_of, blocks))
    columns = [
        _numbers(written, n_runs)
        for prop, block in zip(properties, blocks, strict=True)
        for _, written in zip(_NAMES[prop.kind], block["features"], strict=True)
    ]
    columns += [_numbers(block[TOTAL], n_runs) for block in (data["duration_s"], *counts)]
    classes = _classes(data[CLASSES]) if CLASSES in data else None
    if classes is not None:
        columns += [_numbers(data[CLASSES]["sizes"][name], n_runs) for name in classes.names]
    grain = [_size(block["grain"]) for block in (*blocks, data["duration_s"])]
    return Profile(
        properties,
        tuple(Emitter(str(one["type"]), str(one["source"])) for one in counts),
        np.array([*grain, *[COUNT_GRAIN] * len(counts), *([] if classes is None else [CLASS_GRAIN])]),
        _size(data["end_s"]),
        np.array(columns).T,
        classes,
    )


def _classes(written: Mapping[str, Any]) -> LiveClasses:
    return LiveClasses(tuple(map(str, written["sizes"])), _size(written["floor"]))


def _array(values: FloatArray) -> Any:
    listed = [float(value) for value in values]
    return listed[0] if all(value == listed[0] for value in listed) else listed


def _numbers(written: Any, length: int) -> FloatArray:
    listed = written if isinstance(written, list) else [written] * length
    numbers = np.array([float(value) for value in listed])
    if len(numbers) != length or not (np.abs(numbers) <= LARGEST).all():
        raise ValueError(f"{_short(written)} are not {length} numbers")
    return numbers


def _size(written: Any) -> float:
    size = float(written)
    if not 0 <= size <= LARGEST:
        raise ValueError(f"{_short(written)} is no size")
    return size


def _short(written: Any) -> str:
    text = repr(written)
    return text if len(text) <= 80 else f"{text[:77]}..."
