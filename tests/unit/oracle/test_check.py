"""What the rule of the thesis makes of runs of known truth, and what comes before any detector is asked."""

from dataclasses import replace

import pytest
from msgspec import structs

from buto import oracle as oracles
from buto.errors import JudgeError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import Do, Next, Procedure, Why
from buto.judging.thesis.detector import THESIS, BoundsDetector
from buto.judging.verdict import Direction, Effect, Status
from buto.oracle import check
from buto.report.environment import Likeness, environment_rows
from buto.run.model import RunSet, run_set
from buto.run.properties import Property, Role, property_for
from tests.support.runs.qualities import starved
from tests.support.runs.signals import (
    ENVIRONMENT,
    INTERVAL_S,
    Program,
    made,
    make_run,
    program_run,
    program_runs,
)


def train(runs, settings=THESIS):
    return oracles.train(runs, settings)


def one(run):
    return run_set([run])


def stretch(level, start=0, stop=40, then=0.0):
    """40 samples of a level that is another from start to stop."""
    return [then + level if start <= index < stop else level for index in range(40)]


def test_pure_noise_passes_with_many_runs_and_wide_bands():
    oracle = train(program_runs(4, 20))
    verdicts = [check(oracle, one(program_run(4, number))) for number in range(100, 160)]
    assert [verdict.status for verdict in verdicts].count(Status.REGRESSION) <= 3


@pytest.mark.parametrize(
    ("program", "subject"),
    [
        (Program(threads=4), "jvm.thread.count"),
        (Program(leak=3e7), "jvm.memory.heap.used"),
        (Program(heap=2.0), "jvm.memory.heap.used"),
        (Program(work=2.0), "jvm.cpu.time"),
    ],
)
def test_known_changes_are_found_and_named(program, subject):
    oracle = train(program_runs(4, 10))
    verdict = check(oracle, one(program_run(4, 100, program)))
    assert verdict.status is Status.REGRESSION
    finding = next(difference for difference in verdict.findings if difference.subject == subject)
    assert finding.direction is Direction.MORE
    assert finding.effect is Effect.WORSE
    assert finding.observed > finding.upper >= finding.expected >= finding.lower
    assert finding.severity > 0


def test_a_welcome_change_is_found_as_such():
    oracle = train(program_runs(4, 10), THESIS.with_value("deviations", 4.0))
    verdict = check(oracle, one(program_run(4, 100, Program(heap=0.3))))
    finding = next(
        difference for difference in verdict.findings if difference.subject == "jvm.memory.heap.used"
    )
    assert (finding.direction, finding.effect) == (Direction.LESS, Effect.BETTER)
    assert finding.observed < finding.lower


def test_a_direction_that_nobody_prefers_has_an_unknown_effect():
    runs = [make_run(number, range(20), {"mbean[a]/Value": [1] * 20}) for number in range(3)]
    verdict = check(train(run_set(runs)), one(make_run(9, range(20), {"mbean[a]/Value": [9] * 20})))
    assert verdict.findings[0].effect is Effect.UNKNOWN


def test_a_finding_says_where_and_how_far():
    oracle = train(made(5, lambda number: stretch(100.0)))
    (run,) = made(1, lambda number: stretch(100.0, 10, 30, then=300.0))
    (finding,) = check(oracle, one(run)).findings
    assert finding.source == "bounds"
    assert finding.run_id == run.id
    assert finding.unit == "{class}"
    assert finding.observed == pytest.approx(400)
    assert finding.expected == pytest.approx(100)
    assert finding.at_s == pytest.approx(1.4)
    # Half a window of nine earlier and later than the change itself.
    assert finding.window_s[0] == pytest.approx(0.6)
    assert finding.window_s[1] == pytest.approx(3.3)
    assert finding.outside_share == pytest.approx(28 / 32)


def test_a_leak_is_quoted_where_most_is_lost_and_not_where_its_band_is_narrowest():
    def widening(number):
        return [100.0 + (number - 2) * index / 4 for index in range(40)]

    oracle = train(made(5, widening))
    (run,) = made(1, lambda number: [100.0 + 90 * min(index, 8) + 4 * index for index in range(40)])
    (finding,) = check(oracle, one(run)).findings
    assert finding.at_s == finding.window_s[1]
    assert finding.severity > (finding.observed - finding.upper) / (finding.upper - finding.lower)


