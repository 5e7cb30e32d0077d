"""Remove files of programs from a host: those unused for 14 days, and the longest unused beyond 4 GiB."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from buto.runs.files.staging import clean_leftovers, withdraw_directory

MOST_BYTES = 4 << 30
"""Of all programs on a host together; the files of one test may have 512 MiB, twice."""

UNUSED_S = 14 * 86400.0
"""After this time without a launch, the files of a program are removed."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file or a directory that can be sent again.

    Attributes:
        used_s: when it was used last, seconds since 1970.
    """

    path: Path
    size_bytes: int
    used_s: float


def superfluous(kept: Iterable[Kept], now_s: float, most_bytes: int, unused_s: float) -> list[Path]:
    """Return what is to be removed: what was not used for long, and the longest unused of too many bytes."""
    room, found = most_bytes, []
    for one in sorted(kept, key=lambda one: -one.used_s):
        room -= one.size_bytes
        if room < 0 or now_s - one.used_s > unused_s:
            found.append(one.path)
    return found


def clean(directories: Iterable[Path], in_use: Path) -> None:
    """Remove superfluous entries of directories, if possible; the next cleaning tries again.

    Args:
        in_use: an entry that stays.
    """
    kept: list[Kept] = []
    for directory in directories:
        if directory.is_dir():
            clean_leftovers(directory)
            kept += _entries(directory)
    now_s = time.time()
    for path in superfluous(kept, now_s, MOST_BYTES, UNUSED_S):
        if path == in_use:
            continue
        with suppress(OSError):
            if path.is_dir():
                # A tree that is removed in part would be taken for a whole one.
                withdraw_directory(path)
            else:
                path.unlink()


def mark_used(path: Path) -> None:
    """Note that an entry is used now."""
    with suppress(OSError):
        os.utime(path)


def _entries(directory: Path) -> Iterator[Kept]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.name.startswith("."):
                with suppress(OSError):
                    state = entry.stat(follow_symlinks=False)
                    is_tree = entry.is_dir(follow_symlinks=False)
                    size = _size_of(entry.path) if is_tree else state.st_size
                    yield Kept(Path(entry.path), size, state.st_mtime)


def _size_of(tree: str) -> int:
    return sum(
        os.lstat(os.path.join(parent, name)).st_size for parent, _, files in os.walk(tree) for name in files
    )
