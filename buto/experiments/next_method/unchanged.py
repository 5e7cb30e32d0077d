"""False alarms: unchanged runs judged by unchanged runs, at random and in the order of time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from buto.analysis.divisions import SESSION_GAP_S, Division, in_order, sessions
from buto.detectors.alarms import N_CHECKED
from buto.experiments.dataset.archive import started
from buto.experiments.next_method.checks import METHODS, N_TRAINING, checked, profile_of
from buto.experiments.next_method.trials import Trial
from buto.runs import RunSet

RANDOM = "at random"
IN_ORDER = "in the order of time"
PAUSED = "in the order of time, every fifth run"
BESIDE = "in the order of time, the same first runs in a row"
LATER = "trained in one session, checked in the next"

APART = 5
"""Every fifth run is checked: a pause as long as four runs."""

FEWEST = N_TRAINING + N_CHECKED + 1


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is judged.

    Attributes:
        divisions: random divisions for each first run under test.
        ordered: at most so many divisions in the order of time for each first run.
    """

    divisions: int = 2
    ordered: int = 2


@dataclass(frozen=True, eq=False, slots=True)
class UnchangedTask:
    """The runs of one unchanged program.

    Attributes:
        part: which figure the checks belong to.
        name: of the program, with its host.
        runs: usable ones, in the order of their start.
        gap_s: a longer pause between two runs begins a new session.
    """

    part: str
    name: str
    runs: RunSet
    method: str
    seed: int
    amount: Amount = Amount()
    gap_s: float = SESSION_GAP_S


def unchanged_tasks(
    part: str, name: str, runs: RunSet, seed: int, gap_s: float = SESSION_GAP_S
) -> list[UnchangedTask]:
    """Return the work on one program, a task for each method; none if there are too few runs."""
    usable = runs.valid()
    if len(usable) < FEWEST:
        return []
    return [UnchangedTask(part, name, usable, method, seed, gap_s=gap_s) for method in METHODS]


def unchanged_trials(task: UnchangedTask) -> Iterator[Trial]:
    """Yield checks of the program by one method; all methods judge the same divisions.

    Runs are divided within each session. With several sessions, each run of a later one is also judged by
    training runs of the session before.
    """
    settings = METHODS[task.method]
    profile = profile_of(task.runs, settings)
    session = sessions(np.array([started(run).timestamp() for run in task.runs]), task.gap_s)
    ids = [run.id for run in task.runs]
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    for case, division in _divisions(session, task.amount, random):
        found = checked(
            profile, profile.values[division.training], profile.values[division.checked], settings
        )
        runs = tuple(ids[place] for place in division.checked)
        yield Trial(task.part, task.method, task.name, case, runs, 1, found)


def _divisions(
    session: np.ndarray[tuple[int], np.dtype[np.int64]], amount: Amount, random: np.random.Generator
) -> Iterator[tuple[str, Division]]:
    numbers = np.unique(session)
    for number in numbers:
        places = np.flatnonzero(session == number)
        n = len(places)
        if n < FEWEST:
            continue
        for run in range(n):
            for _ in range(amount.divisions):
                yield RANDOM, _moved(_random(run, n, random), places)
        for one in in_order(n, N_TRAINING, N_CHECKED, amount.ordered):
            yield IN_ORDER, _moved(one, places)
        for one in in_order(n, N_TRAINING, N_CHECKED, amount.ordered, APART):
            in_row = Division(one.training, one.checked[0] + np.arange(N_CHECKED))
            yield PAUSED, _moved(one, places)
            yield BESIDE, _moved(in_row, places)
    for before, after in pairwise(numbers):
        earlier, later = (np.flatnonzero(session == number) for number in (before, after))
        yield from ((LATER, one) for one in _across(earlier, later, amount.ordered))


def _random(run: int, n_runs: int, random: np.random.Generator) -> Division:
    """Return a division in which all runs but the first one under test are chosen at random."""
    others = random.permutation(np.delete(np.arange(n_runs), run))
    more = N_CHECKED - 1
    return Division(others[more : more + N_TRAINING], np.array([run, *others[:more]]))


def _moved(division: Division, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Division:
    return Division(places[division.training], places[division.checked])


def _across(
    earlier: np.ndarray[tuple[int], np.dtype[np.int64]],
    later: np.ndarray[tuple[int], np.dtype[np.int64]],
    most: int,
) -> Iterator[Division]:
    """Yield divisions that train with runs in a row of one session and check runs in a row of the next."""
    latest = len(earlier) - N_TRAINING
    if latest < 0:
        return
    starts = dict.fromkeys(int(place) for place in np.rint(np.linspace(latest, 0, min(most, latest + 1))))
    for first in range(len(later) - N_CHECKED + 1):
        for start in starts:
            yield Division(earlier[start : start + N_TRAINING], later[first : first + N_CHECKED])
