"""The smallest change that would be caught, against the oracle itself asked run by run."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.alarms import Strength
from buto.judging.calibrated.evidence import weigh
from buto.judging.calibrated.profile import Profile
from buto.judging.calibrated.settings import CALIBRATED, GATE, JudgeSettings
from buto.judging.calibrated.strength import FEW, MARGIN, MOST_ASKED, strengths, usual_names
from buto.run.model import FloatArray
from buto.run.properties import Property
from tests.support.training import profiles
from tests.support.training.profiles import ALL, CPU, HEAP, NEVER, THREADS, a_profile

pytestmark = pytest.mark.slow

ALPHA_5 = replace(CALIBRATED, alpha=0.05)
GAUGE_PARTS = (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
COUNTER_PARTS = (1.0, 1 / 2, 1 / 3, 1 / 3, 1 / 3)


def _changed(profile: Profile, runs: list[int], name: str, change: float) -> FloatArray:
    """The rows of a profile, those of the changed runs last."""
    columns = [one for one, f in enumerate(profile.catalogue) if profile.quantities[f.column].name == name]
    held = profile.values[runs].copy()
    held[:, columns] += change * np.array({12: GAUGE_PARTS, 5: COUNTER_PARTS, 1: (1.0,)}[len(columns)])
    return np.vstack([np.delete(profile.values, runs, axis=0), held])


def _caught_by_a_check(profile: Profile, name: str, change: float, judge: JudgeSettings) -> bool:
    """Hold runs out, change them, and ask the oracle: enough single runs pass the gate, and enough groups of
    three consecutive runs fail."""
    n = len(profile.values)

    def p_value(runs: list[int]) -> float:
        found = weigh(profile, _changed(profile, runs, name, change), len(runs), judge)
        return found.mattering.significance.p_value

    threes = [
        sorted((int(run) + more) % n for more in range(3)) for run in np.linspace(0, n, min(n, 10), False)
    ]
    noticed = [p_value([run]) <= GATE for run in range(n)]
    fails = [p_value(runs) <= judge.alpha for runs in threes]
    return min(np.mean(noticed), np.mean(fails)) >= 0.9


def _of(found: tuple[Strength, ...], name: str) -> Strength:
    return next(one for one in found if one.quantity.name == name)


@pytest.mark.parametrize("n_runs", [8, 15])
@pytest.mark.parametrize(
    "judge",
    [
        ALPHA_5,
        replace(CALIBRATED, alpha=0.01),
        replace(ALPHA_5, fail_on="worse"),
        replace(ALPHA_5, minimum_effect={"*": "0"}),
        replace(ALPHA_5, minimum_effect={"jvm.memory.*": "15%", "jvm.thread.count": "6"}),
    ],
    ids=["0.05", "0.01", "worse", "everything", "minimum"],
)
def test_the_smallest_change_is_caught_and_a_tenth_less_is_not(n_runs: int, judge: JudgeSettings) -> None:
    profile = a_profile(n_runs)
    found = strengths(profile, judge)
    assert [one.quantity for one in found] == list(profile.quantities)
    for one in found:
        for sign, size in ((1, one.more / MARGIN), (-1, one.less / MARGIN)):
            if isfinite(size):
                assert _caught_by_a_check(profile, one.quantity.name, sign * size, judge)
                assert not _caught_by_a_check(profile, one.quantity.name, sign * 0.9 * size, judge)
    # Of three among eight there are 56 choices, which cannot show one of a hundred.
    assert any(isfinite(one.more) for one in found) is not (n_runs == 8 and judge.alpha == 0.01)


def test_a_change_below_the_minimum_effect_is_never_promised() -> None:
    free, bound = (
        _of(
            strengths(a_profile(14), replace(ALPHA_5, minimum_effect={"jvm.thread.count": size})),
            THREADS.name,
        )
        for size in ("0", "7")
    )
    assert free.more < 6 < 7 <= bound.more


def test_where_only_worse_fails_nothing_better_is_caught() -> None:
    for one in strengths(a_profile(12), replace(ALPHA_5, fail_on="worse")):
        if one.quantity in (HEAP, CPU, THREADS):
            assert isfinite(one.more)
            assert one.less == inf


def test_what_was_never_there_cannot_become_less() -> None:
    one = _of(strengths(a_profile(12), ALPHA_5), NEVER.name)
    assert (one.level, one.less) == (0.0, inf)
    assert one.smallest == one.more < inf


def test_an_alpha_that_so_few_runs_cannot_reach_promises_nothing() -> None:
    for one in strengths(a_profile(10), replace(CALIBRATED, alpha=0.005)):
        assert (one.more, one.less) == (inf, inf)


def test_levels_are_of_the_mean_of_a_gauge_and_of_the_total_of_a_counter() -> None:
    found = strengths(a_profile(20), ALPHA_5)
    assert _of(found, HEAP.name).level == pytest.approx(30 * profiles.MIB, rel=0.02)
    assert _of(found, CPU.name).level == pytest.approx(2.0, rel=0.05)


def test_those_that_were_asked_for_are_found_as_among_all() -> None:
    profile = a_profile(10)
    everything = strengths(profile, ALPHA_5)
    some = strengths(profile, ALPHA_5, {CPU.name, HEAP.name})
    assert some == tuple(one for one in everything if one.quantity in (HEAP, CPU))


def test_what_could_not_be_read_in_every_run_is_left_out() -> None:
    profile = a_profile(10)
    values = profile.values.copy()
    values[3, :12] = np.nan
    names = [one.quantity.name for one in strengths(replace(profile, values=values), ALPHA_5)]
    assert names == [one.name for one in profile.quantities if one is not HEAP]


def test_of_many_runs_only_some_are_held_out_and_the_answer_is_alike() -> None:
    many = a_profile(60)
    few = replace(many, values=many.values[::2])
    for one, other in zip(strengths(many, ALPHA_5), strengths(few, ALPHA_5), strict=True):
        if one.quantity in (HEAP, CPU):
            assert 0.5 < one.more / other.more < 2.0


@settings(max_examples=10, deadline=None)
@given(st.integers(5, 14), st.integers(0, 1000), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_laxer_alpha_never_weakens(n_runs: int, seed: int, alpha: float) -> None:
    profile = a_profile(n_runs, seed, (HEAP, CPU, THREADS))
    strict = strengths(profile, replace(CALIBRATED, alpha=alpha))
    lax = strengths(profile, replace(CALIBRATED, alpha=2 * alpha))
    for one, other in zip(strict, lax, strict=True):
        assert other.more <= one.more * 1.04
        assert other.less <= one.less * 1.04


@pytest.mark.parametrize("factor", [0.125, 1024.0])
def test_the_unit_of_a_property_does_not_matter(factor: float) -> None:
    judge = replace(ALPHA_5, minimum_effect={"*": "5%"})
    profile = a_profile(10)
    column = 12 * ALL.index(HEAP)
    values, grain = profile.values.copy(), profile.grain.copy()
    values[:, column : column + 12] *= factor
    grain[0] *= factor
    scaled = strengths(replace(profile, values=values, grain=grain), judge)
    for one, other in zip(strengths(profile, judge), scaled, strict=True):
        times = factor if one.quantity is HEAP else 1.0
        assert other.more == pytest.approx(times * one.more)
        assert other.less == pytest.approx(times * one.less)


def test_everybody_wants_to_know_of_heap_threads_and_processor_time() -> None:
    assert usual_names(a_profile(6)) == (HEAP.name, THREADS.name, CPU.name)
    assert usual_names(a_profile(6, properties=(NEVER,))) == (NEVER.name, "run.duration")


def test_of_very_many_unusual_quantities_only_the_first_are_reported() -> None:
    def named(number: int) -> Profile:
        properties = tuple(Property(f"mbean[a:b={place}]/C") for place in range(number))
        return Profile(properties, (), np.ones(number + 1), 1.0, np.ones((5, 12 * number + 1)))

    assert len(usual_names(named(MOST_ASKED - 1))) == MOST_ASKED
    assert (
        usual_names(named(MOST_ASKED))
        == usual_names(named(5000))
        == tuple(f"mbean[a:b={place}]/C" for place in range(FEW))
    )
