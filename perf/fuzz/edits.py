"""Turn a fuzzer's bytes into edits of a valid document, as random bytes seldom get past its first brace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

MOST_EDITS = 12

_ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2**31,
    -(2**63),
    10**400,
    1e308,
    -1e308,
    5e-324,
    float("nan"),
    float("inf"),
    "",
    "nan",
    "-inf",
    "\ud800",
    "\0",
    "../../etc/passwd",
    "x" * 5000,
    "${HOME}",
    "*" * 64,
    [],
    {},
    [[]],
    {"": {}},
    [0] * 1000,
    list(range(50)),
)


_TEXTS = (
    "",
    "\0",
    "a\0b",
    " ",
    "-x",
    "--store=/x",
    "A=B",
    "\x1b[2J",
    "::error::x",
    "nan",
    "\u202e",
    "x" * 5000,
)
_PATHS = ("..", "../../secret.txt", "/etc/passwd", "a/../../b", "a/./b", "a//b", "~", "${HOME}", ".", "/")
_TIMES = (
    *(
        "2026-01-05T12:00:00",
        "0001-01-01T00:00:00+00:00",
        "9999-12-31T23:59:59-23:59",
        "2026-13-45T99:99:99Z",
    ),
    *("20260101T000000.000Z-0000", "00010101T000000.000Z-0000", "99991231T235959.999Z-ffff", "1970"),
)
_NUMBERS = (
    0,
    -1,
    1,
    0.5,
    -0.0,
    2**31,
    2**53 + 1,
    -(2**63),
    2**64,
    10**400,
    1e308,
    -1e308,
    5e-324,
    "7",
    "inf",
)

_IS_TIME = re.compile(r"\d{4}-?\d{2}-?\d{2}T.*", re.DOTALL)
_IS_DIGEST = re.compile(r"[0-9a-f]{16,64}")


def like(value: Any, source: ByteSource) -> Any:
    """Return another value of the kind that a value has: an edge, or what is nearly of this kind."""
    near = _near(value)
    return near[source.byte(len(near))]


def _near(value: Any) -> Sequence[Any]:
    match value:
        case bool():
            return (not value, None, int(value), str(value).lower())
        case int() | float():
            return (*_NUMBERS, value + 1, -value)
        case str() if _IS_TIME.fullmatch(value):
            return _TIMES
        case str() if _IS_DIGEST.fullmatch(value):
            return (*_PATHS, value[:-1], value.upper(), f"{value}\n", value[::-1])
        case str():
            return (*_TEXTS, *_PATHS, value.upper(), f"{value}\n")
        case list() if value:
            return (value[:-1], value * 2, value[::-1], [value], value[0], [*value, value[0]])
        case dict() if value:
            first, *_ = value
            return (
                list(value),
                {**value, first: value},
                {**value, "": 0},
                {**value, "a\0=b": value[first]},
                [],
            )
    return _ODD


class ByteSource:
    """Takes numbers from the front of a fuzzer's bytes; zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return max(0, len(self._data) - self._at)

    def byte(self, below: int = 256) -> int:
        self._at += 1
        return self._data[self._at - 1] % below if self._at <= len(self._data) else 0

    def pair(self) -> int:
        return self.byte() << 8 | self.byte()

    def rest(self) -> bytes:
        rest, self._at = self._data[self._at :], len(self._data)
        return rest


def edited(document: Any, source: ByteSource) -> Any:
    """Return a document with up to MOST_EDITS changes; the given one is not changed."""
    copy = [deepcopy(document)]
    for _ in range(MOST_EDITS):
        if not source.left:
            break
        _edit(copy, source)
    return copy[0]


def edited_bytes(content: bytes, source: ByteSource) -> bytes:
    """Return content with bytes overwritten, cut out or cut off."""
    changed = bytearray(content)
    for _ in range(MOST_EDITS):
        if not source.left or not changed:
            break
        at = (source.byte() << 16 | source.pair()) % len(changed)
        match source.byte(4):
            case 0:
                del changed[at:]
            case 1:
                del changed[at : at + source.byte()]
            case _:
                changed[at] = source.byte()
    return bytes(changed)


def _edit(top: list[Any], source: ByteSource) -> None:
    holder: Any = top
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and source.byte(8):
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = keys[source.pair() % len(keys)]
    match source.byte(8):
        case 6 | 7:
            holder[key] = deepcopy(like(holder[key], source))
        case 0 if holder is not top:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[f"{key}x"] = holder.pop(key)
        case 2 if isinstance(holder, list) and holder is not top:
            holder.insert(key, holder[key])
        case 3 if isinstance(holder[key], int | float):
            holder[key] *= source.byte() - 128
        case 5 if isinstance(holder[key], float):
            holder[key] /= source.byte() + 1
        case 4 if isinstance(holder[key], str):
            holder[key] = holder[key][: source.byte()] + chr(source.pair())
        case _:
            holder[key] = deepcopy(_ODD[source.byte(len(_ODD))])
