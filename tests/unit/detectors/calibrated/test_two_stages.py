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
from buto.detectors.calibrated.resolution import at_resolution

from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.evidence import goes_on, weigh
from buto.detectors.calibrated.obvious import obvious
from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT
from buto.runs import FloatArray
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

N_TRAINING, N_CHECKED = 7, 3
PRESETS = pytest.mark.parametrize("settings", [CALIBRATED, CALIBRATED_NEXT], ids=lambda one: one.preset)


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


def all_checks(settings: BandSettings, seed: int) -> Iterator[Check]:
    """Yield what a check says for each way of dealing ten runs out."""
    n_runs = N_TRAINING + N_CHECKED
    profile = at_resolution(a_profile(n_runs, seed, (HEAP, CPU, THREADS)), settings)

    def evidence(rows: list[int], n_checked: int):  # type: ignore[no-untyped-def]
        return weigh(profile, profile.values[rows], n_checked, settings)

    for checked in combinations(range(n_runs), N_CHECKED):
        training = [run for run in range(n_runs) if run not in checked]
        together = evidence([*training, *checked], N_CHECKED).significance.p_value
        for first in checked:
            alone = evidence([*training, first], 1)
            found = alone.significance
            follows = goes_on(found, settings)
            if settings is CALIBRATED_NEXT:
                follows = follows or bool(obvious(alone, 1))
            yield Check(found.p_value, follows, together)


@pytest.fixture(scope="module")
def checks() -> dict[str, list[Check]]:
    return {one.preset: list(all_checks(one, 3)) for one in (CALIBRATED, CALIBRATED_NEXT)}


def levels(checks: list[Check]) -> FloatArray:
    return np.unique([one.together for one in checks])


@PRESETS
def test_no_printed_p_value_up_to_alpha_is_reached_more_often_than_it_says(
    checks: dict[str, list[Check]], settings: BandSettings
) -> None:
    """Of all checks, whether they end after one run or after three."""
    printed = np.array([one.printed for one in checks[settings.method]])
    stopped = [one.alone for one in checks[settings.method] if not one.follows]
    assert len(printed) == 360
    for level in levels(checks[settings.method]):
        if level < min(stopped):
            assert (printed <= level).mean() <= level + 1e-9


@PRESETS
def test_among_checks_that_go_on_a_small_p_value_is_more_frequent_than_it_says(
    checks: dict[str, list[Check]], settings: BandSettings
) -> None:
    """So the p-value is one of the whole check, and not one given that two more runs followed."""
    followed = np.array([one.together for one in checks[settings.method] if one.follows])
    share = len(followed) / len(checks[settings.method])
    small = (followed <= 0.05).mean()
    assert 0.05 < small <= 0.05 / share


@PRESETS
def test_three_runs_without_a_gate_have_an_exact_p_value(
    checks: dict[str, list[Check]], settings: BandSettings
) -> None:
    together = np.array([one.together for one in checks[settings.method]])
    for level in levels(checks[settings.method]):
        assert (together <= level).mean() == pytest.approx(level)
