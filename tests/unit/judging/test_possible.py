"""No range that people are shown has impossible values."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from buto.judging.readable import highest, possible_band, possible_level
from buto.judging.verdict import Difference
from buto.judging.views import Band
from buto.oracle import check, train
from buto.run.model import Run, run_set
from buto.run.properties import property_for
from tests.support.runs.signals import make_run

MIB = 2.0**20
HEAP = property_for("jvm.memory.heap.used")
SMALL = {"jvm.memory.heap.max": str(64 * 2**20)}


CACHE = "mbean[shop:type=Cache]/Bytes"


def falling(number: int, first: float, last: float, noise_mib: float = 1.5, name: str = HEAP.name) -> Run:
    """A heap that begins at one level and ends at another, in MiB."""
    times = np.arange(40) * 0.1
    noise = np.random.default_rng(number).normal(0.0, noise_mib * MIB, len(times))
    levels = np.linspace(first, last, len(times)) * MIB + noise
    return replace(make_run(number, times, {name: np.maximum(levels, 0.0)}), metadata=SMALL)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        (HEAP.name, 64 * MIB),
        ("jvm.memory.used[G1 Old Gen]", 64 * MIB),
        ("jvm.memory.used[Metaspace]", math.inf),
        ("jvm.thread.count", math.inf),
    ],
)
def test_the_heap_and_its_pools_have_a_maximum(name: str, most: float) -> None:
    run = replace(falling(0, 10, 10), metadata=SMALL)
    assert highest(property_for(name), [run]) == most
    assert highest(property_for(name), [replace(run, metadata={})]) == math.inf


def test_a_band_ends_at_what_is_possible() -> None:
    sides = (np.array([-5.0, 1.0]) * MIB, np.array([8.0, 60.0]) * MIB, np.array([20.0, 90.0]) * MIB)
    band = possible_band(Band(np.array([0.0, 1.0]), *sides), HEAP, [falling(0, 10, 10)])
    assert (band.lower.tolist(), band.upper.tolist()) == ([0.0, MIB], [20 * MIB, 64 * MIB])


def test_the_limit_of_a_finding_ends_at_what_is_possible() -> None:
    finding = Difference("bounds", HEAP.name, "1", unit="By", observed=95 * MIB, upper=90 * MIB)
    assert possible_level(finding, HEAP, [falling(0, 10, 10)]).upper == 64 * MIB
    assert possible_level(replace(finding, upper=None), HEAP, []).upper is None


def test_a_growth_is_named_as_one() -> None:
    """Runs lie at levels of their own, which say nothing; only one of them grows."""
    training = run_set(
        [falling(number, 10 + 4 * (number % 5), 10 + 4 * (number % 5), 0.1, CACHE) for number in range(10)]
    )
    (finding,) = check(train(training), run_set([falling(20, 14, 24, 0.1, CACHE)])).findings
    assert finding.measure == "growth from the first to the last third"
    assert not finding.is_level


@pytest.mark.parametrize("last", [0, 10, 30, 60])
def test_no_range_is_impossible(last: float) -> None:
    training = run_set([falling(number, 1 + 12 * (number % 4), 0) for number in range(10)])
    runs = run_set([falling(number, 5, last) for number in range(20, 23)])
    most = max(float(run.values.max()) for run in (*training, *runs))
    for finding in check(train(training), runs).findings:
        assert finding.lower is not None and finding.upper is not None
        assert (-most if "growth" in finding.measure else 0.0) <= finding.lower <= finding.upper <= 64 * MIB
