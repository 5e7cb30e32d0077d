"""The bounds oracle as plain data, and back; ``docs/formats/oracle.md`` describes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from buto.analysis.bounds import Bounds
from buto.analysis.pipeline import Model
from buto.analysis.series import SUMMARIES
from buto.classify.notifications import Emitter, Limits, NotificationModel
from buto.detectors.bounds.findings import Point
from buto.detectors.bounds.packing import SIDES, packed, unpacked
from buto.errors import BadFileError
from buto.properties import Better, Kind, Property, Role
from buto.runs import FloatArray

Parts = tuple[Model, Point | None, NotificationModel, dict[str, str]]


def write(
    model: Model, duration: Point | None, notifications: NotificationModel, left_out: Mapping[str, str]
) -> dict[str, Any]:
    """Return plain data; for an array of equal values, only that value."""
    return {
        "window": model.window,
        "interval_s": model.interval_s,
        "duration_s": None
        if duration is None
        else [duration.expected, duration.lower, duration.upper, duration.grain],
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
    wholes = np.array([[_numbers(block[name], 3) for block in blocks] for name in SUMMARIES])
    model = Model(
        tuple(property_of(block) for block in blocks),
        _window(data["window"]),
        _size(data["interval_s"]),
        _bounds(times, sides),
        _bounds(np.zeros(len(SUMMARIES)), list(np.moveaxis(wholes, 2, 0))),
        np.array([_size(block["grain"]) for block in blocks]),
    )
    emitters = tuple(_emitter_of(block) for block in data["notifications"])
    left_out = {str(name): str(why) for name, why in data["left_out"].items()}
    return model, _duration(data["duration_s"]), NotificationModel(emitters), left_out


def _bounds(times_s: FloatArray, sides: Sequence[FloatArray]) -> Bounds:
    expected, lower, upper = sides
    if (lower > upper).any():
        raise ValueError("a lower limit is above its upper one")
    return Bounds(times_s, lower, upper, expected)


def _window(written: Any) -> int:
    if type(written) is not int or not 1 <= written < 2**31 or written % 2 == 0:
        raise ValueError("the window is not an odd number of samples")
    return written


def _size(written: Any) -> float:
    size = _finite_of(float(written))
    if size < 0:
        raise ValueError(f"{size} is no size")
    return size


def _finite_of(number: float) -> float:
    if not np.isfinite(number):
        raise ValueError(f"{number} where a number belongs")
    return number


def _duration(written: Sequence[float] | None) -> Point | None:
    if written is None:
        return None
    expected, lower, upper, grain = map(_finite_of, _numbers(written, 4).tolist())
    return Point(float("nan"), float("nan"), lower, upper, expected, grain)


def _property(model: Model, column: int) -> dict[str, Any]:
    prop = model.properties[column]
    return {
        **property_to_data(prop),
        "grain": float(model.grain[column]),
        **packed({side: _array(getattr(model.bounds, side)[:, column]) for side in SIDES}),
        **{
            name: [_finite(getattr(model.summaries, side)[row, column]) for side in SIDES]
            for row, name in enumerate(SUMMARIES)
        },
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
        "count": [float(getattr(emitter.count, side)[0]) for side in SIDES],
        "left_out": emitter.left_out,
        "sequences": list(emitter.sequences),
        **{f"{side}_s": getattr(emitter.times_s, side).tolist() for side in SIDES},
    }


def _emitter_of(block: Mapping[str, Any]) -> Emitter:
    sequences = tuple(int(number) for number in block["sequences"])
    times = [_numbers(block[f"{side}_s"], len(sequences)) for side in SIDES]
    count = [np.array([number]) for number in _numbers(block["count"], 3)]
    if not all(np.isfinite(side).all() for side in (*times, *count)):
        raise ValueError("how often and when a notification comes is not known")
    return Emitter(
        str(block["type"]),
        str(block["source"]),
        _limits(count),
        sequences,
        _limits(times),
        int(block["left_out"]),
    )


def _limits(sides: Sequence[FloatArray]) -> Limits:
    return Limits(*sides)


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
