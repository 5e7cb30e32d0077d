"""What was found in thousands of files, kept in one, so that a list need not read them all again.

Each entry carries the stamp of the file that it is of: where the file lies on which disk, its size and its
times. It counts only while the file has the very same stamp, so that it cannot be older than the file,
whoever wrote what in the meantime; a cache that was copied with its files counts for none of them. Several
processes may keep one at once: the last one's stays. It may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from buto.runs.reading import read_file
from buto.runs.staging import make_directories, publish_file

FORMAT = "buto-cache"

WORTH_KEEPING = 100
"""Files that were read anew; fewer are read faster than a cache is written."""

SETTLED_NS = 2_000_000_000
"""A file that changed so shortly before it was read may change once more without another stamp, for clocks
of file systems are coarse."""

MAX_BYTES = 1 << 28

Stamp = tuple[int, ...]
T = TypeVar("T")


def cached(
    place: Path,
    version: str,
    files: Mapping[str, Path],
    read: Callable[[str], Any],
    decode: Callable[[Any], T],
) -> dict[str, T]:
    """What ``decode`` makes of each file's data, by name, from the cache where that has it.

    The cache is written anew if it lacked many files; that it cannot be written is no failure.

    Args:
        place: of the cache.
        version: of the data; a cache of another one is not looked at.
        files: by name.
        read: reads a file of this name: plain data for ``decode``, or None, and then it is left out.
        decode: raises ValueError, KeyError or TypeError for data of another shape.
    """
    kept = _kept(place, version)
    found: dict[str, T] = {}
    data: dict[str, tuple[Stamp, Any]] = {}
    n_read = 0
    for name, path in files.items():
        now_ns = time.time_ns()
        stamp = _stamp(path)
        entry = kept.get(name)
        if entry is not None and stamp is not None and entry[0] == stamp:
            with suppress(ValueError, KeyError, TypeError):
                found[name] = decode(entry[1])
                data[name] = entry
                continue
        content = read(name)
        if content is None:
            continue
        found[name] = decode(content)
        if stamp is not None and now_ns - max(stamp[-2:]) > SETTLED_NS:
            data[name] = stamp, content
            n_read += 1
    if n_read >= WORTH_KEEPING:
        _keep(place, version, data)
    return found


def _stamp(path: Path) -> Stamp | None:
    """Of a regular file; None for any other and where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _kept(place: Path, version: str) -> dict[str, tuple[Stamp, Any]]:
    """The entries of a cache; none if there is no cache, or it is damaged or of another version."""
    try:
        document = json.loads(read_file(place, MAX_BYTES))
        if (document["format"], document["version"]) != (FORMAT, version):
            return {}
        return {name: (tuple(stamp), data) for name, (stamp, data) in document["entries"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _keep(place: Path, version: str, entries: Mapping[str, tuple[Stamp, Any]]) -> None:
    document = {"format": FORMAT, "version": version, "entries": entries}
    content = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    if len(content) > MAX_BYTES:
        return
    if any(directory.is_symlink() for directory in (place.parent, place.parent.parent)):
        return
    with suppress(OSError):
        make_directories(place.parent)
        publish_file(place, content)
