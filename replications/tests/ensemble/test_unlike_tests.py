"""What prior tests differ in means nothing: amounts of work, slow machines, and counters that scatter."""

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import BadFileError, JudgeError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.verdict import Status
from buto.run.model import Outcome, Run, run_set
from buto.run.properties import Kind, Property
from buto_replications.detectors.ensemble.detector import FooDetector
from buto_replications.detectors.ensemble.mining import Thresholds, intervals_of, learn_bins, mine
from buto_replications.detectors.ensemble.rules import learn_machines
from buto_replications.detectors.ensemble.settings import FOO
from buto_replications.detectors.machines.fitted import learn_whole
from buto_replications.detectors.machines.numbers import Work, learn_work

THROUGHPUT = "load.throughput[read]"
STATEMENTS = "database.statements.calls"
TIMES = tuple(f"load.latency.p50[{kind}]" for kind in ("read", "write", "search"))


def run_of(number, *, answers=40.0, each=5.0, slow=1.0, place="a"):
    """Thirty seconds of requests, each with so many statements, on a machine that is so slow."""
    noise = np.random.default_rng(number)
    times_s = np.arange(0.0, 30.5, 0.5)
    rates = answers * (1 + 0.05 * noise.standard_normal(len(times_s)))
    done = np.concatenate([[0.0], np.cumsum(rates[1:] * 0.5)])
    columns = [rates, each * done]
    properties = [Property(THROUGHPUT, "{answer}/s", Kind.GAUGE), Property(STATEMENTS, "1", Kind.COUNTER)]
    for name in TIMES:
        properties.append(Property(name, "s", Kind.GAUGE))
        columns.append(0.01 * slow * (1 + 0.02 * noise.standard_normal(len(times_s))))
    return Run(
        id=f"20260101T0000{number:02}.000Z-{number:04x}",
        test="shop",
        properties=tuple(properties),
        times_s=times_s,
        values=np.array(columns).T.copy(),
        outcome=Outcome(duration_s=30.0, exit_code=0),
        metadata={"environment.label.place": place, "environment.label.team": "x"},
    )


PRIOR = [
    run_of(0),
    run_of(1, answers=60.0, place="b"),
    run_of(2, answers=30.0, slow=1.4, place="c"),
    run_of(3, slow=0.9, place="d"),
]
MORE = {"work": ["load.throughput*"], "prior-deviations": 4.0, "machine-factor": True, "rule-intervals": 29}
OURS = replace(FOO, values={**FOO.values, **MORE})


def fitted(settings=OURS):
    return FooDetector(settings).fit(run_set(PRIOR))


def lacking(run, name):
    """A run without the property of this name."""
    kept = [place for place, prop in enumerate(run.properties) if prop.name != name]
    properties = tuple(run.properties[place] for place in kept)
    return replace(run, properties=properties, values=run.values[:, kept])


def missing(run, rows):
    """A run whose rate of answers could not be read in some samples."""
    values = run.values.copy()
    values[rows, 0] = np.nan
    return replace(run, values=values)


def unknown_in(run):
    return f"growth is not judged, because {THROUGHPUT} could not be read, or counted no work, in {run.id}"


def flagged(run, settings=OURS):
    return {found.subject for found in fitted(settings).check(run_set([run])).findings}


def test_growth_is_scaled_to_the_usual_work():
    work = learn_work(PRIOR, ["load.throughput*"])
    assert work.names == (THROUGHPUT,)
    assert work.rate == pytest.approx(40, rel=0.03)
    prop = PRIOR[0].properties[1]
    for run in PRIOR:
        values = intervals_of(run, [prop], 5.0, work)
        assert values[:, 0] == pytest.approx(np.full(6, 5 * work.rate * 5.0), rel=1e-3)


def test_without_work_growth_is_not_known():
    idle = Work((THROUGHPUT,), 40.0).scale(run_of(1, answers=0.0), np.array([0.0, 10.0]))
    assert np.isnan(idle).all()
    assert np.isnan(Work(("load.other",), 40.0).scale(PRIOR[0], np.array([0.0, 10.0]))).all()
    assert learn_work(PRIOR, ["load.other"]) is None
    assert learn_work(PRIOR, []) is None


def test_missed_readings_of_work_are_interpolated():
    whole = PRIOR[0]
    missed = missing(whole, slice(0, None, 5))
    work = learn_work([whole], ["load.throughput*"])
    assert learn_work([missed], ["load.throughput*"]).rate == pytest.approx(work.rate, rel=0.02)
    prop = whole.properties[1]
    scaled = [intervals_of(run, [prop], 5.0, work)[:, 0] for run in (whole, missed)]
    assert scaled[1] == pytest.approx(scaled[0], rel=0.04)
    unread = missing(whole, slice(None))
    assert np.isnan(intervals_of(unread, [prop], 5.0, work)).all()
    assert (work.is_known(missed), work.is_known(unread)) == (True, False)


