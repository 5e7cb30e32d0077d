"""The JSON schemas of the files that buto reads and writes, as package data."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

SUFFIX = ".schema.json"


def names() -> tuple[str, ...]:
    """Return what :func:`text` accepts, sorted."""
    found = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


def text(name: str) -> str:
    """Return a schema as it is written, by its name without the suffix; raise FileNotFoundError for an
    unknown one.
    """
    return files(__name__).joinpath(name + SUFFIX).read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """Return a schema as data."""
    schema: dict[str, Any] = json.loads(text(name))
    return schema
