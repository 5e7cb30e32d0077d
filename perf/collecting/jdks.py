"""The JDKs of the machine by their versions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path


def javas() -> dict[int, str]:
    """Return one ``java`` for each major version: that of PATH, then those in the places of Linux."""
    paths: dict[int, str] = {}
    on_path = shutil.which("java")
    homes = [Path(on_path).resolve().parent.parent] if on_path else []
    for home in [*homes, *sorted(Path("/usr/lib/jvm").glob("*"))]:
        release = home / "release"
        if (home / "bin" / "java").exists() and release.exists():
            version = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', release.read_text())
            if version:
                paths.setdefault(int(version.group(1)), str(home / "bin" / "java"))
    return paths
