"""Launching in random order, repeating what was disturbed, giving up what cannot work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.actions.collecting import Collected, LaunchPlan, interleave
from buto.actions.ending import repeats
from buto.actions.events import Event as LaunchEvent
from buto.actions.events import RunStored
from buto.engine.launching import record_one
from buto.errors import MeasureError, StorageError
from buto.judging import registry
from buto.judging.judge_settings import CALIBRATED
from buto.judging.protocol import Comparison
from buto.measure.hooks import AllHooks
from buto.measure.target import Target
from buto.run.model import PURPOSE, SESSION, Problem, ProblemKind, Quality, RunSet
from buto.run.store import RunStore
from tests.support.runs.scripted import GOOD, LATE, STARVED, WRONG_EXIT, Event, Log, Script

TWO = registry.comparison(CALIBRATED, runs=9)
"""Compares two programs that are launched nine times each."""


def carried_out(
    store: Path, runs: int, log: Log | None = None, **events: list[Event]
) -> tuple[Script, dict[str, Collected]]:
    script = Script(events)
    plans = [LaunchPlan(test, Target((test,), timeout_s=5.0), runs) for test in events]
    results = script.collect(plans, RunStore(store), log or Log(), seed=1, purpose="train")
    return script, results


@pytest.mark.parametrize(("together", "launched"), [(None, ["a", "c", "a", "c"]), (TWO, [])])
def test_a_program_that_cannot_be_started_is_found_before_the_first_launch(
    tmp_path: Path, together: Comparison | None, launched: list[str]
) -> None:
    script, log = Script({test: [GOOD] * 2 for test in "abc"}, {"b": MeasureError("no such program")}), Log()
    plans = [LaunchPlan(test, Target((test,)), 2) for test in "abc"]
    root = RunStore(tmp_path)
    results = script.collect(plans, root, log, seed=1, purpose="train", together=together)
    assert log.steps[0] == "b failed"
    assert sorted(script.launched) == sorted(launched)
    assert [test for test, result in results.items() if result.failure is not None] == ["b"]


@given(st.dictionaries(st.sampled_from("abcde"), st.integers(1, 6)), st.integers(0, 99))
def test_each_round_holds_each_test_once(counts: dict[str, int], seed: int) -> None:
    order = interleave(counts, seed)
    assert {test: order.count(test) for test in counts} == counts
    for number in range(max(counts.values(), default=0)):
        size = sum(count > number for count in counts.values())
        block, order = order[:size], order[size:]
        assert sorted(block) == sorted(test for test, count in counts.items() if count > number)


def test_the_order_is_random_and_the_seed_repeats_it() -> None:
    counts = {"a": 20, "b": 20}
    assert interleave(counts, 1) == interleave(counts, 1)
    assert interleave(counts, 1) != interleave(counts, 2)


def test_every_run_is_stored_as_it_ends_with_its_purpose(tmp_path: Path) -> None:
    log = Log()
    _, results = carried_out(tmp_path, 2, log, a=[GOOD] * 2, b=[GOOD] * 2)
    assert list(results) == ["a", "b"]
    for test, result in results.items():
        assert result.failure is None
        stored = RunStore(tmp_path).load_set(test)
        assert [run.id for run in stored] == [run.id for run in result.valid()]
        assert [run.metadata[PURPOSE] for run in stored] == ["train", "train"]
        assert {run.metadata[SESSION] for run in stored} == {result.runs[0].id}
    assert log.steps.count("stored") == 4
    assert [step for step in log.steps if step.startswith("a")] == ["a 1/2", "a 2/2"]


def test_a_collector_is_opened_once_for_each_test_and_closed_at_the_end(tmp_path: Path) -> None:
    script, _ = carried_out(tmp_path, 3, a=[GOOD] * 3, b=[GOOD] * 3)
    assert sorted(script.opened) == sorted(script.closed) == ["a", "b"]


@pytest.mark.parametrize(
    ("idle_share", "duration_s", "is_loaded", "is_valid"),
    [
        (0.002, 12.0, True, False),
        (0.02, 12.0, True, True),
        (0.002, 9.0, True, True),
        (None, 12.0, True, True),
        (0.002, 12.0, False, True),
    ],
)
def test_a_machine_without_idle_time_spoils_the_run_of_a_loaded_system(
    tmp_path: Path, idle_share: float | None, duration_s: float, is_loaded: bool, is_valid: bool
) -> None:
    metadata = {**GOOD.metadata, "host.load.idle": idle_share}
    run = replace(GOOD, metadata=metadata, outcome=replace(GOOD.outcome, duration_s=duration_s))
    collector = Script({"a": [run]}).collector(Target(("a",)))
    hooks = AllHooks(()) if is_loaded else None
    stored = record_one(collector, "a", RunStore(tmp_path), {PURPOSE: "train"}, hooks=hooks)
    assert stored.quality.valid == is_valid
    if not is_valid:
        [problem] = stored.quality.problems
        assert problem.kind is ProblemKind.BUSY_HOST
        assert "0.2% of its cores were idle (limit 1%)" in problem.text


def test_disturbed_runs_are_kept_and_repeated(tmp_path: Path) -> None:
    log = Log()
    _, results = carried_out(tmp_path, 3, log, a=[GOOD, STARVED, STARVED, GOOD, GOOD])
    assert len(results["a"].runs) == 5
    assert len(results["a"].valid()) == 3
    assert len(RunStore(tmp_path).ids("a")) == 5
    assert [step for step in log.steps if step.startswith("a")] == [
        "a 1/3",
        "a 2/3",
        "a 2/3",
        "a 2/3",
        "a 3/3",
    ]


def test_repeating_has_an_end_that_is_explained(tmp_path: Path) -> None:
    script, results = carried_out(tmp_path, 2, a=[STARVED] * 9, b=[GOOD] * 2)
    failure = results["a"].failure
    assert isinstance(failure, MeasureError)
    assert failure.message.startswith("4 of 4 runs were disturbed, most often: it was starved")
    assert script.launched.count("a") == repeats(2) + 1
    assert len(results["b"].valid()) == 2


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (ProblemKind.STARVED, "buto doctor"),
        (ProblemKind.SLOW_MBEAN, "--mbean PATTERN"),
        (ProblemKind.LOST_NOTIFICATIONS, "buto runs show a "),
    ],
)
def test_what_disturbed_most_runs_decides_what_to_do_next(
    tmp_path: Path, kind: ProblemKind, advice: str
) -> None:
    disturbed = replace(GOOD, quality=Quality((Problem(kind, "first"), *STARVED.quality.problems)))
    _, results = carried_out(tmp_path, 2, a=[disturbed] * 4)
    failure = results["a"].failure
    assert isinstance(failure, MeasureError)
    assert failure.message == "4 of 4 runs were disturbed, most often: first"
    assert advice in str(failure.advice)


def test_tests_that_belong_together_are_given_up_together(tmp_path: Path) -> None:
    script = Script({"a": [GOOD] * 9, "b": [WRONG_EXIT]})
    plans = [LaunchPlan(test, Target((test,), timeout_s=5.0), 9) for test in script.events]
    results = script.collect(plans, RunStore(tmp_path), Log(), seed=1, purpose="compare", together=TWO)
    assert results["b"].failure is not None
    assert results["a"].failure is None
    assert len(results["a"].runs) <= 1


@pytest.mark.parametrize(
    ("event", "fault", "advice"),
    [
        (LATE, "was stopped at its time limit of 5 s", "--timeout"),
        (WRONG_EXIT, "exited with code 3", "--expect-exit 3"),
        (MeasureError("the command started no JVM"), "started no JVM", None),
    ],
)
def test_a_program_that_will_not_do_better_is_given_up_at_once_and_others_go_on(
    tmp_path: Path, event: Event, fault: str, advice: str | None
) -> None:
    log = Log()
    script, results = carried_out(tmp_path, 3, log, a=[GOOD, event], b=[GOOD] * 3)
    failure = results["a"].failure
    assert isinstance(failure, MeasureError)
    assert fault in failure.message
    assert advice is None or advice in (failure.advice or "")
    assert script.launched.count("a") == 2
    assert len(results["b"].valid()) == 3
    assert "a failed" in log.steps


def test_a_program_that_failed_is_quoted_with_its_last_lines(tmp_path: Path) -> None:
    _, results = carried_out(tmp_path, 1, a=[WRONG_EXIT])
    assert results["a"].failure is not None
    quoted = results["a"].failure.message.splitlines()
    assert quoted[1] == "stdout, last lines:"
    assert quoted[2:22] == [f"line {number}" for number in range(80, 100)]
    assert quoted[22:] == ["stderr: empty"]


def test_a_store_that_fails_ends_everything_and_keeps_what_was_there(tmp_path: Path) -> None:
    script = Script({"a": [GOOD] * 2})
    plans = [LaunchPlan("a", Target(("a",)), 2)]
    store = RunStore(tmp_path)

    class FullAfterOne(Log):
        def __call__(self, event: LaunchEvent) -> None:
            if isinstance(event, RunStored):
                # From here on the directory of the runs is a file, which no store can write to.
                (tmp_path / "runs").rename(tmp_path / "moved")
                (tmp_path / "runs").write_text("")

    with pytest.raises(StorageError):
        script.collect(plans, store, FullAfterOne(), seed=0, purpose="x")
    assert script.closed == ["a"]
    assert len(list((tmp_path / "moved" / "a").iterdir())) == 1


def test_a_listener_that_cannot_store_a_copy_ends_everything_too(tmp_path: Path) -> None:
    """It stores each run as one of further tests: no test's program is to blame if it cannot."""
    script = Script({"a": [GOOD] * 2})

    class Full(Log):
        def __call__(self, event: LaunchEvent) -> None:
            if isinstance(event, RunStored):
                raise StorageError("no space")

    with pytest.raises(StorageError, match="no space"):
        script.collect([LaunchPlan("a", Target(("a",)), 2)], RunStore(tmp_path), Full(), seed=0, purpose="x")
    assert script.closed == ["a"]


