"""Both releases of a pair: compiled, launched, as tests of buto, and when a regression is reproduced."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from beds.artefacts import CACHE, Artefact, BedError, fetch
from beds.versions.pairs import Pair

LEAST_RUNS = 3
LEAST_RATIO = 1.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runs of both releases used, in the unit of their kind."""

    old: Sequence[float]
    new: Sequence[float]

    @property
    def ratio(self) -> float:
        return median(self.new) / median(self.old)

    @property
    def reproduced(self) -> bool:
        """Return whether each new run used more than all old ones, and the median a tenth more.

        For equal releases the first happens by chance in 1 of 20 tries with 3 runs each, 1 of 252 with 5.
        Fewer runs than :data:`LEAST_RUNS` of either release reproduce nothing.
        """
        enough = min(len(self.old), len(self.new)) >= LEAST_RUNS
        return enough and min(self.new) > max(self.old) and self.ratio >= LEAST_RATIO


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


def configuration(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the content of a ``buto.yaml`` with the tests ``NAME-old`` and ``NAME-new`` of each pair.

    Raises:
        BedError: a file cannot be fetched, or a scenario cannot be compiled.
    """
    return {
        "version": 1,
        "defaults": {"timeout": f"{TIMEOUT_S:g}s"},
        "tests": {name: test for pair in pairs for name, test in tests_of(pair, build(pair)).items()},
    }


def tests_of(pair: Pair, classes: Path) -> dict[str, dict[str, Any]]:
    """Return the two tests of a pair, by their names.

    Raises:
        BedError: a file cannot be fetched.
    """
    return {f"{pair.name}-{side}": {"command": command(pair, side, classes)} for side in SIDES}
