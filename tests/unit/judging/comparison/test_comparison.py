"""Two programs compared: what is found, what is refused, and how often nothing is called something."""

from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from buto.errors import JudgeError
from buto.judging.comparison import Programs, comparing, runs_needed, smallest_p_value
from buto.judging.configuration import settings_from
from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Direction, Effect, Status
from buto.run.model import run_set
from buto.run.properties import property_for
from tests.support.runs.qualities import starved
from tests.support.runs.signals import Program, make_run, program_run

SETTINGS = comparing(CALIBRATED)
UNCHANGED = Program()


def compare(first, second, settings):
    return Programs(settings).compare(first, second)[0]


def runs_of(test, count, program=UNCHANGED, *, first=0, **metadata):
    """Every second number, so that the runs of two programs take turns."""
    made = [program_run(3, first + 2 * number, program) for number in range(count)]
    return run_set([replace(run, test=test, metadata={**run.metadata, **metadata}) for run in made])


def two(n_runs=6, program=UNCHANGED, settings=SETTINGS, **metadata):
    """The verdict on a program and another one."""
    return compare(runs_of("old", n_runs), runs_of("new", n_runs, program, first=1, **metadata), settings)


@pytest.mark.parametrize(
    ("program", "subject", "direction", "effect"),
    [
        (Program(threads=4), "jvm.thread.count", Direction.MORE, Effect.WORSE),
        (Program(threads=-4), "jvm.thread.count", Direction.LESS, Effect.BETTER),
        (Program(work=2.0), "jvm.cpu.time", Direction.MORE, Effect.WORSE),
        (Program(duration_s=6.0), "run.duration", Direction.MORE, Effect.WORSE),
    ],
)
def test_what_the_second_program_has_more_of_is_named(program, subject, direction, effect):
    verdict = two(6, program)
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value == pytest.approx(2 / 924)
    finding = next(difference for difference in verdict.findings if difference.subject == subject)
    assert (finding.source, finding.direction, finding.effect) == ("comparison", direction, effect)
    assert (finding.observed > finding.expected) == (direction is Direction.MORE)


def test_the_roles_are_alike():
    """Put the other way round, the p-value is the same and each finding has the other direction."""
    old, new = runs_of("old", 6), runs_of("new", 6, Program(leak=3e6, threads=2), first=1)
    there, back = compare(old, new, SETTINGS), compare(new, old, SETTINGS)
    assert there.p_value == back.p_value
    assert {(finding.subject, finding.expected, finding.observed) for finding in there.findings} == {
        (finding.subject, finding.observed, finding.expected) for finding in back.findings
    }
    assert all(
        finding.direction is not other.direction
        for finding, other in zip(there.findings, back.findings, strict=True)
    )


def test_equal_programs_differ_as_often_as_alpha_says():
    """Of 40 pairs of 5 and 5 runs at alpha 0.1, 4 are expected; 11 or more have a chance of 2 in 1000."""
    settings = comparing(settings_from({"alpha": 0.1}))
    pool = [program_run(8, number) for number in range(40)]
    random = np.random.default_rng(0)
    found = 0
    for _ in range(40):
        chosen = random.permutation(len(pool))[:10]
        ours, theirs = (run_set([pool[place] for place in part]) for part in np.split(chosen, 2))
        found += compare(ours, theirs, settings).status is Status.REGRESSION
    assert found < 11


def test_only_the_worse_counts_where_that_is_asked_for():
    settings = comparing(settings_from({"fail-on": "worse"}))
    assert two(6, Program(work=0.5), settings).status is Status.PASS
    assert two(6, Program(work=2.0), settings).status is Status.REGRESSION


def test_a_change_below_the_smallest_that_counts_does_not_count():
    settings = comparing(settings_from({"minimum-effect": {"jvm.thread.count": "3"}}))
    assert two(6, Program(threads=2), settings).status is Status.PASS
    assert two(6, Program(threads=4), settings).status is Status.REGRESSION


def test_the_smallest_p_value_is_that_of_the_largest_difference():
    assert smallest_p_value(5, 5, SETTINGS) == 2 / 252
    assert smallest_p_value(5, 6, SETTINGS) == 1 / 462
    worse = comparing(settings_from({"fail-on": "worse"}))
    assert smallest_p_value(5, 5, worse) == 1 / 252


@pytest.mark.parametrize(("alpha", "needed"), [(0.05, 5), (0.01, 5), (0.005, 6), (0.001, 7)])
def test_too_few_runs_for_alpha_decide_nothing(alpha, needed):
    settings = comparing(settings_from({"alpha": alpha}))
    assert runs_needed(settings) == needed
    assert two(needed, Program(threads=30), settings).status is Status.REGRESSION
    if needed > 5:
        fewer = two(needed - 1, Program(threads=30), settings)
        assert (fewer.status, fewer.p_value) == (Status.INCONCLUSIVE, None)