def test_a_short_disturbance_and_one_count_more_than_always_fail():
    oracle = train(made(5, lambda number: stretch(1000.0 + number % 3)))
    assert (
        check(oracle, made(1, lambda number: stretch(1000.0, 20, 21, then=300.0))).status is Status.REGRESSION
    )
    oracle = train(made(10, lambda number: [812.0] * 40))
    assert check(oracle, made(1, lambda number: [813.0] * 40)).status is Status.REGRESSION


def test_the_worst_finding_comes_first_and_each_property_only_once():
    oracle = train(program_runs(4, 10))
    findings = check(oracle, one(program_run(4, 100, Program(heap=3.0, threads=500, work=4.0)))).findings
    assert len(findings) >= 3
    severities = [finding.severity for finding in findings]
    assert severities == sorted(severities, reverse=True)
    assert len({finding.subject for finding in findings}) == len(findings)


@pytest.mark.parametrize("settings", [THESIS, CALIBRATED], ids=lambda settings: settings.method)
def test_what_measuring_costs_is_not_judged(settings):
    cost = property_for("buto.snapshot.time")
    assert cost.role is Role.COST

    def run(number, seconds):
        columns = {cost.name: [seconds] * 20, "jvm.class.count": [5] * 20}
        return make_run(number, [index * INTERVAL_S for index in range(20)], columns)

    oracle = train(run_set([run(number, 0.001) for number in range(5)]), settings)
    assert check(oracle, one(run(9, 5.0))).status is Status.PASS


def test_bounds_never_reach_the_impossible():
    ratio = Property("mbean[a]/Ratio", lower=0.0, upper=1.0)
    runs = [
        make_run(number, range(20), {ratio.name: [0.5 + number / 10] * 20}, properties={ratio.name: ratio})
        for number in range(4)
    ]
    bounds = train(run_set(runs)).fitted.model.bounds
    assert (bounds.lower >= 0).all()
    assert (bounds.upper <= 1).all()


@pytest.mark.parametrize(
    ("changed", "status"), [(0, Status.PASS), (1, Status.REGRESSION), (3, Status.REGRESSION)]
)
def test_of_three_runs_one_decides(changed, status):
    oracle = train(made(5, lambda number: [100.0 + number] * 40))
    runs = made(3, lambda number: [900.0 if number < changed else 102.0] * 40)
    verdict = check(oracle, runs)
    assert verdict.status is status
    assert verdict.needs_more == ""
    if findings := verdict.findings:
        assert f"in {changed} of 3 runs" in findings[0].text


@pytest.mark.parametrize(
    ("n_runs", "asked", "needs_more", "step"),
    [
        (1, None, "it is odd", Next(Do.LAUNCH, Why.METHOD, 2)),
        (1, None, "", Next(Do.FAIL, Why.METHOD)),
        (1, 1, "it is odd", Next(Do.FAIL, Why.METHOD)),
        (3, None, "it is odd", Next(Do.FAIL, Why.METHOD)),
    ],
)
def test_a_method_of_its_own_may_want_more_runs_after_one(n_runs, asked, needs_more, step):
    oracle = train(made(5, lambda number: [100.0 + number] * 40))
    judged = oracles.judge(oracle, made(n_runs, lambda number: [900.0] * 40).runs)
    assert judged.verdict.status is Status.REGRESSION
    judged = structs.replace(judged, verdict=replace(judged.verdict, needs_more=needs_more))
    assert judged.next_step(Procedure(0.01, asked=asked)) == step


def test_times_outside_the_model_fail_in_one_finding():
    oracle = train(made(5, lambda number: range(30)))
    (longer,) = made(1, lambda number: range(40))
    findings = check(oracle, one(longer)).findings
    assert [finding.subject for finding in findings] == ["run.duration"]
    assert "model does not reach" in findings[0].text
    assert findings[0].window_s == pytest.approx((2.6, 3.5), abs=0.11)


