"""Build the Java parts of buto into jars, with nothing but a JDK 17 or newer.

As a script: ``python java-probes/build.py [PART ...] [--out DIR] [--force]``.
Without names every part that has sources is built. The classes are for Java 8, those of the reader of
recordings for Java 17. The jars are
reproducible: entries are sorted, stored uncompressed and carry a fixed time, so that the same
sources and the same compiler give the same bytes. A jar that is newer than its sources is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

OLDEST_JDK = 17
COMPILE_TIMEOUT_S = 300.0
VERSION_TIMEOUT_S = 60.0
SYSTEM_JDKS = (
    ("/usr/lib/jvm", "*/bin/javac"),
    ("/Library/Java/JavaVirtualMachines", "*/Contents/Home/bin/javac"),
    ("/opt/homebrew/opt", "openjdk*/bin/javac"),
    ("/usr/local/opt", "openjdk*/bin/javac"),
)
ENTRY_TIME = (1980, 1, 1, 0, 0, 0)
DIGEST_ENTRY = "Buto-Sources"
INSTALL_ADVICE = f"""\
Install a JDK {OLDEST_JDK} or newer, or let JAVA_HOME point to one:
  Debian, Ubuntu   sudo apt-get install openjdk-17-jdk-headless
  Fedora           sudo dnf install java-latest-openjdk-devel
  macOS, Homebrew  brew install openjdk"""


class BuildError(Exception):
    """A jar could not be built; the message says why and what to do."""


class Part(NamedTuple):
    """One jar: where its sources are below the checkout, and what its manifest says."""

    name: str
    sources: str
    jar: str
    manifest: tuple[str, ...] = ()
    stubs: str = ""
    """Signatures of what the classes use of a newer JDK or of its inside; compiled against, not shipped."""
    newer: str = ""
    """Sources of classes for Java 9, which an older JVM cannot load."""
    release: str = "8"
    """Of Java, for which its sources are compiled."""

    @property
    def places(self) -> list[str]:
        return [place for place in (self.sources, self.stubs, self.newer) if place]


PARTS = (
    Part(
        "agent",
        "java-probes/src/agent/java",
        "buto-agent.jar",
        ("Premain-Class: buto.probes.agent.Agent", "Agent-Class: buto.probes.agent.Agent"),
        stubs="java-probes/src/agent/stubs",
        newer="java-probes/src/agent/java9",
    ),
    Part("jmx", "java-probes/src/jmx/java", "buto-jmx.jar"),
    Part("jfr", "java-probes/src/jfr/java", "buto-jfr.jar", release="17"),
    Part(
        "classes",
        "java-probes/src/classes/java",
        "buto-classes.jar",
        ("Premain-Class: buto.probes.calls.Agent", "Agent-Class: buto.probes.calls.Agent"),
    ),
    Part(
        "heap",
        "java-probes/src/heap/java",
        "buto-heap.jar",
        stubs="java-probes/src/heap/stubs",
        release="17",
    ),
    Part("testprograms", "testprograms/src", "buto-testprograms.jar"),
)


def build_all(root: Path, out: Path, names: Sequence[str] = (), *, force: bool = False) -> list[Path]:
    """Build every part that has sources, or only those named.

    Args:
        root: the checkout.
        out: directory of the jars; created if need be.
        names: parts to build; none means all.
        force: build what is newer than its sources too.

    Returns:
        The jars of these parts, built now or still fresh.

    Raises:
        BuildError: no JDK was found, or the sources do not compile.
    """
    wanted = [part for part in PARTS if not names or part.name in names]
    jars = []
    for part in wanted:
        if not any((root / part.sources).rglob("*.java")):
            continue
        jar = out / part.jar
        if force or not _is_fresh(jar, [root / place for place in part.places]):
            _build(part, root, jar)
        jars.append(jar)
    return jars


def find_javac() -> Path:
    """The first javac of JDK 17 or newer: JAVA_HOME, then PATH, then where systems put JDKs.

    Raises:
        BuildError: none was found, or only older ones.
    """
    too_old = []
    for javac in _candidates():
        version = _version(javac)
        if version is not None and version >= OLDEST_JDK:
            return javac
        if version is not None:
            too_old.append(f"{javac} is of JDK {version}")
    found = "; ".join(too_old) if too_old else "no javac was found"
    raise BuildError(f"The Java parts need a JDK {OLDEST_JDK} or newer: {found}.\n{INSTALL_ADVICE}")


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    on_path = shutil.which("javac")
    places = [Path(home, "bin", "javac")] if home else []
    if on_path:
        places.append(Path(on_path))
    for directory, pattern in SYSTEM_JDKS:
        places.extend(sorted(Path(directory).glob(pattern)))
    for place in places:
        executable = shutil.which(place.name, path=str(place.parent))
        if executable:
            yield Path(executable)


def _version(javac: Path) -> int | None:
    """Major version of a compiler; None if it does not run (as the stub of macOS without a JDK)."""
    try:
        answer = subprocess.run(
            [str(javac), "-version"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    number = re.search(r"javac (?:1\.)?(\d+)", answer.stdout + answer.stderr)
    return int(number.group(1)) if number else None


def _is_fresh(jar: Path, places: Sequence[Path]) -> bool:
    """Whether the jar is newer than every source, directory (for deletions) and this script."""
    if not jar.exists():
        return False
    built = jar.stat().st_mtime
    inputs = [Path(__file__), *places, *(path for place in places for path in place.rglob("*"))]
    return all(path.stat().st_mtime < built for path in inputs)


def _build(part: Part, root: Path, jar: Path) -> None:
    javac = find_javac()
    began = time.time()
    jar.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=jar.parent) as scratch:
        classes = Path(scratch, "classes")
        # What is only compiled against is found by its path, and leaves no class.
        path = os.pathsep.join(str(root / place) for place in (part.sources, part.stubs) if place)
        _compile(
            javac, part, root / part.sources, [part.release, "-implicit:none", "-sourcepath", path], classes
        )
        if part.newer:
            _compile(javac, part, root / part.newer, ["9"], classes)
        unfinished = Path(scratch, part.jar)
        _write_jar(unfinished, classes, (*part.manifest, f"{DIGEST_ENTRY}: {_digest(part, root)}"))
        # A source that is edited during the build must make the jar look old.
        os.utime(unfinished, (began, began))
        unfinished.replace(jar)


def _compile(javac: Path, part: Part, place: Path, release: Sequence[str], classes: Path) -> None:
    command = [str(javac), "--release", *release, "-Xlint:all,-options", "-Werror", "-encoding", "UTF-8"]
    command += ["-d", str(classes), *map(str, sorted(place.rglob("*.java")))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as late:
        raise BuildError(f"{javac} did not finish {part.jar} in {COMPILE_TIMEOUT_S:.0f} s") from late
    if done.returncode != 0:
        raise BuildError(f"{part.jar}: {javac} failed:\n{done.stdout}{done.stderr}".rstrip())


def _digest(part: Part, root: Path) -> str:
    """Of the sources and not of the classes, which differ with the compiler."""
    digest = hashlib.sha256()
    for place in (part.sources, part.newer):
        if place:
            for path in sorted((root / place).rglob("*.java")):
                digest.update(path.relative_to(root / place).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def _write_jar(jar: Path, classes: Path, manifest: Sequence[str]) -> None:
    lines = ("Manifest-Version: 1.0", *manifest, "", "")
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "META-INF/MANIFEST.MF", "\r\n".join(lines).encode())
        for path in sorted(classes.rglob("*.class")):
            _add(archive, path.relative_to(classes).as_posix(), path.read_bytes())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, ENTRY_TIME)
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is named and print the jars; the return value is the exit code."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Build the Java parts of buto.")
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="agent, jmx, jfr, classes, testprograms; none: all"
    )
    parser.add_argument("--out", type=Path, default=root / "buto" / "jars", help="directory of the jars")
    parser.add_argument("--force", action="store_true", help="build what is up to date too")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - {part.name for part in PARTS}
    if unknown:
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    try:
        jars = build_all(root, options.out, options.parts, force=options.force)
    except BuildError as failure:
        print(failure, file=sys.stderr)
        return 1
    for jar in jars:
        print(jar)
    return 0


if __name__ == "__main__":
    sys.exit(main())
