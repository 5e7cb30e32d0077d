"""Runs of one program that a collector gives a heap of one of two sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from buto.judging.evidence import distances, weigh
from buto.judging.judge_settings import CALIBRATED
from buto.judging.modes import find_modes
from buto.judging.orders import balanced_orders
from buto.judging.profile import TrainingProfile, list_sampled_features
from buto.judging.turns import Launched, Prior, prepare_turns
from buto.run.model import FloatArray
from buto.run.properties import property_for

MIB = 2.0**20
NAMES = (
    "jvm.memory.allocated",
    "jvm.memory.heap.committed",
    "jvm.memory.heap.live",
    "process.memory.usage",
)
PROPERTIES = tuple(map(property_for, NAMES))
HEAP = {False: 362 * MIB, True: 407 * MIB}
OF_MODE = 40 * MIB


def row(
    is_high: bool, noise: float = 0.0, resident: float = 250 * MIB, heap: float | None = None
) -> FloatArray:
    """Return the features of a run: of the sampled ones in their order, and its duration."""
    levels = {
        "jvm.memory.allocated": 900 * MIB,
        "jvm.memory.heap.committed": heap or HEAP[is_high],
        "jvm.memory.heap.live": 9 * MIB,
        "process.memory.usage": resident + OF_MODE * is_high + noise * MIB,
    }
    return np.array(
        [*(levels[PROPERTIES[one.column].name] for one in list_sampled_features(PROPERTIES)), 1.0]
    )


def profile(rows: FloatArray) -> TrainingProfile:
    return TrainingProfile(PROPERTIES, (), np.array([4096.0] * len(PROPERTIES) + [0.01]), 1.0, rows)


def runs(highs: str, seed: int = 0, resident: float = 250 * MIB) -> FloatArray:
    random = np.random.default_rng(seed)
    return np.array([row(letter == "h", random.normal(), resident) for letter in highs])


def place_of(known: TrainingProfile, name: str) -> int:
    return next(n for n, one in enumerate(known.catalogue) if known.quantities[one.column].name == name)


def test_matched_runs_differ_no_more_by_their_mode_and_exact_counters_stay() -> None:
    known = profile(runs("hlhllhlhhl"))
    modes = find_modes(known.catalogue, known.quantities, known.values)
    assert modes is not None
    matched = modes.match(known.values)
    resident = place_of(known, "process.memory.usage")
    assert np.ptp(known.values[:, resident]) > OF_MODE
    assert np.ptp(matched[:, resident]) < 5 * MIB
    for name in ("jvm.memory.allocated", "jvm.memory.heap.live"):
        np.testing.assert_array_equal(
            matched[:, place_of(known, name)], known.values[:, place_of(known, name)]
        )


@pytest.mark.parametrize("highs", ["lllllllllh", "llllllllhh", "llllllllll", "lh", "hhhhhhhhhh"])
def test_too_few_runs_of_a_size_are_no_mode(highs: str) -> None:
    known = profile(runs(highs))
    assert find_modes(known.catalogue, known.quantities, known.values) is None


def test_sizes_that_scatter_evenly_are_no_modes() -> None:
    known = profile(np.array([row(False, heap=(350 + 5 * n) * MIB) for n in range(10)]))
    assert find_modes(known.catalogue, known.quantities, known.values) is None


def first_look(known: TrainingProfile, run: FloatArray) -> float:
    return distances(weigh(known, np.vstack([known.values, run]), 1, CALIBRATED)).level


def test_a_first_run_is_compared_with_its_own_mode() -> None:
    known = profile(runs("hlhllhlhhl"))
    for is_high in (False, True):
        assert first_look(known, row(is_high)) < 2.5
        assert first_look(known, row(is_high, resident=275 * MIB)) > 2.5
    without = profile(known.values.copy())
    without.values[:, place_of(known, "jvm.memory.heap.committed")] = HEAP[False]
    assert first_look(without, row(False, resident=275 * MIB)) < 2.5


def test_a_run_of_a_third_size_is_no_match_and_is_compared_as_it_is() -> None:
    known = profile(runs("hlhllhlhhl"))
    between = row(False, resident=265 * MIB, heap=385 * MIB)
    assert first_look(known, between) < 2.5


ORDERS = balanced_orders(10)


def in_turns(seed: int, change: float, *, by_mode: bool = True) -> float:
    """Return the p-value of ten launches each, of which the new program has so much more resident memory."""
    known, checked = runs("hlhllhlhhl"), runs("lhh", 7, 250 * MIB + change)
    random = np.random.default_rng(seed)
    is_new = np.array(ORDERS.draw(seed))
    rows = [row(bool(random.integers(2)), random.normal(), 250 * MIB + change * label) for label in is_new]
    turns = prepare_turns(profile(known), CALIBRATED, ORDERS, known, Prior(known, checked))
    turns = turns if by_mode else replace(turns, modes=None)
    return turns.p_value(Launched(np.array(rows), is_new), 500)


def test_in_turns_a_change_shows_that_two_modes_hide() -> None:
    assert all(in_turns(seed, 25 * MIB) < 0.01 for seed in range(5))
    assert any(in_turns(seed, 25 * MIB, by_mode=False) > 0.05 for seed in range(5))


def test_an_unchanged_program_in_two_modes_differs_no_oftener_than_by_chance() -> None:
    p_values = np.array([in_turns(seed, 0.0) for seed in range(60)])
    assert (p_values <= 0.05).sum() <= 9


def test_better_and_worse_are_within_the_mode() -> None:
    """Of both modes together, more of the smaller heap is little, and less of the larger one much."""
    known = profile(runs("hlhllhlhhl"))
    worse = CALIBRATED.with_value("fail-on", "worse")
    more, less = row(False, resident=268 * MIB), row(True, resident=232 * MIB)
    levels = [distances(weigh(known, np.vstack([known.values, run]), 1, worse)).level for run in (more, less)]
    assert levels[0] > 2.5
    assert levels[1] < 2.5
