"""The JSON schemas of the files that buto reads and writes, as package data.

Other packages add schemas by the entry-point group ``buto.schemas``. The entry point has the schema's name.
Its object is a package with the file ``schemas/NAME.schema.json``.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from buto.errors import UsageError
from buto.extensions import Extensions

SUFFIX = ".schema.json"


class UnknownSchemaError(UsageError):
    """There is no such schema: its name is wrong, or its package is not installed or cannot be used."""


EXTENSIONS = Extensions(
    "buto.schemas",
    "schema",
    UnknownSchemaError,
    {"architecture": "predict", "prediction": "predict"},
)


def names() -> tuple[str, ...]:
    """Return the names of buto's own schemas, sorted."""
    file_names = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in file_names if name.endswith(SUFFIX)))


def text(name: str) -> str:
    """Return a schema as it is written, by its name without the suffix.

    Raises:
        UnknownSchemaError: neither buto nor another package has it.
    """
    if name in names():
        return files(__name__).joinpath(name + SUFFIX).read_text(encoding="utf-8")
    added = EXTENSIONS.find(name)
    if added is None:
        known = ", ".join(sorted({*names(), *EXTENSIONS.names()}))
        raise UnknownSchemaError(
            f"unknown schema {name!r}; known are {known}",
            advice=EXTENSIONS.missing(name) or "buto schema --help",
        )
    entry, package = added
    try:
        return files(package).joinpath("schemas", name + SUFFIX).read_text(encoding="utf-8")
    except OSError as error:
        raise EXTENSIONS.error_for(entry, str(error)) from error


def load(name: str) -> dict[str, Any]:
    """Return a schema as data; raise as :func:`text` does."""
    schema: dict[str, Any] = json.loads(text(name))
    return schema
