"""Programs that do not change: trained once, then checked many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from buto_replications.live.calls import ButoCommand, EqualTrial, call
from buto_replications.live.elsewhere import HERE, MOVES, Move
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.load import run_load
from buto_replications.live.programs import LiveProgram
from buto_replications.live.ways import BUILD, NEW, OLD, LaunchedProgram

_STAYS = Move(lambda: HERE, lambda: HERE)
_COMPARED = "10"
"""Launches of each revision, where a check in turns would have as many."""

CarryOut = Callable[[EqualTrial, Path, Path, Sequence[CommandEntry]], Iterator[CommandEntry]]
"""From a trial, its directory, the cache and the earlier entries of the part to an entry for each command."""


def check_subjects(known: Iterable[LaunchedProgram], *, forced: bool = False) -> CarryOut:
    """Return what checks these subjects in the ways in which they were trained.

    Args:
        forced: whether each check goes straight into turns.
    """
    by_name = {subject.name: subject for subject in known}

    def carry_out(
        trial: EqualTrial, directory: Path, cache: Path, earlier: Sequence[CommandEntry]
    ) -> Iterator[CommandEntry]:
        return _check(by_name[trial.subject], trial, directory, cache, earlier, forced=forced)

    return carry_out


def check_elsewhere(programs: Iterable[LiveProgram], way: str) -> CarryOut:
    """Return what trains programs in one place and checks them in another, which the subject names."""
    by_name = {program.name: _without_heap(program) for program in programs}

    def carry_out(
        trial: EqualTrial, directory: Path, cache: Path, earlier: Sequence[CommandEntry]
    ) -> Iterator[CommandEntry]:
        name, _, place = trial.subject.partition("/")
        subject = LaunchedProgram(by_name[name], way)
        return _check(subject, trial, directory, cache, earlier, move=MOVES[place])

    return carry_out


def _without_heap(program: LiveProgram) -> LiveProgram:
    """Return a program whose command leaves the size of the heap to the environment."""
    options = tuple(option for option in program.options if not option.startswith("-Xmx"))
    return replace(program, options=options)


def _check(
    subject: LaunchedProgram,
    trial: EqualTrial,
    directory: Path,
    cache: Path,
    earlier: Sequence[CommandEntry],
    *,
    forced: bool = False,
    move: Move = _STAYS,
) -> Iterator[CommandEntry]:
    training = [entry for entry in earlier if entry.subject == trial.subject and entry.action == TRAIN]
    # A journal that comes from another machine lacks what was trained there.
    if not training or (training[-1].exit_code == 0 and not directory.is_dir()):
        # Training is on a quiet machine, so that the load of a check is new to it.
        where = move.training()
        launch = subject.prepare(directory, cache)
        trained = call(trial, ButoCommand(TRAIN, (), launch.words, where.variables, where.before), directory)
        yield trained
        training = [trained]
    if training[-1].exit_code:
        return
    where, words = move.check(), training[-1].words
    wanted = ButoCommand("check", (), words, where.variables, where.before, forced)
    if subject.way == "revisions":
        options = ("--revisions", OLD, NEW, "--build", BUILD, *(("--runs", _COMPARED) if forced else ()))
        wanted = ButoCommand("compare", options, words, where.variables, where.before)
    with run_load(trial.condition, f"{trial.subject} {trial.number}"):
        yield call(trial, wanted, directory)
