"""What a calibrated oracle learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from buto.judging.calibrated.envelope import Envelope
from buto.judging.calibrated.profile import TOTAL, Emitter, LiveClasses, Profile
from buto.judging.contrasts import CLASS_GRAIN, COUNT_GRAIN
from buto.judging.features import COUNTER_FEATURES, GAUGE_FEATURES
from buto.judging.stored import (
    array_of,
    array_to_data,
    count_of,
    property_of,
    property_to_data,
    reading,
    size_of,
)
from buto.run.properties import Kind

CLASSES = "live_classes"
"""The key of what the live objects of each class use, if that is compared."""

_NAMES = {Kind.GAUGE: GAUGE_FEATURES, Kind.COUNTER: COUNTER_FEATURES}


def write(profile: Profile, envelope: Envelope) -> dict[str, Any]:
    """Return plain data."""
    data, known = profile_to_data(profile), {prop.name for prop in profile.properties}
    constants = [property_to_data(prop) for prop in envelope.properties if prop.name not in known]
    return {**data, "properties": [*data["properties"], *constants], "envelope": envelope.to_data()}


def profile_to_data(profile: Profile) -> dict[str, Any]:
    """Return plain data; of a feature that is equal in all runs only that one value.

    Each property has one block with its features.
    """
    columns = map(array_to_data, profile.values.T)
    first = len(profile.properties)
    blocks = [
        {
            **property_to_data(prop),
            "grain": float(profile.grain[number]),
            "features": [next(columns) for _ in _NAMES[prop.kind]],
        }
        for number, prop in enumerate(profile.properties)
    ]
    written = {
        "n_runs": len(profile.values),
        "end_s": profile.end_s,
        "duration_s": {"grain": float(profile.grain[first]), TOTAL: next(columns)},
        "notification_counts": [
            {"type": emitter.type, "source": emitter.source, TOTAL: next(columns)}
            for emitter in profile.emitters
        ],
        "properties": blocks,
    }
    if profile.classes is None:
        return written
    sizes = {name: next(columns) for name in profile.classes.names}
    return {**written, CLASSES: {"floor": profile.classes.floor, "sizes": sizes}}


def read(data: Mapping[str, Any]) -> tuple[Profile, Envelope]:
    """Return the inverse of :func:`write`. BadFileError for data of another shape."""
    with reading("the features"):
        properties = sorted(map(property_of, data["properties"]), key=lambda prop: prop.name)
        return profile_of(data), Envelope.from_data(data["envelope"], properties)


def profile_of(data: Mapping[str, Any]) -> Profile:
    """Return the inverse of :func:`profile_to_data`; ValueError, KeyError and so on for another shape."""
    blocks = [block for block in data["properties"] if "features" in block]
    n_runs = count_of(data["n_runs"], "training runs")
    counts = data["notification_counts"]
    properties = tuple(map(property_of, blocks))
    columns = [
        array_of(written, n_runs)
        for prop, block in zip(properties, blocks, strict=True)
        for _, written in zip(_NAMES[prop.kind], block["features"], strict=True)
    ]
    columns += [array_of(block[TOTAL], n_runs) for block in (data["duration_s"], *counts)]
    classes = _classes(data[CLASSES]) if CLASSES in data else None
    if classes is not None:
        columns += [array_of(data[CLASSES]["sizes"][name], n_runs) for name in classes.names]
    grain = [size_of(block["grain"]) for block in (*blocks, data["duration_s"])]
    return Profile(
        properties,
        tuple(Emitter(str(one["type"]), str(one["source"])) for one in counts),
        np.array([*grain, *[COUNT_GRAIN] * len(counts), *([] if classes is None else [CLASS_GRAIN])]),
        size_of(data["end_s"]),
        np.array(columns).T,
        classes,
    )


def _classes(written: Mapping[str, Any]) -> LiveClasses:
    return LiveClasses(tuple(map(str, written["sizes"])), size_of(written["floor"]))
