"""Directories below a root, reached without any link: what a store brings along is not trusted.

Each step is opened from the one before, by descriptor, and refused if it is a link. What is then done in the
directory stays in it, even if somebody exchanges a step meanwhile.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from buto.errors import BadFileError
from buto.run.files import make_directories
from buto.steps import Advice, Setting

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def below(root: Path, key: str, *, make: bool = False) -> Iterator[Path]:
    """Yield a path of the directory of a key below a root, valid within the block only.

    Args:
        root: may be a link, because the user named it.
        key: relative, of plain names joined by slashes; empty for the root.
        make: whether to create what is missing.

    Raises:
        BadFileError: a step is a link.
        OSError: a step is missing, or is no directory.
        ValueError: the key leads out by itself.
    """
    if make:
        make_directories(root)
    descriptor = os.open(root, _OPEN)
    try:
        at = root
        for name in filter(None, key.split("/")):
            if name in (os.curdir, os.pardir) or "\0" in name:
                raise ValueError(f"{key!r} leads out of {root}")
            at /= name
            inner = _step(descriptor, name, at, root, make=make)
            os.close(descriptor)
            descriptor = inner
        # What is opened below this path starts from the descriptor, not from a name.
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _step(descriptor: int, name: str, at: Path, root: Path, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
            os.fsync(descriptor)
    try:
        return os.open(name, _OPEN | os.O_NOFOLLOW, dir_fd=descriptor)
    except OSError:
        if _is_link(descriptor, name):
            raise link_error(at, root) from None
        raise


def _is_link(descriptor: int, name: str) -> bool:
    try:
        os.readlink(name, dir_fd=descriptor)
    except OSError:
        return False
    return True


def link_error(place: Path, root: Path) -> BadFileError:
    """Return the error for a link in place of a directory of a root."""
    return BadFileError(
        f"{place} is a link, and buto touches nothing outside of {root}",
        advice=Advice(
            "if it is yours, name its target: ",
            Setting("store", "DIR"),
            f"; else: rm {shlex.quote(str(place))}",
        ),
    )


def refuse_links(root: Path, place: Path) -> None:
    """Raise BadFileError if a directory between a root and a place in it is a link."""
    while place != root:
        # A path that is too long is not a link; writing to it reports the error.
        if os.path.islink(place):
            raise link_error(place, root)
        place = place.parent
