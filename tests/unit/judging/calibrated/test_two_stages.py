"""What the p-value of a check means that launches two more runs only if the first one passes a gate.

Of an unchanged program every way of dealing the runs out (one first run, two more, the rest in training) is
equally likely, so all ways together are the exact distribution of what a check says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from buto.judging.calibrated.evidence import Evidence, obvious, weigh
from buto.judging.calibrated.settings import CALIBRATED, JudgeSettings
from buto.judging.calibrated.verdict import passes_gate
from buto.run.model import FloatArray
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

N_TRAINING, N_CHECKED = 7, 3
SIZES = {"everything": "0", "some": "1%"}
BY_SIZES = pytest.mark.parametrize("sizes", SIZES)


@dataclass(frozen=True)
class Check:
    """One check of an unchanged program.

    Attributes:
        alone: the p-value of the first run.
        follows: whether two more runs follow.
        together: the p-value of the three, whether they follow or not.
    """

    alone: float
    follows: bool
    together: float

    @property
    def printed(self) -> float:
        return self.together if self.follows else self.alone


def all_checks(settings: JudgeSettings, seed: int) -> Iterator[Check]:
    """Yield what a check says for each way of dealing ten runs out."""
    n_runs = N_TRAINING + N_CHECKED
    profile = a_profile(n_runs, seed, (HEAP, CPU, THREADS))

    def evidence(rows: list[int], n_checked: int) -> Evidence:
        return weigh(profile, profile.values[rows], n_checked, settings)

    for checked in combinations(range(n_runs), N_CHECKED):
        training = [run for run in range(n_runs) if run not in checked]
        together = evidence([*training, *checked], N_CHECKED).mattering.significance.p_value
        for first in checked:
            alone = evidence([*training, first], 1)
            follows = passes_gate(alone) or bool(obvious(alone, 1))
            yield Check(alone.mattering.significance.p_value, follows, together)


@pytest.fixture(scope="module")
def checks() -> dict[str, list[Check]]:
    return {
        name: list(all_checks(CALIBRATED.with_value("minimum-effect", sizes), 3))
        for name, sizes in SIZES.items()
    }


def levels(checks: list[Check]) -> FloatArray:
    return np.unique([one.together for one in checks])


@BY_SIZES
def test_no_printed_p_value_up_to_alpha_is_reached_more_often_than_it_says(
    checks: dict[str, list[Check]], sizes: str
) -> None:
    """Of all checks, whether they end after one run or after three."""
    printed = np.array([one.printed for one in checks[sizes]])
    stopped = [one.alone for one in checks[sizes] if not one.follows]
    assert len(printed) == 360
    for level in levels(checks[sizes]):
        if level < min(stopped):
            assert (printed <= level).mean() <= level + 1e-9


@BY_SIZES
def test_among_checks_that_go_on_a_small_p_value_is_more_frequent_than_it_says(
    checks: dict[str, list[Check]], sizes: str
) -> None:
    """So the p-value is one of the whole check, and not one given that two more runs followed."""
    followed = np.array([one.together for one in checks[sizes] if one.follows])
    share = len(followed) / len(checks[sizes])
    small = (followed <= 0.05).mean()
    assert 0.05 < small <= 0.05 / share


@BY_SIZES
def test_three_runs_without_a_gate_have_an_exact_p_value(checks: dict[str, list[Check]], sizes: str) -> None:
    together = np.array([one.together for one in checks[sizes]])
    for level in levels(checks[sizes]):
        assert (together <= level).mean() == pytest.approx(level)
