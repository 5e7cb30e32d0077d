"""Whole tests on simulated machines: levels, scatter and a factor are known."""

import json
from dataclasses import replace

import numpy as np
import pytest

from buto.detectors.ensemble.detector import EnsembleDetector
from buto.detectors.ensemble.settings import ENSEMBLE
from buto.detectors.ensemble.whole.deviations import held_out_environments
from buto.detectors.ensemble.whole.elsewhere import Elsewhere, Scores
from buto.detectors.ensemble.whole.fitted import KNOWN, NOT_SEEN
from buto.detectors.ensemble.whole.tail import SMALLEST_TAIL, SOFTENING
from buto.errors import BadFileError, JudgeError, UsageError
from buto.oracle import settings_from
from buto.runs import run_set
from buto.verdicts import Status
from tests.support.runs.signals import INTERVAL_S, make_run

CLASSES, ALLOCATED, THREADS = "jvm.class.count", "jvm.memory.allocated", "jvm.thread.count"
TIMES = ("jvm.cpu.time", "jvm.compilation.time", "jvm.class.initialization.time", "jvm.safepoint.time")
HEAP = "jvm.memory.heap.used"
SPEED = {"fast": 1.0, "slow": 2.5, "busy": 1.7, "new": 4.0}


def run_on(machine, number, *, classes=1.0, allocated=1.0, one_time=1.0, release="17", heap=1.0):
    """A program whose times depend on a speed, whose heap on the machine, and all else on neither."""
    noise = np.random.default_rng([number, *machine.encode()])
    places = np.arange(30)
    grown = (places + 1) / len(places)

    def about(level, share):
        return level * (1 + share * noise.standard_normal())

    columns = {
        CLASSES: np.full(30, round(about(2000 * classes, 0.001))),
        ALLOCATED: about(5e8 * allocated, 0.005) * grown,
        THREADS: np.full(30, 24.0),
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


def fitted(*machines, each=7, settings=ENSEMBLE):
    runs = [run_on(one, 100 * place + number) for place, one in enumerate(machines) for number in range(each)]
    return EnsembleDetector(settings).fit(run_set(runs))


@pytest.fixture(scope="module")
def three():
    return fitted("fast", "slow", "busy")


def check(detector, *machines, **changes):
    return detector.check(run_set([run_on(one, 900 + n, **changes) for n, one in enumerate(machines)]))


def section(detector, verdict, title):
    return next(one for one in detector.explain(verdict).sections if one.title.startswith(title))


def test_an_unchanged_program_passes_on_a_machine_never_seen(three):
    verdict = check(three, "new")
    assert (verdict.status, verdict.findings) == (Status.PASS, ())
    (said,) = verdict.warnings
    assert "shares 2 of 3 components" in said
    assert "judged are 7 of 9 quantities" in said
    assert "the machine's factor is 2." in said


def test_an_environment_unlike_all_is_said(three):
    run = replace(run_on("new", 900), metadata={"environment.label.machine": "elsewhere"})
    (said,) = three.check(run_set([run])).warnings
    assert said.startswith("no component of the environment is that of a prior test; judged are ")


@pytest.mark.parametrize("changes", [{"classes": 1.3}, {"allocated": 2.0}])
def test_what_does_not_depend_on_the_machine_is_judged_on_every_machine(three, changes):
    verdict = check(three, "new", **changes)
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value < 0.01
    (finding,) = verdict.findings
    assert finding.subject == (CLASSES if "classes" in changes else ALLOCATED)
    assert finding.text.startswith(
        "the same in all environments; violates rules of 21 of 21 prior tests (all): "
    )


def test_one_time_that_the_machines_factor_does_not_explain_is_found(three):
    verdict = check(three, "new", one_time=2.0)
    assert verdict.status is Status.REGRESSION
    assert [one.subject for one in verdict.findings] == [TIMES[0]]
    (finding,) = verdict.findings
    assert finding.observed == pytest.approx(2 * finding.expected, rel=0.15)
    assert finding.text.startswith("the same in all environments after division by the machine's factor")


def test_no_p_value_is_below_what_few_environments_can_show(three):
    verdict = check(three, "new", classes=10.0)
    assert verdict.p_value == three.whole.smallest_elsewhere == 2 * SMALLEST_TAIL


def test_an_alpha_that_cannot_be_reached_on_a_machine_never_seen_is_said():
    settings = settings_from({"method": "ensemble", "ensemble": {"alpha": 0.0015}})
    detector = fitted("fast", "slow", "busy", settings=settings)
    *_, said = detector.training_warnings(run_set([]))
    assert said.startswith("nothing can be judged on other machines: no p-value is below 0.002")
    verdict = check(detector, "new", classes=10.0)
    assert (verdict.status, verdict.p_value) == (Status.INCONCLUSIVE, None)
    assert "an alpha of 0.0015 cannot be reached there" in verdict.reasons[0]


def test_what_has_a_level_of_its_own_on_each_machine_is_judged_only_where_that_is_known(three):
    assert check(three, "new", heap=3.0).status is Status.PASS
    verdict = check(three, "slow", heap=3.0)
    assert verdict.status is Status.REGRESSION
    assert [one.subject for one in verdict.findings] == [HEAP]
    assert verdict.findings[0].text.startswith("depends on the environment")


def test_something_new_that_prior_tests_do_not_vary_is_not_guessed_about(three):
    verdict = check(three, "new", classes=1.3, release="25")
    assert verdict.status is Status.INCONCLUSIVE
    (reason,) = verdict.reasons
    assert reason.startswith("jvm.spec.version is '25' and was '17' in all prior tests")
    assert check(three, "new", release="25").status is Status.PASS


def test_what_stands_out_among_too_few_prior_tests_is_inconclusive_with_their_number():
    detector = fitted("fast", each=12)
    verdict = check(detector, "fast", classes=1.3)
    assert (verdict.status, verdict.runs_needed) == (Status.INCONCLUSIVE, 19)
    assert "12 prior tests cannot tell a share of 0.05 from chance: 7 more could" in verdict.reasons[0]
    assert check(detector, "fast").status is Status.PASS


def test_prior_tests_of_one_machine_do_not_show_what_another_one_changes():
    verdict = check(fitted("fast", each=20), "new")
    assert verdict.status is Status.INCONCLUSIVE
    assert "those of one other environment do not show what the machine changes" in verdict.reasons[0]
    assert verdict.p_value is None


def test_a_lone_prior_test_of_an_environment_is_said_in_training():
    runs = [run_on("fast", number) for number in range(20)] + [run_on("slow", 50)]
    detector = EnsembleDetector(ENSEMBLE).fit(run_set(runs))
    lone, apart = detector.training_warnings(run_set([]))
    assert lone.startswith("fewer than 5 prior tests are of ")
    assert apart.startswith("nothing can be judged on other machines")
    verdict = check(detector, "slow")
    assert verdict.status is Status.INCONCLUSIVE
    assert "1 prior test is too few of this environment" in verdict.reasons[0]


def test_machines_that_never_repeat_count_as_draws_of_all():
    names = ["fast", "slow", "busy"]
    runs = [named(run_on(names[number % 3], number), str(number)) for number in range(21)]
    detector = EnsembleDetector(ENSEMBLE).fit(run_set(runs))
    assert "they count as draws of all machines" in detector.training_warnings(run_set([]))[0]
    assert check(detector, "slow").status is Status.PASS
    verdict = check(detector, "slow", classes=1.5)
    assert (verdict.status, verdict.guarantee) == (Status.REGRESSION, KNOWN)
    verdict = check(detector, "slow", classes=1.5, release="25")
    assert verdict.status is Status.INCONCLUSIVE
    (reason,) = verdict.reasons
    assert reason.startswith("jvm.spec.version is '25' and was '17' in all prior tests")


def test_few_prior_tests_of_several_machines_are_not_said_to_be_of_one():
    detector = EnsembleDetector(ENSEMBLE).fit(run_set([run_on(one, 1) for one in ("fast", "slow", "busy")]))
    (reason,) = check(detector, "slow").reasons
    assert reason.startswith("1 prior test is too few of this environment")
    assert reason.endswith(
        "too few share an environment to show what it changes: train with 5 or more of each of 3 environments"
    )
    (reason,) = check(detector, "new").reasons
    assert reason.startswith("no prior test is of this environment")
    assert "one other environment" not in reason


def test_on_a_machine_never_seen_a_finding_is_beyond_what_held_out_environments_have(three):
    verdict = check(three, "new", classes=1.3)
    (finding,) = verdict.findings
    assert verdict.guarantee == NOT_SEEN
    found = three.ranked([run_on("new", 900, classes=1.3)])
    held_out = np.abs(np.vstack(held_out_environments(three.whole.groups, 1))).max()
    assert found.limits[found.judged].max() > held_out
    assert finding.lower < finding.expected < finding.upper < finding.observed


@pytest.mark.parametrize("part", [("whole_tests", "environments"), ("rules", "prior_tests")])
def test_a_component_that_is_no_single_value_is_refused(three, part):
    stored = json.loads(json.dumps(three.to_data()))
    (first, *_) = stored[part[0]][part[1]]
    first.get("environment", first)["jvm.spec.version"] = ["17"]
    with pytest.raises(BadFileError, match="component jvm.spec.version"):
        EnsembleDetector(ENSEMBLE).from_data(stored)


def test_runs_of_different_environments_are_not_judged_together(three):
    assert check(three, "slow", "fast").status is Status.INCONCLUSIVE


def test_three_runs_are_judged_by_their_median(three):
    alone = three.check(run_set([run_on("new", 900, classes=1.3)]))
    mixed = three.check(run_set([run_on("new", 900, classes=1.3), run_on("new", 901), run_on("new", 902)]))
    assert three.why_confirm(alone) is not None
    assert (alone.status, mixed.status) == (Status.REGRESSION, Status.PASS)


def test_the_report_has_environments_side_by_side(three):
    verdict = check(three, "new", classes=1.3)
    environments = section(three, verdict, "Environments")
    assert environments.columns == ("component", "A", "B", "C")
    assert ("environment.label.machine", "fast", "slow", "busy") in environments.rows
    (row,) = section(three, verdict, "Flagged").rows
    assert row[:3] == (CLASSES, "mean over the run", f"{verdict.findings[0].observed:.0f} classes")
    depends = {row[0]: row[2] for row in section(three, verdict, "What depends").rows}
    assert CLASSES in depends["the same everywhere"]
    assert TIMES[0] in depends["the same after division by the machine's factor"]
    assert HEAP in depends["different: judged only where prior tests are of the same environment"]


def test_the_oracle_says_in_sentences_what_is_the_same(three):
    stored = json.loads(json.dumps(three.to_data()))
    blocks = {one["name"]: one["numbers"] for one in stored["whole_tests"]["quantities"]}
    assert blocks[THREADS]["mean"]["says"] == "the mean over the run is 24 threads on every machine"
    assert blocks[HEAP]["mean"]["says"].endswith("and differs between machines")
    assert EnsembleDetector(ENSEMBLE).from_data(stored).to_data() == three.to_data()


def test_alpha_is_what_makes_whole_tests_count():
    assert "alpha" not in settings_from({"method": "foo"}).values
    with pytest.raises(UsageError, match="alpha"):
        settings_from({"method": "ensemble", "ensemble": {"alpha": 0.9}})


def unchanged_runs(*machines, each=7):
    return run_set(
        [run_on(one, 100 * place + number) for place, one in enumerate(machines) for number in range(each)]
    )


def test_a_selftest_leaves_out_each_environment_once():
    found = EnsembleDetector(ENSEMBLE).selftest(unchanged_runs("fast", "slow", "busy", "new"), 20)
    assert (found.n_training, found.alpha) == (20, 0.05)
    assert (len(found.single.by_run), found.not_left_out) == (28, ())
    assert found.left_out.by_run.tolist() == [0.0] * 4


def test_runs_of_an_environment_left_out_are_confirmed_by_the_next_ones():
    good = unchanged_runs("fast", "slow", "busy").runs
    other = [run_on("new", 300 + number, classes=1.3 if number < 2 else 1.0) for number in range(7)]
    found = EnsembleDetector(ENSEMBLE).selftest(run_set([*good, *other]), 20)
    # The first two fail alone. Two unchanged runs come after the second, and clear it.
    assert found.left_out.by_run.tolist() == [0.0, 0.0, 0.0, pytest.approx(1 / 7)]
    other = [run_on("new", 300 + number, classes=1.3) for number in range(7)]
    found = EnsembleDetector(ENSEMBLE).selftest(run_set([*good, *other]), 20)
    assert found.left_out.by_run.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_an_environment_in_which_nothing_can_fail_is_not_left_out():
    good = unchanged_runs("fast", "slow", "busy").runs
    other = [run_on("new", 300 + number, release="25") for number in range(7)]
    found = EnsembleDetector(ENSEMBLE).selftest(run_set([*good, *other]), 20)
    assert len(found.left_out.by_run) == 3
    (why,) = found.not_left_out
    assert why.startswith("jvm.spec.version differs in one environment only")


def test_without_three_other_environments_no_selftest_leaves_one_out():
    found = EnsembleDetector(ENSEMBLE).selftest(unchanged_runs("fast", "slow", "busy", each=8), 19)
    assert found.left_out is None
    assert found.not_left_out == ("that takes 4 or more, and these runs are of 3 environments",)


def test_the_selftest_needs_enough_runs():
    with pytest.raises(JudgeError, match="7 runs are too few"):
        EnsembleDetector(ENSEMBLE).selftest(unchanged_runs("fast"), 5)
    with pytest.raises(JudgeError, match=r"18 training runs cannot tell a share of 0\.05") as refused:
        EnsembleDetector(ENSEMBLE).selftest(unchanged_runs("fast", "slow", "busy"), 18)
    assert "at least 22 runs are needed" in refused.value.advice


def test_growth_is_judged_where_the_level_depends_on_the_machine():
    """A leak of classes shows on another JDK, which loads more classes at the start."""

    def started_with(run, more, slope):
        values = run.values.copy()
        values[:, run.column_of[CLASSES]] += more + slope * np.arange(len(values))
        return replace(run, values=values)

    level = {"fast": 0.0, "slow": 900.0, "busy": 400.0, "new": 1500.0}
    prior = [
        started_with(run_on(one, 100 * place + number), level[one], 0.0)
        for place, one in enumerate(("fast", "slow", "busy"))
        for number in range(7)
    ]
    detector = EnsembleDetector(ENSEMBLE).fit(run_set(prior))
    fine, leaking = (
        detector.check(run_set([started_with(run_on("new", 900), level["new"], slope)]))
        for slope in (0.0, 10.0)
    )
    assert fine.status is Status.PASS
    assert leaking.status is Status.REGRESSION
    assert [one.subject for one in leaking.findings] == [CLASSES]


def test_a_difference_as_between_environments_is_inconclusive_with_how_many_would_show_it():
    scores = Scores(tuple(np.full(7, one) for one in (1.0, 1.3, 1.6)))
    beyond = next(one for one in np.arange(1.6, 4.0, 0.01) if scores.p_value(one) <= 0.05)
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
        assert not Elsewhere(((which, scores, score),)).stands_out(0.05)
    assert Elsewhere(((which, scores, 2.05),)).stands_out(0.05)
