"""Divide the runs of an unchanged program into training runs and runs under test, to count false alarms.

*At random*, training runs and runs under test lie between each other in time, so a machine that changes
slowly changes both alike. *In order*, as a user works, training runs follow one another and all runs under
test start later. Only the second way shows what a drift, or another session on the machine, does to a check.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from buto.run.model import FloatArray, IntArray

SESSION_GAP_S = 300.0
"""A longer pause between the starts of two runs begins a new session."""


class Division(Struct, frozen=True, eq=False):
    """Places of runs in the order of their start.

    Attributes:
        training: shape (n_training,).
        checked: shape (n_checked,), the first of them is the one that a check launches first.
    """

    training: IntArray
    checked: IntArray


def at_random(
    run: int, n_runs: int, n_training: int, n_checked: int, random: np.random.Generator
) -> Division:
    """Return a division with a given first run under test and random training runs.

    The other runs under test are those that started next, because a disturbance of the machine that lasts
    would meet all runs of a check. If there are not enough, the last runs are checked.
    """
    first = min(run, n_runs - n_checked)
    checked = np.arange(first, first + n_checked)
    others = np.setdiff1d(np.arange(n_runs), checked)
    rest = checked[checked != run]
    return Division(random.permutation(others)[:n_training], np.concatenate([[run], rest]))


def in_order(n_runs: int, n_training: int, n_checked: int, most: int, apart: int = 1) -> tuple[Division, ...]:
    """Return divisions in which training runs in a row are followed by later runs.

    Every run that has ``n_training`` runs before it and enough after it is the first one under test in at
    most ``most`` divisions: the training runs lie directly before it, at the very beginning, and evenly in
    between.

    Args:
        apart: the runs under test follow in a row with 1, and are every k-th run with k.
    """
    reach = apart * (n_checked - 1) + 1
    return tuple(
        Division(np.arange(start, start + n_training), np.arange(first, first + reach, apart))
        for first in range(n_training, n_runs - reach + 1)
        for start in _starts(first - n_training, most)
    )


def sessions(starts_s: FloatArray, gap_s: float = SESSION_GAP_S) -> IntArray:
    """Return the number of the session of each run, shape (n_runs,), from 0.

    Args:
        starts_s: shape (n_runs,), increasing; seconds from any moment.
    """
    return np.concatenate([[0], np.cumsum(np.diff(starts_s) > gap_s)]).astype(np.int64)


def _starts(latest: int, most: int) -> list[int]:
    """Return at most this many places from ``latest`` down to 0, the latest one first."""
    places = np.linspace(latest, 0, min(most, latest + 1))
    return list(dict.fromkeys(int(place) for place in np.rint(places)))
