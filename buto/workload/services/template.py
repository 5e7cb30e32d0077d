"""Fresh copies of a directory, so that a service begins every run in the same state."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from pathlib import Path

from buto.errors import StorageError, UsageError

_FICLONE = 0x40049409
"""linux/fs.h: share the blocks of a file until one of the two is written."""


def copy_fresh(template: Path, destination: Path, service: str) -> None:
    """Copy a directory with the modes and times of its files; links stay links.

    On file systems that share blocks between files (Btrfs, XFS) nothing is copied until it is written.

    Raises:
        UsageError: there is no such directory, or it cannot be read.
        StorageError: the copy cannot be written.
    """
    if not template.is_dir():
        raise UsageError(
            f"the template {template} of the service {service!r} "
            + ("is not a directory" if template.exists() else "does not exist"),
            advice="create it, or correct services: {" + service + ": {template: ...}}",
        )
    try:
        shutil.copytree(template, destination, symlinks=True, copy_function=_clone)
    except shutil.Error as error:
        source, _, why = error.args[0][0]
        raise StorageError(
            f"the template of the service {service!r} cannot be copied: {source}: {why}", advice=_ADVICE
        ) from error
    except OSError as error:
        raise StorageError(
            f"the template {template} of the service {service!r} cannot be copied: {error.strerror}",
            advice=_ADVICE,
        ) from error


_ADVICE = "set TMPDIR to a directory on a disk with room, and see whether the template can be read"


def _clone(source: str, destination: str) -> str:
    """Copy one file; share its blocks where the file system can."""
    if not stat.S_ISREG(os.stat(source).st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    with open(source, "rb") as old, open(destination, "wb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:
            return str(shutil.copy2(source, destination))
    shutil.copystat(source, destination)
    return destination
