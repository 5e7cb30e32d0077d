"""Turn a fuzzer's bytes into edits of a valid document, as random bytes seldom get past its first brace."""

from __future__ import annotations

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


class Source:
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


def edited(document: Any, source: Source) -> Any:
    """Return a document with up to MOST_EDITS changes; the given one is not changed."""
    copy = [deepcopy(document)]
    for _ in range(MOST_EDITS):
        if not source.left:
            break
        _edit(copy, source)
    return copy[0]


def edited_bytes(content: bytes, source: Source) -> bytes:
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


def _edit(top: list[Any], source: Source) -> None:
    holder: Any = top
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and source.byte(8):
        holder = holder[key]
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = keys[source.pair() % len(keys)]
    match source.byte(8):
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
