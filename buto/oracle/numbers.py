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
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from buto.run import bounds
from buto.run.files import acquire, clean_leftovers, publish_file
from buto.run.stored import parse_json

FORMAT = "buto-numbers"
VERSION = 1
DIGEST = "numbers"
"""The key of the digest among the checksums of the text."""

MAX_BYTES = 1 << 25
"""Of the content, packed and unpacked: 200 runs of 500 properties, or the bands of an hour of a hundred."""

_LOCK_TIMEOUT_S = 10.0

_DIGITS = 16
_DIGEST = re.compile(rf"[0-9a-f]{{{_DIGITS}}}")


def pack(line: str) -> tuple[str, bytes]:
    """Return the digest and the content of a file with JSON on one line; equal texts have equal contents.

    Raises:
        ValueError: it is larger than a file that would be read.
    """
    text = line.encode()
    if len(text) > MAX_BYTES:
        raise ValueError(f"its numbers take {len(text)} bytes, {MAX_BYTES} are possible")
    bounds.check_cost(line)
    content = gzip.compress(text, mtime=0)
    if len(text) > bounds.most_text(len(content)):
        content = gzip.compress(text, compresslevel=0, mtime=0)
    return _digest(content), content


def beside(oracle: Path, digest: object) -> Path:
    """Return the file of an oracle with this digest. Raise ValueError if it is none."""
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"{digest!r} is not {_DIGITS} hexadecimal digits")
    return oracle.with_name(f"{_stem(oracle)}.{digest}.numbers")


def pathspecs(oracle: Path) -> tuple[str, str]:
    """Return what names an oracle and its numbers to git, also those that are gone."""
    return str(oracle), str(oracle.with_name(f"{_stem(oracle)}.*.numbers"))


def unpack(content: bytes, digest: str) -> Mapping[str, Any]:
    """Return the data of a file, without what only the file itself needs.

    Raises:
        ValueError: it has another digest, is not of this format, or too large.
    """
    if _digest(content) != digest:
        raise ValueError("its content is not what its name says: it is cut, or of another oracle")
    data = parse_json(bounds.unpack(content, bounds.GZIP, min(MAX_BYTES, bounds.most_text(len(content)))))
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
            clean_leftovers(oracle.parent, f"{_stem(oracle)}.")
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
    for path in oracle.parent.iterdir():
        digest = path.name.removeprefix(start).removesuffix(".numbers")
        is_ours = path.name == f"{start}{digest}.numbers" and _DIGEST.fullmatch(digest)
        if is_ours and digest.encode() not in text:
            path.unlink(missing_ok=True)


def _stem(oracle: Path) -> str:
    return oracle.name.removesuffix(".json")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]
