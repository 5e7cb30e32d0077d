"""The paper's case studies on made-up runs of the bed."""

from dataclasses import replace

import numpy as np
import pytest

from beds.keycloak.environments import FAULTS
from buto.judging.verdict import Status
from buto_replications.bed.effects import kind_of
from buto_replications.ensembles.bed_rules import PLAIN
from buto_replications.ensembles.counters import CHANGED, changed, named
from buto_replications.ensembles.flagged import Flagged
from buto_replications.ensembles.methods import EACH, JUDGE, METHODS
from buto_replications.ensembles.rules import BAGGING, SINGLE, STACKING
from buto_replications.ensembles.scenarios import (
    BOTH_ENTERPRISE,
    BOTH_SAME,
    ENTERPRISE,
    PET_STORE,
    SAME,
    STORE,
    scenarios,
)
from buto_replications.ensembles.scoring import alarms, false_alarms, mean_f, means, results, scored
from replications.tests.support.bed_levels import COUNTERS, bed_run

GOOD = (
    *(bed_run(number, "base", "steady", "none") for number in range(3)),
    *(
        bed_run(10 + n, name, "environment", "none")
        for n, name in enumerate(("half-quota", "small-memory", "serial"))
    ),
)
FAULTY = (
    bed_run(20, "base", "steady-fault", "repeat-high", slower=3.0),
    bed_run(21, "serial", "environment-fault", "small-buffers", slower=2.0),
)


def test_the_papers_case_studies_are_found_among_the_runs():
    found = list(scenarios((*GOOD, *FAULTY)))
    by_study = {study: [one for one in found if one.study == study] for study in (STORE, PET_STORE, SAME)}
    assert [(one.test, len(one.prior)) for one in by_study[STORE]] == [
        ("D4", 3),
        ("D5, one prior test, repeat-high", 1),
        ("D5, three prior tests, repeat-high", 3),
    ]
    (third,) = by_study[PET_STORE]
    assert [one.labels.environment for one in third.prior] == ["base", "serial"]
    assert not by_study[SAME]


def test_a_fault_of_another_kind_is_not_the_repeated_query():
    more = (
        bed_run(22, "base", "steady-fault", "caches-low", slower=2.0),
        bed_run(23, "base", "steady-fault", "connections-high"),
    )
    found = {one.test: one for one in scenarios((*GOOD, *more)) if one.study in (STORE, PET_STORE)}
    assert set(found) == {"D4", "J3, caches-low"}
    assert [one.labels.environment for one in found["J3, caches-low"].prior] == ["base", "base"]
    scored_faults = {one.fault for one in scenarios((*GOOD, *more)) if one.study == ENTERPRISE}
    assert scored_faults == {"none", "caches-low", "connections-high"}


def test_an_environment_that_is_left_out_has_no_prior_test():
    ours = [one for one in scenarios((*GOOD, *FAULTY)) if one.study == ENTERPRISE]
    assert len(ours) == len(GOOD) + len(FAULTY)
    for one in ours:
        assert one.judged.labels.environment not in {prior.labels.environment for prior in one.prior}


def test_without_other_environments_nothing_is_left_out():
    assert not [one for one in scenarios(GOOD[:3]) if one.study == ENTERPRISE]


def test_stacking_flags_what_a_repeated_query_changes():
    (found,) = (one for one in results((*GOOD, *FAULTY)) if one.scenario.test.startswith("D5, three"))
    score = found.scores[STACKING]
    assert (score.precision, score.status) == (1.0, Status.REGRESSION)
    assert (score.expected, score.found) == (5, 3)
    assert found.scores[JUDGE].status is None


