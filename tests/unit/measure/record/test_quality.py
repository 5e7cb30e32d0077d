from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from buto.measure.quality import Sampling, find_starvation, pauses_s, quality_of, sampling, slow_beans
from buto.measure.recording import Recording
from buto.measure.target import Target
from buto.run.model import Outcome, Problem, ProblemKind
from buto.run.properties import property_for

TARGET = Target(("java", "Main"), interval_s=0.1, timeout_s=30.0)
GOOD = Outcome(0, duration_s=10.0)


def problems(times: np.ndarray, outcome: Outcome = GOOD, paused: np.ndarray | None = None) -> str:
    sampled = sampling(times, TARGET.interval_s, paused)
    return quality_of(TARGET, outcome, sampled, 0.75).describe()


@pytest.mark.parametrize(
    ("expected", "outcome", "was_asked", "kind"),
    [
        (0, Outcome(0), False, None),
        (1, Outcome(1), False, None),
        (1, Outcome(0), False, ProblemKind.EXIT_CODE),
        (143, Outcome(143), False, None),
        (143, Outcome(143), True, None),
        (143, Outcome(0), True, None),
        (143, Outcome(130), True, None),
        (143, Outcome(None, 15), True, None),
        (143, Outcome(0), False, ProblemKind.EXIT_CODE),
        (143, Outcome(None, 15), False, ProblemKind.SIGNAL),
        (143, Outcome(9), True, ProblemKind.EXIT_CODE),
        (143, Outcome(None, 9), True, ProblemKind.SIGNAL),
        (143, Outcome(None, timed_out=True), True, ProblemKind.TIME_LIMIT),
        (0, Outcome(143), True, ProblemKind.EXIT_CODE),
    ],
)
def test_a_good_end_is_the_expected_one_or_follows_from_being_asked(
    expected: int, outcome: Outcome, was_asked: bool, kind: ProblemKind | None
) -> None:
    target = replace(TARGET, expected_exit=expected)
    sampled = sampling(np.arange(100) * 0.1, TARGET.interval_s)
    quality = quality_of(target, outcome, sampled, 0.0, was_asked_to_end=was_asked)
    assert [problem.kind for problem in quality.problems] == ([] if kind is None else [kind])


def test_an_end_that_a_failed_workload_asked_for_is_no_further_problem() -> None:
    failed = Problem(ProblemKind.WORKLOAD, "its workload: no")
    sampled = sampling(np.arange(100) * 0.1, TARGET.interval_s)
    quality = quality_of(TARGET, Outcome(143), sampled, 0.0, more=(failed,), was_asked_to_end=True)
    assert quality.problems == (failed,)


def test_a_program_of_no_duration_is_whole_with_two_samples() -> None:
    assert problems(np.array([-0.001, 0.0004])) == ""
    assert problems(np.array([-0.001])) == ""


@pytest.mark.parametrize("only", [0.1, 0.5, 0.9])
def test_a_single_sample_of_a_second_that_had_five_planned_is_too_few(only: float) -> None:
    sampled = sampling(np.array([only]), 0.2, duration_s=1.0)
    assert sampled.missed_share >= 0.75
    [problem] = quality_of(replace(TARGET, interval_s=0.2), GOOD, sampled, 0.0).problems
    assert problem.kind is ProblemKind.STARVED
    assert sampling(np.array([only]), 0.2).missed_share == 0.0, "a collector that holds the start misses none"


def test_what_comes_before_the_first_sample_and_behind_the_last_was_planned_too() -> None:
    times = np.arange(100) * 0.1
    assert sampling(times, 0.1, duration_s=9.95).missed_share == 0.0
    assert sampling(times[20:], 0.1, duration_s=9.95).missed_share == pytest.approx(0.2)
    assert sampling(times[:80], 0.1, duration_s=9.95).missed_share == pytest.approx(0.2, abs=0.01)
    assert sampling(times - 0.03, 0.1, duration_s=9.95).missed_share == 0.0, "it may begin before main"


@given(st.integers(2, 200), st.floats(0, 0.4))
def test_planned_samples_with_jitter_and_a_last_one_out_of_step_miss_nothing(n: int, jitter: float) -> None:
    signs = np.where(np.arange(n) % 2, 0.5, -0.5)
    times = np.append((np.arange(n) + jitter * signs) * 0.1, (n - 0.7) * 0.1)
    sampled = sampling(np.sort(times), 0.1)
    assert sampled.missed_share == 0.0


def test_missing_samples_are_counted_in_every_gap() -> None:
    ticks = np.arange(21) * 0.1
    kept = np.delete(ticks, [3, 4, 10])
    sampled = sampling(kept, 0.1)
    assert sampled.missed_share == pytest.approx(3 / 21)
    assert sampled.largest_gap_s == pytest.approx(0.3)


def test_a_run_with_more_than_a_fifth_missing_is_starved_and_says_who_used_the_cores() -> None:
    ticks = np.arange(100) * 0.1
    assert problems(ticks[np.arange(100) % 10 != 3]) == ""
    text = problems(ticks[np.arange(100) % 3 != 1])
    assert "starved: 33% of the planned samples are missing (limit 20%)" in text
    assert "other processes used 75% of the cores" in text


@pytest.mark.parametrize(
    ("interval_s", "planned", "kept"),
    [(0.05, 8, [0, 7]), (0.1, 5, [0, 4]), (0.02, 30, [0, *range(26, 30)]), (1.0, 4, [0, 3])],
)
def test_one_pause_does_not_starve_a_run_that_has_few_samples(
    interval_s: float, planned: int, kept: list[int]
) -> None:
    """Its totals are read at the exit, whatever is missing of its curves."""
    sampled = sampling(np.arange(planned)[kept] * interval_s, interval_s)
    assert sampled.missed_share > 0.2
    target = replace(TARGET, interval_s=interval_s)
    assert quality_of(target, GOOD, sampled, 0.75).describe() == ""


