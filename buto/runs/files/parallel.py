"""Do the same with many things in several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def in_order(function: Callable[[A], B], things: Sequence[A], threads: int) -> list[B]:
    """Return what a function returns for each thing, in their order; called in up to so many threads."""
    if threads == 1 or len(things) < 2:
        return [function(thing) for thing in things]
    # Imported here, because it brings logging along.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(things))) as pool:
        return list(pool.map(function, things))
