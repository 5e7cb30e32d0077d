"""How often an unchanged program is accused while the machine costs it more processor time for minutes.

Launches follow each other at a fixed distance. Bursts come and go at random; while one lasts, each launch
uses more processor time by its strength. All else is as it was recorded. Who launches old and new one after
the other, or at another time, sees them in other bursts.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from benchmark.judged import BUTO, SEED, Judgement, Task, launches, share
from benchmark.neighbours import NEIGHBOURS, NEW, OLD, Neighbour
from benchmark.rules import Use
from benchmark.tables import percent
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import N_CHECKED, N_TURNS
from buto.run.model import FloatArray, Run
from buto_replications.judging.checks import N_TRAINING, CachingJudge, TurnRuns
from buto_replications.report.content import TextTable

CELLS = ("17-quiet", "25-quiet")

COUNTER = "jvm.cpu.time"
LAUNCH_S = 15.0
"""From one launch to the next."""

BURST_S, CALM_S = 180.0, 360.0
"""Mean length of a burst, and of the time between two; both are exponential."""

STRENGTH = (0.10, 0.40)
"""Least and largest share by which a burst raises processor time; each burst has one of its own."""

WITHOUT, WITH = "no bursts", "bursts"


def factors(random: np.random.Generator, n: int) -> FloatArray:
    """Return by what bursts multiply the processor time of one launch after another, shape ``(n,)``."""
    found = np.ones(n)
    within = random.random() < BURST_S / (BURST_S + CALM_S)
    now = 0.0
    while now < n * LAUNCH_S:
        end = now + random.exponential(BURST_S if within else CALM_S)
        if within:
            times = np.arange(n) * LAUNCH_S
            found[(times >= now) & (times < end)] = 1 + random.uniform(*STRENGTH)
        now, within = end, not within
    return found


def judgements(task: Task) -> list[Judgement]:
    """Return what buto and each neighbour say of unchanged programs, without bursts and with them.

    The launches of both releases of a good pair are one pool, dealt to old and new at random, so that the
    labels mean nothing. The cell of a judgement is WITHOUT or WITH.
    """
    return list(_judgements(task))


def _judgements(task: Task) -> Iterator[Judgement]:
    random = np.random.default_rng([SEED, zlib.crc32(f"bursts {task.pair.name}@{task.cell}".encode())])
    pool = (*task.old.runs, *task.new.runs)
    used = np.array([Use.of(run).counts[COUNTER] for run in pool])
    for _ in range(task.draws):
        places = random.permutation(len(pool))
        seed = int(random.integers(2**32))
        for cell in (WITHOUT, WITH):
            bursting = np.random.default_rng(seed) if cell == WITH else None
            yield _by_buto(task.pair.name, cell, [pool[place] for place in places], seed, bursting)
            for neighbour in NEIGHBOURS:
                before, after = launched(neighbour, used[places], bursting)
                said = neighbour.says(before, after, np.array([True]))
                yield Judgement(task.pair.name, cell, neighbour.name, said.fails, said.launches)


def launched(
    neighbour: Neighbour, used: FloatArray, bursting: np.random.Generator | None
) -> tuple[FloatArray, FloatArray]:
    """Return the processor time of old and new launches of a rule, shapes ``(n, 1)``.

    Args:
        used: of launches without bursts, in the order of the rule, and at least as many as it looks at.
        bursting: draws the bursts of each occasion; None for none.
    """
    sides: dict[str, list[float]] = {OLD: [], NEW: []}
    start = 0
    for occasion in neighbour.order:
        n = len(occasion)
        slower = factors(bursting, n) if bursting else np.ones(n)
        for side, seconds in zip(occasion, used[start : start + n] * slower, strict=True):
            sides[side].append(float(seconds))
        start += n
    return np.array(sides[OLD])[:, None], np.array(sides[NEW])[:, None]


def _by_buto(
    name: str, cell: str, runs: Sequence[Run], seed: int, bursting: np.random.Generator | None
) -> Judgement:
    training, checked = N_TRAINING, N_CHECKED + 2 * N_TURNS
    slower = [
        factors(bursting, n) if bursting else np.ones(n)  # Training is an occasion of its own.
        for n in (training, checked)
    ]
    slow = [_slowed(run, name, by) for run, by in zip(runs, np.concatenate(slower), strict=True)]
    turned = TurnRuns.in_time(slow[training + N_CHECKED :], seed)
    found = CachingJudge.by(slow[:training]).check(slow[training : training + N_CHECKED], turned, seed)
    return Judgement(name, cell, BUTO, found.fails(CALIBRATED.alpha), found.launches)


def _slowed(run: Run, test: str, by: float) -> Run:
    values = run.values.copy()
    values[:, run.column_of[COUNTER]] *= by
    return dataclasses.replace(run, test=test, values=values)


def table(found: Sequence[Judgement]) -> TextTable:
    """Return the false alarms of each rule, without bursts and with them."""
    rows = []
    for name in (BUTO, *(neighbour.name for neighbour in NEIGHBOURS)):
        calm, bursting = (
            [judgement for judgement in found if (judgement.rule, judgement.cell) == (name, cell)]
            for cell in (WITHOUT, WITH)
        )
        shares = percent(share(calm)), percent(share(bursting))
        rows.append((name, *shares, f"{launches(calm):.1f}", f"{launches(bursting):.1f}"))
    n = sum(judgement.rule == BUTO and judgement.cell == WITH for judgement in found)
    return TextTable(
        f"Unchanged programs that fail by their processor time, % of {n} checks each, errors by pair",
        ("rule", *(WITHOUT, WITH) * 2),
        tuple(rows),
        groups=(("", 1), ("fail", 2), ("launches", 2)),
    )
