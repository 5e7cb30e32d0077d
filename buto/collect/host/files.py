"""Read files of /proc and /sys."""

from __future__ import annotations

from pathlib import Path


def read(path: str) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return None
