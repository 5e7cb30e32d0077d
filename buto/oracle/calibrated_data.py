"""What a calibrated oracle learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from buto.analysis.features import COUNTER_FEATURES, GAUGE_FEATURES
from buto.analysis.spread import COUNT_GRAIN
from buto.errors import BadFileError
from buto.oracle.bounds_data import property_of, property_to_data
from buto.oracle.profile import TOTAL, Emitter, Profile
from buto.properties import Kind
from buto.runs import FloatArray

DIGITS = 6
"""Significant digits of a feature that are kept; a tenth of a percent of any difference that counts."""

_NAMES = {Kind.GAUGE: GAUGE_FEATURES, Kind.COUNTER: COUNTER_FEATURES}


def rounded(profile_values: FloatArray) -> FloatArray:
    """Features to DIGITS digits, so that an oracle judges alike before and after it was stored."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in profile_values.ravel()]).reshape(
        profile_values.shape
    )


def write(profile: Profile) -> dict[str, Any]:
    """Plain data; of a feature that is equal in all runs only that one value."""
    columns = iter(profile.values.T)
    properties = [
        {
            **property_to_data(prop),
            "grain": float(profile.grain[number]),
            **{name: _array(next(columns)) for name in _NAMES[prop.kind]},
        }
        for number, prop in enumerate(profile.properties)
    ]
    first = len(profile.properties)
    return {
        "n_runs": len(profile.values),
        "end_s": profile.end_s,
        "features": properties,
        "duration_s": {"grain": float(profile.grain[first]), TOTAL: _array(next(columns))},
        "notification_counts": [
            {"type": emitter.type, "source": emitter.source, TOTAL: _array(next(columns))}
            for emitter in profile.emitters
        ],
    }


def read(data: Mapping[str, Any]) -> Profile:
    """The inverse of :func:`write`; BadFileError for data of another shape."""
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the features are damaged: {what}") from error


def _read(data: Mapping[str, Any]) -> Profile:
    n_runs = int(data["n_runs"])
    if n_runs < 1:
        raise ValueError(f"there are {n_runs} training runs")
    blocks, counts = data["features"], data["notification_counts"]
    properties = tuple(map(property_of, blocks))
    columns = [
        _numbers(block[name], n_runs)
        for prop, block in zip(properties, blocks, strict=True)
        for name in _NAMES[prop.kind]
    ]
    columns += [_numbers(block[TOTAL], n_runs) for block in (data["duration_s"], *counts)]
    grain = [float(block["grain"]) for block in (*blocks, data["duration_s"])]
    return Profile(
        properties,
        tuple(Emitter(str(one["type"]), str(one["source"])) for one in counts),
        np.array([*grain, *[COUNT_GRAIN] * len(counts)]),
        float(data["end_s"]),
        np.array(columns).T,
    )


def _array(values: FloatArray) -> Any:
    listed = [float(value) for value in values]
    return listed[0] if all(value == listed[0] for value in listed) else listed


def _numbers(written: Any, length: int) -> FloatArray:
    listed = written if isinstance(written, list) else [written] * length
    numbers = np.array([float(value) for value in listed])
    if len(numbers) != length or not np.isfinite(numbers).all():
        raise ValueError(f"{written!r} are not {length} finite numbers")
    return numbers
