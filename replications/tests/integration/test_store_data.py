"""The recording in data/store is complete and fair, and predict/docs/architecture.md shows its figures."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from beds.store.plan import Kind, plan
from beds.store.recording import INDEX
from beds.store.versions import CHANGED, OLD, UNCHANGED
from buto_replications.store.evaluation import evaluate
from buto_replications.store.example import counts
from buto_replications.store.measured import read_measured
from buto_replications.store.recorded import NAME, RECORDED, unpacked
from tests.support.checkout import ROOT

PAGE = ROOT / "predict" / "docs" / "architecture.md"
INDEX_OF = {one.name: one for one in INDEX.versions}


@pytest.fixture(scope="module")
def recording():
    with unpacked(RECORDED / NAME) as (directory, index):
        assert index == INDEX
        yield directory


@pytest.fixture(scope="module")
def runs(recording):
    found = [read_measured(path) for path in (recording / "runs").glob("*.json")]
    return tuple(sorted(found, key=lambda one: one.run))


def test_it_is_small_enough_for_a_repository():
    assert (RECORDED / NAME).stat().st_size < 5e6


def test_every_planned_measurement_is_there(recording):
    planned = plan(0)
    paths = {kind: {one.result(recording) for one in planned if one.kind is kind} for kind in Kind}
    assert set((recording / "runs").iterdir()) == paths[Kind.RUN]
    assert set((recording / "jmh").iterdir()) == paths[Kind.JMH]
    assert paths[Kind.JUNIT] <= set((recording / "junit").iterdir())
    assert Counter(one.kind for one in planned) == {Kind.RUN: 152, Kind.JMH: 30, Kind.JUNIT: 10}
    assert len(list((recording / "traces").iterdir())) == 6


def test_versions_and_loads_are_mixed_in_time(runs):
    changed, unchanged = ({one.name for one in some} for some in (CHANGED, UNCHANGED))
    sides = ["old" if one.version == OLD.name else "new" for one in runs if one.version not in unchanged]
    assert {one.version for one in runs} == {OLD.name} | changed | unchanged
    # In a random order of 24 old and 108 new runs, the side changes 39 times, with a deviation of 3.4.
    assert sum(before != after for before, after in pairwise(sides)) >= 27
    for half in (runs[: len(runs) // 2], runs[len(runs) // 2 :]):
        assert {one.load for one in half} == {load.name for load in INDEX.loads}


def test_the_store_was_warm_before_requests_counted(runs):
    for endpoint in INDEX.load(INDEX.fixed).rates:
        ratios = []
        for one in runs:
            if one.version == OLD.name or not INDEX_OF[one.version].matters:
                quarters = np.array_split(np.asarray(one.responses_s[endpoint]), 4)
                ratios.append(float(np.mean(quarters[-1]) / np.mean(quarters[0])))
        assert np.median(ratios) == pytest.approx(1, abs=0.1), endpoint


def test_every_run_has_its_requests_and_its_processor_time(runs):
    for one in runs:
        for endpoint, rate in INDEX.load(one.load).rates.items():
            expected = rate * INDEX.measured_s
            assert len(one.responses_s[endpoint]) == pytest.approx(expected, abs=6 * expected**0.5 + 1)
        assert set(one.busy) == {"web", "catalogue", "order", "postgresql"}
        assert sum(one.busy.values()) <= one.host_busy <= one.cores


def test_nothing_in_it_tells_paths_or_hosts(recording):
    telling = re.compile(r'/(work|tmp|root|home|usr)/|"host\.name"|hostname="[^"]')
    for path in recording.rglob("*.*"):
        assert not telling.search(path.read_text()), path


def test_the_page_shows_the_verdicts_under_the_fixed_load(recording):
    """Under one load, because the others take half a minute."""
    fixed = replace(INDEX, loads=(INDEX.load(INDEX.fixed),))
    found = evaluate(recording, fixed, "jmh")
    assert found.lacking == ()
    assert (len(found.changed), len(found.unchanged)) == (9, 20)
    assert f"| fixed load, 9 versions | 7 right, 2 missed | {counts(found.changed)} |" in PAGE.read_text()
    assert counts(found.unchanged) == "20 rightly quiet"
