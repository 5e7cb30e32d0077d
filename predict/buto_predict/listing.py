"""Names in a message."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
"""Names that a message has at most."""


def listed(names: Iterable[str]) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``, or ``a, b, c and 2 more``."""
    every = list(names)
    shown, left = every[:MOST], len(every) - MOST
    last = f"{left} more" if left > 0 else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last
