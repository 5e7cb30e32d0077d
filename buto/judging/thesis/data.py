"""Settings and learned state of the method ``thesis`` in files: plain data, and back.

``docs/formats/oracle.md`` describes the data. Bounds are rounded to meaningful digits, so that people can
read and compare an oracle's file, and shown as one band for each property. The keys of a configuration are
here, too.

Bands over time are stored as short numbers. A band takes three curves of one property. ``expected`` is in
units of a power of ten, each number as the difference from the one before; ``lower`` and ``upper`` are
distances from ``expected``, in the same way. So numbers are short, because curves are smooth and limits have
three digits of the band's width. Storing loses nothing: every rounded number is read as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from buto.judging.classifiers import BandLimits, EmitterBands, NotificationModel
from buto.judging.readable import Level
from buto.judging.stored import (
    COMMON,
    Key,
    array_of,
    array_to_data,
    choice,
    positive,
    property_of,
    property_to_data,
    reading,
    share,
    size_of,
    texts_of,
    whole,
)
from buto.judging.thesis.bounds import AVERAGES, PROCESS_NOISES, PROPAGATIONS, WEIGHTINGS, Bounds
from buto.judging.thesis.filters import ALGORITHMS
from buto.judging.thesis.pipeline import MATCHERS, Model
from buto.judging.thesis.time_points import GENERATORS, SMOOTHERS
from buto.run.model import FloatArray
from buto.run.properties import Kind, Property

SIDES = ("expected", "lower", "upper")

_LARGEST = 10**15
"""Longer whole numbers are not short; bands without width have as many digits as a float."""

_FURTHEST = 400
"""Exponents beyond it are damage."""


def pack(sides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sides of a band with an ``exponent``; unchanged if none varies or numbers are too long.

    Args:
        sides: by :data:`SIDES` lists of equal length, or a single number where all are equal; None for NaN.
    """
    lengths = [len(side) for side in sides.values() if isinstance(side, list)]
    if not lengths:
        return dict(sides)
    listed = [_repeat(sides[side], lengths[0]) for side in SIDES]
    if any(None in side for side in listed):
        return dict(sides)
    decimals = [[Decimal(repr(float(value))).normalize() for value in side] for side in listed]
    exponent = min(_exponent(decimal) for side in decimals for decimal in side)
    expected, lower, upper = ([int(decimal.scaleb(-exponent)) for decimal in side] for side in decimals)
    if max(map(abs, (*expected, *lower, *upper))) > _LARGEST:
        return dict(sides)
    below = [centre - low for centre, low in zip(expected, lower, strict=True)]
    above = [high - centre for centre, high in zip(expected, upper, strict=True)]
    steps = [[side[0], *(new - old for old, new in pairwise(side))] for side in (expected, below, above)]
    return {"exponent": exponent, **dict(zip(SIDES, steps, strict=True))}


