"""A cache of what was read from thousands of files, so that a list does not read them all again.

Each entry has the stamp of its file. An entry counts only while the file has exactly this stamp, so it is
never older than the file. A cache that was copied together with its files is therefore not used. Several
processes may write a cache at once; the last one wins. It may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from buto.runs.files.parallel import in_order
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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What distinguishes a file from every other content that its name has had.

    Attributes:
        value: compared as a whole.
        is_settled: whether another content can no longer get the same value.
    """

    value: tuple[int | str, ...]
    is_settled: bool = True


def cached(
    place: Path,
    version: str,
    stamped: Callable[[list[str]], Mapping[str, Stamp | None]],
    read: Callable[[str], Any],
    decode: Callable[[Any], T],
    readers: int = 1,
) -> dict[str, T]:
    """Return the decoded data of each file by name, from the cache if possible.

    The cache is written again if many files were missing in it. Failure to write it is ignored.

    Args:
        place: path of the cache.
        version: version of the data; a cache of another version is ignored.
        stamped: returns the stamps of the files by name, before they are read; None for what is no regular
            file. It receives the names in the cache, sorted.
        read: returns the plain data of the file of a name for ``decode``, or None to leave the file out.
        decode: raises ValueError, KeyError or TypeError for data of another shape.
        readers: number of threads that read.
    """
    kept = _kept(place, version)
    stamps = stamped(sorted(kept))
    found: dict[str, T] = {}
    data: dict[str, tuple[tuple[int | str, ...], Any]] = {}
    for name, stamp in stamps.items():
        entry = kept.get(name)
        if entry is not None and stamp is not None and entry[0] == stamp.value:
            with suppress(ValueError, KeyError, TypeError):
                found[name] = decode(entry[1])
                data[name] = entry
    unknown = [name for name in stamps if name not in found]
    n_read = 0
    for name, content in zip(unknown, in_order(read, unknown, readers), strict=True):
        if content is None:
            continue
        found[name] = decode(content)
        stamp = stamps[name]
        if stamp is not None and stamp.is_settled:
            data[name] = stamp.value, content
            n_read += 1
    if n_read >= WORTH_KEEPING:
        _keep(place, version, data)
    return {name: found[name] for name in stamps if name in found}


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


def _kept(place: Path, version: str) -> dict[str, tuple[tuple[int | str, ...], Any]]:
    """Return the entries of a cache; empty if it is missing, damaged or of another version."""
    try:
        document = json.loads(read_file(place, MAX_BYTES))
        if (document["format"], document["version"]) != (FORMAT, version):
            return {}
        return {name: (tuple(stamp), data) for name, (stamp, data) in document["entries"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _keep(place: Path, version: str, entries: Mapping[str, tuple[tuple[int | str, ...], Any]]) -> None:
    document = {"format": FORMAT, "version": version, "entries": entries}
    content = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    if len(content) > MAX_BYTES:
        return
    if any(directory.is_symlink() for directory in (place.parent, place.parent.parent)):
        return
    with suppress(OSError):
        make_directories(place.parent)
        publish_file(place, content)
