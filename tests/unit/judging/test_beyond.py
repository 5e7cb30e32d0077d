"""Counters beyond the values of other runs: by a size that matters, on one side, in all runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.judging.beyond import (
    beyond,
    find_counted_columns,
    find_counted_properties,
    find_moved_by_machine,
    totals,
)
from buto.judging.features import catalogue
from buto.run.properties import METRICS, follows_place, is_counted, property_for
from tests.support.runs.stored import leaking_run

NAMES = ("jvm.memory.allocated", "process.io.bytes[read]", "jvm.thread.started")
PROPERTIES = [property_for(name) for name in NAMES]
BEFORE = np.array([[100e6, 1e6, 9.0], [101e6, 1.1e6, 9.0], [100.5e6, 1.05e6, 10.0]])


def found(*after: tuple[float, float, float], minimum: dict[str, str] | None = None) -> list[str]:
    return [excess.quantity.name for excess in beyond(PROPERTIES, BEFORE, np.array(after), minimum)]


@pytest.mark.parametrize(
    ("after", "names"),
    [
        ((100.7e6, 1.02e6, 9.0), []),
        ((110e6, 1.02e6, 9.0), ["jvm.memory.allocated"]),
        ((90e6, 1.02e6, 9.0), ["jvm.memory.allocated"]),
        # Beyond the range, but by less than 5 %.
        ((105e6, 1.02e6, 9.0), []),
        ((100.7e6, 9e6, 9.0), ["process.io.bytes[read]"]),
        ((100.7e6, 1.02e6, 11.0), ["jvm.thread.started"]),
        ((100.7e6, 1.02e6, 8.0), ["jvm.thread.started"]),
        ((100.7e6, 9e6, 11.0), ["process.io.bytes[read]", "jvm.thread.started"]),
        ((np.nan, 1.02e6, 9.0), []),
    ],
)
def test_one_run_beyond_all_others_by_a_size_that_matters(
    after: tuple[float, float, float], names: list[str]
) -> None:
    assert found(after) == names


def test_all_runs_must_be_beyond_on_one_side() -> None:
    assert found((110e6, 1e6, 9.0), (111e6, 1e6, 9.0)) == ["jvm.memory.allocated"]
    assert found((110e6, 1e6, 9.0), (100.6e6, 1e6, 9.0)) == []
    assert found((110e6, 1e6, 9.0), (90e6, 1e6, 9.0)) == []


def test_what_was_found_has_range_value_and_unit() -> None:
    (excess,) = beyond(PROPERTIES, BEFORE, np.array([[112e6, 1e6, 9.0], [110e6, 1e6, 9.0]]))
    assert (excess.lowest, excess.highest, excess.value, excess.unit) == (100e6, 101e6, 110e6, "By")
    assert excess.ratio == pytest.approx(110 / 101)


def test_sizes_of_the_user_replace_the_usual_ones() -> None:
    assert found((105e6, 1e6, 9.0), minimum={"jvm.memory.*": "1%"}) == ["jvm.memory.allocated"]
    assert found((200e6, 1e6, 9.0), minimum={"jvm.memory.*": "never"}) == []


def test_what_matters_however_small_comes_before_what_is_many_times_its_size() -> None:
    names = ["jvm.thread.started", "process.io.bytes[read]"]
    with np.errstate(all="raise"):
        assert found((100.7e6, 9e9, 11.0), minimum={"jvm.thread.*": "0"}) == names


def test_a_property_that_other_runs_lack_is_left_out() -> None:
    before = BEFORE.copy()
    before[1, 0] = np.nan
    assert beyond(PROPERTIES, before, np.array([[500e6, 1e6, 9.0]])) == ()
    assert beyond([], np.empty((2, 0)), np.empty((1, 0))) == ()


def test_classes_explain_what_they_keep_by_themselves() -> None:
    properties = [property_for(name) for name in ("jvm.class.loaded", "jvm.memory.heap.live")]
    before = np.array([[1000.0, 2e6], [1000.0, 2e6]])
    names = [
        [excess.quantity.name for excess in beyond(properties, before, np.array([[classes, 2.4e6]]))]
        for classes in (1000.0, 1200.0)
    ]
    assert names == [["jvm.memory.heap.live"], ["jvm.class.loaded"]]


def test_totals_are_the_last_readable_values() -> None:
    run = leaking_run(1)
    values = run.values.copy()
    values[-1, 2] = np.nan
    values[-2, 2] = 451.0
    runs = [run, replace(run, values=values)]
    properties = find_counted_properties(runs)
    assert [prop.name for prop in properties] == ["jvm.class.loaded", "jvm.memory.heap.live"]
    lacking = property_for("jvm.memory.allocated")
    found = totals(runs, [*properties, lacking])
    live = run.values[-1, 3]
    assert np.array_equal(found, [[450.0, live, np.nan], [451.0, live, np.nan]], equal_nan=True)


def test_columns_of_features_are_values_at_the_end() -> None:
    names = ("jvm.memory.heap.used", "jvm.memory.allocated", "jvm.object.live")
    quantities = [property_for(name) for name in names]
    features = catalogue(quantities)
    columns = find_counted_columns(features, quantities)
    assert {name: features[place].name for name, place in columns.items()} == {
        "jvm.memory.allocated": "total",
        "jvm.object.live": "last",
    }


def test_which_counters_follow_neither_a_machine_nor_a_place() -> None:
    every = [metric.property(name) for metric in METRICS.values() for name in metric.instances or (None,)]
    counted = {prop.name for prop in every if is_counted(prop)}
    assert {"process.memory.usage", "jvm.lock.contended", "jvm.safepoint.count"}.isdisjoint(counted)
    assert {"jvm.class.loaded", "jvm.thread.started", "process.io.calls[write]"} <= counted
    assert is_counted(property_for("jvm.buffer.memory.used[direct]"))
    assert not is_counted(property_for("jvm.buffer.memory.used[mapped]"))
    follows = {prop.name for prop in every if follows_place(prop)}
    assert "jvm.memory.allocated" in follows and "jvm.object.live" not in follows


QUIET_S = np.array([0.4, 0.9, 0.6])
STARVED_S = np.array([5.0, 7.0, 6.0])


def moved(*after: tuple[float, float, float], waits_s: np.ndarray = STARVED_S) -> list[str]:
    values = np.array(after)
    apart = beyond(PROPERTIES, BEFORE, values)
    columns = [NAMES.index(each.quantity.name) for each in apart]
    return [each.quantity.name for each in find_moved_by_machine(apart, values[:, columns], QUIET_S, waits_s)]


def test_what_scatters_on_a_busier_machine_is_moved_by_it() -> None:
    assert moved((12e6, 1e6, 9.0), (1e6, 1e6, 9.0), (4e6, 1e6, 9.0)) == ["jvm.memory.allocated"]


def test_another_level_without_scatter_is_moved_by_something_else() -> None:
    assert moved((200e6, 1e6, 9.0), (203e6, 1e6, 9.0), (201e6, 1e6, 9.0)) == []
    # Twice the level may scatter twice as far.
    assert moved((200e6, 1e6, 9.0), (205e6, 1e6, 9.0), (201e6, 1e6, 9.0)) == []


@pytest.mark.parametrize("waits_s", [QUIET_S, np.full(3, np.nan)])
def test_a_machine_that_is_not_known_to_be_busier_moves_nothing(waits_s: np.ndarray) -> None:
    assert moved((12e6, 1e6, 9.0), (1e6, 1e6, 9.0), (4e6, 1e6, 9.0), waits_s=waits_s) == []


@given(
    level=st.floats(1e6, 1e9),
    scatter=st.lists(st.floats(-0.02, 0.02), min_size=2, max_size=20),
)
def test_a_level_that_repeats_is_never_moved_by_the_machine(level: float, scatter: list[float]) -> None:
    """Within the size that matters, 5 % of allocated bytes, however busy the machine is."""
    after = [(level * (1 + share), 1e6, 9.0) for share in scatter]
    assert moved(*after, waits_s=np.full(len(after), 60.0)) == []
