"""The judge on simulated machines: levels, scatter and a factor are known."""

import json
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.detector import CalibratedDetector, FittedCalibrated
from buto.judging.environments import environment_of
from buto.judging.judge_settings import CALIBRATED
from buto.judging.verdict import Status
from buto.judging.weighing import GUARANTEE
from buto.oracle import settings_from
from buto.run.model import run_set
from buto_replications.detectors.machines.detector import MachinesDetector
from buto_replications.detectors.machines.fitted import NOT_SEEN
from buto_replications.detectors.machines.groups import held_out_environments
from buto_replications.detectors.machines.ranking import SMALLEST_TAIL, SOFTENING, HeldOutTest, Scores
from tests.support.judging import needs_turns
from tests.support.runs.signals import INTERVAL_S, make_run

CLASSES, ALLOCATED, THREADS = "jvm.class.count", "jvm.memory.allocated", "jvm.thread.count"
TIMES = ("jvm.cpu.time", "jvm.compilation.time", "process.cpu.time", "jvm.gc.time[Copy]")
HEAP = "jvm.memory.heap.used"
SPEED = {"fast": 1.0, "slow": 2.5, "busy": 1.7, "new": 4.0}


def judged_by(keys):
    """The settings of the method with these keys."""
    return settings_from({"method": "machines", "machines": keys})


SETTINGS = judged_by({"alpha": 0.05})


def run_on(machine, number, *, classes=1.0, allocated=1.0, one_time=1.0, release="17", heap=1.0, threads=0):
    """A program whose times depend on a speed, whose heap on the machine, and all else on neither."""
    noise = np.random.default_rng([number, *machine.encode()])
    places = np.arange(30)
    grown = (places + 1) / len(places)

    def about(level, share):
        return level * (1 + share * noise.standard_normal())

    columns = {
        CLASSES: np.full(30, round(about(2000 * classes, 0.001))),
        ALLOCATED: about(5e8 * allocated, 0.005) * grown,
        THREADS: np.full(30, 24.0 + threads),
        HEAP: about({"fast": 2e8, "slow": 6e7, "busy": 1.1e8, "new": 3.4e7}[machine] * heap, 0.02)
        * (0.5 + grown / 2),
        **{name: about(3.0 * SPEED[machine], 0.03) * grown for name in TIMES},
    }
    columns[TIMES[0]] *= one_time
    metadata = {
        "environment.label.machine": machine,
        "environment.label.pool": "ci",
        "jvm.spec.version": release,
    }
    return make_run(number, places * INTERVAL_S, columns, metadata=metadata)


def named(run, machine):
    return replace(run, metadata={**run.metadata, "environment.label.machine": machine})


def runs_on(*machines, each=7):
    return [
        run_on(machine, 100 * place + number)
        for place, machine in enumerate(machines)
        for number in range(each)
    ]


def fitted(*machines, each=7, settings=SETTINGS):
    return MachinesDetector(settings).fit(run_set(runs_on(*machines, each=each)))


@pytest.fixture(scope="module")
def three():
    return fitted("fast", "slow", "busy")


def check(detector, *machines, **changes):
    return detector.check(
        run_set([run_on(machine, 900 + n, **changes) for n, machine in enumerate(machines)])
    )


def three_checked(detector, machine, **changes):
    return check(detector, machine, machine, machine, **changes)


def section(detector, verdict, title):
    return next(part for part in detector.explain(verdict).sections if part.title.startswith(title))


def test_runs_of_a_known_machine_are_judged_as_if_training_had_no_others(three):
    alone = MachinesDetector(SETTINGS).fit(run_set([run_on("slow", 100 + number) for number in range(7)]))
    for changes in ({}, {"allocated": 1.45}, {"threads": 2}, {"heap": 1.5}):
        known, plain = (check(detector, "slow", "slow", "slow", **changes) for detector in (three, alone))
        assert known.adjusted == "judged among the 7 training runs of this machine (machine=slow)"
        assert replace(known, adjusted="", n_training=0) == plain
        if "threads" in changes:
            assert needs_turns(known)
        elif "heap" in changes:
            # Garbage accuses nobody where allocated bytes are known.
            assert known.status is Status.PASS
        else:
            assert known.status is (Status.REGRESSION if changes else Status.PASS)
        assert (known.guarantee, known.n_training) == (GUARANTEE, 7)


def test_on_a_known_machine_what_needs_no_adjusting_is_found_among_many_others():
    """Allocated bytes and threads that the other machines' 21 runs do not help to judge."""
    known = fitted("fast", "slow", "busy", settings=judged_by({}))
    for changes in ({"allocated": 1.45}, {"threads": 2}, {"threads": 4}):
        verdict = check(known, "fast", "fast", "fast", **changes)
        if "threads" in changes:
            assert needs_turns(verdict)
        else:
            assert verdict.status is Status.REGRESSION
        assert verdict.p_value == pytest.approx(1 / 120)


