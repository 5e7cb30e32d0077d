"""Fetch, compile and run the two sides of a pair."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from beds.artefacts import CACHE, Artefact, BedError, fetch
from beds.versions.pair import Pair

SCENARIOS = Path(__file__).parent / "scenarios"
OPTIONS = ("-Xmx512m", "-XX:+UseParallelGC")
TIMEOUT_S = 120.0

Side = Literal["old", "new"]
SIDES: tuple[Side, Side] = ("old", "new")


def build(pair: Pair, out: Path = CACHE / "versions") -> Path:
    """Compile a scenario against the old release and return the directory of its classes.

    Raises:
        BedError: a file cannot be fetched, or the scenario cannot be compiled.
    """
    classes = out / pair.name
    classes.mkdir(parents=True, exist_ok=True)
    source = SCENARIOS / f"{pair.scenario}.java"
    path = _path(*(fetch(artefact) for artefact in (*pair.old, *pair.beside)))
    _run(["javac", "-d", str(classes), "-cp", path, "-sourcepath", str(SCENARIOS), str(source)])
    return classes


def command(pair: Pair, side: Side, classes: Path) -> list[str]:
    """Return how the scenario is started with one of the two releases.

    Raises:
        BedError: a file cannot be fetched.
    """
    return command_with(pair, getattr(pair, side), classes)


def command_with(pair: Pair, release: Iterable[Artefact], classes: Path) -> list[str]:
    """Return how the scenario is started with these files of the library.

    Raises:
        BedError: a file cannot be fetched.
    """
    files = (fetch(artefact) for artefact in (*release, *pair.beside))
    return ["java", *OPTIONS, "-cp", _path(classes, *files), pair.scenario]


def use(pair: Pair, side: Side, classes: Path) -> dict[str, float]:
    """Run the scenario once and return what it printed of its use.

    Raises:
        BedError: a file cannot be fetched, or the scenario failed.
    """
    return parse(_run(command(pair, side, classes)))


def parse(output: str) -> dict[str, float]:
    """Return the numbers of the line that ``Use.java`` prints, by name.

    Raises:
        BedError: there is no such line.
    """
    for line in output.splitlines():
        if line.startswith("use "):
            fields = (field.partition("=") for field in line.split()[1:])
            return {name: float(value) for name, _, value in fields}
    raise BedError(f"a scenario must print a line that begins with use, got {output[-500:]!r}")


def _path(*files: Path) -> str:
    return os.pathsep.join(map(str, files))


def _run(words: list[str]) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise BedError(f"{words[0]} was not found: install a JDK of release 17 or newer") from error
    except subprocess.TimeoutExpired as error:
        raise BedError(f"{' '.join(words)} must end within {TIMEOUT_S:g} s") from error
    if done.returncode:
        raise BedError(f"{' '.join(words)} failed: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout
