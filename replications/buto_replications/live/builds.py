"""Builds of programs that do not change: one commit after the other on the main branch, each checked once.

What the monitor over builds compares are first runs in the order of time. So the load beside them stays for a
stretch of builds of a program, about as long as the windows of the monitor, which is the load that could
deceive it most.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buto_replications.live.artefacts import run_tool
from buto_replications.live.calls import ButoCommand, EqualTrial, call
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.load import MANY, QUIET, STEADY, run_load
from buto_replications.live.programs import LiveProgram
from buto_replications.live.trained import CarryOut
from buto_replications.live.ways import CLASS_PATH, LaunchedProgram, write_configuration

N_BUILDS = 150
"""Of each program."""

LOADS_BESIDE = (QUIET, STEADY, MANY)

LONGEST = 8
"""Builds of a program for which the load beside stays the same, at most."""

_WHO = ("-c", "user.name=live", "-c", "user.email=live@localhost", "-c", "commit.gpgsign=false")


def builds_of(part: str, programs: Iterable[LiveProgram]) -> tuple[EqualTrial, ...]:
    """Return the builds of programs in the order of time: one of each program, then the next of each."""
    names = [LaunchedProgram(program, CLASS_PATH).name for program in programs]
    loads = {name: _loads(name) for name in names}
    return tuple(EqualTrial(part, name, loads[name][k], k) for k in range(N_BUILDS) for name in names)


def _loads(name: str) -> list[str]:
    """Return the load beside each build of a program, drawn by its name."""
    source, drawn = random.Random(name), list[str]()
    while len(drawn) < N_BUILDS:
        drawn += [source.choice(LOADS_BESIDE)] * source.randint(1, LONGEST)
    return drawn[:N_BUILDS]


def check_builds(programs: Iterable[LiveProgram]) -> CarryOut:
    """Return what trains programs, and for each trial commits, and checks what is committed."""
    by_name = {subject.name: subject for subject in (LaunchedProgram(each, CLASS_PATH) for each in programs)}

    def carry_out(
        trial: EqualTrial, directory: Path, cache: Path, earlier: Sequence[CommandEntry]
    ) -> Iterator[CommandEntry]:
        training = [entry for entry in earlier if entry.subject == trial.subject and entry.action == TRAIN]
        # A journal that comes from another machine lacks what was trained there.
        if not training or (training[-1].exit_code == 0 and not directory.is_dir()):
            _begin(by_name[trial.subject], directory, cache)
            trained = call(trial, ButoCommand(TRAIN), directory)
            _commit(directory, "Train")
            yield trained
            training = [trained]
        if training[-1].exit_code:
            return
        _commit(directory, f"Build {trial.number}")
        with run_load(trial.condition, f"{trial.subject} {trial.number}"):
            yield call(trial, ButoCommand("check"), directory)

    return carry_out


def _begin(subject: LaunchedProgram, directory: Path, cache: Path) -> None:
    """Write a repository whose first commit has the program."""
    launch = subject.prepare(directory, cache)
    write_configuration(directory, {"command": list(launch.command)})
    (directory / ".gitignore").write_text(".buto/\nresult.json\n")
    run_tool(["git", "init", "-q", "--initial-branch=main"], directory)
    _commit(directory, "The program")


def _commit(directory: Path, message: str) -> None:
    run_tool(["git", "add", "-A"], directory)
    run_tool(["git", *_WHO, "commit", "-q", "--allow-empty", "-m", message], directory)
