"""The environment that a program is given: that of whoever started buto, to the byte, and what its test adds.

Python, pytest and build tools add variables to the process in which buto runs. A program would see them, and
in another set-up of the same tools would not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_LOCALE = "LC_CTYPE"
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python writes into LC_CTYPE of its own environment if it starts in the C locale (PEP 538)."""

_ADDED = ("PYTEST_",)
"""How the variables begin that pytest sets while it runs."""

_DOOR = "BUTO_DOOR"
"""How those begin that plug-ins for build tools set for buto."""


def give_environment(
    now: Mapping[str, str] | None = None, first: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment for a program: this process's own without what its tools have added.

    A variable that the code around buto sets on purpose, as a fixture of pytest does, stays.

    Args:
        now: the process's environment; None for the real one.
        first: the one that it was started with; None for the real one.
    """
    now = os.environ if now is None else now
    first = _first() if first is None else first
    kept = {name: value for name, value in now.items() if name in first or not name.startswith(_ADDED)}
    kept = {name: value for name, value in kept.items() if not name.startswith(_DOOR)}
    if kept.get(_LOCALE) in _COERCED and kept[_LOCALE] != first.get(_LOCALE):
        del kept[_LOCALE]
        if _LOCALE in first:
            kept[_LOCALE] = first[_LOCALE]
    return kept


def _first() -> dict[str, str]:
    """Return what the kernel keeps of this process's start; its environment now where that cannot be read."""
    try:
        block = Path("/proc/self/environ").read_bytes()
    except OSError:
        return dict(os.environ)
    pairs = (entry.partition(b"=") for entry in block.split(b"\0") if b"=" in entry)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
