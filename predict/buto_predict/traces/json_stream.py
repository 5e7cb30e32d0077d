"""Read JSON that is larger than memory, one value after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO

_CHUNK = 1 << 16
_MOST = 16 << 20
"""Most characters of one value; a span has some hundred."""

_BLANKS = re.compile(r"[ \t\r\n]*")
_UNFINISHED = re.compile(r'"(?:[^"\\]++|\\.)*+\\?|[-+.\w\\]*+')
"""A text without its end, or a piece of a number or a word."""


class NotJsonError(ValueError):
    """The text is not JSON.

    Attributes:
        what: what is wrong, for people.
        cut: whether the text is right so far, and lacks its end.
    """

    def __init__(self, what: str, *, cut: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.cut = cut


class JsonStream:
    """A position in a JSON text; each method reads on from there.

    Text that is not JSON raises NotJsonError; then, ``line`` is that of the fault.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._buffer = ""
        self._at = 0
        self._lines_before = 0
        self._ended = False
        self._decoder = json.JSONDecoder()

    @property
    def line(self) -> int:
        """The line of the position, from 1."""
        return self._lines_before + self._buffer.count("\n", 0, self._at) + 1

    def peek(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        while True:
            blank = _BLANKS.match(self._buffer, self._at)
            assert blank is not None
            self._at = blank.end()
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def value(self) -> Any:
        """Return the next value as a whole."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = _UNFINISHED.fullmatch(self._buffer[error.pos :].rstrip()) is not None
                if not cut or not self._more():
                    self._at = error.pos
                    what = error.msg.removesuffix(" at")
                    raise NotJsonError(f"{what[:1].lower()}{what[1:]}", cut=cut) from error
                continue
            except RecursionError as error:
                raise NotJsonError("values are nested too deeply") from error
            # A number at the end of the buffer may continue after it.
            if end < len(self._buffer) or not self._more():
                self._at = end
                return value

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller reads or skips each value before the next key."""
        self._take("{")
        while self.peek() != "}":
            key = self.value()
            if not isinstance(key, str):
                raise NotJsonError(f"a key must be a text, got {key!r}")
            self._take(":")
            yield key
            self._separated("}")
        self._at += 1

    def elements(self) -> Iterator[None]:
        """Yield once for each element of the next array; the caller reads each before the next step."""
        self._take("[")
        while self.peek() != "]":
            yield
            self._separated("]")
        self._at += 1

    def _separated(self, end: str) -> None:
        if self.peek() == ",":
            self._at += 1
        elif self.peek() != end:
            self._refuse(f", or {end}")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            self._refuse(character)
        self._at += 1

    def _refuse(self, expected: str) -> NoReturn:
        found = self.peek()
        if not found:
            # The line that is cut is the last one that has anything.
            self._at = len(self._buffer.rstrip())
        raise NotJsonError(f"expected {expected}, got {found or 'the end of the file'}", cut=not found)

    def _more(self) -> bool:
        """Read on, and drop what is before the position; return False at the end."""
        if self._ended:
            return False
        if len(self._buffer) - self._at > _MOST:
            raise NotJsonError(f"a value has more than {_MOST} characters")
        # The buffer doubles, so that a long value is not decoded from its beginning for each chunk.
        chunk = self._file.read(max(_CHUNK, len(self._buffer) - self._at))
        if not chunk:
            self._ended = True
            return False
        self._lines_before += self._buffer.count("\n", 0, self._at)
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return True
