"""Two programs compared by the preset calibrated-next: it judges what a check with this preset judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import buto
from buto.detectors.calibrated.detector import CalibratedDetector
from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT
from buto.detectors.comparison.detector import compare, comparing
from buto.properties import Property, property_for
from buto.runs import Run, RunSet, run_set
from buto.verdicts import Status, Verdict
from tests.support.checkout import ROOT
from tests.support.runs.signals import program_run

NEXT = comparing(CALIBRATED_NEXT)
ALLOCATED = property_for("jvm.memory.allocated")


@pytest.fixture(scope="module")
def servers() -> Mapping[str, RunSet]:
    return buto.load_data_set(ROOT / "data" / "servers")


def six(servers: Mapping[str, RunSet], name: str) -> RunSet:
    return run_set(list(servers[name])[:6])


@pytest.mark.parametrize(
    ("program", "subject"),
    [
        ("descriptors", "process.unix.file_descriptor.count"),
        ("listeners", "jvm.memory.heap.used_after_last_gc"),
        ("locks", "jvm.lock.contended"),
    ],
)
def test_a_small_regression_shows_only_in_what_the_next_method_judges_too(
    servers: Mapping[str, RunSet], program: str, subject: str
) -> None:
    old, new = six(servers, f"{program}-base"), six(servers, f"{program}-small")
    found = compare(old, new, NEXT)
    assert (found.status, found.p_value) == (Status.REGRESSION, pytest.approx(2 / 924))
    assert found.findings[0].subject == subject
    assert compare(old, new, comparing(CALIBRATED)).status is Status.PASS


def test_a_comparison_judges_the_properties_that_a_check_judges_at_the_same_resolution(
    servers: Mapping[str, RunSet],
) -> None:
    """With alpha 0.5 nearly everything that differs is named; none of it is unknown to a check."""
    old, new = six(servers, "locks-base"), six(servers, "locks-large")
    trained = CalibratedDetector(CALIBRATED_NEXT).fit(old).profile
    known = {quantity.name for quantity in trained.quantities}
    found = compare(old, new, comparing(replace(CALIBRATED_NEXT, alpha=0.5)))
    assert {one.subject for one in found.findings} <= known
    assert found.settings["preset"] == "calibrated-next"
    assert found.settings["resolution"] == "fine"


def with_column(run: Run, prop: Property, values: np.ndarray) -> Run:
    properties = (*run.properties, prop)
    return replace(run, properties=properties, values=np.column_stack([run.values, values]), nan_reasons={})


def runs_of(test: str, first: int, factor: float | None) -> RunSet:
    """Six runs that read allocated bytes in every fifth sample; without a factor, never."""
    made = []
    for number in range(first, first + 12, 2):
        run = program_run(3, number)
        allocated = run.times_s * 1e8 * (np.nan if factor is None else factor)
        allocated[np.arange(len(allocated)) % 5 != number % 5] = np.nan
        made.append(replace(with_column(run, ALLOCATED, allocated), test=test))
    return run_set(made)


def verdict_on(factor: float | None) -> Verdict:
    return compare(runs_of("old", 0, 1.0), runs_of("new", 1, factor), NEXT)


def test_what_is_read_seldom_is_compared() -> None:
    found = verdict_on(1.02)
    assert found.status is Status.REGRESSION
    assert ALLOCATED.name in {one.subject for one in found.findings}


def test_what_only_one_program_has_of_the_further_properties_is_a_warning() -> None:
    """As in a check; of a property that all presets judge, the comparison would be inconclusive."""
    found = verdict_on(None)
    assert found.status is Status.PASS
    assert (
        "jvm.memory.allocated was read in all runs of old only, and could not be compared" in found.warnings
    )
