"""Released jars, fetched from Maven Central and known by their SHA-256, and what is compiled beside them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from buto.errors import MeasureError

SOURCES = Path(__file__).parent / "java"
_TOOL_S = 600.0


@dataclass(frozen=True, slots=True)
class CentralJar:
    """A jar of Maven Central.

    Attributes:
        coordinates: ``group:name:version``, or with packaging and classifier behind.
        sha256: of the file, in hexadecimal.
    """

    coordinates: str
    sha256: str

    @property
    def file(self) -> str:
        _, name, version, *more = self.coordinates.split(":")
        classifier = f"-{more[1]}" if len(more) > 1 else ""
        return f"{name}-{version}{classifier}.jar"


CLOSURE = CentralJar(
    "com.google.javascript:closure-compiler:v20230502",
    "87f90a557e3d2ae8af430ac6f4a42becf1b453485e890999777a52c90bda9d22",
)
JYTHON = CentralJar(
    "org.python:jython-standalone:2.7.3",
    "da7f3d829b148bcfa86b059dc964e3a8556fedb021096c8db07e30c66faab9b4",
)
PLANTUML = CentralJar(
    "net.sourceforge.plantuml:plantuml:1.2023.12",
    "8633b8d8b05635f467861978251ab13749dee3a1d2cecf997c274b73bc434d7f",
)
FORMAT = CentralJar(
    "com.google.googlejavaformat:google-java-format:1.21.0:jar:all-deps",
    "1e69f8b63c39a5124a8efb7bad213eb9ac03944339eb9580ae210b0c60565d9b",
)
GSON = CentralJar(
    "com.google.code.gson:gson:2.10.1",
    "4241c14a7727c34feea6507ec801318a3d4a90f070e4525681079fb94ee4c593",
)
JUNIT = CentralJar(
    "org.junit.platform:junit-platform-console-standalone:1.10.2",
    "a1de557821293ce903c213c694165fff532cf92081bac4238b9e05b35f04f43f",
)


def fetch(jar: CentralJar, cache: Path) -> Path:
    """Return the path of a jar in the cache, to which Maven copies it unless it is there.

    Maven keeps its own files in the cache, too, and nothing elsewhere.

    Raises:
        MeasureError: Maven is missing or failed, or the file is not the one that it should be.
    """
    path = cache / "jars" / jar.file
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=_make_directory(cache / "jars")) as draft:
            run_tool(
                [
                    *("mvn", "-q", "-B", f"-Dmaven.repo.local={cache.absolute() / 'm2'}", "dependency:copy"),
                    *(f"-Dartifact={jar.coordinates}", f"-DoutputDirectory={Path(draft).absolute()}"),
                ]
            )
            copied = Path(draft, jar.file)
            check_sum(jar, copied.read_bytes())
            copied.replace(path)
    return path


CENTRAL = "https://repo1.maven.org/maven2"


def download(jar: CentralJar, cache: Path) -> Path:
    """Return the path of a jar in the cache, to which it is copied from Maven Central unless it is there.

    Maven takes seconds for each jar, and copies none whose parent POM is not served.

    Raises:
        MeasureError: Central cannot be reached, or the file is not the one that it should be.
    """
    path = cache / "jars" / jar.file
    if not path.exists():
        group, name, version, *_ = jar.coordinates.split(":")
        address = f"{CENTRAL}/{group.replace('.', '/')}/{name}/{version}/{jar.file}"
        try:
            with urllib.request.urlopen(address, timeout=_TOOL_S) as response:
                content: bytes = response.read()
        except (urllib.error.URLError, OSError) as error:
            raise MeasureError(f"{address} cannot be had: {error}") from error
        check_sum(jar, content)
        draft = _make_directory(cache / "jars") / f".{jar.file}.{os.getpid()}"
        draft.write_bytes(content)
        draft.replace(path)
    return path


def check_sum(jar: CentralJar, content: bytes) -> None:
    """Raise MeasureError if a file is not the one that it should be."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != jar.sha256:
        raise MeasureError(f"{jar.coordinates} has the SHA-256 {digest}, expected {jar.sha256}")


def compile_java(name: str, cache: Path, beside: Sequence[Path] = (), modular: bool = False) -> Path:
    """Return a directory with the classes of ``java/NAME``, compiled unless they were.

    Args:
        beside: jars that it needs.
        modular: whether it is a module, whose descriptor is compiled, too.

    Raises:
        MeasureError: there is no compiler, or it found an error.
    """
    sources = sorted((SOURCES / name).glob("*.java"))
    wanted = [source for source in sources if modular or source.name != "module-info.java"]
    content = hashlib.sha256(b"".join(source.read_bytes() for source in wanted)).hexdigest()[:8]
    classes = cache / "classes" / f"{name}-{'module' if modular else 'plain'}-{content}"
    if not classes.exists():
        with tempfile.TemporaryDirectory(dir=_make_directory(cache / "classes")) as draft:
            path = os.pathsep.join(map(str, beside)) or "."
            made = Path(draft, "classes")
            run_tool(
                [
                    "javac",
                    "--release",
                    "17",
                    "-p" if modular else "-cp",
                    path,
                    # Some jars have sources beside their classes, which would be compiled, too.
                    "-sourcepath",
                    str(SOURCES / name),
                    "-d",
                    str(made),
                    *map(str, wanted),
                ]
            )
            # Another process may have been first.
            with suppress(OSError):
                made.rename(classes)
    return classes


def pack_jar(classes: Path | None, path: Path, manifest: str = "") -> None:
    """Pack a directory of classes, or only a manifest.

    Args:
        manifest: lines beside the usual ones.

    Raises:
        MeasureError: there is no JDK, or it failed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        lines = Path(scratch, "manifest")
        lines.write_text(manifest)
        content = [] if classes is None else ["-C", str(classes), "."]
        run_tool(["jar", "--create", "--file", str(path), "--manifest", str(lines), *content])


def run_tool(command: Sequence[str], directory: Path | None = None) -> None:
    """Run a tool to its end.

    Raises:
        MeasureError: it is missing, failed, or took too long.
    """
    if shutil.which(command[0]) is None:
        raise MeasureError(
            f"{command[0]} was not found", advice="install Maven 3.6.3, git and a JDK 17 or newer"
        )
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=_TOOL_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise MeasureError(f"{command[0]} must end within {_TOOL_S:g} s: {' '.join(command)}") from error
    if done.returncode:
        raise MeasureError(f"{' '.join(command)} failed: {done.stdout[-1000:]}{done.stderr[-1000:]}")


def _make_directory(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory.absolute()
