"""Store bands over time as short numbers in a text.

A band takes three curves of one property. ``expected`` is in units of a power of ten, each number as the
difference from the one before; ``lower`` and ``upper`` are distances from ``expected``, in the same way. So
numbers are short, because curves are smooth and limits have three digits of the band's width. Nothing is
lost: every number is read as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import accumulate, pairwise
from typing import Any

SIDES = ("expected", "lower", "upper")

_LARGEST = 10**15
"""Longer whole numbers are not short; bands without width have as many digits as a float."""

_FURTHEST = 400
"""Exponents beyond it are damage."""


def packed(sides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sides of a band with an ``exponent``; unchanged if none varies or numbers are too long.

    Args:
        sides: by :data:`SIDES` lists of equal length, or a single number where all are equal; None for NaN.
    """
    lengths = [len(side) for side in sides.values() if isinstance(side, list)]
    if not lengths:
        return dict(sides)
    listed = [_repeated(sides[side], lengths[0]) for side in SIDES]
    if any(None in side for side in listed):
        return dict(sides)
    decimals = [[Decimal(repr(float(value))).normalize() for value in side] for side in listed]
    exponent = min(_exponent(one) for side in decimals for one in side)
    expected, lower, upper = ([int(one.scaleb(-exponent)) for one in side] for side in decimals)
    if max(map(abs, (*expected, *lower, *upper))) > _LARGEST:
        return dict(sides)
    below = [centre - low for centre, low in zip(expected, lower, strict=True)]
    above = [high - centre for centre, high in zip(expected, upper, strict=True)]
    steps = [[side[0], *(new - old for old, new in pairwise(side))] for side in (expected, below, above)]
    return {"exponent": exponent, **dict(zip(SIDES, steps, strict=True))}


def unpacked(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sides as they were before :func:`packed`.

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


def _repeated(side: Any, length: int) -> list[Any]:
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
