"""The calibrated oracle on runs of known truth: failures, findings, and inconclusive checks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from buto.errors import JudgeError, UsageError
from buto.judging.findings import NOT_ALONE
from buto.judging.verdict import Direction, Effect, Status
from buto.oracle import check, load, save, settings_from, train
from buto.run.model import Notification, RunSet, run_set
from tests.support.examples import examples
from tests.support.judging import needs_turns
from tests.support.runs.signals import ENVIRONMENT, INTERVAL_S, Program, make_run, program_run, program_runs

UNCHANGED = Program()


def learned(count=10, **judge):
    return train(program_runs(4, count), settings_from(judge))


def runs_of(program, count=3, first=100):
    return run_set([program_run(4, first + number, program) for number in range(count)])


ORACLE = learned()


def as_buto_checks(oracle, program, first):
    """The verdict on one run, or on three where two more follow, without turns."""
    alone = check(oracle, runs_of(program, 1, first))
    return check(oracle, runs_of(program, 3, first)) if alone.needs_more else alone


@pytest.mark.parametrize(("count", "alpha", "most"), [(5, 0.05, 7), (10, 0.01, 2), (20, 0.01, 2)])
def test_pure_noise_passes(count, alpha, most):
    """Of 60 checks; more would be seen in fewer than 3 of 100 trials at a rate of alpha."""
    oracle = learned(count, alpha=alpha)
    verdicts = [as_buto_checks(oracle, UNCHANGED, 100 + 3 * number) for number in range(60)]
    assert sum(verdict.status is not Status.PASS for verdict in verdicts) <= most
    assert all(verdict.status is Status.PASS or verdict.p_value <= alpha for verdict in verdicts)
    # By t and by sizes that matter hardly a good run is suspicious; by rank it was three in ten.
    assert sum(len(verdict.run_ids) == 3 for verdict in verdicts) <= 6


@pytest.mark.parametrize(
    ("program", "subject", "direction", "effect"),
    [
        (Program(threads=8), "jvm.thread.count", Direction.MORE, Effect.WORSE),
        (Program(threads=-8), "jvm.thread.count", Direction.LESS, Effect.BETTER),
        (Program(heap=3.0), "jvm.memory.heap.used", Direction.MORE, Effect.WORSE),
        (Program(heap=0.2), "jvm.memory.heap.used", Direction.LESS, Effect.BETTER),
        (Program(work=3.0), "jvm.cpu.time", Direction.MORE, Effect.WORSE),
        (Program(duration_s=6.0), "run.duration", Direction.MORE, Effect.WORSE),
        (Program(classes=400), "jvm.class.count", Direction.MORE, Effect.WORSE),
    ],
)
def test_known_changes_are_found_and_named(program, subject, direction, effect):
    """One run asks for two more, and already names the change; the three fail where no machine does that, and
    else need turns."""
    alone = check(ORACLE, runs_of(program, 1))
    assert alone.status is Status.INCONCLUSIVE
    assert alone.needs_more
    assert subject in {difference.subject for difference in alone.findings}
    verdict = check(ORACLE, runs_of(program, 3))
    if subject == "jvm.class.count":
        assert verdict.status is Status.REGRESSION
    else:
        assert needs_turns(verdict)
    assert verdict.p_value <= verdict.alpha == 0.01
    finding = next(difference for difference in verdict.findings if difference.subject == subject)
    assert (finding.source, finding.direction) == ("calibrated", direction)
    # How far a saw-tooth swings is neither better nor worse, and may be what tells most of it.
    assert finding.effect in ((effect, Effect.UNKNOWN) if subject == "jvm.memory.heap.used" else (effect,))
    assert finding.lower <= finding.expected <= finding.upper
    if direction is Direction.MORE:
        assert finding.observed > finding.upper
    else:
        assert finding.observed < finding.lower
    assert finding.run_id in verdict.run_ids
    assert finding.severity > 0
    assert not any("mean of" in difference.text for difference in alone.findings)


@pytest.mark.parametrize("program", [Program(heap=3.0, threads=500, work=4.0), Program(leak=5e8), UNCHANGED])
def test_findings_share_the_evidence_and_come_by_their_share(program):
    findings = check(ORACLE, runs_of(program)).findings
    shares = [finding.evidence for finding in findings]
    assert all(0 < share <= 1 for share in shares)
    assert sum(shares) <= 1 + 1e-9
    assert shares == sorted(shares, reverse=True)
    assert len({finding.subject for finding in findings}) == len(findings)


@pytest.mark.parametrize(("fail_on", "counts"), [("any", [True, True]), ("worse", [True, False])])
def test_what_both_programs_do_better_than_in_training_fails_nothing_where_only_worse_does(fail_on, counts):
    fitted = learned(**{"fail-on": fail_on}).fitted
    excesses = [fitted.beyond_training(runs_of(Program(classes=classes))) for classes in (400, -400)]
    assert ["jvm.class.count" in {excess.quantity.name for excess in each} for each in excesses] == counts


def test_a_total_has_no_window():
    """What comes after the shortest training run's end changes nothing but the total."""

    def run(number, last):
        return make_run(number, [0, 1, 2, 3], {"jvm.class.loaded": [100, 100, 100, last]}, duration_s=3.0)

    training = [run(number, 100) for number in range(10)]
    shortest = make_run(10, [0, 1, 2], {"jvm.class.loaded": [100, 100, 100]}, duration_s=3.0)
    (finding,) = check(train(run_set([*training, shortest])), run_set([run(20, 900)])).findings
    assert (finding.measure, finding.window_s) == ("total", None)
    assert (finding.observed, finding.expected) == (900, 100)


