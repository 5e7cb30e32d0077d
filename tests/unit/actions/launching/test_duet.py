"""Two programs at the same time: pairs, swapped cores, repeated pairs, and an end for both."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from buto.actions.collecting import Collected, Plan
from buto.actions.duet import collect_pairs
from buto.actions.events import OnEvent
from buto.errors import MeasureError
from buto.measure.journal import RecordingAbandonedError
from buto.measure.progress import Progress
from buto.measure.target import Target
from buto.run.model import PAIR, SESSION, Run
from buto.run.names import new_id
from buto.run.store import RunStore
from tests.support.runs.scripted import GOOD, STARVED, WRONG_EXIT, Event, Log

CORES = ((0, 2), (1, 3))
WAIT_S = 20.0


@dataclass
class Together:
    """Collectors whose launches go on until both programs of a pair have begun.

    Attributes:
        pinned: of each launch its test and its cores, in the order of their begin.
        abandoned: tests of launches that were stopped.
    """

    events: dict[str, list[Event]]
    pinned: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)
    both: threading.Barrier = field(default_factory=lambda: threading.Barrier(2, timeout=WAIT_S))

    def collect(self, store: Path, runs: int, on_event: OnEvent, seed: int = 1) -> dict[str, Collected]:
        first, second = (Plan(test, Target((test,)), runs) for test in self.events)
        return collect_pairs(
            (first, second),
            RunStore(store),
            on_event,
            seed=seed,
            purpose="compare",
            cores=CORES,
            collector_for=lambda target: _Collector(self, target),
            check=lambda target: None,
        )


class _Collector:
    def __init__(self, script: Together, target: Target) -> None:
        self.script, self.target = script, target

    def __enter__(self) -> _Collector:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def record(self, test, on_tick=None, hooks=None, journal=None) -> Run:  # type: ignore[no-untyped-def]
        self.script.pinned.append((test, self.target.cores))
        self.script.both.wait()
        event = self.script.events[test].pop(0)
        if event is FOREVER:
            try:
                while True:
                    on_tick(Progress(0.5, 5.0, 5, "running"))
                    threading.Event().wait(0.001)
            except RecordingAbandonedError:
                self.script.abandoned.append(test)
                raise
        on_tick(Progress(0.5, 5.0, 5, "running"))
        if isinstance(event, BaseException):
            raise event
        return replace(event, id=new_id(), test=test)


FOREVER = replace(GOOD, id="forever")


def test_both_run_at_the_same_time_on_cores_and_in_an_order_that_change(tmp_path: Path) -> None:
    """The barrier ends a launch only if the other one has begun."""
    script, log = Together({"old": [GOOD] * 12, "new": [GOOD] * 12}), Log()
    results = script.collect(tmp_path, 12, log)
    old, new = (results[test].runs for test in ("old", "new"))
    assert [run.metadata[PAIR] for run in old] == [run.metadata[PAIR] for run in new]
    assert len({run.metadata[PAIR] for run in old}) == 12
    assert {run.metadata[SESSION] for run in old} == {old[0].id}
    pairs = list(zip(script.pinned[::2], script.pinned[1::2], strict=True))
    assert all({one[1], other[1]} == set(CORES) for one, other in pairs)
    assert all({one[0], other[0]} == {"old", "new"} for one, other in pairs)
    assert {dict(pair)["old"] for pair in pairs} == set(CORES)
    assert len(RunStore(tmp_path).ids("old")) == len(RunStore(tmp_path).ids("new")) == 12
    assert log.steps[:2] == ["old 1/12", "new 1/12"]
    assert log.steps.count("stored") == 24


def test_a_pair_with_a_disturbed_run_is_repeated(tmp_path: Path) -> None:
    script = Together({"old": [GOOD, GOOD, GOOD], "new": [GOOD, STARVED, GOOD]})
    results = script.collect(tmp_path, 2, Log())
    assert [run.quality.valid for run in results["new"].runs] == [True, False, True]
    assert len(results["old"].runs) == 3
    assert results["old"].failure is None


def test_too_many_disturbed_runs_end_both(tmp_path: Path) -> None:
    script = Together({"old": [GOOD] * 9, "new": [STARVED] * 9})
    results = script.collect(tmp_path, 2, Log())
    assert results["old"].failure is None
    assert "4 of 4 runs were disturbed" in str(results["new"].failure)


def test_a_program_that_fails_ends_both(tmp_path: Path) -> None:
    script, log = Together({"old": [WRONG_EXIT], "new": [GOOD]}), Log()
    results = script.collect(tmp_path, 3, log)
    assert "exited with code 3" in str(results["old"].failure)
    assert results["new"].failure is None
    assert len(results["new"].runs) == 1
    assert log.steps[-1] == "old failed"


def test_where_there_is_nothing_to_record_the_other_program_is_stopped(tmp_path: Path) -> None:
    script = Together({"old": [MeasureError("no sample arrived")], "new": [FOREVER]})
    results = script.collect(tmp_path, 3, Log())
    assert script.abandoned == ["new"]
    assert (results["new"].failure, results["new"].runs) == (None, ())
    assert str(results["old"].failure) == "no sample arrived"


def test_ctrl_c_stops_both_and_keeps_what_is_complete(tmp_path: Path) -> None:
    script = Together({"old": [GOOD, FOREVER], "new": [GOOD, FOREVER]})
    seen: list[object] = []

    def interrupt(event: object) -> None:
        seen.append(event)
        if len(script.pinned) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        script.collect(tmp_path, 3, interrupt)
    assert sorted(script.abandoned) == ["new", "old"]
    assert len(RunStore(tmp_path).ids("old")) == len(RunStore(tmp_path).ids("new")) == 1
