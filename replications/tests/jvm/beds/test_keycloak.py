"""Keycloak on PostgreSQL, measured for some seconds. Skipped unless ``make bed`` has made the bed ready."""

import numpy as np
import pytest
import yaml

import buto
from beds.keycloak import configuration as usual
from beds.keycloak import switched
from beds.keycloak.environments import ENVIRONMENTS
from beds.keycloak.prepare import is_prepared, prepare
from beds.keycloak.switched import NAME, Switched

BASE = ENVIRONMENTS["base"]
SECONDS = 4
"""Of the warm-up, and of each of five phases."""

RATE = 10


@pytest.fixture
def short(monkeypatch):
    """Few requests, and short phases."""
    if not is_prepared(BASE.keycloak, BASE.postgresql):
        pytest.skip("Keycloak is not ready to be measured: make bed")
    for module, name, value in (
        (usual, "WARM_UP_S", SECONDS),
        (switched, "WARM_UP_S", SECONDS),
        (usual, "PHASE_S", SECONDS),
        (switched, "RATE", RATE),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.jvm
@pytest.mark.usefixtures("short")
def test_a_fault_that_is_switched_on_shows_among_a_thousand_numbers_of_all_sources(tmp_path):
    bed = prepare(BASE.keycloak, BASE.postgresql)
    test = switched.configuration(bed, (Switched("repeat-high", 4, 12),), n_phases=5)
    config = tmp_path / "buto.yaml"
    config.write_text(yaml.safe_dump({"version": 1, "tests": {NAME: test}}))
    [*_, run] = buto.record(NAME, config=config)
    assert len(run.properties) > 1000
    assert {source.name: source.reason for source in run.sources} == dict.fromkeys(test["sources"], "")
    marks = {mark.name: mark.time_s for mark in run.marks}
    assert marks["window.start"] < marks["repeat.start"] < marks["repeat.end"] < marks["window.end"]
    statements = run.series("database.statements.calls")

    def rate(begin_s, end_s):
        first, last = np.searchsorted(run.times_s, (begin_s, end_s))
        return float((statements[last] - statements[first]) / (run.times_s[last] - run.times_s[first]))

    within = rate(marks["repeat.start"] + 1, marks["repeat.end"] - 1)
    assert within > 1.3 * rate(marks["repeat.end"] + 1, marks["window.end"] - 1)