def test_another_environment_is_inconclusive_and_says_what_differs():
    oracle = train(program_runs(4, 5))
    run = replace(program_run(4, 100, Program(threads=100)), metadata=ENVIRONMENT | {"host.cores": 8})
    verdict = check(oracle, one(run))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons[0] == "host.cores is 8; it was 2 in training"
    assert verdict.reasons[-1].endswith(
        "or train in this environment, which replaces the oracle unless it has another file"
    )
    assert [(finding.source, finding.subject) for finding in verdict.findings] == [("metadata", "host.cores")]


def test_a_new_class_path_is_only_a_warning_but_decides_by_the_rule_of_the_thesis():
    run = replace(program_run(4, 3), metadata=ENVIRONMENT | {"jvm.class.path": "app-2.jar"})
    verdict = check(train(program_runs(4, 5), CALIBRATED), one(run))
    assert verdict.status is Status.PASS
    assert "jvm.class.path is 'app-2.jar'; it was 'app.jar' in training" in verdict.warnings
    assert check(train(program_runs(4, 5)), one(run)).status is Status.INCONCLUSIVE


def test_only_invalid_runs_are_inconclusive():
    oracle = train(program_runs(4, 5))
    run = program_run(4, 3)
    disturbed = replace(run, quality=starved("40 % of the samples are missing"))
    verdict = check(oracle, one(disturbed))
    assert verdict.status is Status.INCONCLUSIVE
    assert "40 % of the samples are missing" in verdict.reasons[0]
    beside = check(oracle, run_set([disturbed, program_run(4, 4)]))
    assert beside.status is Status.PASS
    assert beside.run_ids == (program_run(4, 4).id,)
    assert "40 % of the samples are missing" in beside.warnings[0]


def test_a_regression_on_a_busy_machine_says_so():
    oracle = train(program_runs(4, 5))

    def verdict(threads, foreign_load):
        run = program_run(4, 3, Program(threads=threads))
        return check(
            oracle, one(replace(run, quality=structs.replace(run.quality, foreign_load=foreign_load)))
        )

    assert "used up to 70% of the cores" in verdict(9, 0.7).warnings[0]
    assert verdict(9, 0.1).warnings == verdict(9, float("nan")).warnings == verdict(0, 0.7).warnings == ()


def test_no_runs_and_runs_of_another_test_cannot_be_judged():
    oracle = train(program_runs(4, 5))
    with pytest.raises(JudgeError, match="no run"):
        check(oracle, RunSet(()))
    with pytest.raises(JudgeError, match="'other' cannot be checked by the oracle of 'synthetic'"):
        check(oracle, one(replace(program_run(4, 3), test="other")))


def test_a_verdict_carries_what_it_was_made_with():
    verdict = check(train(program_runs(4, 5)), one(program_run(4, 9)))
    assert verdict.detector == "thesis"
    assert verdict.n_training == 5
    assert verdict.settings == THESIS.to_data()
    assert verdict.p_value is None


def test_a_detector_that_needs_no_exchangeable_runs_judges_those_of_any_machine_and_load(monkeypatch):
    monkeypatch.setattr(BoundsDetector, "exchangeable", False)
    training = [
        replace(run, metadata=ENVIRONMENT | {"host.cores": 2 + number % 2})
        for number, run in enumerate(program_runs(4, 6))
    ]
    oracle = train(run_set(training))
    run = replace(program_run(4, 100, Program(threads=100)), metadata=ENVIRONMENT | {"host.cores": 8})
    busy = replace(run, quality=structs.replace(run.quality, foreign_load=0.9))
    assert check(oracle, one(busy)).status is Status.REGRESSION
    assert not any(
        row.likeness is Likeness.DECIDES for row in environment_rows(oracle, one(busy), run_set([]))
    )


def test_a_newer_agent_alone_is_named_as_the_cause():
    trained = run_set(
        [replace(run, metadata=run.metadata | {"buto.probe": "old"}) for run in program_runs(4, 5)]
    )
    run = replace(program_run(4, 100), metadata=ENVIRONMENT | {"buto.probe": "new"})
    verdict = check(train(trained), one(run))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons[0] == "buto.probe is 'new'; it was 'old' in training"
    assert verdict.reasons[-1].startswith("only buto itself has changed since training")
