"""Values of metadata as people read them."""

from __future__ import annotations

import re

from buto.runs.model import MetadataValue
from buto.units import format_bytes

_SIZES = re.compile(r"(jvm|host)\.memory\..*(initial|max|total|limit)")
"""Keys of which the value is a size in bytes."""


def metadata_text(key: str, value: MetadataValue) -> str:
    """Return a value as text: a size as ``64 MiB``, nothing as ``none``."""
    if value is None:
        return "none"
    text = str(value)
    return format_bytes(float(text)) if _SIZES.fullmatch(key) and text.isdecimal() else text


def metadata_texts(key: str, *values: MetadataValue) -> tuple[str, ...]:
    """Return values that differ as texts that differ: two sizes that read the same are given in bytes."""
    texts = tuple(metadata_text(key, value) for value in values)
    return texts if len(set(texts)) == len(set(map(str, values))) else tuple(map(str, values))