@pytest.mark.parametrize("n_runs", [0, 4])
def test_fewer_than_five_runs_of_one_are_not_compared(n_runs):
    with pytest.raises(JudgeError, match=f"9 and {n_runs} usable runs"):
        compare(runs_of("old", 9), runs_of("new", n_runs, first=1), SETTINGS)


def test_disturbed_runs_are_left_out_and_reported():
    old, new = runs_of("old", 6), runs_of("new", 6, first=1)
    disturbed = replace(new.runs[0], quality=starved("it was starved"))
    verdict = compare(old, run_set([disturbed, *new.runs[1:]]), SETTINGS)
    assert len(verdict.run_ids) == 5
    assert f"run {disturbed.id} cannot be judged: it was starved" in verdict.warnings


def test_another_machine_is_not_compared():
    verdict = two(**{"host.cores": 64})
    assert (verdict.status, verdict.p_value) == (Status.INCONCLUSIVE, None)
    assert verdict.reasons == ("host.cores differs: 2 with old, 64 with new",)


def test_what_a_command_decides_is_reported_and_compared():
    verdict = two(**{"jvm.vm.version": "17+1", "jvm.input.arguments": "-Xmx1g"})
    assert verdict.status is Status.PASS
    assert "jvm.vm.version differs: '25+36' with old, '17+1' with new" in verdict.warnings


def test_that_two_programs_are_compared_is_not_a_warning():
    assert not any("buto.jvm" in warning for warning in two(**{"buto.jvm": "com.acme.Next"}).warnings)


def test_a_property_of_one_program_only_keeps_the_two_from_being_alike():
    new = runs_of("new", 6, first=1)
    extra = structs.replace(property_for("jvm.gc.count[Other]"))
    more = [
        replace(
            run,
            properties=(*run.properties, extra),
            values=np.column_stack([run.values, np.zeros(len(run.times_s))]),
        )
        for run in new
    ]
    verdict = compare(runs_of("old", 6), run_set(more), SETTINGS)
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons == (
        "jvm.gc.count[Other] could not be compared: only the runs of new have it, each of them",
    )
    some = compare(runs_of("old", 6), run_set([*new.runs[:3], *more[3:]]), SETTINGS)
    assert some.status is Status.PASS


def unread_after(n_samples, runs, name, value):
    """The runs with another value of a property from some sample on."""

    def changed(run):
        values = run.values.copy()
        values[n_samples:, run.column_of[name]] = value
        return replace(run, values=values)

    return run_set([changed(run) for run in runs])


@pytest.mark.parametrize("value", [np.nan, 1.7e308])
def test_a_property_that_one_program_lacks_in_most_samples_keeps_the_two_from_being_alike(value):
    old, new = runs_of("old", 6), runs_of("new", 6, first=1)
    lacking = unread_after(2, new, "jvm.thread.count", value)
    for verdict in (compare(old, lacking, SETTINGS), compare(lacking, old, SETTINGS)):
        assert verdict.status is Status.INCONCLUSIVE
        assert [reason for reason in verdict.reasons if "jvm.thread.count could not be read in 9" in reason]
    # Without the finding, it is undecided as the same runs without a difference are.
    changed = runs_of("new", 6, Program(classes=400), first=1)
    fails = compare(old, unread_after(2, changed, "jvm.thread.count", value), SETTINGS)
    assert fails.status is Status.REGRESSION
    assert any("jvm.thread.count could not be read in 9" in reason for reason in fails.undecided)
    both = compare(unread_after(2, old, "jvm.thread.count", value), lacking, SETTINGS)
    assert both.status is Status.PASS


def test_a_property_whose_values_are_all_too_large_is_not_taken_as_read():
    new = unread_after(0, runs_of("new", 6, first=1), "jvm.thread.count", 1.7e308)
    verdict = compare(runs_of("old", 6), new, SETTINGS)
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons == (
        "jvm.thread.count could not be compared: only the runs of old have it, each of them",
    )


def test_programs_without_a_common_property_are_not_compared():
    old = run_set([make_run(2 * number, [0, 1], {"jvm.class.count": [1, 2]}) for number in range(5)])
    new = run_set([make_run(2 * number + 1, [0, 1], {"jvm.thread.count": [1, 2]}) for number in range(5)])
    with pytest.raises(JudgeError, match="no property was read in every run"):
        compare(old, new, SETTINGS)


def test_runs_that_did_not_take_turns_are_reported():
    new = run_set([replace(run, test="new") for run in runs_of("old", 6, first=100)])
    assert any(
        "in between looks like a difference" in text
        for text in compare(runs_of("old", 6), new, SETTINGS).warnings
    )
    assert not two().warnings


def test_a_test_that_is_not_judged_by_the_calibrated_oracle_lends_no_settings():
    own = settings_from({"alpha": 0.05, "metadata-ignored": ["own.*"]})
    assert comparing(THESIS) == comparing(CALIBRATED)
    assert comparing(own).alpha == 0.05
    assert "own.*" in comparing(own).metadata.ignored
    assert not comparing(own).metadata.is_deciding("jvm.vm.version")