def test_what_no_property_shows_by_itself_is_reported_by_the_three_that_show_most():
    """All quantities a little off: together they are beyond chance, and somebody has to be named."""
    random = np.random.default_rng(7)
    names = [f"mbean[a]/Value{number}" for number in range(60)]

    def run(number, shift):
        columns = {name: np.full(5, 100 + random.normal() + shift) for name in names}
        return make_run(number, range(5), columns)

    oracle = train(
        run_set([run(number, 0.0) for number in range(10)]), settings_from({"minimum-effect": "0"})
    )
    verdict = check(oracle, run_set([run(50 + number, 0.8) for number in range(3)]))
    assert needs_turns(verdict)
    assert len(verdict.findings) == 3
    for finding in verdict.findings:
        assert finding.lower < finding.expected < finding.observed < finding.upper
        assert finding.text.endswith(NOT_ALONE)


@given(order=st.randoms())
@settings(max_examples=examples(15))
def test_the_order_of_runs_and_of_quantities_does_not_matter(order):
    program = Program(leak=2e6)
    training, checked = list(program_runs(4, 8)), list(runs_of(program))
    columns = list(range(len(training[0].properties)))
    first = check(train(run_set(training)), run_set(checked))

    def mixed(run):
        return replace(
            run,
            properties=tuple(run.properties[place] for place in columns),
            values=run.values[:, columns].copy(),
        )

    order.shuffle(training)
    order.shuffle(checked)
    order.shuffle(columns)
    other = check(train(RunSet(tuple(map(mixed, training)))), RunSet(tuple(map(mixed, checked))))
    assert other.p_value == first.p_value
    assert [finding.subject for finding in other.findings] == [finding.subject for finding in first.findings]
    for ours, theirs in zip(first.findings, other.findings, strict=True):
        assert theirs.observed == pytest.approx(ours.observed, rel=1e-9)
        assert theirs.evidence == pytest.approx(ours.evidence, rel=1e-6)


@settings(max_examples=examples(10))
@given(seed=st.integers(0, 1000), leak=st.floats(0, 1e7), count=st.integers(1, 3))
def test_a_stored_oracle_gives_the_same_verdict_to_the_last_digit(tmp_path_factory, seed, leak, count):
    oracle = train(program_runs(seed, 7), settings_from({"alpha": 0.05, "minimum-effect": {"jvm.*": "1%"}}))
    path = tmp_path_factory.mktemp("oracle") / "program.json"
    save(path, oracle)
    runs = run_set([program_run(seed, 90 + number, Program(leak=leak)) for number in range(count)])
    assert check(load(path), runs) == check(oracle, runs)


def test_where_only_worse_fails_a_better_change_passes():
    strict, lax = learned(), learned(**{"fail-on": "worse"})
    better, worse = Program(heap=0.2), Program(heap=3.0)
    assert needs_turns(check(strict, runs_of(better)))
    for count in (1, 3):
        verdict = check(lax, runs_of(better, count))
        assert verdict.status is Status.PASS
        assert all(finding.effect is Effect.WORSE for finding in (*verdict.findings, *verdict.noted))
    assert needs_turns(check(lax, runs_of(worse)))


