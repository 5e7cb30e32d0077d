"""MBeans that throw, block, lie, come and go, and flood: each costs what it must, and no more."""

from __future__ import annotations

import re

import numpy as np
import pytest

from buto.measure.target import MBeanSpec
from buto.run.model import FloatArray, Run
from tests.support.jvm.faulty import Recorder, problems

pytestmark = pytest.mark.all

NAMES = ("Steady", "NotANumber", "Endless", "Changing", "Hostile", "Failing", "Own")
ALL = (MBeanSpec("test:*", NAMES),)
FLOODED = (MBeanSpec("test:*", ("Steady", "Flooded")),)
RATE = 100_000


def series(run: Run, attribute: str) -> FloatArray:
    return run.series(f"mbean[test:type=Odd]/{attribute}")


def why(run: Run, attribute: str) -> str:
    return run.nan_reasons[f"mbean[test:type=Odd]/{attribute}"]


def assert_each_oddity_is_its_own(run: Run) -> None:
    steady = series(run, "Steady")
    known = steady[np.isfinite(steady)]
    assert len(known) >= 10
    assert (np.diff(known) > 0).all()
    for attribute, reason in {
        "NotANumber": "is NaN",
        "Endless": "is Infinity",
        "Failing": "java.lang.AssertionError: an error on purpose",
    }.items():
        assert np.isnan(series(run, attribute)).all()
        assert why(run, attribute).startswith(reason)
    assert np.isnan(series(run, "Hostile")).all()
    assert np.isnan(series(run, "Own")).all()
    assert "Odd$Own" in why(run, "Own")
    changing = series(run, "Changing")
    assert set(changing[np.isfinite(changing)]) <= {1.0, 2.5}
    assert np.isfinite(changing).any()
    assert np.isnan(changing).any()


def test_an_attribute_that_throws_lies_or_changes_its_type_spoils_no_other(recorder: Recorder) -> None:
    run = recorder.record("Odd", "values", mbeans=ALL)
    assert problems(run) == []
    assert_each_oddity_is_its_own(run)
    assert "StackOverflowError: no number on purpose" in why(run, "Hostile")
    assert np.isfinite(run.series("jvm.memory.heap.used")).all()


def test_an_attribute_that_cannot_be_sent_spoils_no_other_through_jmx(jmx: Recorder) -> None:
    run = jmx.record("Odd", "values", mbeans=ALL)
    assert problems(run) == []
    assert_each_oddity_is_its_own(run)
    assert "Odd$Hostile" in why(run, "Hostile")


def test_an_mbean_that_comes_and_goes_leaves_gaps_with_a_reason(recorder: Recorder) -> None:
    run = recorder.record("Odd", "comes and goes", mbeans=ALL)
    assert problems(run) == []
    known = np.isfinite(series(run, "Steady"))
    assert (np.diff(known.astype(int)) == 1).sum() == 3
    assert not known[-1]
    assert why(run, "Steady") == "the MBean was unregistered"


def test_an_mbean_that_never_answers_is_named_and_holds_no_exit_for_long(recorder: Recorder) -> None:
    run = recorder.record("Odd", "blocks", "1500", mbeans=(MBeanSpec("test:*"),))
    assert run.stdout == b"done\n"
    assert run.outcome.exit_code == 0
    assert problems(run)[0].startswith("the MBean test:type=Blocking did not answer for ")
    assert run.outcome.duration_s < 20


def test_an_mbean_that_is_slower_than_the_interval_is_named(recorder: Recorder) -> None:
    mbeans = (MBeanSpec("test:*"),)
    run = recorder.record("Odd", "blocks", "1500", options=("-Dslow=120",), mbeans=mbeans)
    assert run.outcome.last_sample == "agent"
    said = run.quality.problems[0].text
    (median_s,) = re.findall(r"the MBean test:type=Blocking takes ([0-9.]+) s to answer", said)
    assert float(median_s) >= 0.1


def test_an_mbean_that_never_answers_ends_the_samples_of_jmx(jmx: Recorder) -> None:
    run = jmx.record("Odd", "blocks", "8000", mbeans=(MBeanSpec("test:*"),))
    assert run.stdout == b"done\n"
    assert not run.quality.valid


def flooded(run: Run) -> tuple[int, float, float]:
    """How many were lost by the run's own words; how long the flood took, and its slowest emission."""
    took_ns, longest_ns = map(int, re.findall(rb"\d+", run.stdout.splitlines()[0]))
    lost = [int(problem.split()[0]) for problem in problems(run) if "notifications were lost" in problem]
    return sum(lost), took_ns * 1e-9, longest_ns * 1e-9


def assert_all_are_accounted_for(run: Run, lost: int, emitted: int) -> None:
    """To the last one, if the collector was fast enough to hear the last words within the exit's bound."""
    assert len(run.notifications) + lost <= emitted
    if run.outcome.last_sample == "agent":
        assert len(run.notifications) + lost == emitted


def test_a_flood_of_notifications_is_counted_and_holds_nobody_up(recorder: Recorder) -> None:
    run = recorder.record("Odd", "floods", str(RATE), str(RATE), mbeans=FLOODED)
    lost, took_s, longest_s = flooded(run)
    assert_all_are_accounted_for(run, lost, RATE)
    assert len(run.notifications) > 1000
    assert took_s < 10
    assert longest_s < 1
    assert np.nanmax(series(run, "Flooded")) > 0


def test_a_flood_that_cannot_be_kept_costs_no_sample(recorder: Recorder) -> None:
    """Twenty times as many, in about a second."""
    run = recorder.record("Odd", "floods", str(20 * RATE), str(20 * RATE), mbeans=FLOODED)
    lost, _, _ = flooded(run)
    assert lost > RATE
    assert_all_are_accounted_for(run, lost, 20 * RATE)
    taken = len(run.times_s) + np.nanmax(run.series("buto.missed.ticks"))
    assert taken <= run.times_s[-1] / 0.05 + 3
    if run.outcome.last_sample == "agent":
        assert taken >= run.times_s[-1] / 0.05 - 3


def test_a_flood_of_notifications_is_counted_through_jmx(jmx: Recorder) -> None:
    """What JMX itself has lost it counts for all listeners together, so that it may be too much."""
    run = jmx.record("Odd", "floods", str(RATE), str(RATE), mbeans=FLOODED)
    lost, took_s, _ = flooded(run)
    assert len(run.notifications) <= RATE <= len(run.notifications) + lost
    assert took_s < 10
