"""The table of default properties, and that the probes name its properties and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buto.measure.hsperfdata import values_of
from buto.run.properties import METRICS, READ_OUTSIDE, Better, PropertyReader, property_for, split_name

PROBES = Path(__file__).parents[2] / "java-probes" / "src"
COLUMN = re.compile(r'(?:columns\.(?:add|of)\(|\badd\(\w+, "\w+", (?:null|"\w+"), )"([\w.]+)(\[?)')
"""A property's name where a probe adds its column, and whether it names an instance."""


def names_in(probe: str) -> dict[str, bool]:
    """The default properties that a probe's source names, and whether each has instances."""
    found: dict[str, bool] = {}
    for source in sorted((PROBES / probe / "java").rglob("*.java")):
        text = source.read_text()
        for name, bracket in COLUMN.findall(text):
            found[name] = bool(bracket) or f'"{name}" + ' in text
    return found


@pytest.mark.parametrize("probe", ["agent", "jmx"])
def test_a_probe_names_every_property_of_the_table_and_no_other(probe: str) -> None:
    """What is read on demand is read by the agent alone."""
    readers = {PropertyReader.PROBE, PropertyReader.ON_DEMAND} if probe == "agent" else {PropertyReader.PROBE}
    expected = {name: metric.per != "" for name, metric in METRICS.items() if metric.reader in readers}
    assert names_in(probe) == expected


def test_what_is_read_from_outside_has_the_same_properties_in_every_run() -> None:
    outside = {name for name, metric in METRICS.items() if metric.reader is PropertyReader.OUTSIDE}
    assert {split_name(prop.name)[0] for prop in READ_OUTSIDE} == outside
    for prop in READ_OUTSIDE:
        assert prop == property_for(prop.name)
        assert (split_name(prop.name)[1] is not None) == (METRICS[split_name(prop.name)[0]].per != "")


@pytest.mark.parametrize("probe", ["agent", "jmx"])
def test_a_probe_states_no_unit(probe: str) -> None:
    stated = {metric.unit for metric in METRICS.values() if metric.unit != "1"}
    text = "".join(source.read_text() for source in (PROBES / probe / "java").rglob("*.java"))
    assert not {unit for unit in stated if f'"{unit}"' in text}


COUNTERS = """
    java.cls.loadedClasses java.cls.sharedLoadedClasses
    java.cls.unloadedClasses java.cls.sharedUnloadedClasses
    java.threads.live java.threads.daemon java.threads.started java.ci.totalTime sun.os.hrt.frequency
    sun.gc.collector.0.invocations sun.gc.collector.0.time
"""


def test_the_performance_counters_give_properties_of_the_table_alone() -> None:
    values = values_of({**dict.fromkeys(COUNTERS.split(), 1), "sun.gc.collector.0.name": "Copy"})
    assert len(values) == 9
    assert {split_name(name)[0] for name in values} <= set(METRICS)


@pytest.mark.parametrize("pool", ["G1 Eden Space", "PS Survivor Space", "Eden Space", "Par Survivor Space"])
@pytest.mark.parametrize("size", ["committed", "used"])
def test_neither_direction_is_better_for_what_the_collector_gives_to_young_objects(size, pool):
    assert property_for(f"jvm.memory.{size}[{pool}]").better is Better.UNKNOWN


@pytest.mark.parametrize(
    "name",
    [
        "jvm.memory.used[G1 Old Gen]",
        "jvm.memory.committed[Metaspace]",
        "jvm.memory.heap.used",
        "jvm.memory.threshold.crossings[G1 Eden Space]",
        "jvm.gc.count[G1 Young Generation]",
    ],
)
def test_less_of_everything_else_is_better(name):
    assert property_for(name).better is Better.LOWER
