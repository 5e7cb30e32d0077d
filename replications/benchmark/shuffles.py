"""How often turns accuse where labels mean nothing: recorded launches dealt out to old and new at random.

The pools are runs of one release, or of both releases of a pair mixed, so that the values are those of a real
difference while the labels are not. What is believed before the turns is a real change, or none. Counted is
the test itself, without the looks at which a check may pass earlier.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from benchmark.judged import SEED, Task
from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import balanced_orders
from buto.judging.procedure import N_CHECKED, N_TURNS, Procedure
from buto.judging.turns import Launched, Prior, prepare_turns
from buto.run.model import Run
from buto_replications.judging.checks import N_TRAINING, CachingJudge, Rate, rate
from buto_replications.report.content import TextTable

LEVELS = (20.0, 100.0, 250.0)
"""W that are counted; 250 is where bets decide at an alpha of 1 %."""

POOLS = ("old", "mixed")


@dataclass(frozen=True, slots=True)
class Shuffle:
    """One comparison of labels that mean nothing.

    Attributes:
        believes: whether the runs before the turns show the new release.
        wealth: the largest W of all launches.
        winning: the largest W after which the winners differed by a size that matters.
        p_value: of the permutation test.
    """

    pair: str
    cell: str
    pool: str
    believes: bool
    wealth: float
    winning: float
    p_value: float

    def accuses(self, procedure: Procedure) -> bool:
        return self.winning >= procedure.winning or self.p_value <= procedure.permutation_alpha


def shuffles(task: Task) -> list[Shuffle]:
    """Return comparisons of random labels, of each pool and belief as many as the task has draws."""
    return list(_shuffles(task))


def _shuffles(task: Task) -> Iterator[Shuffle]:
    random = np.random.default_rng([SEED, zlib.crc32(f"shuffles {task.pair.name}@{task.cell}".encode())])
    orders = balanced_orders(N_TURNS)
    for _ in range(task.draws):
        old = [task.old.runs[place] for place in random.permutation(len(task.old))]
        new = [task.new.runs[place] for place in random.permutation(len(task.new))]
        training, rest = old[:N_TRAINING], old[N_TRAINING:]
        trained = CachingJudge.by(training)
        for believes in (False, True):
            checked, others = (new[:N_CHECKED], new[N_CHECKED:]) if believes else (rest[:N_CHECKED], new)
            profile = trained.fitted.profile.hearing(checked)
            prior = Prior(profile.values, _rows(profile, checked))
            turns = prepare_turns(profile, CALIBRATED, orders, prior.known, prior)
            for pool in POOLS:
                several = _pool(pool, rest if believes else rest[N_CHECKED:], others, random)
                rows = _rows(profile, several)
                labels = np.array(orders.draw(int(random.integers(2**32))), np.bool_)
                launched = Launched(rows, labels)
                wealth = turns.wealth(launched)
                winning = np.where(wealth.reaches_size, wealth.path, 1.0)
                yield Shuffle(
                    task.pair.name,
                    task.cell,
                    pool,
                    believes,
                    float(wealth.path.max()),
                    float(winning.max()),
                    turns.p_value(launched, Procedure(CALIBRATED.alpha).n_orders(2 * N_TURNS)),
                )


def _pool(name: str, old: Sequence[Run], new: Sequence[Run], random: np.random.Generator) -> list[Run]:
    """Return as many runs as turns launch, in random order; of a pool with fewer, some are drawn again."""
    runs = list(old) if name == "old" else [*old[:N_TURNS], *new[:N_TURNS]]
    n_wanted = 2 * N_TURNS
    runs += [runs[place] for place in random.integers(len(runs), size=max(0, n_wanted - len(runs)))]
    return [runs[place] for place in random.permutation(len(runs))[:n_wanted]]


def _rows(profile, runs: Sequence[Run]):  # type: ignore[no-untyped-def]
    return np.array([profile.measure(run) for run in runs])


def table(found: Sequence[Shuffle]) -> TextTable:
    """Return how often bets and the test accuse, by pool and belief."""
    procedure = Procedure(CALIBRATED.alpha)
    groups: Mapping[str, list[Shuffle]] = {
        f"{pool}, {'a change' if believes else 'nothing'} believed": [
            shuffle for shuffle in found if shuffle.pool == pool and shuffle.believes is believes
        ]
        for pool in POOLS
        for believes in (False, True)
    }
    rows = []
    for name, some in (*groups.items(), ("all", list(found))):
        shares = [rate((shuffle.pair, shuffle.wealth >= level) for shuffle in some) for level in LEVELS]
        shares += [
            rate((shuffle.pair, shuffle.p_value <= procedure.permutation_alpha) for shuffle in some),
            rate((shuffle.pair, shuffle.accuses(procedure)) for shuffle in some),
        ]
        rows.append((name, str(len(some)), *map(_percent, shares)))
    heads = ("pool", "comparisons", *(f"W ever ≥ {level:g}" for level in LEVELS), "permutation", "accused")
    return TextTable(
        "Labels that mean nothing: how often turns accuse, %, errors by pair", heads, tuple(rows)
    )


def _percent(share: Rate) -> str:
    error = "" if share.error is nan else f" ± {100 * share.error:.2f}"
    return f"{100 * share.value:.2f}{error}"