@pytest.mark.parametrize(
    ("interval_s", "planned", "kept"),
    [(0.05, 13, [0, 12]), (0.02, 60, [0, *range(27, 60)]), (1.0, 5, [0, 4])],
)
def test_a_run_is_starved_by_three_samples_and_half_a_second_of_them(
    interval_s: float, planned: int, kept: list[int]
) -> None:
    sampled = sampling(np.arange(planned)[kept] * interval_s, interval_s)
    target = replace(TARGET, interval_s=interval_s)
    [problem] = find_starvation(target, sampled, 0.75)
    assert problem.kind is ProblemKind.STARVED


def test_a_long_gap_starves_a_long_run_too() -> None:
    ticks = np.arange(1000) * 0.1
    text = problems(np.delete(ticks, np.arange(500, 520)))
    assert "no sample for 2.1 s (limit 1 s)" in text


def test_a_gap_that_a_garbage_collection_made_is_the_programs_own() -> None:
    ticks = np.arange(1000) * 0.1
    times = np.delete(ticks, np.arange(500, 520))
    paused = np.diff(np.where(times > 50, 2.0, 0.0))
    assert problems(times, paused=paused) == ""
    sampled = sampling(times, 0.1, paused)
    assert sampled.largest_gap_s == pytest.approx(2.1)
    assert sampled.largest_unexplained_gap_s == pytest.approx(0.1)


def test_pauses_are_those_that_stop_the_program_and_unknown_ones_explain_nothing() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    names = ["jvm.gc.time[ZGC Pauses]", "jvm.gc.time[ZGC Cycles]", "jvm.gc.time[Copy]", "jvm.thread.count"]
    recording.add_columns(property_for(name) for name in names)
    recording.add_rows(np.array([0, 1, 2]), np.array([[0, 0, 0, 9], [1, 50, 2, 9], [1, 60, np.nan, 9]]))
    paused = pauses_s(recording)
    np.testing.assert_array_equal(paused, [3.0, 0.0])
    assert sampling(np.array([0.0, 4.0, 8.0]), 0.1, paused).largest_unexplained_gap_s == pytest.approx(4.0)


def test_a_count_of_live_objects_explains_the_gap_behind_it_and_its_collection_only_once() -> None:
    recording = Recording("t")
    recording.zero_ns = 0
    recording.add_columns(map(property_for, ("jvm.gc.time[Copy]", "buto.live_set.time")))
    nan = np.nan
    rows = [[0, nan], [0, 1.5], [1.0, 1.5], [1.0, 1.5], [1.2, 0.1], [1.5, 0.1]]
    recording.add_rows(np.arange(6), np.array(rows))
    np.testing.assert_allclose(pauses_s(recording), [0.0, 1.5, 0.0, 0.2, 0.3])


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(0), ""),
        (Outcome(3), "it exited with code 3, expected 0"),
        (Outcome(None, signal=9), "it was ended by signal 9"),
        (Outcome(None, timed_out=True), "it was stopped at its time limit of 30 s"),
    ],
)
def test_an_end_that_was_not_expected_is_a_problem(outcome: Outcome, text: str) -> None:
    assert problems(np.arange(3) * 0.1, outcome) == text


def test_an_unknown_load_is_not_mentioned() -> None:
    sampled = sampling(np.array([0.0, 9.0]), 0.1)
    quality = quality_of(TARGET, GOOD, sampled, math.nan)
    assert [problem.kind for problem in quality.problems] == [ProblemKind.STARVED] * 2
    assert "other processes" not in quality.describe()


def beans_of(answers_s: dict[str, list[float]]) -> Recording:
    recording = Recording("test")
    recording.zero_ns = 0
    recording.add_columns(property_for(f"buto.bean.time[a:b={bean}]") for bean in answers_s)
    rows = np.array(list(answers_s.values())).T
    recording.add_rows(np.arange(len(rows)), rows)
    return recording


def test_a_slow_mbean_is_named_where_samples_are_missing() -> None:
    recording = beans_of({"slow": [0.3, np.nan, 0.2], "quick": [0.001, 9.0, 0.002]})
    starved, whole = Sampling(0.5, 0.3, 0.3, 3), Sampling(0.1, 0.3, 0.3, 3)
    (problem,) = slow_beans(recording, starved, 0.2)
    assert problem.kind is ProblemKind.SLOW_MBEAN
    assert problem.text == "the MBean a:b=slow takes 0.25 s to answer, every 0.2 s"
    assert slow_beans(recording, whole, 0.2) == ()


def test_an_mbean_that_waited_once_with_all_others_is_not_why_samples_are_missing() -> None:
    recording = beans_of({"once": [0.06, np.nan, np.nan], "quick": [0.001, 0.001, 0.002]})
    assert slow_beans(recording, Sampling(0.9, 1.2, 1.2, 27), 0.05) == ()


def test_of_mbeans_that_are_all_slow_the_slowest_are_named_that_explain_half() -> None:
    recording = beans_of({"second": [0.4] * 4, "third": [0.2] * 4, "first": [0.5] * 4})
    named = names(slow_beans(recording, Sampling(10 / 11, 1.1, 1.1, 40), 0.1))
    assert named == ["a:b=first"], "forty are missing, and it took twenty"
    named = names(slow_beans(recording, Sampling(11 / 12, 1.2, 1.2, 44), 0.1))
    assert named == ["a:b=first", "a:b=second"]


def names(problems: Iterable[Problem]) -> list[str]:
    """The MBeans that problems name."""
    return [problem.text.split()[2] for problem in problems]
