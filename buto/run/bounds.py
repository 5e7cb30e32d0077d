"""What a file of strangers may cost: bytes unpacked, levels of nesting, memory of its values.

Packed files of a few bytes can stand for gigabytes. What buto itself writes never becomes shorter than a
certain share, because times, names and measured values differ from row to row. So a file may unpack to
:data:`FREE_BYTES`, and to :data:`TIMES_PACKED` times its own size beyond.
"""

from __future__ import annotations

import zlib
from typing import Any

FREE_BYTES = 1 << 25
"""What any file may unpack to."""

TIMES_PACKED = 256
"""Of samples in which nothing varies but the time, a byte in a file stands for fewer."""

TIMES_PACKED_COLUMNS = 128
"""Of files of columns; what would pack better is not packed when it is written."""

TIMES_PACKED_TEXT = 64
"""Of text, a byte in a file stands for ten to forty."""

FREE_TEXT_BYTES = 1 << 22

MOST_LEVELS = 64
"""Of lists and objects in each other; what buto writes has fewer than twenty."""

MOST_MEMORY = 1 << 27
"""Bytes that the values of one document may take."""

_VALUE, _LIST, _OBJECT = 32, 64, 232
"""Bytes that Python takes at most for a number, a list and an object with their place."""

GZIP, ZLIB = 31, 15
"""Which format is unpacked, for :mod:`zlib`."""

# Of one run.
MAX_VALUES = 1 << 28
"""Times and values: 2 GiB, two months of fifty properties once a second."""

MAX_NOTIFICATIONS = 1_000_000
FREE_NOTIFICATIONS = 10_000
"""Of the file of any run; a larger file may have more."""

MAX_NOTIFICATION_BYTES = 1 << 28
"""Of all notifications in memory."""

_PIECE = 1 << 20

_KEPT_BYTES = 1 << 24
"""What is unpacked once: more than any entry of an ordinary journal, and twice that is little memory."""


def most_values(packed_bytes: int, times_packed: int = TIMES_PACKED) -> int:
    """Return how many doubles a packed file of so many bytes may stand for."""
    return (FREE_BYTES + times_packed * packed_bytes) // 8


def check_samples(n_samples: int, n_columns: int, packed_bytes: int, times_packed: int) -> None:
    """Raise ValueError if a packed file of so many bytes may not stand for so many samples."""
    most = min(MAX_VALUES, most_values(packed_bytes, times_packed))
    if n_samples * n_columns > most:
        raise ValueError(f"it holds more than {most} values")


def check_notifications(n_notifications: int, n_bytes: int, packed_bytes: int, times_packed: int) -> None:
    """Raise ValueError if a packed file may not stand for so many notifications, with so many bytes."""
    # Each has a time of its own, so that none takes less than a byte.
    most = min(MAX_NOTIFICATIONS, FREE_NOTIFICATIONS + packed_bytes)
    if n_notifications > most:
        raise ValueError(f"it holds more than {most} notifications")
    most_bytes = min(MAX_NOTIFICATION_BYTES, FREE_BYTES + times_packed * packed_bytes)
    if n_bytes > most_bytes:
        raise ValueError(f"its notifications take more than {most_bytes} bytes")


def most_text(packed_bytes: int) -> int:
    """Return how many bytes of text a packed file of so many bytes may stand for."""
    return FREE_TEXT_BYTES + TIMES_PACKED_TEXT * packed_bytes


def unpack(content: bytes, kind: int, most_bytes: int) -> bytes:
    """Return what was packed by zlib.

    No more than :data:`_KEPT_BYTES` are held before the whole size is known, so that a file that is too large
    takes hardly any memory. What is larger is unpacked twice.

    Args:
        kind: :data:`GZIP` or :data:`ZLIB`.

    Raises:
        ValueError: it is damaged, cut off, followed by something else, or larger.
    """
    unpacking, size, pieces = zlib.decompressobj(wbits=kind), 0, list[bytes]()
    try:
        left = content
        while not unpacking.eof:
            piece = unpacking.decompress(left, _PIECE)
            left = unpacking.unconsumed_tail
            size += len(piece)
            if size > most_bytes:
                raise ValueError(f"it unpacks to more than {most_bytes} bytes")
            if not piece and not left and not unpacking.eof:
                raise ValueError("it is cut off")
            if size <= _KEPT_BYTES:
                pieces.append(piece)
            else:
                pieces.clear()
        if unpacking.unused_data:
            raise ValueError("there is something after its end")
        if size <= _KEPT_BYTES:
            return b"".join(pieces)
        return zlib.decompress(content, wbits=kind, bufsize=size)
    except zlib.error as error:
        raise ValueError(f"it cannot be unpacked: {error}") from error


def check_cost(text: str) -> None:
    """Raise ValueError if the values of a JSON text could take more than :data:`MOST_MEMORY`.

    Separators within texts count, too, which costs little of what is allowed.
    """
    if len(text) * _OBJECT < MOST_MEMORY:
        return
    cost = _VALUE * text.count(",") + _LIST * text.count("[") + _OBJECT * text.count("{")
    if cost > MOST_MEMORY:
        raise ValueError("it has more values than buto writes")


def check_levels(data: Any) -> None:
    """Raise ValueError if lists and mappings, as a parser of JSON makes them, are nested beyond
    :data:`MOST_LEVELS`.
    """
    level: list[Any] = [[data]]
    for _ in range(MOST_LEVELS + 2):
        level = [
            part
            for whole in level
            for part in (whole.values() if type(whole) is dict else whole)
            if type(part) is dict or type(part) is list
        ]
        if not level:
            return
    raise ValueError("it is nested too deeply")
