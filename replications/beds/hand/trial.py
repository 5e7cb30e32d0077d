"""Verdicts on the versions, by the commands that somebody types."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beds.artefacts import BedError
from beds.hand.catalogue import BASE, JAR, VERSIONS, Program
from buto.measure.jvms import find_installations
from buto.run.store import DEFAULT_ROOT, RunStore

UNCHANGED = 2
"""Checks of a program that did not change; one of each other version."""

RELEASES = (17, 25)
"""Of the JDK."""

_EXIT = {0: "pass", 1: "regression", 3: "inconclusive"}
_BUTO = (sys.executable, "-m", "buto")
_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True)
class Said:
    """What one check said.

    Attributes:
        jdk: release.
        number: from 0, of checks of one version.
        verdict: ``pass``, ``regression`` or ``inconclusive``, by the exit code.
        is_welcome: whether it says that the change is for the better.
        property: of the first headline; empty without any.
        line: what is read first.
        launches: of the check, in turns too.
    """

    program: str
    jdk: int
    version: str
    number: int
    verdict: str
    is_welcome: bool
    property: str
    line: str
    launches: int
    seconds: float


Key = tuple[str, int, str, int]


def key_of(said: Said) -> Key:
    return said.program, said.jdk, said.version, said.number


def plan(programs: Iterable[Program], seed: int) -> list[Key]:
    """Return all checks in one random order, so that minutes to hours lie between training and checks."""
    order = [
        (program.name, jdk, version, number)
        for program in programs
        for jdk in RELEASES
        for version in VERSIONS
        for number in range(UNCHANGED if version == BASE else 1)
    ]
    random.Random(seed).shuffle(order)
    return order


def try_all(
    programs: dict[str, Program], order: Iterable[Key], place: Path, deadline_s: float
) -> Iterator[Said]:
    """Carry out checks until all are done or time is up; a program is trained before its first.

    Args:
        place: for a directory of each program and JDK, which has its oracle and its store.
        deadline_s: of the monotonic clock; nothing begins later.

    Raises:
        BedError: a program cannot be built or trained, or a command ended without a verdict.
    """
    homes = {jdk: _home(jdk) for jdk in RELEASES}
    for name, jdk, version, number in order:
        if time.monotonic() >= deadline_s:
            return
        directory = place / f"{name}-{jdk}"
        if not (directory / "oracles").exists():
            directory.mkdir(parents=True, exist_ok=True)
            programs[name].lay(BASE, directory)
            done = _type(("train", name), directory, homes[jdk])
            if done.returncode:
                raise BedError(f"training {name} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
        programs[name].lay(version, directory)
        yield _check(name, jdk, version, number, directory, homes[jdk])


def _check(name: str, jdk: int, version: str, number: int, directory: Path, home: Path) -> Said:
    result = directory / "result.json"
    result.unlink(missing_ok=True)
    known, begun = _launches(directory), time.monotonic()
    done = _type(("check", name, "--json", result.name), directory, home)
    seconds = time.monotonic() - begun
    if done.returncode not in _EXIT or not result.exists():
        raise BedError(f"checking {name} {version} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
    (test,) = json.loads(result.read_text(encoding="utf-8"))["tests"]
    verdict: dict[str, Any] = test["verdict"] or {}
    headlines, findings = verdict.get("headlines", []), verdict.get("findings", [])
    return Said(
        *(name, jdk, version, number, _EXIT[done.returncode]),
        is_welcome=bool(findings) and bool(verdict.get("welcome")),
        property=findings[headlines[0]["finding"]]["subject"] if headlines else "",
        line=next((line.strip() for line in done.stdout.splitlines() if line.strip()), "")[:300],
        launches=_launches(directory) - known,
        seconds=round(seconds, 1),
    )


def _type(words: tuple[str, ...], directory: Path, home: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(home / "bin"), os.environ.get("PATH", "")))
    return subprocess.run(
        [*_BUTO, *words, "--", "java", "-jar", JAR],
        cwd=directory,
        env={**os.environ, "JAVA_HOME": str(home), "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )


def _launches(directory: Path) -> int:
    store = RunStore(directory / DEFAULT_ROOT)
    return sum(len(store.ids(test)) for test in store.tests())


def _home(release: int) -> Path:
    homes = [jdk.java.parents[1] for jdk in find_installations() if jdk.major == release]
    if not homes:
        raise BedError(f"this machine has no JDK {release}; install one")
    return homes[0]
