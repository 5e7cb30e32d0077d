"""Recording over several sessions: where the next one goes on, what it counts, what it forgives."""

import math
import time
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.actions.collecting import LaunchPlan, interleave, without
from buto.actions.ending import repeats
from buto.actions.events import LaunchesPlanned, LaunchRepeated, LaunchStarted
from buto.cli.console import Console
from buto.cli.progress import LaunchProgress
from buto.errors import BadFileError, MeasureError
from buto.measure.target import Target
from buto.run.model import Quality
from buto.run.store import RunStore
from buto_replications.dataset.generate import VariantRecording, recorded
from tests.support.processes.command import called
from tests.support.runs.examples import full_run
from tests.support.runs.qualities import starved
from tests.support.runs.scripted import GOOD, STARVED, WRONG_EXIT, Log, Script

TESTS = ("a", "b", "c")


class Sessions:
    """Sessions of three tests into one store.

    Attributes:
        launched: all that was launched so far.
    """

    def __init__(self, root):
        self.store = RunStore(root)
        self.launched = []
        self.log = Log()

    def go_on(self, runs, *, deadline_s=math.inf, forgiven=0, **events):
        """One more; launches give good runs where nothing else is written down."""
        script = Script({test: events.get(test, [GOOD] * 99) for test in TESTS})
        script.launched = self.launched
        return script.collect(
            [LaunchPlan(test, Target((test,), timeout_s=5.0), runs) for test in TESTS],
            self.store,
            self.log,
            seed=7,
            purpose="experiments",
            done={test: recorded(self.store, test).usable for test in TESTS},
            deadline_s=deadline_s,
            forgiven=forgiven,
        )


@given(
    st.dictionaries(st.sampled_from("abc"), st.integers(1, 6)),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 8)),
)
def test_what_is_done_is_taken_off_the_beginning(planned, done):
    order = interleave(planned, 1)
    left = without(order, done)
    assert Counter(left) == Counter({test: max(0, n - done.get(test, 0)) for test, n in planned.items()})
    # An interrupted session has done a beginning of the order: then the rest is left as it stands.
    for cut in range(len(order)):
        assert without(order, Counter(order[:cut])) == order[cut:]


@pytest.mark.parametrize("cut", [1, 4, 8])
def test_an_interrupted_session_is_taken_up_in_the_same_order(tmp_path, cut):
    whole = Sessions(tmp_path / "whole")
    whole.go_on(3)
    parts = Sessions(tmp_path / "parts")
    stopping = {test: [GOOD] * whole.launched[:cut].count(test) + [KeyboardInterrupt()] for test in TESTS}
    with pytest.raises(KeyboardInterrupt):
        parts.go_on(3, **stopping)
    assert parts.launched.pop() == whole.launched[cut]
    parts.go_on(3)
    assert parts.launched == whole.launched
    parts.go_on(3)
    assert parts.launched == whole.launched


def test_more_runs_than_before_follow_those_that_are_there(tmp_path):
    sessions = Sessions(tmp_path)
    sessions.go_on(2)
    sessions.go_on(4)
    assert sessions.launched == interleave(dict.fromkeys(TESTS, 4), 7)
    assert "a 3/4" in sessions.log.steps


def test_disturbed_runs_of_an_earlier_session_do_not_count(tmp_path):
    sessions = Sessions(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        sessions.go_on(1, a=[STARVED, KeyboardInterrupt()])
    sessions.go_on(1)
    assert {test: recorded(sessions.store, test).usable for test in TESTS} == dict.fromkeys(TESTS, 1)
    assert recorded(sessions.store, "a").disturbed == 1


def test_no_launch_begins_after_the_deadline(tmp_path):
    sessions = Sessions(tmp_path)
    results = sessions.go_on(3, deadline_s=time.monotonic())
    assert sessions.launched == []
    assert all(result.failure is None for result in results.values())


def test_a_failure_that_is_forgiven_costs_one_more_launch(tmp_path):
    sessions = Sessions(tmp_path)
    events = [GOOD, WRONG_EXIT, MeasureError("no sample arrived"), GOOD, GOOD]
    results = sessions.go_on(3, forgiven=2, a=events)
    assert results["a"].failure is None
    assert len(results["a"].valid()) == 3
    assert sessions.log.steps.count("a again") == 2
    assert sessions.launched.count("a") == 5


def test_one_failure_more_ends_the_test_and_no_other(tmp_path):
    sessions = Sessions(tmp_path)
    results = sessions.go_on(3, forgiven=2, a=[MeasureError("no sample arrived")] * 3)
    assert str(results["a"].failure) == "no sample arrived"
    assert sessions.launched.count("a") == 3
    assert "a failed" in sessions.log.steps
    assert len(results["b"].valid()) == len(results["c"].valid()) == 3


def test_starving_for_ever_has_an_end(tmp_path):
    sessions = Sessions(tmp_path)
    results = sessions.go_on(3, forgiven=2, a=[STARVED] * 99)
    assert results["a"].failure is not None
    assert sessions.launched.count("a") == repeats(3) + 1 + 2


def test_a_store_is_counted_with_its_load(tmp_path):
    store = RunStore(tmp_path)
    assert recorded(store, "a").usable == 0
    assert math.isnan(recorded(store, "a").foreign_load)
    for number, quality in enumerate(
        [
            Quality(foreign_load=0.1),
            Quality(foreign_load=0.3),
            Quality(),
            starved("starved", foreign_load=1.0),
        ]
    ):
        store.add(full_run(f"20260101T000000.00{number}Z-0000", "a", quality=quality))
    (store.add(full_run("20260101T000009.000Z-0000", "a")) / "run.json").write_text("{")
    assert recorded(store, "a") == VariantRecording(
        usable=3, disturbed=1, damaged=1, foreign_load=pytest.approx(0.2)
    )


def test_pack_says_what_it_wrote(tmp_path):
    store = RunStore(tmp_path / "data")
    store.add(full_run("20260101T000000.000Z-0000", "leaker-thread@g1"))
    store.add(replace(full_run("20260101T000001.000Z-0000", "leaker-thread@g1"), quality=STARVED.quality))
    done = called(tmp_path, "experiments", "pack", "--data", "data", "-o", "set")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote 1 usable run of 1 test, 1 not usable, to set (")
    assert sorted(path.name for path in (tmp_path / "set").iterdir()) == [
        "notifications.parquet",
        "runs.parquet",
        "samples.parquet",
    ]


def test_pack_of_nothing_says_how_to_record(tmp_path):
    done = called(tmp_path, "experiments", "pack", "--data", "data", "-o", "set")
    assert done.returncode == BadFileError.exit_code
    assert "data holds no runs" in done.stderr
    assert "buto experiments generate --data data" in done.stderr


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "inf", "soon"])
def test_minutes_are_a_positive_number(tmp_path, minutes):
    done = called(tmp_path, "experiments", "generate", "--minutes", minutes)
    assert done.returncode == 2
    assert "must be a positive number of minutes, got" in done.stderr


def test_progress_says_that_a_failed_launch_is_repeated(capsys):
    progress = LaunchProgress(Console())
    progress(LaunchesPlanned({"a": 2}))
    progress(LaunchStarted("a", 1, 2))
    progress(LaunchRepeated("a", MeasureError("it crashed\nstderr, last lines: ...")))
    assert capsys.readouterr().err == "a: run 1 of 2: failed, and will be repeated: it crashed\n"
