"""The JDK's own tools."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from beds.artefacts import BedError, made_once

_TOOL_S = 120.0


def javac(sources: Path, out: Path, class_path: Iterable[Path] = (), *, release: str) -> None:
    """Compile all sources of a directory.

    Raises:
        BedError: there is no compiler, or it found an error.
    """
    path = ":".join(map(str, class_path)) or "."
    files = sorted(map(str, sources.rglob("*.java")))
    run(["javac", "--release", release, "-cp", path, "-d", str(out), *files])


def jar(classes: Path, path: Path, manifest: str = "") -> None:
    """Pack a directory of classes; ``manifest`` adds lines to the usual ones.

    Raises:
        BedError: there is no JDK, or it failed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        lines = Path(scratch) / "manifest"
        lines.write_text(manifest)
        command = ["jar", "--create", "--file", str(path), "--manifest", str(lines)]
        run([*command, "-C", str(classes), "."])


def make_agent(source: Path, cache: Path) -> Path:
    """Return the jar of an agent of one source, whose class has the file's name; compiled unless it is there.

    Raises:
        BedError: there is no JDK, or it found an error.
    """
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
    directory = cache / f"agent-{source.stem.lower()}-{digest}"

    def compile_into(draft: Path) -> None:
        classes = draft / "classes"
        run(["javac", "-nowarn", "-d", str(classes), str(source)])
        jar(classes, draft / "agent.jar", f"Premain-Class: {source.stem}\n")

    made_once(directory, compile_into)
    return directory / "agent.jar"


def run(command: list[str], *, timeout_s: float = _TOOL_S, directory: Path | None = None) -> str:
    """Run a program to its end, and return what it printed.

    Raises:
        BedError: it is missing, failed, or took too long.
    """
    if shutil.which(command[0]) is None:
        raise BedError(f"{command[0]} was not found; install a JDK 17 or newer")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, cwd=directory, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BedError(f"{' '.join(command)} must end within {timeout_s:g} s") from error
    if done.returncode:
        raise BedError(f"{' '.join(command)} failed: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout
