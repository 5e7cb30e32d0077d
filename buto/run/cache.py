"""Caches of what was read from files of a store, and how such files are read: they are not trusted.

A file is read whole, up to a size limit, and never through a link.

A cache spares a list of thousands of files from reading them all again. Each entry has the stamp of its
file. It counts only while the file has exactly this stamp, so it is never older than the file. A cache that
was copied together with its files is therefore not used. Several processes may write a cache at once; the
last one wins. It may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from buto.run.files import in_order, make_directories, publish_file
from buto.run.stored import parse_json


class TooLargeError(ValueError):
    """A file has more bytes than are read of its kind."""


def is_missing(path: Path) -> bool:
    """Return whether a file is missing; false if that cannot be seen, because opening it reports why."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def read_file(path: Path, max_bytes: int, *, follow: bool = False) -> bytes:
    """Return the content of a regular file; arguments and errors as of :func:`open_file`."""
    with open_file(path, max_bytes, follow=follow) as file:
        try:
            # Python reserves as many bytes as are asked for, so that is not the largest allowed size at once.
            size = os.fstat(file.fileno()).st_size + 1
            content = file.read(size)
            if len(content) == size:  # it grows while it is read
                content += file.read(max_bytes + 1 - size)
        except OSError as error:
            raise ValueError(f"{error.strerror}") from error
    if len(content) > max_bytes:
        raise TooLargeError(f"it is larger than {max_bytes} bytes")
    return content


@contextmanager
def open_file(path: Path, max_bytes: int, *, follow: bool = False) -> Iterator[BufferedReader]:
    """Open a regular file for reading in pieces.

    Args:
        follow: whether to follow a link; otherwise it is refused.

    Raises:
        ValueError: it is missing, a link, not a regular file, too large or not readable; the message
            says which, without the path.
    """
    try:
        # Non-blocking, because a named pipe in place of the file would block for ever.
        links = 0 if follow else os.O_NOFOLLOW
        descriptor = os.open(path, os.O_RDONLY | links | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ValueError("it is missing") from None
    except OSError as error:
        is_link = not follow and os.path.islink(path)
        raise ValueError("it is a link" if is_link else f"{error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        # Before Python opens it, which raises another error for a directory.
        os.close(descriptor)
        raise ValueError("it is not a regular file")
    with open(descriptor, "rb") as file:
        if status.st_size > max_bytes:
            raise TooLargeError(f"it is larger than {max_bytes} bytes")
        yield file


FORMAT = "buto-cache"

WORTH_KEEPING = 100
"""Number of newly read files from which on a cache is written; fewer files are read faster than it is
written."""

SETTLED_NS = 2_000_000_000
"""Clocks of file systems are coarse: a file that changed less than this before it was read may change again
without another stamp."""

MAX_BYTES = 1 << 28

T = TypeVar("T")


class Stamp(Struct, frozen=True):
    """What distinguishes a file from every other content that its name has had.

    Attributes:
        value: compared as a whole.
        is_settled: whether another content can no longer get the same value.
    """

    value: tuple[int | str, ...]
    is_settled: bool = True


def read_cached(
    place: Path,
    version: str,
    stamps: Mapping[str, Stamp | None],
    read: Callable[[str], Any],
    decode: Callable[[Any], T],
    readers: int = 1,
) -> dict[str, T]:
    """Return the decoded data of each file by name, from the cache if possible.

    The cache is written again if many files were missing in it. Failure to write it is ignored.

    Args:
        place: path of the cache.
        version: version of the data; a cache of another version is ignored.
        stamps: of the files by name, before they are read; None for what is no regular file.
        read: returns the plain data of the file of a name for ``decode``, or None to leave the file out.
        decode: raises ValueError, KeyError or TypeError for data of another shape.
        readers: number of threads that read.
    """
    kept = _find_kept(place, version)
    values: dict[str, T] = {}
    data: dict[str, tuple[tuple[int | str, ...], Any]] = {}
    for name, stamp in stamps.items():
        entry = kept.get(name)
        if entry is not None and stamp is not None and entry[0] == stamp.value:
            with suppress(ValueError, KeyError, TypeError):
                values[name] = decode(entry[1])
                data[name] = entry
    unknown = [name for name in stamps if name not in values]
    n_read = 0
    for name, content in zip(unknown, in_order(read, unknown, readers), strict=True):
        if content is None:
            continue
        values[name] = decode(content)
        stamp = stamps[name]
        if stamp is not None and stamp.is_settled:
            data[name] = stamp.value, content
            n_read += 1
    if n_read >= WORTH_KEEPING:
        _keep(place, version, data)
    return {name: values[name] for name in stamps if name in values}


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a regular file: device, inode, size and times; None if there is no such file."""
    now_ns = time.time_ns()
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    changed_ns = status.st_mtime_ns, status.st_ctime_ns
    is_settled = now_ns - max(changed_ns) > SETTLED_NS
    return Stamp((status.st_dev, status.st_ino, status.st_size, *changed_ns), is_settled)


def _find_kept(place: Path, version: str) -> dict[str, tuple[tuple[int | str, ...], Any]]:
    """Return the entries of a cache; empty if it is missing, damaged or of another version."""
    if _is_linked(place):
        return {}
    try:
        document = parse_json(read_file(place, MAX_BYTES))
        if (document["format"], document["version"]) != (FORMAT, version):
            return {}
        return {name: (tuple(stamp), data) for name, (stamp, data) in document["entries"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _keep(place: Path, version: str, entries: Mapping[str, tuple[tuple[int | str, ...], Any]]) -> None:
    document = {"format": FORMAT, "version": version, "entries": entries}
    content = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    if len(content) > MAX_BYTES:
        return
    if _is_linked(place):
        return
    with suppress(OSError):
        make_directories(place.parent)
        publish_file(place, content)


def _is_linked(place: Path) -> bool:
    """Return whether a directory of the caches in a store is a link."""
    return any(directory.is_symlink() for directory in (place.parent, place.parent.parent))