def test_an_unchanged_program_passes_on_a_machine_that_training_does_not_know(three):
    verdict = check(three, "new")
    assert (verdict.status, verdict.findings) == (Status.PASS, ())
    assert verdict.adjusted == "adjusted for a machine that training does not know (3 environments)"
    (said,) = verdict.warnings
    assert said.startswith(
        "8 of 9 quantities are judged, which the machine does not change; times are divided by 2."
    )


@pytest.mark.parametrize("changes", [{"classes": 1.3}, {"allocated": 2.0}])
def test_what_does_not_depend_on_the_machine_is_judged_on_every_machine(three, changes):
    verdict = three_checked(three, "new", **changes)
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value < 0.01
    (finding,) = verdict.findings
    assert finding.subject == (CLASSES if "classes" in changes else ALLOCATED)
    assert finding.text == "the same in all environments; median of 3 runs"


def test_one_time_that_the_machines_factor_does_not_explain_is_found(three):
    verdict = three_checked(three, "new", one_time=2.0)
    assert verdict.status is Status.REGRESSION
    (finding,) = verdict.findings
    assert finding.subject == TIMES[0]
    assert finding.observed == pytest.approx(2 * finding.expected, rel=0.15)
    assert (
        finding.text
        == "the same in all environments after division by the machine's factor; median of 3 runs"
    )


def test_on_an_unknown_machine_a_certain_change_that_does_not_matter_is_noted():
    detector = fitted(
        "fast",
        "slow",
        "busy",
        settings=settings_from(
            {"method": "machines", "machines": {"alpha": 0.05, "minimum-effect": "never"}}
        ),
    )
    verdict = three_checked(detector, "new", classes=1.3)
    assert (verdict.status, verdict.findings) == (Status.PASS, ())
    assert [finding.subject for finding in verdict.noted] == [CLASSES]


def test_on_an_unknown_machine_a_change_for_the_better_fails_only_if_any_change_does():
    worse = fitted(
        "fast",
        "slow",
        "busy",
        settings=judged_by({"alpha": 0.05, "fail-on": "worse"}),
    )
    assert three_checked(worse, "new", allocated=0.5).status is Status.PASS
    assert three_checked(worse, "new", allocated=2.0).status is Status.REGRESSION


def test_no_p_value_is_below_what_few_environments_can_show(three):
    verdict = check(three, "new", classes=10.0)
    assert verdict.p_value == three.whole.smallest_elsewhere == 2 * SMALLEST_TAIL


def test_an_alpha_that_cannot_be_reached_on_an_unknown_machine_is_said():
    detector = fitted("fast", "slow", "busy", settings=judged_by({"alpha": 0.0015}))
    said = detector.training_warnings(run_set(runs_on("fast", "slow", "busy")))[0]
    assert said.startswith("a run of another environment is inconclusive: no p-value is below 0.002")
    verdict = check(detector, "new", classes=10.0)
    assert (verdict.status, verdict.p_value) == (Status.INCONCLUSIVE, None)
    assert "an alpha of 0.0015 cannot be reached there" in verdict.reasons[0]


def test_what_has_a_level_of_its_own_on_each_machine_is_judged_only_where_that_is_known():
    asked = fitted("fast", "slow", "busy", settings=SETTINGS.with_value("minimum-effect", {HEAP: "5%"}))
    assert check(asked, "new", heap=3.0).status is Status.PASS
    verdict = check(asked, "slow", "slow", "slow", heap=3.0)
    assert [finding.subject for finding in verdict.findings] == [HEAP]


def test_something_new_that_training_does_not_vary_is_not_guessed_about(three):
    verdict = check(three, "new", classes=1.3, release="25")
    assert verdict.status is Status.INCONCLUSIVE
    (reason,) = verdict.reasons
    assert reason.startswith("jvm.spec.version is '25' and was '17' in all training runs")
    assert check(three, "new", release="25").status is Status.PASS


def test_too_few_environments_do_not_show_what_an_unknown_machine_changes():
    runs = [*runs_on("fast", each=20), run_on("slow", 950)]
    detector = MachinesDetector(SETTINGS).fit(run_set(runs))
    few, apart = detector.training_warnings(run_set(runs))[:2]
    assert few.startswith("fewer than 5 training runs are of machine=slow")
    assert apart.startswith("2 environments do not show what the machine changes")
    verdict = check(detector, "slow")
    assert (verdict.status, verdict.p_value) == (Status.INCONCLUSIVE, None)
    assert verdict.reasons[0].startswith("1 training run is of this environment (machine=slow)")
    assert (
        check(detector, "new").reasons[0].startswith("no training run is of this environment (machine=new)")
    )
    assert check(detector, "fast").status is Status.PASS


