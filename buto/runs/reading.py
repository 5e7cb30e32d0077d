"""Files that may come from a stranger: read whole, within a limit, and never by way of a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_file(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file.

    Raises:
        ValueError: it is missing, a link, no regular file, too large or not readable; the message
            says which, without the path.
    """
    try:
        # Not blocking, or a named pipe in place of the file would hold us for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError("it is no regular file")
            # One byte more than allowed, for the file may grow while it is read.
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise ValueError("it is missing") from None
    except OSError as error:
        raise ValueError("it is a link" if path.is_symlink() else f"{error.strerror}") from error
    if len(content) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes} bytes")
    return content
