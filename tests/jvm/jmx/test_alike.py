"""One program seen by both collectors: the same properties, metadata and notifications, alike values."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import numpy as np
import pytest

from buto.measure.opener import open_collector
from buto.measure.target import MBeanSpec, Target
from buto.run.model import Run
from buto.run.properties import METRICS, Kind, PropertyReader, Role, property_for, split_name
from tests.support.jvm.driven import QUEUE, once_sampled

pytestmark = pytest.mark.all

N_SAMPLES = 20
OPTIONS = ("-XX:+UseSerialGC", "-Xms64m", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+SegmentedCodeCache")
EQUAL = (
    "jvm.memory.threshold",
    "jvm.memory.threshold.crossings",
    "jvm.memory.pending_finalization",
    f"mbean[{QUEUE}]/Depth",
    f"mbean[{QUEUE}]/State.ratio",
    f"mbean[{QUEUE}]/Shards[right].value",
)
"""What measuring does not touch."""

OF_THE_MACHINE = (
    "process.cpu.cycles",
    "process.cpu.instructions",
    "process.disk.io[read]",
    "process.memory.proportional",
    "process.paging.faults[major]",
)
"""What the state of the machine decides more than the program: how fast it is, whether its page cache has the
files of the JVM, and how many other processes share them. Their values are possible, but not alike."""

CHANGING = ("jvm.start.time", "jvm.uptime", "system.property[sun.java.command]")
"""Metadata that is another in every run."""

AFTER = "used_after_last_gc"
"""Only JMX allocates so much in this program that there is a collection."""

LISTS = ("jvm.memory.pools", "jvm.gc.collectors")
"""Through JMX the order of a JVM's pools is not known."""

MIB = 2**20
SLACK = {
    "By": 24 * MIB,
    "s": 60.0,
    "{class}": 2500,
    "{thread}": 12,
    "{collection}": 6,
    "{buffer}": 3,
    "{fault}": 10_000,
    "{context_switch}": 5000,
    "{file_descriptor}": 12,
    "{socket}": 8,
    "{call}": 3000,
    "{method}": 3000,
    "{safepoint}": 30,
}
"""How far all others may lie apart, by unit: JMX loads some 1,500 classes in the idle program, starts threads
and allocates; times grow with the load of the machine. A wrong unit is further off."""

NOTICED = {"By": 4 * MIB, "s": 0.05}
"""What is more than this by one collector is not zero by the other."""


def median(run: Run, name: str) -> float:
    known = [value for value in run.series(name) if not math.isnan(value)]
    return statistics.median(known) if known else math.nan


@pytest.fixture
def runs(java: str, classes: Path, tmp_path: Path) -> dict[str, Run]:
    """A run by each collector."""
    mbeans = (MBeanSpec("buto.tests:type=Queue,*", metadata=("Slots",)), MBeanSpec("buto.tests:type=Bell"))
    found = {}
    for collector in ("agent", "jmx"):
        end = tmp_path / f"end of {collector}"
        command = (java, *OPTIONS, "-cp", str(classes), "Driven", str(end))
        target = Target(command, interval_s=0.05, mbeans=mbeans, collector=collector)
        with open_collector(target) as opened:
            found[collector] = opened.record("test", once_sampled(N_SAMPLES, end.touch))
    return found


OF_SETTINGS = (PropertyReader.ON_DEMAND, PropertyReader.RECORDING, PropertyReader.AT_EXIT)
"""What only some settings read, and what is of a command without a JVM."""


def assert_every_default_metric_is_there_with_its_unit_and_kind(run: Run) -> None:
    properties = [prop for prop in run.properties if not prop.name.startswith("mbean[")]
    families = {split_name(prop.name)[0] for prop in properties}
    assert families == {name for name, metric in METRICS.items() if metric.reader not in OF_SETTINGS}
    for prop in properties:
        assert prop == property_for(prop.name)
        values = run.series(prop.name)
        known = values[~np.isnan(values)]
        assert len(known) or prop.name in run.nan_reasons
        if prop.kind is Kind.COUNTER:
            assert (np.diff(known) >= 0).all(), prop.name
    instances = {split_name(name)[1] for name in run.column_of if name.startswith("jvm.memory.used[")}
    assert instances == set(str(run.metadata["jvm.memory.pools"]).split(", "))
    assert run.metadata["jvm.input.arguments"] == " ".join(OPTIONS)


def test_both_collectors_see_the_same_program_alike(runs: dict[str, Run]) -> None:
    agent, jmx = runs["agent"], runs["jmx"]
    for collector, run in runs.items():
        assert run.metadata["buto.collector"] == collector
        assert_every_default_metric_is_there_with_its_unit_and_kind(run)
    assert {prop.name: prop for prop in agent.properties} == {prop.name: prop for prop in jmx.properties}

    keys = {name: set(run.metadata) for name, run in runs.items()}
    assert keys["jmx"] - keys["agent"] == set()
    only = {key for key in keys["agent"] - keys["jmx"] if not key.startswith(("buto.", "host."))}
    assert only == {"process.mbeans.since"}
    for key in keys["jmx"]:
        if key.startswith(("jvm.", "system.property[", "mbean[")) and key not in CHANGING:
            values = [str(run.metadata[key]) for run in (agent, jmx)]
            if key in LISTS:
                assert set(values[0].split(", ")) == set(values[1].split(", ")), key
            else:
                assert values[0] == values[1], key

    unreadable = {
        name: {
            prop.name
            for prop in run.properties
            if AFTER not in prop.name and np.isnan(run.series(prop.name)).all()
        }
        for name, run in runs.items()
    }
    assert unreadable["jmx"] - unreadable["agent"] == {
        "buto.snapshot.allocated",
        "buto.sampler.cpu.time",
        "jvm.lock.contended",
    }
    assert unreadable["agent"] - unreadable["jmx"] == set()

    for prop in agent.properties:
        mine, other = median(jmx, prop.name), median(agent, prop.name)
        group = split_name(prop.name)[0]
        if math.isnan(mine) or math.isnan(other) or prop.role is Role.COST:
            continue
        if prop.name in OF_THE_MACHINE:
            assert min(mine, other) >= 0, (prop.name, mine, other)
        elif prop.name in EQUAL or group in EQUAL:
            assert mine == other, prop.name
        else:
            assert mine > 0 or other <= NOTICED.get(prop.unit, math.inf), prop.name
            assert abs(mine - other) <= SLACK.get(prop.unit, 0) + 0.05 * other, (prop.name, mine, other)