def test_the_scores_are_the_papers():
    (one,) = (one for one in scenarios((*GOOD, *FAULTY)) if one.test == "repeat-high in base")
    flagged = {
        SINGLE: Flagged(frozenset({"postgres.cpu.time"}), Status.REGRESSION),
        BAGGING: Flagged(frozenset({"postgres.cpu.time", "jvm.cpu.time"}), Status.REGRESSION),
        STACKING: Flagged(frozenset(), Status.PASS),
    }
    others = {name: Flagged(frozenset(), None) for name in (PLAIN, EACH, JUDGE)}
    scores = scored(one, COUNTERS, flagged | others)
    assert (scores[SINGLE].precision, scores[SINGLE].recall) == (1.0, 0.5)
    assert scores[BAGGING].f == 1.0
    # Nothing flagged has a precision of 1, as in the paper.
    assert (scores[STACKING].precision, scores[STACKING].recall, scores[STACKING].f) == (1.0, 0.0, 0.0)


def test_a_fault_that_all_methods_miss_has_a_recall_of_zero():
    (one,) = (one for one in scenarios((*GOOD, *FAULTY)) if one.test == "repeat-high in base")
    scores = scored(one, COUNTERS, {name: Flagged(frozenset(), Status.PASS) for name in METHODS})
    assert {(score.recall, score.f) for score in scores.values()} == {(0.0, 0.0)}


def test_means_and_alarms_leave_out_what_a_method_cannot_judge():
    found = [one for one in results((*GOOD, *FAULTY)) if one.scenario.study == STORE]
    assert alarms(found, JUDGE, faulty=True) == (0, 0, 0)
    assert means(found, JUDGE)[0] != means(found, JUDGE)[0]
    assert alarms(found, STACKING, faulty=True)[0] == 2


def test_a_fault_is_known_by_its_kind():
    assert changed("repeat-high", COUNTERS) == changed("repeat-low", COUNTERS)
    assert changed("none", COUNTERS) == frozenset()
    assert named("memory-high", COUNTERS) == frozenset()
    assert "process.memory.usage" in changed("memory-low", COUNTERS)
    assert "database.statements.calls" in named("caches-low", changed("caches-low", COUNTERS))
    assert "jvm.cpu.time" not in changed("connections-low", COUNTERS)


def test_it_is_written_down_what_each_fault_of_the_bed_changes():
    assert {kind_of(name) for name in FAULTS} - {"none"} == set(CHANGED)
    with pytest.raises(KeyError, match="unheard-of"):
        changed("unheard-of", COUNTERS)


def test_an_earlier_block_gives_more_prior_tests():
    earlier = tuple(
        bed_run(40 + number, one.labels.environment, one.labels.role, "none")
        for number, one in enumerate(GOOD)
    )
    found = list(scenarios((*GOOD, *FAULTY), earlier))
    alone = {one.test: len(one.prior) for one in found if one.study == ENTERPRISE}
    both = {one.test: len(one.prior) for one in found if one.study == BOTH_ENTERPRISE}
    assert both == {test: 2 * number for test, number in alone.items()}
    (repeated,) = (one for one in found if one.study == BOTH_SAME and one.fault == "repeat-high")
    assert (repeated.test, len(repeated.prior)) == ("repeat-high, steady", 6)
    assert {len(one.prior) for one in found if one.study == BOTH_SAME} == {5, 6}


def test_errors_are_clustered_by_environment():
    found = [one for one in results((*GOOD, *FAULTY)) if one.scenario.study == ENTERPRISE]
    fine = [one for one in found if one.scenario.fault == "none"]
    failed = [
        replace(one, scores={EACH: replace(one.scores[EACH], status=status)})
        for one, status in zip(fine, [Status.REGRESSION] * 3 + [Status.PASS] * 3, strict=True)
    ]
    assert [one.scenario.judged.labels.environment for one in failed][:4] == ["base"] * 3 + ["half-quota"]
    share, error = false_alarms(failed, EACH)
    # One environment with three failures of three, and three without any in one run each.
    assert (share, error) == pytest.approx((0.5, (4 / 3 * (1.5**2 + 3 * 0.5**2)) ** 0.5 / 6))
    assert mean_f(fine, STACKING)[0] == means(fine, STACKING)[2]
    assert np.isnan(mean_f(failed[:3], EACH)[1])