def test_machines_that_never_repeat_count_as_draws_of_all():
    names = ["fast", "slow", "busy"]
    runs = run_set([named(run_on(names[number % 3], number), str(number)) for number in range(21)])
    detector = MachinesDetector(SETTINGS).fit(runs)
    assert "counts as one more draw of all machines" in detector.training_warnings(runs)[0]
    verdict = check(detector, "slow")
    assert verdict.status is Status.PASS
    assert verdict.adjusted == "judged among 21 training runs of 21 machines, as one more draw of these"
    three = ["slow"] * 3
    verdict = check(detector, *three, classes=1.5)
    assert (verdict.status, verdict.guarantee) == (Status.REGRESSION, GUARANTEE)
    verdict = check(detector, *three, classes=1.5, release="25")
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons[0].startswith("jvm.spec.version is '25' and was '17' in all training runs")


def test_on_an_unknown_machine_a_finding_is_beyond_what_held_out_environments_have(three):
    verdict = check(three, "new", classes=1.3)
    (finding,) = verdict.findings
    assert verdict.guarantee == NOT_SEEN
    run = run_on("new", 900, classes=1.3)
    environment = environment_of(run.metadata, SETTINGS.metadata)
    found = three.whole.judged(environment, [three.whole.numbers.measure(run)], SETTINGS).mattering
    held_out = np.abs(np.vstack(held_out_environments(three.whole.groups, 1))).max()
    assert found.limits[found.judged].max() > held_out
    assert finding.lower < finding.expected < finding.upper < finding.observed


def test_a_component_that_is_no_single_value_is_refused(three):
    for part in ("machines", "elsewhere"):
        stored = json.loads(json.dumps(three.to_data()))
        first = stored[part][0]["environment"] if part == "machines" else stored[part]["environments"][0]
        first["jvm.spec.version"] = ["17"]
        with pytest.raises(BadFileError, match=r"component jvm\.spec\.version"):
            MachinesDetector(SETTINGS).from_data(stored)


def test_runs_of_different_environments_are_not_judged_together(three):
    assert check(three, "slow", "fast").status is Status.INCONCLUSIVE


def test_three_runs_are_judged_by_their_median(three):
    alone = three.check(run_set([run_on("new", 900, classes=1.3)]))
    mixed = three.check(run_set([run_on("new", 900, classes=1.3), run_on("new", 901), run_on("new", 902)]))
    assert alone.needs_more
    assert (alone.status, mixed.status) == (Status.INCONCLUSIVE, Status.PASS)


def test_the_report_has_environments_side_by_side(three):
    verdict = check(three, "new", classes=1.3)
    environments = section(three, verdict, "Environments")
    assert environments.columns == ("component", "A", "B", "C")
    assert environments.rows == (
        ("training runs", "7", "7", "7"),
        ("environment.label.machine", "fast", "slow", "busy"),
    )
    (row,) = section(three, verdict, "Flagged").rows
    assert row[:3] == (CLASSES, "mean over the run", f"{verdict.findings[0].observed:,.0f} classes")
    depends = {row[0]: row[2] for row in section(three, verdict, "What depends").rows}
    assert CLASSES in depends["the same everywhere"]
    assert TIMES[0] in depends["the same after division by the machine's factor"]
    assert HEAP in depends["different: judged only where five training runs are of the same environment"]
    assert "every way of choosing" in three.explain(check(three, "slow")).rule


def test_the_oracle_says_in_sentences_what_is_the_same(three):
    stored = json.loads(json.dumps(three.to_data()))
    blocks = {quantity["name"]: quantity["numbers"] for quantity in stored["elsewhere"]["quantities"]}
    assert blocks[THREADS]["mean"]["says"] == "the mean over the run is 24 threads on every machine"
    assert blocks[HEAP]["mean"]["says"].endswith("and differs between machines")
    again = MachinesDetector(SETTINGS).from_data(stored)
    assert again.to_data() == three.to_data()
    assert check(again, "new", classes=1.3) == check(three, "new", classes=1.3)


def test_people_read_what_is_usual_on_the_machine_with_most_runs_else_on_all(three):
    def threads_and_heap(fitted):
        known = {level.prop.name: level for level in fitted.levels()}
        return known[THREADS].expected, known[HEAP].lower < 1e8 < known[HEAP].upper

    assert threads_and_heap(three) == (24, False)
    assert threads_and_heap(fitted("fast", "slow", "busy", each=4)) == (24, True)


def test_runs_of_one_machine_need_no_adjusting():
    assert isinstance(fitted("fast"), FittedCalibrated)
    assert check(fitted("fast"), "fast").adjusted == ""


