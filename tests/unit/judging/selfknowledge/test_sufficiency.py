"""When training has enough runs."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from buto.judging.alarms import Strength
from buto.judging.judge_settings import CALIBRATED
from buto.judging.selfknowledge.strength import AUTO, gain
from buto.oracle import enough_runs
from buto.run.model import RunSet, run_set
from tests.support.runs.stored import leaking_run
from tests.support.training.profiles import CPU, HEAP, THREADS

FEW_PERCENT = replace(CALIBRATED, alpha=0.05)


def _strengths(*more: float) -> list[Strength]:
    return [Strength(prop, 1.0, size, inf) for prop, size in zip((HEAP, CPU, THREADS), more, strict=True)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((10, 10, 10), (9, 8, 1), 0.2),
        ((10, 10, 10), (10, 11, 12), -0.1),
        ((inf, 10, 10), (5, 9, 9), 0.1),
        ((inf, inf, 10), (inf, inf, 8), 0.2),
        ((inf, inf, inf), (inf, inf, inf), 1.0),
        ((inf, inf, inf), (9, 9, inf), 1.0),
    ],
)
def test_the_gain_is_that_of_the_median_quantity(
    before: tuple[float, ...], after: tuple[float, ...], expected: float
) -> None:
    assert gain(_strengths(*before), _strengths(*after)) == pytest.approx(expected)


def _steady(n: int) -> RunSet:
    return run_set([leaking_run(number) for number in range(n)])


def test_there_are_never_enough_below_eight_and_always_from_thirty_on() -> None:
    alike = [replace(leaking_run(3), id=f"20260101T{number:06d}.000Z-0000") for number in range(AUTO.most)]
    assert not enough_runs(run_set(alike[: AUTO.fewest - 1]), FEW_PERCENT)
    assert enough_runs(run_set(alike), FEW_PERCENT)
    assert not enough_runs(run_set([]), FEW_PERCENT)


def test_steady_runs_are_enough_before_the_bound_is_reached() -> None:
    first = next(n for n in range(AUTO.fewest, AUTO.most + 1) if enough_runs(_steady(n), FEW_PERCENT))
    assert AUTO.fewest < first < AUTO.most


def test_the_order_in_which_runs_are_given_does_not_matter() -> None:
    runs = _steady(12).runs
    mixed = [runs[place] for place in np.random.default_rng(1).permutation(len(runs))]
    assert enough_runs(run_set(mixed), FEW_PERCENT) == enough_runs(run_set(runs), FEW_PERCENT)
