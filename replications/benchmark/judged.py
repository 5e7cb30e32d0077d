"""All rules on the same recorded runs: who calls which pair a regression, and with how many launches."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmark.pairs import Pair
from benchmark.rules import Named, Use
from buto.actions.collecting import shuffled
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.comparison import Programs
from buto.judging.verdict import Status
from buto.run.model import LOOKS, SESSION, Run, RunSet, run_set
from buto_replications.judging.checks import N_CHECKED, N_TRAINING, Rate, Trained, rate

BUTO = "buto"
DRAWS = 8
SEED = 20261127
TURNS = Programs(CALIBRATED)


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
            if old and new and len(old) >= N_TRAINING + TURNS.most and len(new) >= N_CHECKED + TURNS.most:
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
        trained = Trained.by(training)
        yield _by_buto(task, trained, new, rest, int(random.integers(2**32)))
        for rule in task.rules:
            if len(new) >= rule.new:
                fails = rule.fails([uses[run.id] for run in training], [uses[run.id] for run in new])
                yield Judgement(task.pair.name, task.cell, rule.name, fails, rule.new)


def _by_buto(
    task: Task, trained: Trained, checked: Sequence[Run], beside: Sequence[Run], seed: int
) -> Judgement:
    found = trained.check(checked[:N_CHECKED])
    fails, launches = in_turns(beside, checked[N_CHECKED:], seed) if found.suspicious() else (False, 0)
    before = N_CHECKED if found.followed else 1
    return Judgement(task.pair.name, task.cell, BUTO, fails, before + launches)


def in_turns(old: Sequence[Run], new: Sequence[Run], seed: int) -> tuple[bool, int]:
    """Return whether launches in random turns show a regression, and how many they are.

    Args:
        old, new: as many as buto launches at most; those beyond are not looked at.
    """
    runs = {side: iter(_looked_at(some)) for side, some in (("old", old), ("new", new))}
    taken: dict[str, list[Run]] = {"old": [], "new": []}
    for side in shuffled(dict.fromkeys(taken, TURNS.most), seed):
        taken[side].append(next(runs[side]))
        if min(map(len, taken.values())) and TURNS.is_decided(*map(run_set, taken.values())):
            break
    verdict, _ = TURNS.compare(run_set(taken["old"]), run_set(taken["new"]))
    return verdict.status is Status.REGRESSION, sum(map(len, taken.values()))


def _looked_at(runs: Sequence[Run]) -> list[Run]:
    """Return runs as if one command had launched them."""
    launched: dict[str, int | str] = {LOOKS: TURNS.looks, SESSION: "turns"}
    return [replace(run, metadata={**run.metadata, **launched}) for run in runs]


def share(chosen: Sequence[Judgement]) -> Rate:
    """Return the share that fails; all judgements of one pair are one observation for its error."""
    return rate((one.pair, one.fails) for one in chosen)


def launches(chosen: Sequence[Judgement]) -> float:
    """Return the mean number of launches; NaN without judgements."""
    return float(np.mean([one.launches for one in chosen])) if chosen else float("nan")