def unpack(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sides as they were before :func:`pack`.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: data of another shape.
    """
    if "exponent" not in block:
        return {side: block[side] for side in SIDES}
    exponent = block["exponent"]
    if type(exponent) is not int or abs(exponent) > _FURTHEST:
        raise ValueError(f"{str(exponent)[:20]} is no exponent")
    expected, below, above = (list(accumulate(_whole(block[side]))) for side in SIDES)
    lower = [centre - down for centre, down in zip(expected, below, strict=True)]
    upper = [centre + up for centre, up in zip(expected, above, strict=True)]
    sides = ([_value(number, exponent) for number in side] for side in (expected, lower, upper))
    return dict(zip(SIDES, sides, strict=True))


def _repeat(side: Any, length: int) -> list[Any]:
    return side if isinstance(side, list) else [side] * length


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent if number else _FURTHEST


def _whole(written: Sequence[Any]) -> Iterable[int]:
    for number in written:
        if type(number) is not int or abs(number) > 2 * _LARGEST:
            raise ValueError(f"{str(number)[:20]} is no difference of a band")
        yield number


def _value(number: int, exponent: int) -> float:
    try:
        return float(Decimal(number).scaleb(exponent))
    except InvalidOperation as error:
        raise ValueError(f"{number} times ten to the power of {exponent} is no number") from error


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
    curves = [unpack(block) for block in blocks]
    sides = [
        np.array([_limits(curve[side], len(times)) for curve in curves]).reshape(shape[::-1]).T
        for side in SIDES
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
        **pack({side: array_to_data(getattr(model.bounds, side)[:, column]) for side in SIDES}),
    }


def _emitter(emitter: EmitterBands) -> dict[str, Any]:
    return {
        "type": emitter.type,
        "source": emitter.source,
        "sequences": list(emitter.sequences),
        **{f"{side}_s": getattr(emitter.times_s, side).tolist() for side in SIDES},
    }


def _emitter_of(block: Mapping[str, Any]) -> EmitterBands:
    sequences = tuple(int(number) for number in block["sequences"])
    times = [_limits(block[f"{side}_s"], len(sequences)) for side in SIDES]
    if not np.isfinite(times).all():
        raise ValueError("when a notification comes is not known")
    return EmitterBands(str(block["type"]), str(block["source"]), sequences, BandLimits(*times))


def _limits(written: Any, length: int) -> FloatArray:
    return array_of(written, length, gaps=True, largest=np.finfo(float).max)


WIDTH_DIGITS = 3
"""Digits of a band's width that are kept: limits move by less than a hundredth of it."""

TIME_DECIMALS = 4
"""Tenths of a millisecond."""

_RESIDUE = 1e-12
_TINIEST = 1e-200
"""The width of narrower bands is only a rounding error."""


def round_bounds(bounds: Bounds) -> Bounds:
    """Return bounds in the order of time, with limits rounded outwards to three digits of the band's width.

    Times are rounded to 0.1 ms. The last points of runs of unequal length may come in another order, because
    few runs reach them.
    A band without width stays exact, as does NaN. What an oracle keeps in memory is rounded too, so that
    it judges equally before and after it was stored.
    """
    order = np.argsort(bounds.times_s, kind="stable")
    bounds = Bounds(bounds.times_s[order], bounds.lower[order], bounds.upper[order], bounds.expected[order])
    width = bounds.upper - bounds.lower
    wide = np.isfinite(width) & (width > _RESIDUE * np.maximum(np.abs(bounds.lower), np.abs(bounds.upper)))
    wide &= width > _TINIEST
    exponent = np.floor(np.log10(np.where(wide, width, 1.0))).astype(np.int64) - (WIDTH_DIGITS - 1)
    return Bounds(
        np.round(bounds.times_s, TIME_DECIMALS),
        np.where(wide, _to(np.floor, bounds.lower, exponent), bounds.lower),
        np.where(wide, _to(np.ceil, bounds.upper, exponent), bounds.upper),
        np.where(wide, _to(np.round, bounds.expected, exponent), bounds.expected),
    )


def _to(
    direction: Callable[[FloatArray], FloatArray], values: FloatArray, exponent: npt.NDArray[np.int64]
) -> FloatArray:
    # Powers of ten are exact upwards only, so both ways use one; then the result prints short.
    power = 10.0 ** np.abs(exponent)
    return np.where(exponent >= 0, direction(values / power) * power, direction(values * power) / power)


KEYS = (
    choice("smoothing", "How each series is smoothed.", *SMOOTHERS),
    Key(
        "window",
        {
            "title": "an odd number of samples",
            "description": "Width of the smoothing window.",
            "type": "integer",
            "minimum": 1,
            "not": {"multipleOf": 2},
            "examples": [9],
        },
        lambda value: type(value) is int and value > 0 and value % 2 == 1,
        "an odd number of samples",
    ),
    choice("time-points", "How the samples of several runs are put together in time.", *GENERATORS),
    choice("bounds", "How bounds are made.", *ALGORITHMS),
    choice("average", "The centre of the band.", *AVERAGES),
    positive("deviations", "Half the width of the band in standard deviations.", example=20),
    choice(
        "process-noise",
        "Of kalman, kalman-listing and particle: how much the state changes between two time points; default "
        "average-variance, of kalman-listing none.",
        *PROCESS_NOISES,
    ),
    whole(
        "particles",
        "Of particle: how many particles there are; default 1000.",
        2,
        100_000,
        example=1000,
    ),
    whole(
        "iterations", "Of particle: over how many passes the band is averaged; default 8.", 1, 1000, example=8
    ),
    share(
        "resample",
        "Of particle: share of effective particles below which they are resampled; default 0.6.",
    ),
    choice("propagate", "Of particle: what moves particles beside noise; default velocity.", *PROPAGATIONS),
    choice("weighting", "Of particle: what gives a particle its weight; default density.", *WEIGHTINGS),
    whole("seed", "Of particle: of its random numbers; default 0.", 0, 2**32 - 1, example=0),
    choice("matching", "Which bound a sample is held against.", *MATCHERS),
    *COMMON,
)


def levels_of(model: Model, notifications: NotificationModel, deviations: float) -> Iterator[Level]:
    """Yield of each gauge the mean band over time, of each counter the last one; numbers of notifications."""
    bounds = model.bounds
    for column, prop in enumerate(model.properties):
        sides = np.array([side[:, column] for side in (bounds.lower, bounds.expected, bounds.upper)])
        known = sides[:, ~np.isnan(sides).any(axis=0)]
        if not known.size:
            continue
        total = prop.kind is Kind.COUNTER
        lower, expected, upper = (known[:, -1] if total else known.mean(axis=1)).tolist()
        yield Level.of_band(prop, "total" if total else "mean", (lower, expected, upper), deviations)
    for emitter in notifications.emitters:
        prop = Property(f"{emitter.type} from {emitter.source}", "{notification}")
        number = float(len(emitter.sequences))
        yield Level.of_band(prop, "number", (number, number, number), deviations)