def test_work_of_which_one_kind_could_never_be_read_is_not_known():
    kinds = (THROUGHPUT, TIMES[0])
    both, unread = PRIOR[0], missing(PRIOR[0], slice(None))
    assert Work(kinds, 40.0).is_known(both)
    assert not Work(kinds, 40.0).is_known(unread)
    assert Work(kinds, 40.0).is_known(lacking(both, TIMES[0]))


def test_a_prior_test_without_work_is_named_in_place_of_its_counters():
    lone = lacking(PRIOR[3], THROUGHPUT)
    runs = run_set([*PRIOR[:3], lone])
    assert FooDetector(OURS).fit(runs).left_out == {STATEMENTS: unknown_in(lone)}
    assert learn_whole(runs.runs, CALIBRATED)[1] == {STATEMENTS: unknown_in(lone)}
    for name in TIMES:
        runs = run_set([lacking(run, name) for run in runs])
    with pytest.raises(JudgeError, match="no property was read in every training run; growth is not judged"):
        FooDetector(OURS).fit(runs)


def test_a_run_without_work_is_named_in_place_of_its_counters():
    idle = lacking(run_of(9), THROUGHPUT)
    verdict = fitted().check(run_set([idle]))
    assert (verdict.status, verdict.reasons) == (Status.INCONCLUSIVE, (unknown_in(idle),))


def test_a_counter_of_work_is_its_growth():
    assert learn_work(PRIOR[:1], [STATEMENTS]).rate == pytest.approx(5 * 40, rel=0.03)


def test_more_requests_are_no_change_and_more_statements_for_each_are_one():
    assert flagged(run_of(9, answers=90.0, place="e")) == set()
    assert flagged(run_of(9, answers=90.0, each=7.0, place="e")) == {STATEMENTS}
    assert STATEMENTS in flagged(run_of(9, answers=180.0, place="e"), FOO)


def test_a_slower_machine_is_no_change_and_one_slower_kind_of_request_is_one():
    slow = run_of(9, slow=3.0, place="e")
    assert flagged(slow) == set()
    said = fitted().check(run_set([slow])).warnings
    assert said[0].startswith("times that depend on the machine are divided by 2.8")
    values = run_of(9, place="e").values.copy()
    values[:, 4] *= 6
    run = run_of(9, place="e")
    changed = Run(run.id, run.test, run.properties, run.times_s, values, outcome=run.outcome)
    assert flagged(changed) == {TIMES[2]}


def test_few_tests_or_times_tell_no_factor():
    values = [np.array([[1.0, 2.0, 3.0]]) * factor for factor in (1, 2, 4)]
    all_times = np.ones(3, dtype=bool)
    assert learn_machines(values, all_times).levels.tolist() == pytest.approx([2.0, 4.0, 6.0])
    assert learn_machines(values, all_times).factor(values[2] * 3) == pytest.approx(6.0)
    for some, times in ((values[:2], all_times), (values, np.array([True, True, False]))):
        assert not learn_machines(some, times).scaled.any()
        assert learn_machines(some, times).factor(values[0]) == 1.0


def test_bins_are_as_wide_as_prior_tests_are_apart():
    values = np.linspace(90, 100, 300)[:, None]
    bins = learn_bins([values], 0.0, np.array([5.0]))
    assert (bins.counts.tolist(), bins.low.tolist(), bins.high.tolist()) == ([2], [85.0], [105.0])


def test_a_rule_must_be_seen_often():
    rows = np.repeat([[1, 1], [2, 2]], 14, axis=0)
    assert len(mine(rows, Thresholds())) == 4
    assert len(mine(rows, Thresholds(fewest=14))) == 4
    assert len(mine(rows, Thresholds(fewest=15))) == 0
    assert len(mine(rows[:0], Thresholds())) == 0
    assert 0.9**28 > 0.05 > 0.9**29


def test_the_oracle_keeps_work_and_levels():
    detector = fitted()
    again = FooDetector(OURS).from_data(detector.to_data())
    assert again.to_data() == detector.to_data()
    slow = run_set([run_of(9, slow=3.0, each=7.0, place="e")])
    assert again.check(slow) == detector.check(slow)
    damaged = detector.to_data()
    damaged["work"]["each_second"] = 0
    with pytest.raises(BadFileError, match="is no rate of work"):
        FooDetector(OURS).from_data(damaged)


def test_whole_tests_are_scaled_too_and_work_itself_is_not_judged():
    whole, _ = learn_whole(PRIOR, CALIBRATED)
    assert THROUGHPUT not in {prop.name for prop in whole.numbers.quantities}
    place = next(
        place
        for place, feature in enumerate(whole.numbers.catalogue)
        if (whole.numbers.quantities[feature.column].name, feature.name) == (STATEMENTS, "total")
    )
    assert whole.values[:, place] == pytest.approx(np.full(4, 5 * whole.numbers.work.rate * 30), rel=1e-3)
