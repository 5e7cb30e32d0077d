"""Both releases of a pair: fetched, compiled, launched, and as tests of buto."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from beds.artefacts import CACHE, Artefact, BedError, content_of, fetch, made_once
from beds.jdk import run
from benchmark.commits import Built, placed
from benchmark.pairs import PROGRAMS, Measure, Pair

OPTIONS = ("-Xmx512m", "-XX:+UseParallelGC")
TIMEOUT_S = 120.0
CLASSES = CACHE / "benchmark"

Side = Literal["old", "new"]
SIDES: tuple[Side, Side] = ("old", "new")


def build(pair: Pair, out: Path = CLASSES) -> Path:
    """Compile a pair's program against the old release, unless it is; return the directory of its classes.

    Raises:
        BedError: a file is missing or cannot be fetched, or the program cannot be compiled.
    """
    sources = [PROGRAMS / f"{pair.program}.java", PROGRAMS / "Use.java"]
    files = [_file(artefact) for artefact in (*pair.old, *pair.beside)]
    classes = out / f"{pair.name}-{content_of([*sources, *files])}"

    def compile_into(draft: Path) -> None:
        where = ["-cp", _path(*files), "-sourcepath", str(PROGRAMS)]
        run(["javac", "-nowarn", "-d", str(draft), *where, str(sources[0])])

    made_once(classes, compile_into)
    return classes


def command(pair: Pair, side: Side, classes: Path, java: str = "java") -> list[str]:
    """Return how the program is started with one of the two releases.

    Raises:
        BedError: a file cannot be fetched.
    """
    files = [_file(artefact) for artefact in (pair.old if side == "old" else pair.new)]
    if side == "new" and pair.old == pair.new:
        files = [_packed_anew(file) for file in files]
    return started(pair, files, classes, java)


def started(pair: Pair, files: Iterable[Path], classes: Path, java: str = "java") -> list[str]:
    """Return how the program is started with these files of the library.

    Raises:
        BedError: a file that both releases need cannot be fetched.
    """
    path = _path(classes, *files, *map(fetch, pair.beside))
    return [java, *OPTIONS, *pair.options, "-cp", path, pair.program]


def use(pair: Pair, side: Side, classes: Path, java: str = "java") -> dict[Measure, float]:
    """Run the program once and return what it printed of its use.

    Raises:
        BedError: a file is missing or cannot be fetched, or the program failed.
    """
    return parse(run(command(pair, side, classes, java), timeout_s=TIMEOUT_S))


def parse(output: str) -> dict[Measure, float]:
    """Return the numbers of the line that ``Use.java`` prints.

    Raises:
        BedError: there is no such line.
    """
    for line in output.splitlines():
        if line.startswith("use "):
            fields = (field.partition("=") for field in line.split()[1:])
            return {Measure(name): float(value) for name, _, value in fields}
    raise BedError(f"a program must print a line that begins with use, got {output[-500:]!r}")


def configuration(pairs: Iterable[Pair], java: str = "java") -> dict[str, Any]:
    """Return the content of a ``buto.yaml`` with the tests ``NAME-old`` and ``NAME-new`` of each pair.

    Raises:
        BedError: a file is missing or cannot be fetched, or a program cannot be compiled.
    """
    tests = {name: test for pair in pairs for name, test in tests_of(pair, build(pair), java).items()}
    return {"version": 1, "defaults": {"timeout": f"{TIMEOUT_S:g}s"}, "tests": tests}


def tests_of(pair: Pair, classes: Path, java: str) -> dict[str, dict[str, Any]]:
    """Return the two tests of a pair, by their names.

    Raises:
        BedError: a file cannot be fetched.
    """
    return {f"{pair.name}-{side}": {"command": command(pair, side, classes, java)} for side in SIDES}


def _file(artefact: Artefact | Built) -> Path:
    return placed(artefact) if isinstance(artefact, Built) else fetch(artefact)


def _packed_anew(file: Path) -> Path:
    """Return a jar with the same entries as another in another order, compressed as another tool would.

    Not without compression: then more bytes are read.
    """
    anew = file.with_name(f"{file.stem}-again.jar")
    if not anew.exists():
        part = anew.with_name(f"{anew.name}.{os.getpid()}.part")
        with zipfile.ZipFile(file) as old, zipfile.ZipFile(part, "w") as new:
            first, *others = old.infolist()
            for entry in (first, *reversed(others)):
                new.writestr(entry.filename, old.read(entry), zipfile.ZIP_DEFLATED, compresslevel=9)
        part.replace(anew)
    return anew


def _path(*files: Path) -> str:
    return os.pathsep.join(map(str, files))