def test_ctrl_c_passes_through_and_keeps_what_is_complete(tmp_path: Path) -> None:
    script = Script({"a": [GOOD, GOOD, KeyboardInterrupt()]})
    with pytest.raises(KeyboardInterrupt):
        script.collect([LaunchPlan("a", Target(("a",)), 5)], RunStore(tmp_path), Log(), seed=0, purpose="x")
    assert len(RunStore(tmp_path).ids("a")) == 2
    assert script.closed == ["a"]


def test_a_test_ends_when_it_has_enough_and_the_others_go_on(tmp_path: Path) -> None:
    asked: list[int] = []

    def enough(runs: RunSet) -> bool:
        asked.append(len(runs))
        return len(runs) == 3

    script = Script({"a": [GOOD, STARVED, GOOD, GOOD], "b": [GOOD] * 5})
    plans = [
        LaunchPlan("a", Target(("a",), timeout_s=5.0), 5, enough=enough),
        LaunchPlan("b", Target(("b",), timeout_s=5.0), 5),
    ]
    results = script.collect(plans, RunStore(tmp_path), Log(), seed=1, purpose="train")
    assert [len(results[test].valid()) for test in "ab"] == [3, 5]
    assert results["a"].failure is None
    # Not after a run that was disturbed.
    assert asked == [1, 2, 3]
