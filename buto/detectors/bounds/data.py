"""Bounds and notifications as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.bounds import Bounds
from buto.analysis.pipeline import Model
from buto.classify.notifications import Emitter, Limits, NotificationModel
from buto.detectors.bounds.packing import SIDES, packed, unpacked
from buto.detectors.stored import (
    array_of,
    array_to_data,
    property_of,
    property_to_data,
    reading,
    size_of,
    texts_of,
)
from buto.runs import FloatArray

Parts = tuple[Model, NotificationModel, dict[str, str]]


def write(model: Model, notifications: NotificationModel, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return plain data; for an array of equal values, only that value."""
    return {
        "interval_s": model.interval_s,
        "times_s": model.bounds.times_s.tolist(),
        "properties": [_property(model, column) for column in range(len(model.properties))],
        "notifications": [_emitter(emitter) for emitter in notifications.emitters],
        "left_out": dict(sorted(left_out.items())),
    }


def read(data: Mapping[str, Any]) -> Parts:
    """Invert :func:`write`; raise BadFileError for data of another shape."""
    with reading("the bounds"):
        return _read(data)


def _read(data: Mapping[str, Any]) -> Parts:
    times = _limits(data["times_s"], len(data["times_s"]))
    if not np.isfinite(times).all() or not (np.diff(times) >= 0).all():
        raise ValueError("the times decrease")
    blocks: Sequence[Mapping[str, Any]] = data["properties"]
    shape = (len(times), len(blocks))
    curves = [unpacked(block) for block in blocks]
    sides = [
        np.array([_limits(one[side], len(times)) for one in curves]).reshape(shape[::-1]).T for side in SIDES
    ]
    model = Model(
        tuple(property_of(block) for block in blocks),
        size_of(data["interval_s"]),
        _bounds(times, sides),
    )
    emitters = tuple(_emitter_of(block) for block in data["notifications"])
    left_out = texts_of(data["left_out"])
    return model, NotificationModel(emitters), left_out


def _bounds(times_s: FloatArray, sides: Sequence[FloatArray]) -> Bounds:
    expected, lower, upper = sides
    if (lower > upper).any():
        raise ValueError("a lower limit is above its upper one")
    return Bounds(times_s, lower, upper, expected)


def _property(model: Model, column: int) -> dict[str, Any]:
    prop = model.properties[column]
    return {
        **property_to_data(prop),
        **packed({side: array_to_data(getattr(model.bounds, side)[:, column]) for side in SIDES}),
    }


def _emitter(emitter: Emitter) -> dict[str, Any]:
    return {
        "type": emitter.type,
        "source": emitter.source,
        "sequences": list(emitter.sequences),
        **{f"{side}_s": getattr(emitter.times_s, side).tolist() for side in SIDES},
    }


def _emitter_of(block: Mapping[str, Any]) -> Emitter:
    sequences = tuple(int(number) for number in block["sequences"])
    times = [_limits(block[f"{side}_s"], len(sequences)) for side in SIDES]
    if not np.isfinite(times).all():
        raise ValueError("when a notification comes is not known")
    return Emitter(str(block["type"]), str(block["source"]), sequences, Limits(*times))


def _limits(written: Any, length: int) -> FloatArray:
    return array_of(written, length, gaps=True, largest=np.finfo(float).max)
