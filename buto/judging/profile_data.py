"""What a calibrated oracle learned as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from buto.judging.accusing import accusing_features
from buto.judging.contrasts import CLASS_GRAIN, COUNT_GRAIN
from buto.judging.envelope import Envelope
from buto.judging.features import TOTAL
from buto.judging.profile import Emitter, LiveClasses, TrainingProfile
from buto.judging.stored import (
    array_of,
    array_to_data,
    count_of,
    property_of,
    property_to_data,
    reading,
    size_of,
)

CLASSES = "live_classes"
"""The key of what the live objects of each class use, if that is compared."""

_FORMER_COUNT_GRAIN = 0.5
"""What oracles had as grain of whole numbers before :data:`COUNT_GRAIN`; no other grain is as large."""


def write(profile: TrainingProfile, envelope: Envelope) -> dict[str, Any]:
    """Return plain data."""
    data, known = profile_to_data(profile), {prop.name for prop in profile.properties}
    constants = [property_to_data(prop) for prop in envelope.properties if prop.name not in known]
    return {**data, "properties": [*data["properties"], *constants], "envelope": envelope.to_data()}


def profile_to_data(profile: TrainingProfile) -> dict[str, Any]:
    """Return plain data; of a feature that is equal in all runs only that one value.

    Each property has one block with its features.
    """
    columns = map(array_to_data, profile.values.T)
    first = len(profile.properties)
    blocks = [
        {
            **property_to_data(prop),
            "grain": float(profile.grain[number]),
            **({"step": float(profile.steps[number])} if profile.steps[number] else {}),
            "features": {name: next(columns) for name in accusing_features(prop)},
        }
        for number, prop in enumerate(profile.properties)
    ]
    written = {
        "n_runs": len(profile.values),
        "end_s": profile.end_s,
        **_waits(profile),
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


def _waits(profile: TrainingProfile) -> dict[str, Any]:
    is_known = len(profile.waits_s) == len(profile.values) and not np.isnan(profile.waits_s).any()
    return {"waits_s": array_to_data(profile.waits_s)} if is_known else {}


def read(data: Mapping[str, Any]) -> tuple[TrainingProfile, Envelope]:
    """Return the inverse of :func:`write`. BadFileError for data of another shape."""
    with reading("the features"):
        properties = sorted(map(property_of, data["properties"]), key=lambda prop: prop.name)
        return profile_of(data), Envelope.from_data(data["envelope"], properties)


def profile_of(data: Mapping[str, Any]) -> TrainingProfile:
    """Return the inverse of :func:`profile_to_data`; ValueError, KeyError and so on for another shape."""
    blocks = [block for block in data["properties"] if "features" in block]
    n_runs = count_of(data["n_runs"], "training runs")
    counts = data["notification_counts"]
    properties = tuple(map(property_of, blocks))
    columns = [
        array_of(block["features"][name], n_runs)
        for prop, block in zip(properties, blocks, strict=True)
        for name in accusing_features(prop)
    ]
    columns += [array_of(block[TOTAL], n_runs) for block in (data["duration_s"], *counts)]
    classes = _classes(data[CLASSES]) if CLASSES in data else None
    if classes is not None:
        columns += [array_of(data[CLASSES]["sizes"][name], n_runs) for name in classes.names]
    grains = [size_of(block["grain"]) for block in (*blocks, data["duration_s"])]
    grain = [COUNT_GRAIN if size == _FORMER_COUNT_GRAIN else size for size in grains]
    every = np.array([*grain, *[COUNT_GRAIN] * len(counts), *([] if classes is None else [CLASS_GRAIN])])
    steps = np.zeros(len(every))
    steps[: len(blocks)] = [size_of(block.get("step", 0.0)) for block in blocks]
    return TrainingProfile(
        properties,
        tuple(Emitter(str(count["type"]), str(count["source"])) for count in counts),
        every,
        size_of(data["end_s"]),
        # In the order of learned values: a mean over another order differs in its last digit.
        np.ascontiguousarray(np.array(columns).T),
        classes,
        array_of(data["waits_s"], n_runs) if "waits_s" in data else np.full(n_runs, np.nan),
        steps,
    )


def _classes(written: Mapping[str, Any]) -> LiveClasses:
    return LiveClasses(tuple(map(str, written["sizes"])), size_of(written["floor"]))
