"""Names of tests as names of directories and back, ids of runs, and metadata as people read it."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from urllib.parse import quote, unquote

from buto.errors import UsageError
from buto.run.model import MetadataValue
from buto.run.units import format_bytes

MAX_NAME_BYTES = 200
"""Largest size of an encoded name. File systems allow 255, and a temporary name or suffix must fit, too."""

_PLAIN = "-_.+=@,()[] "
_RUN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,79}")


def encode_test(test: str) -> str:
    """Return the name of a test on disk.

    Letters and digits of any script, inner spaces and ``-_.+=@,()[]`` stay as they are. Every other
    character, and a leading dot, becomes ``%`` and two hexadecimal digits for each of its bytes in UTF-8.
    Different tests have different names, and no name leads out of its directory.

    Raises:
        UsageError: the name is empty, begins like an option, is longer than ``MAX_NAME_BYTES`` when encoded,
            or is no text that can be stored (a lone surrogate).
    """
    if not test or test != test.strip() or test.startswith("-"):
        raise UsageError(
            f"{test!r} cannot be the name of a test",
            advice="give it a name like leaker, without spaces around it or '-' in front",
        )
    try:
        encoded = "".join(_encode(character) for character in test)
    except UnicodeEncodeError:
        raise UsageError(
            f"{test!r} cannot be the name of a test: it is not valid Unicode",
            advice="give it a name like leaker",
        ) from None
    if encoded.startswith("."):
        encoded = "%2E" + encoded[1:]
    size = len(encoded.encode())
    if size > MAX_NAME_BYTES:
        raise UsageError(
            f"the test's name {test[:40]!r}... takes {size} bytes on disk, {MAX_NAME_BYTES} are possible",
            advice="give it a shorter name",
        )
    return encoded


def _encode(character: str) -> str:
    if character.isalnum() or character in _PLAIN:
        return character
    return quote(character, safe="")


def decode_test(name: str) -> str | None:
    """Return the test of a name on disk; None if :func:`encode_test` never returns this name."""
    try:
        test = unquote(name, errors="strict")
        return test if encode_test(test) == name else None
    except (UnicodeDecodeError, UsageError):
        return None


def new_id(start: datetime | None = None) -> str:
    """Return an id for a run: its start in UTC (None: now), by which ids sort, and four random digits."""
    utc = (start or datetime.now(UTC)).astimezone(UTC)
    return f"{utc:%Y%m%dT%H%M%S}.{utc.microsecond // 1000:03d}Z-{secrets.token_hex(2)}"


def start_of(run_id: str) -> datetime | None:
    """Return the time of start in an id of :func:`new_id`; None for any other id."""
    try:
        start = datetime.strptime(run_id[:20], "%Y%m%dT%H%M%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    # At the ends of the calendar, other time zones cannot be expressed.
    return start if 1970 <= start.year < 9999 else None


def is_id(name: str) -> bool:
    """Return whether a name is an id: up to 80 ASCII letters, digits and ``._-``, without a leading sign."""
    return _RUN_ID.fullmatch(name) is not None


_SIZES = re.compile(r"(jvm|host)\.memory\..*(initial|max|total|limit)")
"""Keys of which the value is a size in bytes."""


def metadata_text(key: str, value: MetadataValue) -> str:
    """Return a value as text: a size as ``64 MiB``, nothing as ``none``."""
    if value is None:
        return "none"
    text = str(value)
    return format_bytes(float(text)) if _SIZES.fullmatch(key) and text.isdecimal() else text


def metadata_texts(key: str, *values: MetadataValue) -> tuple[str, ...]:
    """Return values that differ as texts that differ.

    Two sizes that read the same are given in bytes. Of two lists of options only those that the other
    lacks are given.
    """
    texts = tuple(metadata_text(key, value) for value in values)
    words = [value.split() if isinstance(value, str) and value.startswith("-") else [] for value in values]
    if len(words) == 2 and all(words) and set(words[0]) & set(words[1]) and set(words[0]) ^ set(words[1]):
        return tuple(
            " ".join(word for word in mine if word not in theirs) or "none"
            for mine, theirs in (words, words[::-1])
        )
    return texts if len(set(texts)) == len(set(map(str, values))) else tuple(map(str, values))
