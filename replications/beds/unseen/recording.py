"""Record all versions in rounds of random order, in as many sessions as needed."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path

from beds.artefacts import BedError
from beds.unseen.catalogue import BASE, SEED, Program, build, command, halves
from buto.actions.collecting import Plan, collect
from buto.actions.ending import measuring
from buto.actions.events import Event, GivenUp, LaunchRepeated, RunStored, WaitingForStore
from buto.measure.target import LiveSet, Target
from buto.run.store import RunStore
from buto_replications.dataset.generate import FORGIVEN, PURPOSE, name_on, recorded

COLLECTORS = {"parallel": "-XX:+UseParallelGC", "g1": "-XX:+UseG1GC"}
ROUNDS = 16
"""In each, all bases run once, and some of the other versions."""

BASE_RUNS = ROUNDS
OTHER_RUNS = {"tuning": 4, "apart": 6}
"""Runs of a regression or a refactoring, by the half of its program: a check in turns needs six."""

INTERVAL_S = 0.05
TIMEOUT_S = 60.0


def runs_after(round_: int, runs: int, phase: int) -> int:
    """Return how many of a version's runs there are after a round: they are spread over all rounds.

    Args:
        round_: from 1.
        phase: below ROUNDS; of versions with as many runs, in which rounds they have them.
    """
    return (round_ * runs + phase) // ROUNDS


def variant(program: str, version: str) -> str:
    """Return the name under which a version is recorded."""
    return program if version == BASE else f"{program}-{version}"


def record(
    jdk: Path, host: str, store: Path, programs: Collection[Program], rounds: int = ROUNDS
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
    targets = dict(_targets(str(java), host, build(), programs))
    runs = RunStore(store)
    failures: dict[str, str] = {}
    with measuring(store, lambda: _show(WaitingForStore(store))):
        for round_ in range(1, rounds + 1):
            plans = [
                Plan(test, target, missing)
                for test, (target, wanted, phase) in targets.items()
                if test not in failures
                if (missing := runs_after(round_, wanted, phase) - recorded(runs, test).usable) > 0
            ]
            print(f"round {round_} of {rounds}: {sum(plan.runs for plan in plans)} launches", flush=True)
            if plans:
                got = collect(plans, runs, _show, seed=SEED + round_, purpose=PURPOSE, forgiven=FORGIVEN)
                failures |= {test: str(one.failure) for test, one in got.items() if one.failure is not None}
    return failures


def _targets(
    java: str, host: str, classes: Path, programs: Collection[Program]
) -> Iterator[tuple[str, tuple[Target, int, int]]]:
    """Yield each test with its program, its number of runs, and its phase."""
    half = halves()
    for program in programs:
        for version in program.versions:
            name = variant(program.name, version)
            words = command(java, [COLLECTORS[host]], classes, program.name, version)
            target = Target(
                tuple(words), timeout_s=TIMEOUT_S, interval_s=INTERVAL_S, live_set=LiveSet(), asks_git=False
            )
            phase = random.Random(f"{SEED} {name}").randrange(ROUNDS)
            wanted = BASE_RUNS if version == BASE else OTHER_RUNS[half[program.name]]
            yield name_on(host, name), (target, wanted, phase)


def _show(event: Event) -> None:
    match event:
        case RunStored(run=run):
            usable = "" if run.quality.valid else ", not usable"
            print(f"  {run.test}: {run.outcome.describe()}{usable}", flush=True)
        case GivenUp(test=test, error=error) | LaunchRepeated(test=test, error=error):
            print(f"  {test}: {error.message}", flush=True)
        case WaitingForStore(store=store):
            print(f"waiting for another buto that measures into {store}", flush=True)
        case _:
            pass
