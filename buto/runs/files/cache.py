"""A cache of what was read from thousands of files, so that a list does not read them all again.

Each entry has the stamp of its file: device, inode, size and times. An entry counts only while the file has
exactly this stamp, so it is never older than the file. A cache that was copied together with its files is
therefore not used. Several processes may write a cache at once; the last one wins. It may be deleted at any
time.
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

from buto.runs.files.reading import read_file
from buto.runs.files.staging import make_directories, publish_file

FORMAT = "buto-cache"

WORTH_KEEPING = 100
"""Number of newly read files from which on a cache is written; fewer files are read faster than it is
written."""

SETTLED_NS = 2_000_000_000
"""Clocks of file systems are coarse: a file that changed less than this before it was read may change again
without another stamp."""

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
    """Return the decoded data of each file by name, from the cache if possible.

    The cache is written again if many files were missing in it. Failure to write it is ignored.

    Args:
        place: path of the cache.
        version: version of the data; a cache of another version is ignored.
        files: paths by name.
        read: returns the plain data of the file of a name for ``decode``, or None to leave the file out.
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
    """Return the stamp of a regular file; None if there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _kept(place: Path, version: str) -> dict[str, tuple[Stamp, Any]]:
    """Return the entries of a cache; empty if it is missing, damaged or of another version."""
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
