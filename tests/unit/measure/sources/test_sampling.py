"""Sources are read at their times, and what goes wrong with one shows in its values alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.hooks import AllHooks, LaunchHooks, MeasuredProgram
from buto.measure.recording import Recording
from buto.measure.samples import Track
from buto.measure.sources import sampling
from buto.measure.sources.protocol import Reader, SourceError
from buto.measure.sources.sampling import SourceHooks, add_sampling
from buto.measure.target import SourceSpec
from buto.run.model import Outcome, Problem, ProblemKind, Quality, Run, SourceState
from buto.run.properties import Kind, Property, Role

PATIENCE_S = 20.0
HANGING_S = 0.2
"""How long a source is waited for that hangs; ten times its interval."""

TOLERANCE_S = 1.0
"""The interval of a source whose readings must not be taken for missing on a busy machine."""


class Scripted(Reader):
    """Gives prepared readings in turn, the last one again and again."""

    def __init__(self, script: Sequence[Any]) -> None:
        self._script = list(script)
        self.n_begun = 0
        self.closed = False

    def read(self) -> Mapping[str, float]:
        self.n_begun += 1
        step = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if isinstance(step, Exception):
            raise step
        if callable(step):
            step()
            return {}
        return cast(Mapping[str, float], step)

    def property(self, name: str) -> Property:
        return Property(name, "By", Kind.GAUGE)

    def metadata(self) -> Mapping[str, str]:
        return {"version": "17.2"}

    def close(self) -> None:
        self.closed = True


class ScriptedSource:
    kind: ClassVar[str] = "scripted"
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    required: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settle_s = float(settings.get("settle", 0.0))
        self._reader: Scripted = settings["reader"]

    def open(self, surroundings: object, interval_s: float, timeout_s: float) -> Reader:
        return self._reader


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "source", lambda kind: ScriptedSource)


class Tolerant(Recording):
    """One whose readings are not taken for missing on a busy machine."""

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        return super().track(name, TOLERANCE_S, from_first=from_first)


class Launched:
    """A program whose recording has one JVM column."""

    pid = 1

    def __init__(self, reader: Scripted, *, hangs: bool = False) -> None:
        self._reader = reader
        self._hangs = hangs
        self.recording = Recording("t") if hangs else Tolerant("t")
        self.recording.zero_ns = time.monotonic_ns()
        self.recording.add_columns([Property("jvm.a")])
        self.recording.metadata["buto.interval"] = 0.02

    def wait_for_a_reading(self) -> None:
        """Wait for a whole one, so that it is near on a busy machine, too."""
        wanted = self._reader.n_begun + 2
        deadline = time.monotonic() + (HANGING_S if self._hangs else PATIENCE_S)
        while self._reader.n_begun < wanted and time.monotonic() < deadline:
            time.sleep(0.002)

    def run_for(self, n_samples: int, hooks: LaunchHooks) -> tuple[Run, tuple[Problem, ...]]:
        hooks.program_started(cast(MeasuredProgram, self))
        for number in range(n_samples):
            # The run's own samples, on its own clock.
            self.wait_for_a_reading()
            self.recording.add_rows(np.array([time.monotonic_ns()]), np.array([[float(number)]]))
        problems = hooks.program_ended()
        return self.recording.finish(Outcome(0), Quality()), problems


def read(*script: Any, settle: float = 0.0, n_samples: int = 6, hangs: bool = False) -> tuple[Run, Scripted]:
    return read_by(Scripted(script), settle=settle, n_samples=n_samples, hangs=hangs)


def read_by(
    reader: Scripted, *, settle: float = 0.0, n_samples: int = 6, hangs: bool = False
) -> tuple[Run, Scripted]:
    spec = SourceSpec("db", "scripted", {"reader": reader, "settle": settle}, interval_s=0.02, timeout_s=0.1)
    run, problems = Launched(reader, hangs=hangs).run_for(n_samples, SourceHooks([spec]))
    assert problems == ()
    return run, reader


def test_readings_are_columns_with_the_name_of_their_source() -> None:
    run, reader = read({"size": 5.0})
    assert reader.closed
    assert run.series("db.size").tolist() == [5.0] * 6
    prop = run.properties[run.column_of["db.size"]]
    assert (prop.unit, prop.role) == ("By", Role.PROGRAM)
    cost = run.properties[run.column_of["buto.source.time[db]"]]
    assert (cost.role, cost.unit) == (Role.COST, "s")
    assert run.metadata["source.db.version"] == "17.2"
    assert run.sources == (SourceState("db", "scripted"),)


def test_a_source_that_never_answers_well_gives_no_values_and_no_problem() -> None:
    run, _ = read(SourceError("nothing listens there"))
    assert "db.size" not in run.column_of
    assert run.sources == (SourceState("db", "scripted", "nothing listens there"),)


@pytest.mark.parametrize(
    "error", [SourceError("gone"), OSError("gone"), ValueError("gone"), KeyError("gone")]
)
def test_a_source_that_fails_in_between_gives_nan_with_the_reason(error: Exception) -> None:
    run, _ = read({"size": 5.0}, {"size": 5.0}, *[error] * 10, {"size": 7.0}, n_samples=12)
    series = run.series("db.size")
    assert np.isnan(series).any()
    assert series[-1] == 7.0
    assert "gone" in run.nan_reasons["db.size"]


class Explaining(Scripted):
    """Took its values long ago, and explains what is NaN."""

    def taken_ns(self) -> int:
        return 0

    def reasons(self) -> Mapping[str, str]:
        return {"size": "nobody measured it", "other": "it is not there"}


def test_a_value_that_is_nan_has_the_reason_of_its_own() -> None:
    run, _ = read_by(Explaining([{"size": np.nan, "rows": 1.0}]))
    assert np.isnan(run.series("db.size")).all()
    assert run.nan_reasons["db.size"] == "nobody measured it"


def test_values_belong_to_the_time_at_which_they_were_taken() -> None:
    run, _ = read_by(Explaining([{"rows": 1.0}]))
    assert np.isnan(run.series("db.rows")).all()


def test_names_that_come_late_are_counted_and_not_recorded() -> None:
    run, _ = read({"size": 5.0}, {"size": 5.0, "rows": 1.0})
    assert "db.rows" not in run.column_of
    assert run.metadata["source.db.names.late"] == 1


def test_names_that_come_while_a_source_settles_are_recorded() -> None:
    run, _ = read({"size": 5.0}, {"size": 5.0, "rows": 1.0}, settle=10.0)
    assert run.series("db.rows")[-1] == 1.0


def test_too_many_names_are_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MAX_PROPERTIES", 3)
    run, _ = read({str(number): 1.0 for number in range(4)})
    assert run.sources[0].reason == "it has 4 numbers, more than 3"


def test_a_source_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_END_S", 0.1)
    asleep = threading.Event()
    begun = time.monotonic()
    run, _ = read({"size": 5.0}, lambda: asleep.wait(20), hangs=True)
    asleep.set()
    assert time.monotonic() - begun < 18
    assert run.sources[0].reason == "it did not answer within 0.1 s"
    assert np.isnan(run.series("db.size")[-1])


class StrangeError(Exception):
    """What nobody expects."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_source_that_raises_what_it_should_not_is_told_from_one_that_worked() -> None:
    run, _ = read({"size": 5.0}, StrangeError("oops"), hangs=True)
    assert run.sources[0].reason == "it failed with an error that no source should raise"


