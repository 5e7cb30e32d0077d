"""The smallest change that would be caught, against the oracle itself asked run by run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto.judging.alarms import Strength
from buto.judging.evidence import Evidence, level_features, weigh
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.procedure import LEVEL_T, SUSPICIOUS, Procedure
from buto.judging.profile import TrainingProfile
from buto.judging.rank import differences
from buto.judging.selfknowledge.simulation import Stored, simulate
from buto.judging.selfknowledge.strength import (
    FEW,
    MARGIN,
    MOST_ASKED,
    MOST_STEPS,
    STEP,
    strengths,
    usual_names,
)
from buto.run.model import FloatArray
from buto.run.properties import Property
from tests.support.examples import examples
from tests.support.training import profiles
from tests.support.training.profiles import CPU, HEAP, NEVER, THREADS, a_profile, places_of

pytestmark = pytest.mark.slow

ALPHA_5 = replace(CALIBRATED, alpha=0.05)


def _parts(profile: TrainingProfile, columns: list[int]) -> FloatArray:
    """What features gain of a quantity that lies higher by one: all but its growth."""
    return np.array([0.0 if profile.catalogue[column].name == "slope" else 1.0 for column in columns])


def _changed(profile: TrainingProfile, runs: list[int], name: str, change: float) -> FloatArray:
    """The rows of a profile, those of the changed runs last."""
    columns = [
        column for column, f in enumerate(profile.catalogue) if profile.quantities[f.column].name == name
    ]
    held = profile.values[runs].copy()
    held[:, columns] += change * _parts(profile, columns)
    return np.vstack([np.delete(profile.values, runs, axis=0), held])


def _caught_before_turns(profile: TrainingProfile, name: str, change: float, judge: JudgeSettings) -> bool:
    """Hold runs out, change them, and ask the oracle: enough single runs have a level beyond training, and
    enough groups of three consecutive runs differ."""
    n = len(profile.values)

    def evidence(runs: list[int]) -> Evidence:
        return weigh(profile, _changed(profile, runs, name, change), len(runs), judge)

    def is_suspicious(run: int) -> bool:
        found = evidence([run])
        t = differences(found.stable, np.array([[n - 1]])).squared_t[0] ** 0.5
        own = [profile.quantities[feature.column].name == name for feature in found.features]
        counts = own & level_features(found.features, profile.quantities)
        return bool(t[counts & (found.mattering.contrast[0] != 0)].max(initial=0.0) >= LEVEL_T)

    threes = [
        sorted((int(run) + more) % n for more in range(3)) for run in np.linspace(0, n, min(n, 10), False)
    ]
    differ = [evidence(runs).mattering.p_value <= max(judge.alpha, SUSPICIOUS) for runs in threes]
    return min(np.mean([is_suspicious(run) for run in range(n)]), np.mean(differ)) >= 0.9


def _of(found: tuple[Strength, ...], name: str) -> Strength:
    return next(strength for strength in found if strength.quantity.name == name)


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
    assert [strength.quantity for strength in found] == list(profile.quantities)
    for strength in found:
        for sign, size in ((1, strength.more), (-1, strength.less)):
            if isfinite(size):
                caught = partial(_caught_before_turns, profile, strength.quantity.name, judge=judge)
                # Turns may need a few steps more.
                sizes = [sign * size / MARGIN / STEP**step for step in range(MOST_STEPS + 1)]
                assert caught(sizes[0])
                assert any(caught(size) and not caught(0.9 * size) for size in sizes)
    # Of three among eight there are 56 choices, which are enough to ask for turns.
    assert any(isfinite(strength.more) for strength in found)


@pytest.mark.parametrize("prop", [HEAP, CPU, THREADS], ids=lambda prop: prop.name)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_printed_size_is_found_by_the_whole_check(prop: Property, sign: int) -> None:
    """New runs, never seen by the training, with a change of the printed size, through turns to the end."""
    n_checks, profile = 30, a_profile(15)
    strength = _of(strengths(profile, CALIBRATED), prop.name)
    later = a_profile(23 * n_checks, seed=99).values
    places = [p for p, f in enumerate(profile.catalogue) if profile.quantities[f.column] == prop]
    gain = np.zeros(len(profile.catalogue))
    gain[places] = sign * (strength.more if sign > 0 else strength.less) * _parts(profile, places)
    found = []
    for number in range(n_checks):
        three, old, new = np.split(later[23 * number : 23 * (number + 1)], [3, 13])
        stored = Stored(profile, profile.values, three + gain, old, new + gain, seed=number)
        found.append(simulate(Procedure(CALIBRATED.alpha), CALIBRATED, stored).fails)
    # Of 30, 27 are expected at least; fewer than 22 have a chance of 1 in 100.
    assert sum(found) >= 22


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
    for strength in strengths(a_profile(12), replace(ALPHA_5, fail_on="worse")):
        if strength.quantity in (HEAP, CPU, THREADS):
            assert isfinite(strength.more)
            assert strength.less == inf


def test_what_was_never_there_cannot_become_less() -> None:
    strength = _of(strengths(a_profile(12), ALPHA_5), NEVER.name)
    assert (strength.level, strength.less) == (0.0, inf)
    assert strength.smallest == strength.more < inf


def test_so_few_runs_that_three_cannot_differ_promise_nothing() -> None:
    """Of five runs three can be chosen in ten ways, which never gives one in twenty."""
    for strength in strengths(a_profile(5), replace(CALIBRATED, alpha=0.005)):
        assert (strength.more, strength.less) == (inf, inf)


def test_levels_are_what_says_how_much_there_is() -> None:
    found = strengths(a_profile(20), ALPHA_5)
    assert _of(found, HEAP.name).level == pytest.approx(31 * profiles.MIB, rel=0.02)
    assert _of(found, CPU.name).level == pytest.approx(2.0, rel=0.05)


def test_those_that_were_asked_for_are_found_as_among_all() -> None:
    profile = a_profile(10)
    everything = strengths(profile, ALPHA_5)
    some = strengths(profile, ALPHA_5, {CPU.name, HEAP.name})
    assert some == tuple(strength for strength in everything if strength.quantity in (HEAP, CPU))


def test_what_could_not_be_read_in_every_run_is_left_out() -> None:
    profile = a_profile(10)
    values = profile.values.copy()
    values[3, places_of(profile, HEAP)] = np.nan
    names = [strength.quantity.name for strength in strengths(replace(profile, values=values), ALPHA_5)]
    assert names == [quantity.name for quantity in profile.quantities if quantity is not HEAP]


def test_of_many_runs_only_some_are_held_out_and_the_answer_is_alike() -> None:
    many = a_profile(60)
    few = replace(many, values=many.values[::2])
    for strength, other in zip(strengths(many, ALPHA_5), strengths(few, ALPHA_5), strict=True):
        if strength.quantity in (HEAP, CPU):
            assert 0.5 < strength.more / other.more < 2.0


@settings(max_examples=examples(10))
@given(st.integers(5, 14), st.integers(0, 1000), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_laxer_alpha_never_weakens(n_runs: int, seed: int, alpha: float) -> None:
    profile = a_profile(n_runs, seed, (HEAP, CPU, THREADS))
    strict = strengths(profile, replace(CALIBRATED, alpha=alpha))
    lax = strengths(profile, replace(CALIBRATED, alpha=2 * alpha))
    for stricter, other in zip(strict, lax, strict=True):
        assert other.more <= stricter.more * 1.04
        assert other.less <= stricter.less * 1.04


@pytest.mark.parametrize("factor", [0.125, 1024.0])
def test_the_unit_of_a_property_does_not_matter(factor: float) -> None:
    judge = replace(ALPHA_5, minimum_effect={"*": "5% and 0"})
    profile = a_profile(10)
    values, grain = profile.values.copy(), profile.grain.copy()
    values[:, places_of(profile, HEAP)] *= factor
    grain[0] *= factor
    scaled = strengths(replace(profile, values=values, grain=grain), judge)
    for strength, other in zip(strengths(profile, judge), scaled, strict=True):
        times = factor if strength.quantity is HEAP else 1.0
        assert other.more == pytest.approx(times * strength.more)
        assert other.less == pytest.approx(times * strength.less)


def test_everybody_wants_to_know_of_heap_threads_and_processor_time() -> None:
    assert usual_names(a_profile(6)) == (HEAP.name, THREADS.name, CPU.name)
    assert usual_names(a_profile(6, properties=(NEVER,))) == (NEVER.name, "run.duration")


def test_of_very_many_unusual_quantities_only_the_first_are_reported() -> None:
    def named(number: int) -> TrainingProfile:
        properties = tuple(Property(f"mbean[a:b={place}]/C") for place in range(number))
        return TrainingProfile(properties, (), np.ones(number + 1), 1.0, np.ones((5, 4 * number + 1)))

    assert len(usual_names(named(MOST_ASKED - 1))) == MOST_ASKED
    assert (
        usual_names(named(MOST_ASKED))
        == usual_names(named(5000))
        == tuple(f"mbean[a:b={place}]/C" for place in range(FEW))
    )
