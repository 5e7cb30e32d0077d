"""The pairs as a manifest of ``buto experiments causes``: commands of both releases, and what changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from beds.versions.launch import build, command
from beds.versions.pairs import Kind, Pair

CHANGED = Path(__file__).parent / "changed.yaml"

_SUBJECTS = {
    Kind.HEAP: ("retention", "allocation"),
    Kind.ALLOCATION: ("allocation",),
    Kind.CPU: ("cpu",),
    Kind.THREADS: ("threads",),
    Kind.CLASSES: ("classes",),
    Kind.DESCRIPTORS: ("descriptors",),
    Kind.NATIVE: ("native",),
}
"""What a change concerns, in the words of ``docs/why.md``. Two kinds of event explain a heap that grows."""


def manifest(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the content of a manifest with a program for each pair.

    Raises:
        BedError: a file cannot be fetched, or a scenario cannot be compiled.
    """
    changed = changed_methods()
    return {"programs": [_program(pair, build(pair), changed[pair.name]) for pair in pairs]}


def changed_methods() -> dict[str, list[str]]:
    """Return by pair the methods that its newer release has changed, and what leads to them as directly."""
    written = yaml.safe_load(CHANGED.read_text(encoding="utf-8"))
    return {name: [one["changed"], *one.get("also", [])] for name, one in written.items()}


def _program(pair: Pair, classes: Path, methods: list[str]) -> dict[str, Any]:
    subjects = dict.fromkeys(subject for kind in pair.kinds for subject in _SUBJECTS[kind])
    sides: dict[str, Any] = {
        "old": command(pair, "old", classes)[1:],
        "new": command(pair, "new", classes)[1:],
    }
    return {"name": pair.name, "kind": list(subjects), "method": methods, **sides}
