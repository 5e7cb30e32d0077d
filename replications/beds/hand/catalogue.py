"""The programs of the sets, what their author says of them, and how a version becomes a jar."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import CACHE, Artefact, content_of, digest_of, fetch, made_once
from beds.jdk import jar, javac

HERE = Path(__file__).parent
TRUTHS, SUMS = (HERE / "truth.yaml", HERE / "third-truth.yaml"), HERE / "sums.yaml"
SETS = ("plain", "libraries", "third")
BASE, SMALL, LARGE, BETTER = "base", "small", "large", "better"
HARMLESS = ("harmless1", "harmless2")
VERSIONS = (BASE, SMALL, LARGE, *HARMLESS, BETTER)

JAR = "app.jar"
"""What a version is built to; the next version takes its place, as the next build would."""

_START = """\
/** Starts one version, as the build of that commit would. */
public class Start {{
    public static void main(String[] arguments) throws Exception {{
        Main.main(new String[] {{"{version}"}});
    }}
}}
"""


@dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        set: one of :data:`SETS`.
        resource: what a maintainer would name first, in the author's words.
        also: what its author accepts as well; the first two sets were not asked for it.
        libraries: jars that it needs, with what they need.
    """

    name: str
    set: str
    resource: str
    also: tuple[str, ...] = ()
    libraries: tuple[Artefact, ...] = field(default=())

    @property
    def sources(self) -> Path:
        return HERE / self.set / self.name

    def lay(self, version: str, directory: Path) -> None:
        """Put the jar of a version, with the libraries, where the program is launched."""
        shutil.copyfile(self._jar(version), directory / JAR)
        for library in self.libraries:
            (directory / "lib").mkdir(exist_ok=True)
            if not (directory / "lib" / library.file).exists():
                shutil.copyfile(fetch(library), directory / "lib" / library.file)

    def _jar(self, version: str) -> Path:
        """Return the jar of a version, built once; all versions hold the same classes, but for ``Start``.

        Raises:
            BedError: a library cannot be had, or the compiler found an error.
        """
        kept = CACHE / "hand" / f"{self.name}-{content_of(self.sources.rglob('*.java'))}-{version}"

        def make(draft: Path) -> None:
            draft.mkdir()
            with tempfile.TemporaryDirectory() as scratch:
                sources, classes = Path(scratch, "sources"), Path(scratch, "classes")
                shutil.copytree(self.sources, sources)
                (sources / "Start.java").write_text(_START.format(version=version))
                classes.mkdir()
                javac(sources, classes, map(fetch, self.libraries), release="17")
                path = " ".join(f"lib/{library.file}" for library in self.libraries)
                manifest = "Main-Class: Start\n" + (_manifest_lines(f"Class-Path: {path}") if path else "")
                jar(classes, draft / JAR, manifest)

        made_once(kept, make)
        return kept / JAR


def _manifest_lines(line: str) -> str:
    """Return a line of a manifest, which may have 70 characters, with those that continue it."""
    parts = [line[:70], *(f" {line[start : start + 69]}" for start in range(70, len(line), 69))]
    return "".join(f"{part}\n" for part in parts)


def programs(paths: Iterable[Path] = TRUTHS) -> dict[str, Program]:
    """Return all programs by name."""
    sums: Mapping[str, str] = yaml.safe_load(SUMS.read_text(encoding="utf-8"))
    return {program["name"]: _program(program, sums) for program in _truths(paths)}


def _truths(paths: Iterable[Path]) -> list[Mapping[str, Any]]:
    return [
        program for path in paths for program in yaml.safe_load(path.read_text(encoding="utf-8"))["programs"]
    ]


def _program(data: Mapping[str, Any], sums: Mapping[str, str]) -> Program:
    libraries = tuple(
        Artefact(group, name, version, sums[coordinates])
        for coordinates in data.get("libraries", ())
        for group, name, version in [coordinates.split(":")]
    )
    return Program(data["name"], data["set"], data["resource"], tuple(data.get("also", ())), libraries)


def sums_of(paths: Iterable[Path] = TRUTHS) -> dict[str, str]:
    """Return the SHA-256 of each library that an author names, as it is served now.

    Raises:
        BedError: one cannot be fetched.
    """
    named = {coordinates for program in _truths(paths) for coordinates in program.get("libraries", ())}
    return {coordinates: digest_of(coordinates) for coordinates in sorted(named)}
