"""Entries of a jar that somebody else has packed: read within bounds, or refused.

Java itself reads entries that are stored or deflated; only those are read here.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Collection
from io import BufferedReader
from pathlib import Path

from buto.run.cache import open_file

MOST_BYTES = 1 << 40
"""Of a jar, of which only parts are read."""

MOST_LISTED_BYTES = 1 << 23
"""Of its list of entries, which is held in memory: some hundred thousand of them."""

_END, _END_64, _LOCATOR_64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_BYTES, _END_64_BYTES, _LOCATOR_BYTES = 22, 56, 20
_LONGEST_COMMENT = 1 << 16
_READ_BY_JAVA = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_entries(path: Path, names: Collection[str], most_bytes: int) -> dict[str, bytes]:
    """Return the contents of those of the entries that a jar has, by name.

    Args:
        most_bytes: of each of them.

    Raises:
        ValueError: it cannot be read, is no regular file, is damaged, encrypted, or too large; the message
            says which, without the path.
    """
    with open_file(path, MOST_BYTES, follow=True) as file:
        _check_list(file)
        try:
            with zipfile.ZipFile(file) as archive:
                there = set(archive.namelist())
                return {name: _content(archive, name, most_bytes) for name in names if name in there}
        except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError) as error:
            raise ValueError(f"it is damaged: {error}") from error
        except (RuntimeError, UnicodeError) as error:
            # Encrypted, or written in a way that Python does not know.
            raise ValueError(f"it cannot be read: {error}") from error


def _content(archive: zipfile.ZipFile, name: str, most_bytes: int) -> bytes:
    info = archive.getinfo(name)
    if info.compress_type not in _READ_BY_JAVA:
        raise ValueError(f"{name} is packed in a way that Java does not read")
    with archive.open(info) as entry:
        content = entry.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"{name} is larger than {most_bytes} bytes")
    return content


def _check_list(file: BufferedReader) -> None:
    """Raise ValueError if the list of entries is too large, by what the end of the file says of it."""
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - _END_BYTES - _LONGEST_COMMENT - _LOCATOR_BYTES - _END_64_BYTES))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        raise ValueError("it is no archive")
    listed = struct.unpack_from("<L", tail, at + 12)[0]
    end_64 = at - _LOCATOR_BYTES - _END_64_BYTES
    if tail[at - _LOCATOR_BYTES : at].startswith(_LOCATOR_64) and tail[end_64:].startswith(_END_64):
        listed = struct.unpack_from("<Q", tail, end_64 + 40)[0]
    if listed > MOST_LISTED_BYTES:
        raise ValueError(f"its list of entries is larger than {MOST_LISTED_BYTES} bytes")
    file.seek(0)