class Workload:
    """Other hooks, which must end before the sources do."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def program_started(self, program: MeasuredProgram) -> None:
        self.calls.append("started")

    def program_ended(self) -> tuple[Problem, ...]:
        self.calls.append("ended")
        return (Problem(ProblemKind.WORKLOAD, "it failed"),)

    def cpu_s(self) -> float:
        return 7.0


def test_other_hooks_are_called_as_without_sources() -> None:
    inner = Workload()
    reader = Scripted([{"size": 1.0}])
    hooks = add_sampling(inner, [SourceSpec("db", "scripted", {"reader": reader}, 0.02, 0.1)])
    assert hooks is not None and hooks.cpu_s() == 7.0
    _, problems = Launched(reader).run_for(2, hooks)
    assert [problem.text for problem in problems] == ["it failed"]
    assert inner.calls == ["started", "ended"]
    assert add_sampling(inner, []) is inner
    assert add_sampling(None, []) is None


class FailingWorkload(Workload):
    """Its end cannot be reached."""

    def program_ended(self) -> tuple[Problem, ...]:
        raise MeasureError("the driver hangs")


def test_if_other_hooks_fail_the_sources_end_all_the_same() -> None:
    reader = Scripted([{"size": 1.0}])
    hooks = add_sampling(FailingWorkload(), [SourceSpec("db", "scripted", {"reader": reader}, 0.02, 0.1)])
    assert hooks is not None
    with pytest.raises(MeasureError, match="the driver hangs"):
        Launched(reader).run_for(2, hooks)
    assert reader.closed


def test_if_one_of_several_hooks_fails_the_others_end_all_the_same() -> None:
    others = Workload(), Workload()
    hooks = AllHooks((others[0], FailingWorkload(), others[1]))
    with pytest.raises(MeasureError, match="the driver hangs"):
        hooks.program_ended()
    assert [workload.calls for workload in others] == [["ended"], ["ended"]]
    assert [problem.text for problem in AllHooks(others).program_ended()] == ["it failed", "it failed"]


def test_readings_keep_their_times_however_long_one_takes() -> None:
    def times() -> Iterator[int]:
        run, _ = read({"size": 1.0}, lambda: time.sleep(0.05), {"size": 2.0}, n_samples=10)
        yield from (1 for value in run.series("db.size") if value == 2.0)

    assert sum(times()) >= 3
