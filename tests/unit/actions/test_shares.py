"""Into how many equal shares of its work a program is cut that goes on while a round is counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from buto.actions.grow import Counted, n_countable, smaller_share
from buto.judging.growth import FEWEST_ROUNDS
from buto.run.model import AFTER_ROUND, ROUNDS_SHARE, ClassHistogram, Outcome, Run
from buto.run.properties import property_for

MIB = 1 << 20


def counted(share: int, at: Sequence[float], allocated: float) -> Run:
    """A run whose rounds were counted when so much was allocated, and that allocated so much in all."""
    times = np.arange(1.0, len(at) + 2)
    return Run(
        "20260101T000000.000Z-0000",
        "shop@grow",
        (property_for("jvm.memory.allocated"),),
        times,
        np.array([*at, allocated], dtype=float).reshape(-1, 1),
        Outcome(0),
        metadata={ROUNDS_SHARE: share},
        histograms=tuple(ClassHistogram(float(time), AFTER_ROUND, 1, 16, ()) for time in times[:-1]),
    )


@pytest.mark.parametrize(
    ("before", "n"),
    [
        ([Counted(10, 10)], 10),
        # One count lasts for two shares and a half: shorter rounds follow, and none is lost.
        ([Counted(10, 35), Counted(40, 40)], 10),
        # Each count lasts for as long as a share, and half a share is the least.
        ([Counted(10, 20)], 7),
        ([Counted(10, 100)], 1),
    ],
)
def test_rounds_can_be_counted_as_far_as_counting_leaves_work(before: list[Counted], n: int) -> None:
    assert n_countable(100, 10, before) == n


def test_after_too_few_rounds_the_share_is_smaller_as_far_as_needed() -> None:
    # In the first half counting took 19 MiB of the work, and in the second 2 MiB.
    at = [float(mib * MIB) for mib in (27, 50, 56, 62, 68, 74, 80, 86, 92)]
    run = counted(8 * MIB, at, 96 * MIB)
    smaller = smaller_share(run, 12)
    assert smaller is not None
    before = [Counted(8 * MIB, 27 * MIB), Counted(31 * MIB, 50 * MIB), Counted(54 * MIB, 56 * MIB)]
    assert n_countable(96 * MIB, 8 * MIB, before) < 12 <= n_countable(96 * MIB, smaller, before)
    assert smaller > MIB


def test_a_program_that_ends_before_it_was_counted_often_enough_is_not_launched_again() -> None:
    run = counted(8 * MIB, [60 * MIB, 100 * MIB], 100 * MIB)
    assert n_countable(100 * MIB, MIB, [Counted(8 * MIB, 60 * MIB)]) < FEWEST_ROUNDS
    assert smaller_share(run, 12) is None
