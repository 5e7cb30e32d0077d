"""Turns on recorded streams of unchanged programs in the order of time, by orders and statistics.

A window is ten runs that train, three that are checked, and twenty that are launched in turns. A change is
planted into the checked runs and into those launches that are of the new program by the order; without one,
each accusation is false.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from buto.judging.divisions import SESSION_GAP_S, sessions
from buto.judging.effects import smallest_effects
from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import Orders, balanced_orders
from buto.judging.procedure import N_CHECKED, N_TURNS, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.selfknowledge.strength import shares
from buto.judging.turns import Launched, Prior, Turns, look_at_turns, prepare_turns
from buto.run.model import FloatArray, RunSet
from buto_replications.dataset.archive import started
from buto_replications.judging.checks import N_TRAINING, CachingJudge, rate
from buto_replications.report.content import TextTable

N_WINDOW = N_TRAINING + N_CHECKED + 2 * N_TURNS
STEP = 10
SIZES = 1.5
"""Of a planted change, in sizes that matter."""

BY_CLOCK = ("run.duration", "jvm.cpu.time", "process.memory.usage")
COUNTED = ("jvm.memory.allocated", "jvm.memory.heap.live", "jvm.thread.count")


@lru_cache(maxsize=1)
def free_orders() -> Orders:
    """Return all orders of ten and ten."""
    places = np.array(list(combinations(range(2 * N_TURNS), N_TURNS)))
    is_new = np.zeros((len(places), 2 * N_TURNS), np.bool_)
    np.put_along_axis(is_new, places, True, axis=1)
    return Orders(is_new, complete=True)


@lru_cache(maxsize=1)
def blocks_of_four() -> Orders:
    """Return the orders in which each four launches in a row have two of each program."""
    every = free_orders().is_new
    blocks = every.reshape(len(every), -1, 4).sum(axis=2)
    return Orders(every[(blocks == 2).all(axis=1)], complete=True)


@dataclass(frozen=True, slots=True)
class Design:
    """How turns are made and looked at.

    Attributes:
        knows: whether the runs before the turns say what to look at.
        without_level: whether the local level is taken out of what follows the machine.
        bets: whether bets may decide, too.
    """

    name: str
    orders: str
    knows: bool
    without_level: bool
    bets: bool

    @property
    def set_of_orders(self) -> Orders:
        made = {"free": free_orders, "blocks of four": blocks_of_four}
        return made[self.orders]() if self.orders in made else balanced_orders(N_TURNS)


DESIGNS = (
    Design("free, even weights, with level", "free", knows=False, without_level=False, bets=False),
    Design("free, with level", "free", knows=True, without_level=False, bets=True),
    Design("free, level out", "free", knows=True, without_level=True, bets=True),
    Design("blocks of four, level out", "blocks of four", knows=True, without_level=True, bets=True),
    Design("balanced, with level", "balanced", knows=True, without_level=False, bets=True),
    Design("balanced, level out", "balanced", knows=True, without_level=True, bets=True),
)
"""The first is how turns were judged before they bet; the last is what a check does."""


@dataclass(frozen=True, eq=False, slots=True)
class DriftTask:
    """One stream: runs of an unchanged program in the order of time."""

    part: str
    name: str
    runs: RunSet
    seed: int


@dataclass(frozen=True, slots=True)
class WindowTurns:
    """Turns of one window by one design.

    Attributes:
        planted: the property that was changed; empty for none.
        launches: until they decided.
    """

    part: str
    name: str
    design: str
    planted: str
    accuses: bool
    launches: int


def turned(task: DriftTask) -> list[WindowTurns]:
    """Return what each design says of each window of a stream, with each property changed and with none."""
    return list(_turn(task))


def _turn(task: DriftTask) -> Iterator[WindowTurns]:
    runs = task.runs.runs
    random = np.random.default_rng([task.seed, zlib.crc32(f"drift {task.name}".encode())])
    session = sessions(np.array([started(run).timestamp() for run in runs]), SESSION_GAP_S)
    for first in range(0, len(runs) - N_WINDOW + 1, STEP):
        window = runs[first : first + N_WINDOW]
        if session[first] != session[first + N_WINDOW - 1]:
            continue
        profile = CachingJudge.by(window[:N_TRAINING]).fitted.profile
        rows = np.array([profile.measure(run) for run in window])
        gains = dict(planted_gains(profile))
        for planted in ("", *gains):
            for design in DESIGNS:
                gain = gains.get(planted, np.zeros(rows.shape[1]))
                order = design.set_of_orders.draw(int(random.integers(2**32)))
                accuses, launches = _judge(design, profile, rows, gain, np.array(order, np.bool_))
                yield WindowTurns(task.part, task.name, design.name, planted, accuses, launches)


def planted_gains(profile: TrainingProfile, sizes: float = SIZES) -> Iterator[tuple[str, FloatArray]]:
    """Yield by property what a change of so many sizes that matter adds to each feature."""
    effects = smallest_effects(profile.quantities, profile.amounts(np.nan_to_num(profile.values)), {})
    columns, share = np.array([feature.column for feature in profile.catalogue]), shares(profile)
    for number, quantity in enumerate(profile.quantities):
        if quantity.name in (*BY_CLOCK, *COUNTED):
            size = sizes * effects[number]
            # A whole number of threads.
            size = np.ceil(size - 0.5) if quantity.unit.startswith("{") else size
            yield quantity.name, np.where(columns == number, share * size, 0.0)


def _judge(
    design: Design,
    profile: TrainingProfile,
    rows: FloatArray,
    gain: FloatArray,
    is_new: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> tuple[bool, int]:
    known, checked, launches = np.split(rows, [N_TRAINING, N_TRAINING + N_CHECKED])
    prior = Prior(known, checked + gain)
    procedure = Procedure(CALIBRATED.alpha, n_asked_turns=None if design.bets else N_TURNS)
    values = np.where(is_new[:, None], launches + gain, launches)
    turns = prepare_turns(profile, CALIBRATED, design.set_of_orders, known, prior if design.knows else None)
    if not design.without_level:
        turns = replace(turns, follows_machine=np.zeros(len(turns.columns), np.bool_))
    every = Launched(values, is_new)
    if not design.bets:
        return turns.p_value(every, procedure.n_orders(len(every))) <= CALIBRATED.alpha / 2, len(every)
    return _with_bets(procedure, turns, every)


def _with_bets(procedure: Procedure, turns: Turns, every: Launched) -> tuple[bool, int]:
    """Return what the bets decide, and else the permutation test of all launches."""
    wealth = turns.wealth(every)
    for n in range(1, len(every)):
        look = look_at_turns(procedure, every.first(n), wealth, None)
        if procedure.has_won(look):
            return True, n
    last = procedure.judge_all(look_at_turns(procedure, every, wealth, turns))
    return last.do.value == "fail", len(every)


def tables(windows: Sequence[WindowTurns]) -> list[TextTable]:
    """Return for each design what it finds and what it accuses wrongly, by part."""
    shown = []
    for part in dict.fromkeys(turns.part for turns in windows):
        rows = []
        for design in DESIGNS:
            ours = [turns for turns in windows if turns.part == part and turns.design == design.name]
            groups: Mapping[str, list[WindowTurns]] = {
                "none": [turns for turns in ours if not turns.planted],
                **{
                    name: [turns for turns in ours if turns.planted == name] for name in (*BY_CLOCK, *COUNTED)
                },
            }
            cells = [_percent(some) for some in groups.values()]
            n_launches = [turns.launches for turns in ours if turns.planted]
            rows.append((design.name, *cells, f"{np.mean(n_launches):.1f}" if n_launches else ""))
        heads = ("turns", "none", *BY_CLOCK, *COUNTED, "launches")
        shown.append(
            TextTable(
                f"{part}: accused, % of windows, errors by program; a change of {SIZES:g} sizes",
                heads,
                tuple(rows),
            )
        )
    return shown


def _percent(some: Sequence[WindowTurns]) -> str:
    if not some:
        return ""
    share = rate((turns.name, turns.accuses) for turns in some)
    return f"{100 * share.value:.1f} ± {100 * share.error:.1f}"
