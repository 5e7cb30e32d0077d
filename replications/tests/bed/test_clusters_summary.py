"""Outcomes of the bed's runs, counted by kind."""

import pytest

from buto.judging.verdict import Status, Verdict
from buto_replications.bed.labels import BedRun, Labels
from buto_replications.clusters.comparison import Outcome
from buto_replications.clusters.errors import kinds
from tests.support.runs.examples import full_run

PASS, FAIL, UNCLEAR = Status.PASS, Status.REGRESSION, Status.INCONCLUSIVE


def outcome(role, fault, load, status):
    return Outcome(BedRun(full_run(), Labels("base", role, fault, load)), {"a": Verdict(status, "a")}, 1, 2)


def test_runs_are_counted_by_role_intensity_and_load():
    found = kinds(
        [
            outcome("fault", "busy-low", "30-40", PASS),
            outcome("fault", "busy-high", "30-40", FAIL),
            outcome("fault", "log-high", "30-40", UNCLEAR),
            outcome("steady-fault", "repeat-low", "20-40", FAIL),
            outcome("other-load", "none", "15-20", PASS),
            outcome("other-load", "none", "30-40 writes x4", UNCLEAR),
            *[outcome("good", "none", "30-40", PASS)] * 7,
            outcome("good", "none", "30-40", FAIL),
        ]
    )
    assert [(one.title, one.n_runs, one.failed["a"], one.inconclusive["a"]) for one in found] == [
        ("fault, low", 1, 0, 0),
        ("fault, high", 2, 1, 1),
        ("steady-fault, low", 1, 1, 0),
        ("unchanged, other rates", 1, 0, 0),
        ("unchanged, another mix", 1, 0, 1),
        ("unchanged", 8, 1, 0),
        ("unchanged, other load in all", 2, 0, 1),
    ]
    assert [one.changed for one in found] == [True, True, True, False, False, False, False]


def test_a_share_alpha_of_unchanged_runs_fails_with_a_standard_error():
    [eight] = kinds([outcome("good", "none", "30-40", PASS)] * 8)
    assert eight.expected == 1.0
    assert eight.standard_error == pytest.approx(0.935, abs=0.001)
