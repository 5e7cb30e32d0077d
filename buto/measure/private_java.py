"""A ``java`` in front of the real one, for commands that start their JVM through a script.

``JAVA_TOOL_OPTIONS`` reaches every JVM, but each one prints a line about it, which scripts take for a version
or an error, and an AOT cache is not used with it. So a script finds :mod:`buto.measure.java_launcher` on its
PATH and in the homes of Java that its environment names. A script that knows another path of its own still
has the variable.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from buto.errors import StorageError
from buto.measure import java_launcher

_NAMES = ("JAVA", "JDK", "JRE", "GRAAL")
"""A variable with one of these in its name may have a home of Java, or its ``java``."""

_LONGEST_INTERPRETER = 120
"""Of a script's first line, older kernels read so many bytes."""


class Added(Struct, frozen=True):
    """What a JVM below the script is given.

    Attributes:
        options: of the JVM.
        text: the same options, as they were added to ``JAVA_TOOL_OPTIONS``.
        before: what that variable had; None if it was not set.
        pattern: which JVM is measured; None for any that is not a tool.
        tools: patterns for tools.
    """

    options: Sequence[str]
    text: str
    before: str | None
    pattern: str | None
    tools: Sequence[str]


def with_private_java(environment: Mapping[str, str], directory: Path, added: Added) -> dict[str, str]:
    """Return an environment in which ``java`` is buto's, wherever it was named.

    Args:
        directory: where to create what is needed.

    Raises:
        StorageError: it cannot be written.
    """
    changed = dict(environment)
    interpreter = sys.executable
    if not interpreter or len(interpreter) > _LONGEST_INTERPRETER or len(interpreter.split()) > 1:
        return changed
    homes = _Homes(directory)
    # Some scripts take the directory above that of the ``java`` on their PATH for its home.
    first = directory / "path" / "bin"
    try:
        for name, value in environment.items():
            java = Path(value, "bin", "java")
            if not any(part in name for part in _NAMES) or not os.path.isabs(value):
                continue
            if _is_program(java):
                changed[name] = str(homes.add(Path(value), java))
            elif os.path.basename(value) == "java" and _is_program(Path(value)):
                changed[name] = str(homes.add(_home_of(value), Path(value)) / "bin" / "java")
        on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
        if on_path is not None and os.path.isabs(on_path):
            own = homes.add(_home_of(on_path), Path(on_path))
            first.mkdir(parents=True)
            (first / "java").symlink_to(own / "bin" / "java")
            homes.stand_for(first.parent, own, Path(on_path))
            changed["PATH"] = f"{first}:{environment.get('PATH', os.defpath)}"
        if not homes.are_usable:
            return dict(environment)
        lists = [added.options, added.tools, homes.described]
        parts = [str(first), added.text, added.before or "", "1" if added.before is not None else ""]
        parts += [added.pattern or "", *("\2".join(part) for part in lists)]
        homes.description.write_text("\0".join(parts), encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise StorageError(
            f"{directory} cannot be written: {error.strerror}",
            advice=f"free some space in {directory.parent}, or set TMPDIR to another directory",
        ) from error
    return changed


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _home_of(java: str) -> Path:
    return Path(os.path.realpath(java)).parent.parent


class _Homes:
    """Homes of Java that have all of another one, but this ``java``: some scripts look for more there.

    Attributes:
        described: each home's own path, that of the real one, and its real ``java``.
        are_usable: whether their ``java`` can be executed.
    """

    def __init__(self, directory: Path) -> None:
        self.described: list[str] = []
        self.are_usable = True
        self.description = directory / "java.launch"
        self._directory = directory
        self._launcher = f"#!{sys.executable} -IS\n{Path(java_launcher.__file__).read_text(encoding='utf-8')}"

    def add(self, home: Path, java: Path) -> Path:
        own = self._directory / f"java-{len(self.described)}"
        self.described.append("\1".join(map(str, (own, home, java))))
        (own / "bin").mkdir(parents=True)
        for entry in (*home.iterdir(), *(home / "bin").iterdir()):
            name = entry.relative_to(home)
            if str(name) not in ("bin", "bin/java"):
                (own / name).symlink_to(entry)
        launcher = own / "bin" / "java"
        launcher.write_text(self._launcher, encoding="utf-8")
        launcher.chmod(0o700)
        # Not where the file system executes nothing.
        self.are_usable = self.are_usable and os.access(launcher, os.X_OK)
        return own

    def stand_for(self, place: Path, own: Path, java: Path) -> None:
        """Let a place have all but the programs of a home of its own, for what is above another ``java``."""
        self.described.append("\1".join(map(str, (place, java.parent.parent, java))))
        for entry in own.iterdir():
            if entry.name != "bin":
                (place / entry.name).symlink_to(entry)
