"""Kept programs on a stage of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from buto.programs.stage import Placed, Stage
from buto.programs.store import ProgramStore


def staged(
    store: ProgramStore,
    test: str,
    id: str,
    directory: Path,
    here: Path,
    expand: Callable[[str], str] = str,
) -> Placed:
    """Return how a kept program is launched from a directory, which must be empty."""
    return Stage(directory, [store.load(test, id, here)], expand, seed=1).place(0)
