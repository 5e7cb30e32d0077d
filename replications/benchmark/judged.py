"""All rules on the same recorded runs: who calls which pair a regression, and with how many launches."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.pairs import Pair
from benchmark.rules import Named, Use
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import N_CHECKED, N_TURNS
from buto.run.model import Run, RunSet
from buto_replications.judging.checks import N_TRAINING, CachingJudge, Rate, TurnRuns, rate

BUTO = "buto"
DRAWS = 8
SEED = 20261127


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one rule said of one draw of runs of a new release.

    Attributes:
        launches: how many runs under test, or beside them for turns, the rule took.
    """

    pair: str
    cell: str
    rule: str
    fails: bool
    launches: int


@dataclass(frozen=True, eq=False, slots=True)
class Task:
    """The runs of one pair in one cell."""

    pair: Pair
    cell: str
    old: RunSet
    new: RunSet
    rules: tuple[Named, ...]
    draws: int = DRAWS


def tasks(
    pairs: Mapping[str, Pair],
    cells: Mapping[str, Mapping[str, RunSet]],
    rules: Sequence[Named],
    draws: int = DRAWS,
) -> list[Task]:
    """Return the work on all pairs that were recorded with enough runs."""
    found = []
    for cell, runs in cells.items():
        for pair in pairs.values():
            old, new = (runs.get(f"{pair.name}-{side}") for side in ("old", "new"))
            if old and new and len(old) >= N_TRAINING + N_TURNS and len(new) >= N_CHECKED + N_TURNS:
                found.append(Task(pair, cell, old, new, tuple(rules), draws))
    return found


def judgements(task: Task) -> list[Judgement]:
    """Return what buto and each rule say of some draws.

    In each, ten runs of the old release train, and the others are for buto's turns.
    """
    return list(_judgements(task))


def _judgements(task: Task) -> Iterator[Judgement]:
    random = np.random.default_rng([SEED, zlib.crc32(f"{task.pair.name}@{task.cell}".encode())])
    uses = {run.id: Use.of(run) for run in (*task.old.runs, *task.new.runs)}
    for _ in range(task.draws):
        old = [task.old.runs[place] for place in random.permutation(len(task.old))]
        new = [task.new.runs[place] for place in random.permutation(len(task.new))]
        training, rest = old[:N_TRAINING], old[N_TRAINING:]
        trained = CachingJudge.by(training)
        yield _by_buto(task, trained, new, rest, int(random.integers(2**32)))
        for rule in task.rules:
            if len(new) >= rule.new:
                said = rule.says([uses[run.id] for run in training], [uses[run.id] for run in new])
                yield Judgement(task.pair.name, task.cell, rule.name, said.fails, said.launches)


def _by_buto(
    task: Task, trained: CachingJudge, checked: Sequence[Run], beside: Sequence[Run], seed: int
) -> Judgement:
    found = trained.check(checked[:N_CHECKED], TurnRuns(beside, checked[N_CHECKED:]), seed)
    return Judgement(task.pair.name, task.cell, BUTO, found.fails(CALIBRATED.alpha), found.launches)


def share(chosen: Sequence[Judgement]) -> Rate:
    """Return the share that fails; all judgements of one pair are one observation for its error."""
    return rate((judgement.pair, judgement.fails) for judgement in chosen)


def launches(chosen: Sequence[Judgement]) -> float:
    """Return the mean number of launches; NaN without judgements."""
    return float(np.mean([judgement.launches for judgement in chosen])) if chosen else float("nan")
