"""Files that may come from a stranger: read whole, within a limit, and never by way of a link."""

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
    """What JSON holds, if all of it can be written and shown again.

    Raises:
        ValueError: it is no JSON in UTF-8, has NaN or an infinity, a text that is no Unicode, or is nested
            too deeply; the message says which.
    """
    # As text, for of bytes the parser guesses the encoding, and takes what is no UTF-8.
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
    raise ValueError(f"{name} is no JSON")


def refuse_links(root: Path, place: Path) -> None:
    """BadFileError where a directory between a store's root and a place in it is a link out of the store.

    The root itself may be one: it is what the user named.
    """
    while place != root:
        # A path that is too long is no link; who writes there will say so.
        if os.path.islink(place):
            raise BadFileError(
                f"{place} is a link, and nothing outside of {root} is touched",
                advice=Advice(
                    "if it is yours, name its target: ",
                    Setting("store", "DIR"),
                    f"; else: rm {shlex.quote(str(place))}",
                ),
            )
        place = place.parent


def is_missing(path: Path) -> bool:
    """Whether there is no such file; not where nobody may look, for whoever opens it will say why."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def read_file(path: Path, max_bytes: int, *, follow: bool = False) -> bytes:
    """The content of a regular file.

    Args:
        follow: whether a link is followed; else it is refused.

    Raises:
        ValueError: it is missing, a link, not a regular file, too large or not readable; the message
            says which, without the path.
    """
    try:
        # Not blocking, or a named pipe in place of the file would hold us for ever.
        links = 0 if follow else os.O_NOFOLLOW
        descriptor = os.open(path, os.O_RDONLY | links | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ValueError("it is not a regular file")
            # One byte more than allowed, for the file may grow while it is read.
            content = file.read(max_bytes + 1)
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
    """A regular file, open for reading in pieces; raises as :func:`read_file`."""
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