@pytest.mark.parametrize(("least", "status"), [("200", Status.REGRESSION), ("800", Status.PASS)])
@pytest.mark.parametrize("pattern", ["jvm.class.count", "jvm.class.*", "*"])
def test_a_change_below_the_minimum_effect_passes(least, status, pattern):
    if pattern == "*":
        least = {"200": "10%", "800": "300%"}[least]
    oracle = learned(**{"minimum-effect": {pattern: least}})
    assert check(oracle, runs_of(Program(classes=400))).status is status


def test_the_last_pattern_that_fits_holds_and_a_quantity_of_another_unit_is_refused():
    oracle = learned(**{"minimum-effect": {"*": "300%", "jvm.class.count": "2"}})
    assert check(oracle, runs_of(Program(classes=400))).status is Status.REGRESSION
    with pytest.raises(UsageError, match=r"minimum-effect: jvm\.\*: jvm\.buffer\.count"):
        learned(**{"minimum-effect": {"jvm.*": "64KiB"}})


def test_notifications_that_no_training_run_heard_are_found():
    notified = tuple(Notification(0.1 * number, "full", "a:type=Queue", number, "") for number in range(20))
    runs = run_set([replace(run, notifications=notified) for run in runs_of(UNCHANGED)])
    assert check(ORACLE, run_set(runs.runs[:1])).status is Status.INCONCLUSIVE
    verdict = check(ORACLE, runs)
    assert needs_turns(verdict)
    finding = verdict.findings[0]
    assert (finding.subject, finding.unit) == ("full from a:type=Queue", "{notification}")
    assert (finding.observed, finding.expected, finding.direction) == (20, 0, Direction.MORE)
    assert finding.measure == ""


def test_notifications_that_cease_or_multiply_are_found_and_as_many_as_ever_pass():
    def run(number, count):
        notified = tuple(Notification(0.2 * n, "done", "a:type=Queue", n, "") for n in range(count))
        return replace(program_run(4, number), notifications=notified)

    oracle = train(run_set([run(number, 10 + number % 2) for number in range(10)]))
    verdicts = [
        check(oracle, run_set([run(101 + number, count) for number in range(3)])) for count in (0, 10, 11, 40)
    ]
    assert [needs_turns(verdict) for verdict in verdicts] == [True, False, False, True]
    assert [verdict.status is Status.PASS for verdict in verdicts] == [False, True, True, False]


def without(run, name):
    kept = [place for place, prop in enumerate(run.properties) if prop.name != name]
    return replace(
        run, properties=tuple(run.properties[place] for place in kept), values=run.values[:, kept].copy()
    )


@pytest.mark.parametrize("missing", [1, 3])
def test_a_property_that_is_gone_is_inconclusive_unless_another_fails(missing):
    runs = [
        without(run, "jvm.thread.count") if number < missing else run
        for number, run in enumerate(runs_of(UNCHANGED))
    ]
    verdict = check(ORACLE, run_set(runs))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons == ("jvm.thread.count could not be read",)
    changed = [without(run, "jvm.thread.count") for run in runs_of(Program(classes=400))]
    verdict = check(ORACLE, run_set(changed))
    assert verdict.status is Status.REGRESSION
    assert verdict.warnings == verdict.undecided == ("jvm.thread.count could not be read",)


def without_end(run, name, share):
    values = run.values.copy()
    values[round(len(values) * (1 - share)) :, run.column_of[name]] = np.nan
    return replace(run, values=values)


@pytest.mark.parametrize(("lost", "status"), [(0.5, Status.INCONCLUSIVE), (0.2, Status.PASS)])
def test_a_property_that_is_gone_for_a_large_part_of_the_run_does_not_pass(lost, status):
    oracle = ORACLE
    run = runs_of(UNCHANGED, 1).runs[0]
    name = "jvm.thread.count"
    assert check(oracle, run_set([run])).status is Status.PASS
    verdict = check(oracle, run_set([without_end(run, name, lost)]))
    assert verdict.status is status
    assert [f"{name} could not be read in " in reason for reason in verdict.reasons] == [True] * (lost > 0.4)


