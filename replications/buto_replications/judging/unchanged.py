"""Unchanged programs, launched in a row: how many checks fail, with and without turns."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from buto.judging.divisions import SESSION_GAP_S, in_order, sessions
from buto.judging.procedure import N_CHECKED, N_TURNS
from buto.run.model import Run, RunSet
from buto_replications.dataset.archive import started
from buto_replications.judging.checks import (
    N_TRAINING,
    CachingJudge,
    CheckTrial,
    SimulatedCheck,
    TurnRuns,
    in_turns,
)

RANDOM = "at random"
IN_ORDER = "in the order of time"
LATER = "trained in one session, checked in the next"
TURNS = "turns alone"

FEWEST = N_TRAINING + N_CHECKED + 1
N_DEALS = 2
"""How often the launches of the turns of one check are dealt out to old and new: all are of one program."""


@dataclass(frozen=True, eq=False, slots=True)
class UnchangedTask:
    """The runs of one unchanged program.

    Attributes:
        runs: usable ones, in the order of their start.
        elsewhere: runs of the same program that train; None to train by earlier ones of ``runs``.
        gap_s: a longer pause between two runs begins a new session.
    """

    part: str
    name: str
    runs: RunSet
    seed: int
    elsewhere: RunSet | None = None
    gap_s: float = SESSION_GAP_S


def unchanged_trials(task: UnchangedTask) -> Iterator[CheckTrial]:
    """Yield checks of the program.

    The turns of a check are the twenty runs after its three, dealt out to old and new in one of the
    orders. *Turns alone* are judged whatever the three runs say, as if every check needed them.
    """
    runs = task.runs.runs
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    if task.elsewhere is not None:
        for place in range(len(runs) - 2 * N_TURNS + 1):
            yield from _turns(task, place, random)
        return
    session = sessions(np.array([started(run).timestamp() for run in runs]), task.gap_s)
    for number in np.unique(session):
        places = np.flatnonzero(session == number)
        if len(places) < FEWEST:
            continue
        for place in places.tolist():
            others = random.permutation(places[places != place])
            training = others[N_CHECKED - 1 :][:N_TRAINING]
            yield _check(task, RANDOM, training, [place, *others[: N_CHECKED - 1].tolist()], random)
        for division in in_order(len(places), N_TRAINING, N_CHECKED, most=1):
            checked = places[division.checked].tolist()
            yield _check(task, IN_ORDER, places[division.training], checked, random)
        for first in places[: max(len(places) - 2 * N_TURNS + 1, 0)]:
            yield from _turns(task, int(first), random)
    for before, after in pairwise(np.unique(session)):
        earlier, later = (np.flatnonzero(session == number) for number in (before, after))
        if len(earlier) < N_TRAINING:
            continue
        for first in later[: len(later) - N_CHECKED + 1]:
            checked = list(range(int(first), int(first) + N_CHECKED))
            yield _check(task, LATER, earlier[-N_TRAINING:], checked, random)


def _check(
    task: UnchangedTask,
    case: str,
    training: np.ndarray[tuple[int], np.dtype[np.int64]],
    checked: list[int],
    random: np.random.Generator,
) -> CheckTrial:
    runs = task.runs.runs
    three = [runs[place] for place in checked]
    after = list(runs[max(checked) + 1 :][: 2 * N_TURNS])
    turns = _dealt(after, random) if case != RANDOM and len(after) == 2 * N_TURNS else None
    simulated = CachingJudge.by([runs[place] for place in training]).check(three, turns)
    return CheckTrial(task.part, task.name, case, tuple(run.id for run in three), 1, simulated)


def _turns(task: UnchangedTask, place: int, random: np.random.Generator) -> Iterator[CheckTrial]:
    some = list(task.runs.runs[place : place + 2 * N_TURNS])
    for _ in range(N_DEALS):
        simulated = SimulatedCheck(
            followed=True, three=0.0, turns=in_turns(_dealt(some, random)), n_turns=len(some)
        )
        yield CheckTrial(task.part, task.name, TURNS, tuple(run.id for run in some), 1, simulated)


def _dealt(runs: list[Run], random: np.random.Generator) -> TurnRuns:
    return TurnRuns.in_time(runs, int(random.integers(2**32)))
