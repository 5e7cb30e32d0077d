"""Frozen dataclasses as plain data of JSON and back, checked by their annotations.

A field of the type :data:`Number` may be NaN or infinite, which JSON lacks: such a value is the text ``nan``,
``inf`` or ``-inf``. An array of float64 is a list of such numbers.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar, get_origin

import msgspec
import numpy as np

from buto.run.bounds import check_cost, check_levels

T = TypeVar("T")

NON_FINITE = ("nan", "inf", "-inf")

if TYPE_CHECKING:
    Number = float
else:

    class _Floats(type):
        def __instancecheck__(cls, value: object) -> bool:
            return type(value) is float

    class Number(float, metaclass=_Floats):
        """A type of its own, because msgspec asks for help with nothing that it knows itself."""


Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


def check_moment(at: datetime, where: str) -> None:
    """Raise ValueError for a time that has no zone, or that other zones and later times cannot express.

    Args:
        where: place of the time in its file.
    """
    if at.tzinfo is None or not 1970 <= at.year < 9999:
        raise ValueError(f"{where!r} must have a time zone and be after 1970, got {at.isoformat()!r}")


def parse_json(content: bytes) -> Any:
    """Parse JSON whose whole content can be written and shown again.

    Raises:
        ValueError: it is not JSON in UTF-8, has NaN, an infinity or a text that is not Unicode, is nested
            too deeply, or has too many values; the message names the fault.
    """
    # As text, because the parser guesses the encoding of bytes and accepts others than UTF-8.
    text = content.decode("utf-8")
    check_cost(text)
    try:
        data = json.loads(text, parse_constant=_no_constant)
        check_levels(data)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("a text in it is not valid Unicode") from None
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def plain(value: Any) -> Any:
    """Return a value as lists, mappings, texts and numbers, ready for JSON."""
    return _json(msgspec.to_builtins(value, enc_hook=_list, builtin_types=(datetime,)))


def read(data: Any, kind: type[T], where: str = "") -> T:
    """Return the value of a type that plain data stand for.

    Fields without a default must be there, and unknown ones are ignored. No text is taken for a number.

    Args:
        where: place of the data in its file, as ``outcome``.

    Raises:
        ValueError: the data are of another shape; the message has the place in the file and what is there.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=_custom)
    except msgspec.ValidationError as error:
        raise ValueError(_tell(str(error), data, where)) from None


def json_number(value: float) -> float | str:
    """Return a float for JSON, see :data:`Number`."""
    return float(value) if math.isfinite(value) else repr(float(value))


def number(written: Any) -> float:
    """Return the float that :func:`json_number` wrote; ValueError for anything else."""
    if type(written) not in (int, float) and written not in NON_FINITE:
        raise ValueError("it is no number")
    try:
        return float(written)
    except OverflowError:
        raise ValueError("it is too large a number") from None


def _json(data: Any) -> Any:
    if isinstance(data, float):
        return json_number(data)
    if isinstance(data, dict):
        return {key: _json(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_json(value) for value in data]
    return data.isoformat() if isinstance(data, datetime) else data


def _list(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")


def _custom(kind: Any, written: Any) -> Any:
    if kind is Number:
        return number(written)
    if get_origin(kind) is not np.ndarray:
        raise TypeError(f"{kind} is no type of a stored value")
    if not isinstance(written, list):
        raise TypeError("Expected `array`")
    return np.array([number(written_value) for written_value in written], dtype=np.float64)


_ERROR = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?", re.DOTALL)
_KINDS = {
    "object": "an object",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "bool": "true or false",
}
_EXPECTED = re.compile(r"Expected `(?P<kind>.*?)`(?:, got `(?P<got>.*)`)?")
_MISSING = re.compile(r".*missing required field `(?P<field>.*)`")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\.\.\.)\]")


def _tell(error: str, data: Any, where: str) -> str:
    """Return an error of msgspec in the words of buto, with the value that was found."""
    fields = _ERROR.fullmatch(error)
    assert fields is not None
    what, path = fields["what"], fields["path"] or ""
    place = f"{where}{'.' if where and path and path[0] != '[' else ''}{path}"
    if missing := _MISSING.fullmatch(what):
        return f"{f'{place}.' if place else ''}{missing['field']}".join("''") + " is missing"
    value = _value_at(data, path)
    subject = repr(place) if place else "it"
    if expected := _EXPECTED.fullmatch(what):
        got = value if value is not None else expected["got"]
        kinds = [_KINDS.get(kind, kind) for kind in expected["kind"].split(" | ")]
        return f"{subject} must be {' or '.join(kinds)}, got {got}"
    if what == "Number out of range":
        return f"{subject} is too large a number"
    if "matching regex" in what:
        return f"{subject} cannot be {value}"
    if what.startswith("Invalid enum value"):
        return f"{subject} has the unknown value {value}"
    return f"{subject}: {what}" if value is None else f"{subject} is {value}: {what}"


def _value_at(data: Any, path: str) -> str | None:
    """Return what is at a place, shortened; None below a key that msgspec does not name."""
    for name, place in _STEP.findall(path):
        if place == "...":
            return None
        data = data[int(place)] if place else data[name]
    return reprlib.repr(data)
