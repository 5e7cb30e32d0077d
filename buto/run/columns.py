"""Columns of numbers of eight bytes, and texts, as one small file: how samples and notifications are stored.

Format: docs/formats/run.md. Columns are packed in blocks, so that some columns of a long run can be read
without the others. Of each column the first bytes of all numbers stand together, then the second ones, and so
on: those of neighbours are alike, which zlib finds.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import accumulate, pairwise
from mmap import mmap
from typing import Any, Self
from zlib import compress

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.run import bounds

_HEAD = struct.Struct("<8sQQQ")
"""Mark, number of rows, number of columns, and bytes of the texts."""

_MARK = b"butocol1"
_BYTES = 8
_BLOCK_BYTES = 1 << 20
"""What a block has before it is packed, unless one column alone has more. Part of the format."""

FASTEST, NOT_AT_ALL = 1, 0
"""How hard zlib tries: more than the fastest hardly packs better."""

_CUT_OFF = "it is cut off"

Numbers = npt.NDArray[Any]
Source = bytes | mmap | BufferedReader


def pack(columns: Sequence[Numbers], texts: bytes = b"", *, level: int = FASTEST) -> bytes:
    """Return a file of columns, exact to the bit; the same columns give the same bytes.

    Args:
        columns: at least one, each of numbers of eight bytes, shape (n_rows,).
    """
    n_rows = len(columns[0])
    at_once = _columns_at_once(n_rows)
    blocks = [_spread(columns[start : start + at_once], n_rows) for start in range(0, len(columns), at_once)]
    packed = [compress(block, level) for block in (*blocks, texts)]
    sizes = np.array([len(block) for block in packed], "<u8").tobytes()
    return b"".join((_HEAD.pack(_MARK, n_rows, len(columns), len(texts)), sizes, *packed))


class ColumnFile(Struct, frozen=True):
    """A file of columns that is open for reading.

    Attributes:
        n_rows, n_columns, n_text_bytes: what the file says of itself; nothing has been unpacked.
        ends: where the head and each of the blocks end, the texts last.
    """

    source: Source
    n_rows: int
    n_columns: int
    n_text_bytes: int
    ends: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        return self.ends[-1]

    @classmethod
    def of(cls, source: Source) -> Self:
        """Open a file; ValueError if it is none, or cut off."""
        size = _size_of(source)
        head = _part(source, 0, min(size, _HEAD.size))
        if len(head) < _HEAD.size or head[: len(_MARK)] != _MARK:
            raise ValueError("it is not a file of columns")
        _, n_rows, n_columns, n_text_bytes = _HEAD.unpack(head)
        n_sizes = -(-n_columns // _columns_at_once(n_rows)) + 1
        start = _HEAD.size + _BYTES * n_sizes
        if start > size:
            raise ValueError(_CUT_OFF)
        sizes = np.frombuffer(_part(source, _HEAD.size, start), "<u8").tolist()
        ends = tuple(accumulate(sizes, initial=start))
        if ends[-1] != size:
            raise ValueError(_CUT_OFF)
        return cls(source, n_rows, n_columns, n_text_bytes, ends)

    def read(self, columns: Sequence[int], into: Numbers) -> None:
        """Read columns by number.

        The caller has made sure that the file may have so many rows and columns.

        Args:
            into: numbers of eight bytes, shape (n_rows, len(columns)).

        Raises:
            ValueError: the file is damaged.
        """
        places: dict[int, list[int]] = {}
        at_once = _columns_at_once(self.n_rows)
        for place, column in enumerate(columns):
            places.setdefault(column // at_once, []).append(place)
        for block, some in sorted(places.items()):
            numbers = self._block(block)
            for place in some:
                into[:, place] = numbers[columns[place] - block * at_once].view(into.dtype)

    def texts(self) -> bytes:
        """Return the texts; raises and requires as :meth:`read`."""
        return self._unpack(len(self.ends) - 2, self.n_text_bytes)

    def _block(self, number: int) -> Numbers:
        """Return the columns of a block as whole numbers, shape (n_columns, n_rows)."""
        at_once = _columns_at_once(self.n_rows)
        n_columns = min(at_once, self.n_columns - number * at_once)
        content = self._unpack(number, _BYTES * n_columns * self.n_rows)
        spread = np.frombuffer(content, np.uint8).reshape(n_columns, _BYTES, self.n_rows)
        return np.ascontiguousarray(spread.transpose(0, 2, 1)).view("<i8")[:, :, 0]

    def _unpack(self, block: int, size: int) -> bytes:
        content = bounds.unpack(_part(self.source, *self.ends[block : block + 2]), bounds.ZLIB, size)
        if len(content) != size:
            raise ValueError(_CUT_OFF)
        return content


def pack_texts(texts: Sequence[Sequence[str]]) -> tuple[list[Numbers], bytes]:
    """Return texts for :func:`pack`: for each column the lengths, and all of them in a row, column by column.

    A lone surrogate, which UTF-8 cannot encode, becomes ``?``.
    """
    encoded = [[text.encode("utf-8", errors="replace") for text in column] for column in texts]
    lengths: list[Numbers] = [np.array([len(text) for text in column], "<i8") for column in encoded]
    return lengths, b"".join(text for column in encoded for text in column)


def unpack_texts(lengths: Numbers, content: bytes) -> Iterator[list[str]]:
    """Yield the columns of texts of :func:`pack_texts`.

    Args:
        lengths: whole numbers, shape (n_columns, n_rows).

    Raises:
        ValueError: they are not the lengths of this content, or it is not UTF-8.
    """
    # By themselves first, because the sum of what a stranger has written can be anything.
    if lengths.size and not 0 <= lengths.min() <= lengths.max() <= len(content):
        raise ValueError("a text is longer than all of them")
    if int(lengths.sum()) != len(content):
        raise ValueError("its texts have other lengths")
    at = 0
    for column in lengths.tolist():
        ends = list(accumulate(column, initial=at))
        yield [content[start:end].decode() for start, end in pairwise(ends)]
        at = ends[-1]


def _columns_at_once(n_rows: int) -> int:
    return max(1, _BLOCK_BYTES // (_BYTES * max(1, n_rows)))


def _spread(columns: Sequence[Numbers], n_rows: int) -> bytes:
    block = np.empty((len(columns), n_rows, _BYTES), np.uint8)
    for number, column in enumerate(columns):
        block[number] = np.ascontiguousarray(column).view(np.uint8).reshape(n_rows, _BYTES)
    return block.transpose(0, 2, 1).tobytes()


def _size_of(source: Source) -> int:
    return os.fstat(source.fileno()).st_size if isinstance(source, BufferedReader) else len(source)


def _part(source: Source, start: int, end: int) -> bytes:
    if isinstance(source, BufferedReader):
        return os.pread(source.fileno(), end - start, start)
    return source[start:end]
