"""Read untrusted files: whole, up to a size limit, and never through a link."""

from __future__ import annotations

import json
import os
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from buto.errors import BadFileError
from buto.steps import Advice, Setting


def parse_json(content: bytes) -> Any:
    """Parse JSON whose whole content can be written and shown again.

    Raises:
        ValueError: it is not JSON in UTF-8, has NaN, an infinity or a text that is not Unicode, or is nested
            too deeply; the message names the fault.
    """
    # As text, because the parser guesses the encoding of bytes and accepts others than UTF-8.
    text = content.decode("utf-8")
    try:
        data = json.loads(text, parse_constant=_no_constant)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(data, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("a text in it is not valid Unicode") from None
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def refuse_links(root: Path, place: Path) -> None:
    """Raise BadFileError if a directory between a store's root and a place in it is a link.

    The root itself may be a link, because the user named it.
    """
    while place != root:
        # A path that is too long is not a link; writing to it reports the error.
        if os.path.islink(place):
            raise BadFileError(
                f"{place} is a link, and buto touches nothing outside of {root}",
                advice=Advice(
                    "if it is yours, name its target: ",
                    Setting("store", "DIR"),
                    f"; else: rm {shlex.quote(str(place))}",
                ),
            )
        place = place.parent


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
    """Return the content of a regular file.

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
        with open(descriptor, "rb") as file:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                raise ValueError("it is not a regular file")
            # Python reserves as many bytes as are asked for, so that is not the largest allowed size at once.
            size = min(state.st_size, max_bytes) + 1
            content = file.read(size)
            if len(content) == size:
                # One byte more than allowed, because the file may grow while it is read.
                content += file.read(max_bytes + 1 - size)
    except FileNotFoundError:
        raise ValueError("it is missing") from None
    except OSError as error:
        is_link = not follow and os.path.islink(path)
        raise ValueError("it is a link" if is_link else f"{error.strerror}") from error
    if len(content) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes} bytes")
    return content


@contextmanager
def open_file(path: Path, max_bytes: int) -> Iterator[BufferedReader]:
    """Open a regular file for reading in pieces; raises as :func:`read_file`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ValueError("it is missing") from None
    except OSError as error:
        raise ValueError("it is a link" if os.path.islink(path) else f"{error.strerror}") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        if status.st_size > max_bytes:
            raise ValueError(f"it is larger than {max_bytes} bytes")
        yield file
