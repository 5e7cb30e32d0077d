"""Verdicts of the ensemble: environments, votes, explanations, and the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from buto.engine.placement import Placement, placement
from buto.errors import JudgeError, UsageError
from buto.judging.environments import components_shared, weights
from buto.judging.verdict import Direction, Effect, Status
from buto.project.model import build_test
from buto.run.model import run_set
from buto_replications.detectors.ensemble.detector import FooDetector
from buto_replications.detectors.ensemble.rules import bagged, likeness, lone, stacked, stacked_weights
from buto_replications.detectors.ensemble.settings import FOO
from tests.support.processes.command import called
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run
from tests.support.runs.stored import store

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


COUNTERS = ("cpu", "throughput", "memory", "transactions")
FLAGGED = ({"cpu", "throughput"}, {"memory", "throughput"}, {"memory", "throughput"}, {"transactions"})
VOTES = np.array([[counter in some for counter in COUNTERS] for some in FLAGGED])
T1 = {"cpu": "2 GHz 2 cores", "memory": "2 GB", "database": 2, "architecture": "32 bit"}
T2 = {"cpu": "2 GHz 2 cores", "memory": "1 GB", "database": 1, "architecture": "64 bit"}
T5 = {"cpu": "2 GHz 2 cores", "memory": "2 GB", "database": 1, "architecture": "64 bit"}


def named(chosen):
    return {counter for counter, yes in zip(COUNTERS, chosen, strict=True) if yes}


def test_each_counter_is_flagged_as_often_as_in_table_ii():
    assert dict(zip(COUNTERS, VOTES.sum(axis=0).tolist(), strict=True)) == {
        "throughput": 3,
        "memory": 2,
        "cpu": 1,
        "transactions": 1,
    }


def test_bagging_flags_what_half_of_the_tests_flag():
    assert named(bagged(VOTES)) == {"throughput", "memory"}


def test_the_environments_of_table_iii_as_printed():
    assert [len(components_shared(environment, T5)) for environment in (T1, T2)] == [2, 3]
    assert weights([2, 3]) == pytest.approx([0.4495, 0.5505], abs=5e-5)


def test_the_weights_of_the_text():
    assert weights([3, 2]) == pytest.approx([0.5505, 0.4495], abs=5e-5)


def test_stacking_of_the_first_two_tests():
    weight = weights([3, 2])
    assert named(stacked(VOTES[:2], weight)) == {"throughput", "cpu"}
    assert stacked_weights(VOTES[:2], weight) == pytest.approx([0.5505, 1.0, 0.4495, 0.0], abs=5e-5)


def test_stacking_needs_more_than_half():
    assert not stacked(np.array([[True], [False]]), np.array([0.5, 0.5])).any()
    assert not stacked(np.array([[True], [True], [False], [False]]), weights([2] * 4)).any()


def test_no_votes_flag_nothing():
    assert not bagged(np.zeros((1, 3), dtype=bool)).any()


def test_unlike_environments_have_equal_weights():
    assert weights([0, 0, 0, 0]).tolist() == [0.25] * 4
    assert components_shared({"cpu": 1}, {"memory": 1}) == []


def weighted(**weights):
    """Settings with weights of an analyst, by label, as a configuration has them."""
    chosen = {f"environment.label.{name}": weight for name, weight in weights.items()}
    judge = {"method": "foo", "foo": {"component-weights": chosen}}
    return build_test("x", {"command": "java", "judge": judge}, None, {}).settings


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        (FOO, Status.REGRESSION),
        (weighted(host=9), Status.PASS),
        (weighted(host=1, database=0), Status.PASS),
        (weighted(database=2), Status.REGRESSION),
    ],
)
def test_an_analyst_decides_which_components_make_environments_alike(settings, status):
    like_host, like_database, new = (
        {"environment.label.host": host, "environment.label.database": database}
        for host, database in (("a", "9"), ("b", "17"), ("a", "17"))
    )
    prior = [run_of(number, like_host) for number in (1, 2)]
    prior += [run_of(number, like_database, reversed_relation=True) for number in (3, 4, 5)]
    assert check(FooDetector(settings).fit(run_set(prior)), new, reversed_relation=False).status is status


def test_the_likeness_of_environments_is_the_sum_of_the_weights_of_what_they_share():
    assert likeness(T1, T5) == len(components_shared(T1, T5)) == 2
    assert likeness(T1, T5, (("mem*", 2.5), ("*", 0.0))) == 2.5


def test_weights_of_components_are_said_with_the_votes():
    prior = run_set([run_of(number, host) for number, host in enumerate((A, A, B))])
    detector = FooDetector(weighted(host=9)).fit(prior)
    said = check(detector, A, reversed_relation=False).warnings[0]
    assert said.startswith("the environment shares components of weight 10 of 10 with ")
    assert said.endswith("; the least like prior test shares 1")
    without = FooDetector(weighted(host=0, database=0)).fit(prior)
    (said,) = check(without, A, reversed_relation=False).warnings
    assert said.startswith("no component of the environment with a weight above 0 is that of a prior test, ")


@pytest.mark.parametrize("weight", [-1, 1001, "much", True, float("nan")])
def test_a_weight_of_a_component_is_a_number_from_0_to_1000(weight):
    with pytest.raises(UsageError, match="component-weights"):
        weighted(host=weight)


@pytest.mark.parametrize(
    ("shared", "alone"),
    [([3, 1, 1], 0), ([3, 2, 2], 0), ([4, 0, 0], None), ([2, 2, 1], None), ([0, 0], None), ([1, 3, 3, 4], 3)],
)
def test_a_lone_like_environment_that_cannot_decide(shared, alone):
    assert lone(shared) == alone


def test_a_lone_like_environment_weighs_less_than_half_against_two_others():
    assert weights([3, 2, 1])[0] == pytest.approx(0.418, abs=5e-4)


CONFIGURATION = """\
version: 1
tests:
  synthetic:
    command: [java, -jar, app.jar]
    judge: {method: foo}
"""


def run_in(host, number, threads=0, purpose="train"):
    run = program_run(1, number, Program(threads=threads))
    labels = {"environment.name": host, "environment.label.host": host, "environment.label.database": "17"}
    return replace(run, metadata={**run.metadata, **labels, "buto.purpose": purpose})


def test_a_run_of_an_environment_never_seen_is_judged(tmp_path):
    (tmp_path / "buto.yaml").write_text(CONFIGURATION)
    store(tmp_path, *(run_in("large" if number < 6 else "small", number) for number in range(9)))
    done = called(tmp_path, "train", "synthetic", "--from-runs", "all")
    assert done.returncode == 0, done.stderr
    stored = json.loads((tmp_path / "oracles" / "synthetic.json").read_text())
    assert stored["judge"]["method"] == "foo"
    usual, more = store(
        tmp_path, run_in("cloud", 50, purpose="check"), run_in("cloud", 51, threads=30, purpose="check")
    )
    done = called(tmp_path, "check", "synthetic", "--from-runs", usual)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the environment shares 3 of 4 components" in done.stdout
    done = called(
        tmp_path, "check", "synthetic", "--from-runs", more, "--json", "result.json", "--html", "report.html"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    (test,) = json.loads((tmp_path / "result.json").read_text())["tests"]
    (finding,) = test["verdict"]["findings"]
    assert (finding["subject"], finding["direction"]) == ("jvm.thread.count", "more")
    assert "9 of 9 prior tests say so" in finding["text"]
    page = (tmp_path / "report.html").read_text()
    for heading in ("Environments of the prior tests", "Flagged counters"):
        assert f"<h3>{heading}</h3>" in page
