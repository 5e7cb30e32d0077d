"""The smallest change that a check finds, against checks of fresh runs with a planted change."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np
import pytest

from buto.judging.alarms import Strength
from buto.judging.calibrated.evidence import Evidence, weigh
from buto.judging.calibrated.profile import Profile
from buto.judging.calibrated.settings import CALIBRATED, GATE, JudgeSettings
from buto.judging.calibrated.strength import FEW, MOST_ASKED, strengths, usual_names
from buto.judging.looks import FAILING_LOOKS, SUSPICIOUS, looks_of
from buto.run.model import FloatArray
from buto.run.properties import Property
from tests.support.training import profiles
from tests.support.training.profiles import ALL, CPU, HEAP, NEVER, THREADS, a_profile

pytestmark = pytest.mark.slow

ALPHA_5 = replace(CALIBRATED, alpha=0.05)
GAUGE_PARTS = (1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0)
COUNTER_PARTS = (1.0, 1 / 2, 1 / 3, 1 / 3, 1 / 3)


N_CHECKS = 20


def _share_found(profile: Profile, prop: Property, change: float, judge: JudgeSettings) -> float:
    """Check fresh runs with a planted change as a check does: one run, three, then old and new in turns."""
    columns = [one for one, f in enumerate(profile.catalogue) if profile.quantities[f.column] == prop]
    gain = change * np.array({12: GAUGE_PARTS, 5: COUNTER_PARTS}[len(columns)])
    size = looks_of(judge)[-1].n_runs // 2

    def is_found(seed: int) -> bool:
        old, new = np.split(a_profile(2 * size + 3, seed).values, [size])
        new[:, columns] += gain

        def evidence(known: FloatArray, runs: FloatArray) -> Evidence:
            return weigh(profile, np.vstack([known, runs]), len(runs), judge)

        alone = evidence(profile.values, new[:1])
        if alone.mattering.p_value > GATE and not alone.any.highest:
            return False
        if evidence(profile.values, new[:3]).mattering.p_value > SUSPICIOUS:
            return False
        return FAILING_LOOKS * evidence(old, new[3:]).mattering.p_value <= judge.alpha

    return float(np.mean([is_found(1000 + number) for number in range(N_CHECKS)]))


@pytest.mark.parametrize("prop", [HEAP, THREADS, CPU], ids=lambda one: one.name)
def test_checks_find_planted_changes_of_the_size_that_is_said(prop: Property) -> None:
    profile = a_profile(10)
    said = _of(strengths(profile, CALIBRATED, {prop.name}), prop.name)
    for change in (said.more, -said.less):
        assert _share_found(profile, prop, change, CALIBRATED) >= 0.8
    assert _share_found(profile, prop, 0.4 * said.more, CALIBRATED) < 0.9


def test_where_one_thread_more_is_found_no_more_is_said() -> None:
    odd = a_profile(10)
    odd.values[4, :12] *= 3.0
    said = _of(strengths(odd, CALIBRATED, {THREADS.name}), THREADS.name)
    assert 1.0 <= said.more < 1.5


def _of(found: tuple[Strength, ...], name: str) -> Strength:
    return next(one for one in found if one.quantity.name == name)


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


def test_turns_reach_an_alpha_that_the_training_runs_cannot() -> None:
    said = _of(strengths(a_profile(6), replace(CALIBRATED, alpha=0.005), {HEAP.name}), HEAP.name)
    assert isfinite(said.more)


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
