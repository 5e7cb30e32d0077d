import numpy as np
import pytest

from buto.engine.placement import Placement, placement
from buto.errors import JudgeError
from buto.judging.verdict import Direction, Effect, Status
from buto.project.model import build_test
from buto.run.model import run_set
from buto_replications.detectors.ensemble.detector import FooDetector
from buto_replications.detectors.ensemble.settings import FOO
from tests.support.runs.signals import INTERVAL_S, make_run

THREADS, CLASSES = "jvm.thread.count", "jvm.class.count"
A, B, C = ({"environment.label.host": host, "environment.label.database": "17"} for host in "abc")
ELSEWHERE = {"environment.label.host": "d", "environment.label.database": "9"}


def run_of(number, environment, *, reversed_relation=False):
    """Threads and classes that rise and fall together, or one against the other in the same ranges."""
    places = np.arange(40)
    load = places // 4 % 2
    other = 1 - load if reversed_relation else load
    columns = {THREADS: 10 + 10 * load + places % 5 / 10, CLASSES: 100.0 + 100 * other + places % 5}
    return make_run(number, places * INTERVAL_S, columns, metadata=environment)


def fitted(*environments):
    runs = run_set([run_of(number, environment) for number, environment in enumerate(environments)])
    return FooDetector(FOO).fit(runs)


def check(detector, environment, *, reversed_relation):
    return detector.check(run_set([run_of(99, environment, reversed_relation=reversed_relation)]))


def test_a_relation_that_reversed_within_all_ranges_is_found():
    verdict = check(fitted(A, A, A, B), A, reversed_relation=True)
    assert verdict.status is Status.REGRESSION
    assert {finding.subject for finding in verdict.findings} == {THREADS, CLASSES}
    found = next(finding for finding in verdict.findings if finding.subject == CLASSES)
    assert "when jvm.thread.count is very low, jvm.class.count is very low (79.6 classes to 109" in found.text
    assert "4 of 4 prior tests say so, with 100% of the votes (all)" in found.text
    assert (found.direction, found.effect) == (Direction.OTHER, Effect.UNKNOWN)
    assert found.severity == found.outside_share == 1.0
    assert found.window_s == pytest.approx((0.0, 3.9))


def test_the_same_relation_passes_in_every_environment():
    for environment in (A, B, C, ELSEWHERE, {}):
        assert check(fitted(A, A, B), environment, reversed_relation=False).status is Status.PASS


def test_an_environment_never_seen_is_judged_and_the_verdict_says_how_like_it_is():
    verdict = check(fitted(A, A, A, B, B), C, reversed_relation=True)
    assert verdict.status is Status.REGRESSION
    (said,) = verdict.warnings
    assert said.startswith("the environment shares 1 of 2 components with 20260101T000000.000Z-0000, ")
    assert said.endswith("and 2 more, which have 100% of the votes; the least like prior test shares 1")


def test_an_environment_like_all_prior_tests_needs_no_word():
    assert check(fitted(A, A, A), A, reversed_relation=True).warnings == ()


def test_an_environment_unlike_all_is_not_guessed_about():
    verdict = check(fitted(A, A, B), ELSEWHERE, reversed_relation=True)
    assert verdict.status is Status.INCONCLUSIVE
    (reason,) = verdict.reasons
    assert reason.startswith("the environment (database=9, host=d) is unlike that of every prior test")
    assert len(verdict.findings) == 2


def test_prior_tests_of_one_other_environment_do_not_show_what_environments_differ_in():
    verdict = check(fitted(A, A, A), B, reversed_relation=True)
    assert verdict.status is Status.INCONCLUSIVE
    (reason,) = verdict.reasons
    assert reason.startswith("all prior tests are of one environment (database=17, host=a), not of ")


def test_a_lone_like_environment_is_warned_of_in_training_and_in_the_check():
    detector = fitted(A, B, B, C, C)
    (few,) = detector.training_warnings(run_set([]))
    assert few.endswith("the others may outvote it: database=17, host=a")
    said = check(detector, A, reversed_relation=False).warnings
    assert said[1].startswith(
        "only 20260101T000000.000Z-0000 has the environment most like this one, and with 26%"
    )


def test_few_prior_tests_are_warned_of():
    (few,) = fitted(A, A, A).training_warnings(run_set([]))
    assert few.startswith("3 prior tests are few")


@pytest.mark.parametrize(("n_changed", "status"), [(1, Status.PASS), (2, Status.REGRESSION)])
def test_of_several_runs_most_must_show_it(n_changed, status):
    runs = [run_of(number, A, reversed_relation=number < n_changed) for number in range(3)]
    assert fitted(A, A, A).check(run_set(runs)).status is status


def test_the_direction_is_that_of_the_values_where_rules_are_broken():
    run = run_of(99, A)
    values = run.values.copy()
    values[:, 0] = 50
    verdict = fitted(A, A, A).check(
        run_set([make_run(99, run.times_s, {THREADS: values[:, 0], CLASSES: values[:, 1]}, metadata=A)])
    )
    (found,) = verdict.findings
    assert (found.subject, found.direction, found.observed) == (THREADS, Direction.MORE, 50.0)
    assert found.lower == pytest.approx(7.96)
    assert found.upper == pytest.approx(22.44)
    assert "jvm.thread.count stays in its range" in found.text


def test_the_explanation_shows_environments_and_rules_side_by_side():
    detector = fitted(A, A, B)
    explanation = detector.explain(check(detector, A, reversed_relation=True))
    environments, flagged = explanation.sections
    assert [row[0] for row in environments.rows] == ["database=17, host=a", "database=17, host=b"]
    assert environments.rows[0][1] == "20260101T000000.000Z-0000, 20260101T000000.000Z-0001"
    assert {row[0] for row in flagged.rows} == {THREADS, CLASSES}


def test_charts_show_the_votes_against_each_counter():
    detector = fitted(A, A, B)
    changed, same = run_of(99, A, reversed_relation=True), run_of(98, A)
    view = detector.view([changed, same])
    assert [prop.name for prop in view.properties] == [CLASSES, THREADS]
    assert view.reach([changed]).tolist() == pytest.approx([2.0, 2.0])
    assert view.reach([same]).tolist() == [0.0, 0.0]
    assert np.isnan(view.reach([])).all()


def test_no_runs_are_not_judged():
    with pytest.raises(JudgeError, match="no run to judge"):
        fitted(A, A, A).check(run_set([]))


def test_its_runs_are_recorded_on_unlike_hosts():
    test = build_test("x", {"command": "java", "judge": {"method": "foo"}}, None, {})
    assert placement(test.hosts, test.settings, {"host.cpu.model": "EPYC"}) == Placement(spread=True)
