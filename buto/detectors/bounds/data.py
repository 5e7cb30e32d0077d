"""Bounds and notifications as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.bounds import Bounds
from buto.analysis.pipeline import Model
from buto.classify.notifications import Emitter, Limits, NotificationModel
from buto.detectors.bounds.packing import SIDES, packed, unpacked
from buto.errors import BadFileError
from buto.properties import Better, Kind, Property, Role
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
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFileError(f"the bounds are damaged: {what}") from error


def _read(data: Mapping[str, Any]) -> Parts:
    times = _numbers(data["times_s"], len(data["times_s"]))
    if not np.isfinite(times).all() or not (np.diff(times) >= 0).all():
        raise ValueError("the times decrease")
    blocks: Sequence[Mapping[str, Any]] = data["properties"]
    shape = (len(times), len(blocks))
    curves = [unpacked(block) for block in blocks]
    sides = [
        np.array([_numbers(one[side], len(times)) for one in curves]).reshape(shape[::-1]).T for side in SIDES
    ]
    model = Model(
        tuple(property_of(block) for block in blocks),
        _size(data["interval_s"]),
        _bounds(times, sides),
    )
    emitters = tuple(_emitter_of(block) for block in data["notifications"])
    left_out = {str(name): str(why) for name, why in data["left_out"].items()}
    return model, NotificationModel(emitters), left_out


def _bounds(times_s: FloatArray, sides: Sequence[FloatArray]) -> Bounds:
    expected, lower, upper = sides
    if (lower > upper).any():
        raise ValueError("a lower limit is above its upper one")
    return Bounds(times_s, lower, upper, expected)


def _size(written: Any) -> float:
    size = float(written)
    if not 0 <= size < np.inf:
        raise ValueError(f"{size} is no size")
    return size


def _property(model: Model, column: int) -> dict[str, Any]:
    prop = model.properties[column]
    return {
        **property_to_data(prop),
        **packed({side: _array(getattr(model.bounds, side)[:, column]) for side in SIDES}),
    }


def property_to_data(prop: Property) -> dict[str, Any]:
    """Return all attributes of a property as plain data."""
    return {
        "name": prop.name,
        "unit": prop.unit,
        "kind": prop.kind.value,
        "role": prop.role.value,
        "range": [_finite(prop.lower), _finite(prop.upper)],
        "better": prop.better.value,
    }


def property_of(block: Mapping[str, Any]) -> Property:
    """Invert :func:`property_to_data`; raise KeyError or ValueError for data of another shape."""
    low, high = block["range"]
    return Property(
        str(block["name"]),
        str(block["unit"]),
        Kind(block["kind"]),
        Role(block["role"]),
        -np.inf if low is None else float(low),
        np.inf if high is None else float(high),
        Better(block["better"]),
    )


def _emitter(emitter: Emitter) -> dict[str, Any]:
    return {
        "type": emitter.type,
        "source": emitter.source,
        "sequences": list(emitter.sequences),
        **{f"{side}_s": getattr(emitter.times_s, side).tolist() for side in SIDES},
    }


def _emitter_of(block: Mapping[str, Any]) -> Emitter:
    sequences = tuple(int(number) for number in block["sequences"])
    times = [_numbers(block[f"{side}_s"], len(sequences)) for side in SIDES]
    if not np.isfinite(times).all():
        raise ValueError("when a notification comes is not known")
    return Emitter(str(block["type"]), str(block["source"]), sequences, Limits(*times))


def _array(values: FloatArray) -> Any:
    listed = [_finite(value) for value in values.tolist()]
    return listed[0] if listed and all(value == listed[0] for value in listed) else listed


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(written: Any, length: int) -> FloatArray:
    listed = written if isinstance(written, list) else [written] * length
    numbers = np.array([np.nan if value is None else float(value) for value in listed], dtype=float)
    if len(numbers) != length:
        raise ValueError(f"{len(numbers)} numbers where {length} belong")
    if np.isinf(numbers).any():
        raise ValueError("a number is infinite")
    return numbers
