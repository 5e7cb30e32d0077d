"""The files that a jar's manifest names."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

from buto.errors import UsageError

_MANIFEST = "META-INF/MANIFEST.MF"
_MAX_BYTES = 1 << 24
_CONTINUED = re.compile(r"\r?\n |\r ")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def named_by(jar: str, *, is_agent: bool = False) -> Iterator[str]:
    """Yield absolute paths of the jars and directories that a jar's manifest puts on the class path.

    Args:
        is_agent: whether ``Boot-Class-Path`` counts, too.

    Raises:
        UsageError: it names a URL, which does not move with the jar.
    """
    attributes = _attributes(jar)
    names = (*attributes.get("class-path", "").split(), *attributes.get("boot-class-path", "").split())
    for name in names if is_agent else attributes.get("class-path", "").split():
        scheme = _SCHEME.match(name)
        path = unquote(name)
        if scheme is not None or path.startswith("/"):
            raise UsageError(
                f"the manifest of {jar} names {name}, which stays where it is when the jar moves",
                advice="name it relative to the jar",
            )
        yield os.path.abspath(os.path.join(os.path.dirname(jar), path))


def _attributes(jar: str) -> dict[str, str]:
    """Return the main attributes of a jar's manifest, by small names; empty if there is none."""
    try:
        with zipfile.ZipFile(jar) as archive, archive.open(_MANIFEST) as file:
            content = file.read(_MAX_BYTES)
    except (OSError, KeyError, ValueError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        return {}
    main = _CONTINUED.sub("", content.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")
    lines = main.partition("\n\n")[0].split("\n")
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
