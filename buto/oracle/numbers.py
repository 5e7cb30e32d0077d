"""The numbers of an oracle: one compressed file beside its text, named by the digest of its content.

People review the text. What verdicts are computed from is many times as long and changes with every training,
so it is JSON in gzip, which ``zcat`` prints. The text has the digest, and both are committed: a clone has all
that a check needs. A new file is written before the text that names it, and older ones go after that.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from buto.run.files import acquire, publish_file
from buto.run.stored import parse_json

FORMAT = "buto-numbers"
VERSION = 1
DIGEST = "numbers"
"""The key of the digest among the checksums of the text."""

MAX_BYTES = 1 << 28
"""Of the content, packed and unpacked."""

_LOCK_TIMEOUT_S = 10.0

_DIGITS = 16
_DIGEST = re.compile(rf"[0-9a-f]{{{_DIGITS}}}")


def packed(line: str) -> tuple[str, bytes]:
    """Return the digest and the content of a file with JSON on one line; equal texts have equal contents."""
    content = gzip.compress(line.encode(), mtime=0)
    return _digest(content), content


def beside(oracle: Path, digest: object) -> Path:
    """Return the file of an oracle with this digest. Raise ValueError if it is none."""
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not {_DIGITS} hexadecimal digits")
    return oracle.with_name(f"{_stem(oracle)}.{digest}.numbers")


def pathspecs(oracle: Path) -> tuple[str, str]:
    """Return what names an oracle and its numbers to git, also those that are gone."""
    return str(oracle), str(oracle.with_name(f"{_stem(oracle)}.*.numbers"))


def unpacked(content: bytes, digest: str) -> Mapping[str, Any]:
    """Return the data of a file, without what only the file itself needs.

    Raises:
        ValueError: it has another digest, is not of this format, or too large.
    """
    if _digest(content) != digest:
        raise ValueError("its content is not what its name says: it is cut, or of another oracle")
    reader = zlib.decompressobj(wbits=31)
    try:
        text = reader.decompress(content, MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"it is not in gzip: {error}") from error
    if not reader.eof:
        raise ValueError(f"it is cut, or larger than {MAX_BYTES} bytes")
    data = parse_json(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it is not marked as a {FORMAT}")
    if data.get("version") != VERSION:
        raise ValueError(f"it is of version {json.dumps(data.get('version'))}; this buto reads {VERSION}")
    return {key: value for key, value in data.items() if key not in ("format", "version")}


def publish(oracle: Path, text: bytes, digest: str, content: bytes) -> None:
    """Write or replace an oracle and its numbers; raises OSError and then leaves both as they were.

    Whenever it is interrupted, the text is there with the numbers that it names.
    """
    descriptor = os.open(oracle.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Another process must not remove the new numbers before the text names them.
        with suppress(OSError):
            acquire(descriptor, _LOCK_TIMEOUT_S)
        try:
            publish_file(beside(oracle, digest), content)
            publish_file(oracle, text)
        finally:
            _forget_others(oracle)
    finally:
        os.close(descriptor)


def _forget_others(oracle: Path) -> None:
    """Remove the files of an oracle whose digest is not in its text."""
    text = oracle.read_bytes() if oracle.is_file() else b""
    start = f"{_stem(oracle)}."
    for one in oracle.parent.iterdir():
        digest = one.name.removeprefix(start).removesuffix(".numbers")
        is_ours = one.name == f"{start}{digest}.numbers" and _DIGEST.fullmatch(digest)
        if is_ours and digest.encode() not in text:
            one.unlink(missing_ok=True)


def _stem(oracle: Path) -> str:
    return oracle.name.removesuffix(".json")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]
