"""From a setting to the run: the live objects of a program, in the store and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from buto.measure import agent as agent_collector
from buto.measure.hooks import MeasuredProgram
from buto.measure.opener import open_collector
from buto.measure.target import LiveSet, Target
from buto.run.model import Problem
from buto.run.properties import LIVE_OBJECTS
from buto.run.store import RunStore
from tests.support.checkout import compile_java
from tests.support.jvm.recorder import problems
from tests.support.runs.examples import assert_same

pytestmark = pytest.mark.all

PROGRAMS = Path(__file__).parents[1] / "agent" / "programs"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java(tmp_path_factory.mktemp("program"), [PROGRAMS / "Allocates.java"])


class Marking:
    """Marks the start of the program, and then nothing."""

    def program_started(self, program: MeasuredProgram) -> None:
        program.mark("warm", judged=False)

    def program_ended(self) -> tuple[Problem, ...]:
        return ()

    def cpu_s(self) -> float:
        return 0.0


def test_a_mark_has_a_live_set_of_its_own(program: Path) -> None:
    command = ("java", "-Xmx32m", "-cp", str(program), "Allocates", *["main=0"] * 20, f"keep={1 << 20}")
    target = Target(command, interval_s=0.05, live_set=LiveSet(at_marks=True))
    with open_collector(target) as collector:
        run = collector.record("test", hooks=Marking())
    assert [mark.name for mark in run.marks] == ["warm"]
    assert [histogram.point for histogram in run.histograms] == ["warm", "end"]
    kept = [
        sum(class_count.instances for class_count in found.classes if "Session" in class_count.name)
        for found in run.histograms
    ]
    assert kept == [0, 1024]
    assert run.metadata["buto.live_set"] == "marks"


KEEPS = ("Allocates", f"keep={1 << 20}")


def test_a_training_counts_no_more_after_two_counts_in_a_row_that_took_too_long(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target(("java", "-Xmx32m", "-cp", str(program), *KEEPS), live_set=LiveSet(gives_up=True))
    runs = []
    with open_collector(target) as collector:
        # One slow count, one that is not, two that are.
        for longest_s in (0.0, 60.0, 0.0, 0.0, 0.0):
            monkeypatch.setattr(agent_collector, "LONGEST_COUNT_S", longest_s)
            runs.append(collector.record("test"))
    *counted, last = runs
    assert all(run.series(LIVE_OBJECTS)[-1] > 1024 for run in counted)
    assert np.isnan(last.series(LIVE_OBJECTS)).all()
    assert last.histograms == ()
    assert last.nan_reasons[LIVE_OBJECTS].startswith("counting took ")
    assert {prop.name for prop in counted[0].properties} == {prop.name for prop in last.properties}


def test_a_program_that_ends_without_its_exit_hook_has_the_same_properties(program: Path) -> None:
    command = ("java", "-Xmx32m", "-cp", str(program), "Allocates", "halt=3")
    with open_collector(Target(command, live_set=LiveSet(), expected_exit=3)) as collector:
        run = collector.record("test")
    assert np.isnan(run.series(LIVE_OBJECTS)).all()
    assert run.nan_reasons[LIVE_OBJECTS] == "the program's exit could not be held"


def test_a_run_names_the_objects_that_the_program_kept(program: Path, tmp_path: Path) -> None:
    """A mebibyte is kept in 1,024 sessions of 16 bytes, each with an array of 1,024."""
    command = ("java", "-XX:+UseG1GC", "-Xmx32m", "-cp", str(program), "Allocates", f"keep={1 << 20}")
    with open_collector(Target(command, interval_s=0.05, live_set=LiveSet())) as collector:
        run = collector.record("test")
    assert problems(run) == []
    assert run.outcome.last_sample == "agent"
    (histogram,) = run.histograms
    counts = {class_count.name: class_count for class_count in histogram.classes}
    assert counts["Allocates$Session"].instances == 1024
    assert counts["byte[]"].instances >= 1024
    assert counts["byte[]"].size_bytes >= 1 << 20
    assert not any(name.startswith("buto.") for name in counts)
    assert (histogram.point, histogram.time_s) == ("end", run.times_s[-1])
    assert run.series("jvm.memory.heap.live")[-1] >= histogram.bytes
    # The forced collection came after the last sample.
    assert run.series("jvm.gc.count[G1 Old Generation]")[-1] == 0
    store = RunStore(tmp_path)
    store.add(run)
    assert_same(store.load("test", run.id), run)
