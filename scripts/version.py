"""The version of what is built: that of the tag on this commit, else the one that ``buto/version.py`` has.

Wheels, source archive, runtime and plugins all ask here. Without git, as in a source archive, the file
decides.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_S = 60.0
WRITTEN = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def version(root: Path = ROOT) -> str:
    """Return the version of a checkout or source archive."""
    return tagged(root) or written(root)


def written(root: Path = ROOT) -> str:
    """Return what ``buto/version.py`` says.

    Raises:
        ValueError: it says nothing.
    """
    line = WRITTEN.search((root / "buto" / "version.py").read_text(encoding="utf-8"))
    if line is None:
        raise ValueError(f"{root / 'buto' / 'version.py'} has no line __version__ = ...")
    return line[1]


def tagged(root: Path = ROOT) -> str | None:
    """Return the version of the tag ``vMAJOR.MINOR.PATCH`` on this commit; None if there is none."""
    if not (root / ".git").exists():
        return None
    command = [
        "git",
        "-C",
        str(root),
        "describe",
        "--exact-match",
        "--tags",
        "--match",
        "v[0-9]*.[0-9]*.[0-9]*",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except OSError:
        return None
    return done.stdout.strip().removeprefix("v") or None


if __name__ == "__main__":
    print(version())
