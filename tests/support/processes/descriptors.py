"""What this process has open; a mere count also has what other threads of the tests open meanwhile."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path


def open_targets(*beginnings: str) -> Counter[str]:
    """Return what this process's descriptors lead to, of what begins so, and how many lead there."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(os.readlink(descriptor))
    return Counter(target for target in found if target.startswith(beginnings))


def n_open_below(directory: Path) -> int:
    """Return how many files of a directory this process has open, removed ones too."""
    return open_targets(str(directory)).total()
