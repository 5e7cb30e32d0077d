"""Record all versions in rounds of random order, in as many sessions as needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from beds import rounds
from beds.artefacts import BedError
from beds.rounds import Wanted, phase_of
from beds.unseen.catalogue import BASE, SEED, Program, build, command, halves
from buto.measure.target import LiveSet, Target
from buto_replications.dataset.generate import name_on

COLLECTORS = {"parallel": "-XX:+UseParallelGC", "g1": "-XX:+UseG1GC"}
ROUNDS = 16
"""In each, all bases run once, and some of the other versions."""

BASE_RUNS = ROUNDS
OTHER_RUNS = {"tuning": 4, "apart": 6}
"""Runs of a regression or a refactoring, by the half of its program: a check in turns needs six."""

INTERVAL_S = 0.05
TIMEOUT_S = 60.0


def variant(program: str, version: str) -> str:
    """Return the name under which a version is recorded."""
    return program if version == BASE else f"{program}-{version}"


def record(
    jdk: Path, host: str, store: Path, programs: Collection[Program], last: int = ROUNDS
) -> dict[str, str]:
    """Launch what the store lacks of the first rounds, one launch at a time, and store each run.

    Returns:
        By test, why it was given up.

    Raises:
        BedError: the JDK is not there, or a program cannot be compiled.
        StorageError: the store cannot be written.
    """
    java = jdk / "bin" / "java"
    if not java.is_file():
        raise BedError(f"{java} does not exist; name the directory of a JDK with --jdk PATH")
    wanted = dict(_wanted(str(java), host, build(), programs))
    return rounds.record(wanted, store, ROUNDS, SEED, last=last)


def _wanted(
    java: str, host: str, classes: Path, programs: Collection[Program]
) -> Iterator[tuple[str, Wanted]]:
    half = halves()
    for program in programs:
        for version in program.versions:
            name = variant(program.name, version)
            words = command(java, [COLLECTORS[host]], classes, program.name, version)
            target = Target(
                tuple(words), timeout_s=TIMEOUT_S, interval_s=INTERVAL_S, live_set=LiveSet(), asks_git=False
            )
            runs = BASE_RUNS if version == BASE else OTHER_RUNS[half[program.name]]
            yield name_on(host, name), Wanted(target, runs, phase_of(name, SEED, ROUNDS))
