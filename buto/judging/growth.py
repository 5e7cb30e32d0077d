"""Does something grow with every round of a program's work, and go on growing?

There is no baseline: the rounds of one execution are compared with each other. After each round all that
the program may keep was read, so that a row is one round and a column one series: the bytes of a class,
threads, descriptors.

**What is judged.** The first third of the rounds, at least two, is warm-up and does not count. Of the n
rounds after it, at least six, a series *grows* if

1. it rose in each of them, by at least LEAST of the mean. What a headline says is then true of each round;
2. it rose by a size that somebody minds, in the mean round;
3. no such row of risings comes by chance: see below;
4. it does not level off: in the last of its steps it rose by at least LATE of what it rose in as many
   first steps.

**Chance.** If rounds left nothing behind, each order of the rounds would be as likely as the one that was
seen. The statistic of a series is the correlation r of its values with the number of the round, which is
its slope in units of its own scatter. Steps would not do: those of a constant leak are all alike, in any
order. The statistic of an order is the largest r of all series (maxT), each in this order; the p-value of
a series is the share of orders in which that is at least the r that was seen. So alpha holds for all
series together, and however they depend on each other. All n! orders are counted up to eight rounds, else
DRAWN random ones. Series that differ by less than the size from round to round are left out before:
whether they do does not depend on the order, and each series less makes the others sharper.

**Rounds of unequal work.** Where a round is a share of what a program allocates, it ends when that is
seen, and so somewhat later. Then the work until the end of each round takes the place of its number in r,
and steps are divided by their work.

**Why 4.** Warm-up, caches that fill and queues with a bound rise in every round, too, and their order is
not chance. What ends has smaller and smaller steps. Growth like the logarithm of the work, as of distinct
words, has .56 to .62 between late and early steps for 8 to 90 rounds, and so levels off; like its square
root .75 to .79, and goes on. What fills evenly beyond the last round cannot be told from a leak by anybody.

**What is assumed.** Rounds of a program that leaves nothing behind may come in any order. Where what is kept
wanders slowly, as sessions that live for many rounds, neighbours are alike, and rising by chance is more
frequent; LEAST is against that, because such steps differ.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from msgspec import Struct

from buto.errors import JudgeError
from buto.run.model import BoolArray, FloatArray

ALPHA = 0.01
"""Share of programs that leave nothing behind, of which something is said to grow."""

FEWEST_JUDGED = 6
"""The smallest p-value of so many rounds is 1/720; of five it is 1/120."""

WARM_UP = 1 / 3
FEWEST_WARM_UP = 2

LATE = 2 / 3
LEAST = 1 / 3

DRAWN = 20_000
_MOST_COUNTED = 8
_CHUNK = 4096
_ROUNDING = 1e-9


class Growth(Struct, frozen=True, eq=False):
    """What is known of each series; arrays of shape (n_series,).

    Attributes:
        n_warm_up: how many of the first rounds do not count.
        rates: mean rise in a round after that, in the unit of the series; NaN if a value is missing.
        p_values: for all series together; 1 for a series that is left out.
        rises: whether a series rose in every round.
        goes_on: whether it does not level off; only of what rises.
        grows: whether it rose in every round, evenly, by its size, not by chance, and goes on.
    """

    n_warm_up: int
    rates: FloatArray
    p_values: FloatArray
    rises: BoolArray
    goes_on: BoolArray
    grows: BoolArray


def n_warm_up(n_rounds: int) -> int:
    """Return how many of so many rounds are warm-up."""
    return max(FEWEST_WARM_UP, int(n_rounds * WARM_UP))


FEWEST_ROUNDS = FEWEST_WARM_UP + FEWEST_JUDGED
"""With fewer nothing can be judged."""

ROUNDS = 12
"""How many rounds are counted by default: four of them are warm-up."""

MOST_ROUNDS = 200


def judge_growth(
    values: FloatArray,
    sizes: FloatArray,
    work: FloatArray | None = None,
    *,
    alpha: float = ALPHA,
    seed: int = 0,
) -> Growth:
    """Judge series of one execution; see above for the statistic.

    Args:
        values: shape (n_rounds, n_series), in each series' unit. A series with a NaN after the warm-up is not
            judged.
        sizes: shape (n_series,), the rise in a round that matters, positive.
        work: shape (n_rounds,), strictly increasing: the work until the end of each round, in any unit; None
            for rounds that are alike.
        alpha: the largest p-value with which a series grows.
        seed: of the orders that are drawn, if there are more than eight rounds after the warm-up.

    Raises:
        JudgeError: there are fewer than FEWEST_ROUNDS rounds, or the work after the warm-up is not finite and
            increasing.
    """
    if len(values) < FEWEST_ROUNDS:
        raise JudgeError(f"growth needs {FEWEST_ROUNDS} rounds, got {len(values)}")
    warm = n_warm_up(len(values))
    line = np.arange(len(values), dtype=np.float64) if work is None else work
    judged, line = values[warm:], line[warm:]
    steps, lengths = np.diff(judged, axis=0), np.diff(line)
    if not (np.isfinite(line).all() and (lengths > 0).all()):
        raise JudgeError(
            f"rounds of unequal work need work that is known and increases in each of the {len(line)} rounds "
            f"after the warm-up, got {', '.join(f'{each:g}' for each in line)}"
        )
    rates = steps.mean(axis=0)
    rises: BoolArray = np.all(steps > 0, axis=0)
    wide = np.ptp(judged, axis=0) >= sizes * len(steps)
    p_values = np.ones(len(sizes))
    p_values[wide] = _p_values(judged[:, wide], line, seed)
    even = steps / (lengths / lengths.mean())[:, None]
    goes_on = rises & _goes_on(even)
    steadily = np.all(even >= LEAST * even.mean(axis=0), axis=0)
    grows = goes_on & steadily & wide & (rates >= sizes) & (p_values <= alpha)
    return Growth(warm, rates, p_values, rises, goes_on, grows)


def _goes_on(steps: FloatArray) -> BoolArray:
    """Return of each series whether its last steps are not much smaller than its first ones."""
    half = len(steps) // 2
    early, late = steps[:half].mean(axis=0), steps[-half:].mean(axis=0)
    result: BoolArray = late >= LATE * early
    return result


def _p_values(judged: FloatArray, line: FloatArray, seed: int) -> FloatArray:
    """Return the maxT p-value of the correlation of each series with the work, shape (n_judged,)."""
    if not judged.shape[1]:
        return np.ones(0)
    unit = _unit(judged)
    line = _unit(line[:, None])[:, 0]
    seen = line @ unit
    orders = _orders(len(judged), seed)
    largest = np.concatenate(
        [(line[orders[first : first + _CHUNK]] @ unit).max(axis=1) for first in range(0, len(orders), _CHUNK)]
    )
    as_large = (largest[:, None] >= seen - _ROUNDING).mean(axis=0)
    p_values: FloatArray = as_large
    return p_values


def _unit(columns: FloatArray) -> FloatArray:
    """Return columns around zero, of length one."""
    centred = columns - columns.mean(axis=0)
    unit: FloatArray = centred / np.linalg.norm(centred, axis=0)
    return unit


def _orders(n: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """Return orders of n rounds, shape (n_orders, n), the one that was seen first."""
    if n <= _MOST_COUNTED:
        return np.array(list(permutations(range(n))))
    rng = np.random.default_rng(seed)
    drawn = rng.permuted(np.tile(np.arange(n), (DRAWN, 1)), axis=1)
    return np.vstack([np.arange(n), drawn])