def test_a_property_that_goes_in_training_too_may_go():
    name = "jvm.thread.count"
    oracle = train(run_set([without_end(run, name, 0.5) for run in program_runs(4, 10)]), settings_from({}))
    verdict = check(oracle, run_set([without_end(runs_of(UNCHANGED, 1).runs[0], name, 0.5)]))
    assert verdict.status is Status.PASS


@pytest.mark.parametrize(("lost", "status"), [(0.4, Status.PASS), (0.8, Status.INCONCLUSIVE)])
def test_a_property_that_goes_a_little_longer_than_in_training_may_go(lost, status):
    """As the latency of a request kind that is rare: a few intervals without an answer more mean nothing."""
    name = "jvm.thread.count"
    oracle = train(run_set([without_end(run, name, 0.3) for run in program_runs(4, 10)]), settings_from({}))
    verdict = check(oracle, run_set([without_end(runs_of(UNCHANGED, 1).runs[0], name, lost)]))
    assert verdict.status is status


def test_of_a_run_in_which_nothing_was_read_the_duration_is_left_and_it_never_passes():
    verdict = check(ORACLE, run_set([make_run(9, [], {"jvm.class.count": []}, duration_s=4.0)]))
    assert verdict.status is Status.INCONCLUSIVE
    assert len(verdict.reasons) == len(program_run(4, 0).properties)


def loaded(runs, foreign_load):
    return run_set(
        [replace(run, quality=structs.replace(run.quality, foreign_load=foreign_load)) for run in runs]
    )


@pytest.mark.parametrize("foreign_load", [0.1, 0.6])
def test_what_no_machine_moves_accuses_on_a_busy_machine_too_and_the_rest_on_none(foreign_load):
    quiet = train(loaded(program_runs(4, 10), 0.1))
    counted = check(quiet, loaded(runs_of(Program(classes=400)), foreign_load))
    assert counted.status is Status.REGRESSION
    assert needs_turns(check(quiet, loaded(runs_of(Program(heap=3.0)), foreign_load)))
    assert check(quiet, loaded(runs_of(UNCHANGED), foreign_load)).status is Status.PASS


def test_another_environment_is_inconclusive_without_a_p_value():
    run = replace(program_run(4, 100, Program(threads=100)), metadata=ENVIRONMENT | {"host.cores": 8})
    verdict = check(ORACLE, run_set([run]))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.p_value is None
    assert verdict.needs_more == ""


def test_a_pass_says_that_the_first_run_stood_out_and_the_others_did_not():
    odd = Program(work=1.4)
    first, others = program_run(4, 100, odd), runs_of(UNCHANGED, 2, 200).runs
    alone, together = check(ORACLE, run_set([first])), check(ORACLE, run_set([first, *others]))
    assert alone.needs_more != ""
    assert alone.findings[0].subject == "jvm.cpu.time"
    assert together.status is Status.PASS
    assert together.warnings == ("the first run was an outlier; with 2 more it is ordinary",)
    ordinary = check(ORACLE, runs_of(UNCHANGED, 3, 202))
    assert (ordinary.status, ordinary.warnings) == (Status.PASS, ())


def test_costs_of_the_tool_are_not_judged():
    def run(number, seconds):
        columns = {"buto.snapshot.time": [seconds] * 20, "jvm.class.count": [5.0] * 20}
        return make_run(number, [index * INTERVAL_S for index in range(20)], columns)

    oracle = train(run_set([run(number, 0.001) for number in range(7)]))
    slow = run_set([run(20 + number, 5.0) for number in range(3)])
    verdict = check(oracle, slow)
    assert (verdict.status, verdict.findings, verdict.noted) == (Status.PASS, (), ())


def test_a_verdict_carries_what_it_was_made_with():
    verdict = check(ORACLE, runs_of(UNCHANGED, 1))
    assert (verdict.detector, verdict.n_training, verdict.settings["method"]) == (
        "calibrated",
        10,
        "calibrated",
    )
    assert (verdict.alpha, verdict.settings["alpha"]) == (0.01, 0.01)
    assert 0 < verdict.p_value <= 1


def test_no_runs_cannot_be_judged():
    with pytest.raises(JudgeError, match="no valid run"):
        ORACLE.fitted.check(RunSet(()))