def test_a_selftest_leaves_out_each_environment_once():
    detector = MachinesDetector(SETTINGS)
    found = detector.selftest(run_set(runs_on("fast", "slow", "busy", "new", each=9)), 6)
    assert (found.n_training, found.alpha, len(found.turning.by_run)) == (6, 0.05, 9)
    assert found.left_out.by_run.tolist() == [0.0] * 4
    assert found.not_left_out == ()


def test_runs_of_an_environment_left_out_are_confirmed_by_the_next_ones():
    detector, good = MachinesDetector(SETTINGS), runs_on("fast", "slow", "busy", each=9)
    other = [run_on("new", 300 + number, classes=1.3 if number < 2 else 1.0) for number in range(7)]
    found = detector.selftest(run_set([*good, *other]), 6)
    # The first two fail alone. Two unchanged runs come after the second, and clear it.
    assert found.left_out.by_run.tolist() == [0.0, 0.0, 0.0, pytest.approx(1 / 7)]


def test_an_environment_in_which_nothing_can_fail_is_not_left_out():
    other = [run_on("new", 300 + number, release="25") for number in range(7)]
    found = MachinesDetector(SETTINGS).selftest(
        run_set([*runs_on("fast", "slow", "busy", each=9), *other]), 6
    )
    assert len(found.left_out.by_run) == 3
    (why,) = found.not_left_out
    assert why.startswith("jvm.spec.version differs in one environment only")


def test_without_three_other_environments_no_selftest_leaves_one_out():
    found = MachinesDetector(SETTINGS).selftest(run_set(runs_on("fast", "slow", "busy", each=9)), 6)
    assert found.left_out is None
    assert found.not_left_out == ("that takes 4 or more, and these runs are of 3 environments",)


def test_growth_is_judged_where_the_level_depends_on_the_machine():
    """A leak of classes shows on another JDK, which loads more classes at the start."""

    def started_with(run, more, slope):
        values = run.values.copy()
        values[:, run.column_of[CLASSES]] += more + slope * np.arange(len(values))
        return replace(run, values=values)

    level = {"fast": 0.0, "slow": 900.0, "busy": 400.0, "new": 1500.0}
    names = ("fast", "slow", "busy")
    prior = [
        started_with(run_on(name, 100 * place + number), level[name], 0.0)
        for place, name in enumerate(names)
        for number in range(7)
    ]
    detector = MachinesDetector(SETTINGS).fit(run_set(prior))
    fine, leaking = (
        detector.check(run_set([started_with(run_on("new", 900 + n), level["new"], slope) for n in range(3)]))
        for slope in (0.0, 10.0)
    )
    assert fine.status is Status.PASS
    assert leaking.status is Status.REGRESSION
    assert [finding.subject for finding in leaking.findings] == [CLASSES]


def test_a_difference_as_between_environments_is_inconclusive_with_how_many_would_show_it():
    scores = Scores(tuple(np.full(7, factor) for factor in (1.0, 1.3, 1.6)))
    beyond = next(factor for factor in np.arange(1.6, 4.0, 0.01) if scores.p_value(factor) <= 0.05)
    assert scores.needed(beyond, 0.05) is None
    assert scores.needed(beyond - 0.05, 0.05) > 3
    assert scores.needed(1.3, 0.05) is None
    assert np.log(scores.limit(0.05) + SOFTENING) == pytest.approx(beyond, abs=0.011)


def test_a_score_that_a_prior_test_has_is_at_least_as_likely_as_that():
    scores = Scores((np.array([1.0, 1.0, 1.0, 9.0]), np.full(4, 1.0), np.full(4, 1.2)))
    assert scores.p_value(8.9) >= 1 / 12
    assert scores.p_value(9.1) < 1 / 12


def test_no_more_environments_are_asked_for_if_prior_tests_score_as_high():
    scores = Scores((np.array([1.0, 1.0, 1.0, 2.0]), np.full(4, 1.0), np.full(4, 1.2)))
    which = np.ones(1, dtype=bool)
    assert scores.tail(1.8, 3) > 0.05 > scores.tail(1.8, 40)
    assert scores.tail(1.9, 3) < 0.05 < scores.share(1.9)
    for score in (1.8, 1.9):
        assert scores.needed(score, 0.05) is None
        assert not HeldOutTest(((which, scores, score),)).stands_out(0.05)
    assert HeldOutTest(((which, scores, 2.05),)).stands_out(0.05)


def test_the_judge_reads_what_the_method_has_learned_and_judges_known_machines_alike(three):
    judge = CalibratedDetector(CALIBRATED.with_value("alpha", 0.05)).from_data(three.to_data())
    for changes in ({}, {"allocated": 1.45}):
        ours, theirs = (check(detector, "slow", "slow", "slow", **changes) for detector in (three, judge))
        assert ours == theirs
    verdict = check(judge, "new", allocated=2.0)
    assert (verdict.status, verdict.p_value) == (Status.INCONCLUSIVE, None)
    assert verdict.looked.is_elsewhere
