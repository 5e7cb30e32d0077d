"""Real checks of an unchanged program and with more use: what is launched, counted and left behind.

The launches are scripted: a run leaks more if the agent was asked to use more.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest

from buto.actions import collecting
from buto.actions.events import Event, Told, ignore
from buto.actions.live import (
    FOUND,
    USES,
    LiveOutcome,
    LiveRequest,
    LiveStopped,
    LiveTrial,
    extra_for,
    measure_live,
)
from buto.errors import JudgeError, MeasureError, UsageError
from buto.judging.alarms import Strength
from buto.judging.verdict import Status
from buto.measure.hooks import LaunchHooks
from buto.measure.journal import Journal
from buto.measure.progress import OnTick
from buto.measure.target import Extra, Target, Use
from buto.oracle import load, save
from buto.programs.named import Unkept
from buto.project.options import OF_COMMANDS, TEST
from buto.run.model import Run
from buto.run.properties import property_for
from tests.support.checkout import ROOT
from tests.support.runs.scripted import Script, ScriptedCollector
from tests.support.runs.stored import leaking_run
from tests.support.runs.trained import OLD, Trained

SIZES = ("jvm.memory.heap.live", "jvm.memory.heap.used", "jvm.thread.count")
"""What the runs have, of which the agent can use more."""

PASS, REGRESSION, INCONCLUSIVE = Status.PASS, Status.REGRESSION, Status.INCONCLUSIVE


class Program(Script):
    """A program that leaks more if the agent uses more.

    Attributes:
        extras: of each launch, the test and what the agent was to use.
        faults: by number of launch, from 0, what happens in place of a run.
        leak: with more use, MiB a second.
    """

    def __init__(self) -> None:
        super().__init__({})
        self.numbers = itertools.count(20)
        self.extras: list[tuple[str, Extra | None]] = []
        self.faults: dict[int, BaseException] = {}
        self.leak = 9.0

    def collector(self, target: Target) -> ScriptedCollector:
        return Leaking(self, target)


class Leaking(ScriptedCollector):
    def __init__(self, program: Program, target: Target) -> None:
        super().__init__(program, target.command[0])
        self.program, self.extra = program, target.extra

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        program = self.program
        if test in program.events:
            return super().record(test, on_tick, hooks, journal)
        fault = program.faults.get(len(program.extras))
        program.extras.append((test, self.extra))
        if fault is not None:
            raise fault
        number = next(program.numbers)
        leak = 1.0 if self.extra is None else program.leak
        return replace(leaking_run(number, leak=leak), id=f"20260102T000000.{number:03d}Z-0000", test=test)


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> Trained:
    monkeypatch.setattr(collecting, "collect", program.collect)
    monkeypatch.chdir(tmp_path)
    trained = Trained(tmp_path, program)
    program.events.clear()
    return trained


def measure(trained: Trained, n_checks: int, on_event: Callable[[Event], None] = ignore) -> LiveOutcome:
    return measure_live(trained.project, LiveRequest("leaker", n_checks), on_event)


@pytest.mark.slow
def test_more_use_is_in_all_runs_of_the_new_program_and_in_none_of_the_old_one(
    trained: Trained, program: Program
) -> None:
    every = load(trained.oracle).fitted.strengths(everything=True).found
    strengths = {strength.quantity.name: strength for strength in every}
    outcome = measure(trained, 1)
    plain, turns, *sized = outcome.trials
    assert [trial.n_failed for trial in sized] == [1] * len(SIZES)
    asked = {extra for test, extra in program.extras if test == "leaker"}
    expected = {Extra(USES[name], ceil(strengths[name].more)) for name in SIZES}
    assert asked == {None, *expected}
    old = [extra for test, extra in program.extras if test == OLD]
    assert len(old) > 3 * len(SIZES)
    assert set(old) == {None}
    assert sum(trial.n_launches for trial in outcome.trials) == len(program.extras)
    assert (plain.wanted, turns.wanted, sized[0].wanted) == (None, None, FOUND)
    assert turns.n_launches > 8
    assert outcome.alpha == 0.01
    assert len(outcome.left_out) == len(USES) - len(SIZES)


@pytest.mark.slow
def test_nothing_is_left_in_the_store(trained: Trained) -> None:
    def content() -> dict[Path, bytes]:
        files = (trained.directory / ".buto").rglob("*")
        return {path: path.read_bytes() for path in files if path.is_file()}

    before = content()
    measure(trained, 1)
    assert content() == before


@pytest.mark.slow
def test_kinds_of_checks_take_turns(trained: Trained) -> None:
    events: list[Event] = []
    measure(trained, 4, events.append)
    plans = [event.text for event in events if isinstance(event, Told) and not event.detail]
    titles = [found[1] for text in plans if (found := re.match(r"(.*), \d+ of \d+: ", text))]
    assert titles.count("unchanged") == 4
    half = len(titles) // 2
    assert sorted(set(titles[:half])) == sorted(set(titles[half:])) == sorted(set(titles))


@pytest.mark.slow
def test_what_is_not_found_breaks_the_promise(trained: Trained, program: Program) -> None:
    program.leak = 1.0
    outcome = measure(trained, 10)
    promised = [trial for trial in outcome.trials[2:] if trial.wanted == FOUND]
    assert promised and set(outcome.broken) >= set(promised)
    assert all(trial.limits.upper < FOUND for trial in promised)
    # No size of a time is promised for another hour.
    others = [trial for trial in outcome.trials[2:] if trial not in promised]
    assert all(trial.wanted == 0 and trial not in outcome.broken for trial in others)


@pytest.mark.slow
def test_ctrl_c_gives_what_there_is(trained: Trained, program: Program) -> None:
    program.faults[4] = KeyboardInterrupt()
    with pytest.raises(LiveStopped) as stop:
        measure(trained, 2)
    assert len(stop.value.outcome.trials[0].statuses) == 1
    assert not stop.value.outcome.trials[-1].statuses


@pytest.mark.slow
def test_an_error_of_the_first_check_ends_it_and_a_later_one_is_not_decided(
    trained: Trained, program: Program
) -> None:
    program.faults[0] = MeasureError("it does not start")
    with pytest.raises(MeasureError):
        measure(trained, 1)
    program.extras.clear()
    program.faults = {1: MeasureError("it does not start any more")}
    outcome = measure(trained, 1)
    assert outcome.trials[1].statuses == (None,)
    assert outcome.trials[1] in outcome.broken, "no check was decided"


@pytest.mark.slow
def test_a_test_without_turns_or_with_another_judge_is_refused(trained: Trained) -> None:
    known = load(trained.oracle)
    save(trained.oracle, replace(known, program=Unkept("it is a script")))
    with pytest.raises(JudgeError):
        measure(trained, 1)


@pytest.mark.slow
def test_the_other_collector_is_refused(trained: Trained) -> None:
    known = load(trained.oracle)
    save(trained.oracle, replace(known, target={**known.target, "collector": "jmx", "live-set": "off"}))
    with pytest.raises(UsageError):
        measure(trained, 1)


def trial(*statuses: Status | None, wanted: float | None = None) -> LiveTrial:
    return LiveTrial("", wanted, statuses)


@pytest.mark.parametrize(
    ("checks", "breaks"),
    [
        (trial(*[PASS] * 10), False),
        (trial(REGRESSION, *[PASS] * 9), False),
        (trial(REGRESSION, REGRESSION, *[PASS] * 8), True),
        (trial(*[INCONCLUSIVE] * 3), True),
        (trial(None), True),
        (trial(), False),
        (trial(*[REGRESSION] * 5, wanted=FOUND), False),
        (trial(*[REGRESSION] * 3, PASS, PASS, wanted=FOUND), False),
        (trial(*[REGRESSION] * 2, *[PASS] * 3, wanted=FOUND), True),
        (trial(*[REGRESSION] * 2, *[INCONCLUSIVE] * 3, wanted=FOUND), True),
        (trial(wanted=FOUND), False),
        (trial(*[PASS] * 5, wanted=0.0), False),
    ],
)
def test_only_what_chance_does_not_explain_breaks_a_promise(checks: LiveTrial, breaks: bool) -> None:
    assert checks.breaks(0.01) is breaks


def size(name: str, more: float) -> Strength:
    return Strength(property_for(name), 1.0, more, 1.0)


def test_what_counts_is_spread_over_the_run_and_seen_by_a_window() -> None:
    allocated = size("jvm.memory.allocated", 1000.0)
    assert extra_for(allocated, 2.0, 2.0) == Extra(Use.ALLOCATED, 1000, 0.9 * 2.0)
    assert extra_for(allocated, 8.0, 2.0) == Extra(Use.ALLOCATED, 4000, 8.0)
    assert extra_for(size("jvm.cpu.time", 0.1), 2.0, 2.0) == Extra(Use.CPU, 100_000_000, 0.9 * 2.0)
    assert extra_for(size("jvm.cpu.time", 1.0), 2.0, 2.0) is None, "no time between the samples"
    assert extra_for(size("jvm.thread.count", 0.3), 8.0, 2.0) == Extra(Use.THREADS, 1)


def test_only_the_selftest_can_ask_for_more() -> None:
    def asks(path: Path) -> bool:
        """Whether a file makes an Extra, or gives another than it was given."""
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        given = [ast.unparse(word.value) for call in calls for word in call.keywords if word.arg == "extra"]
        makes = any(ast.unparse(call.func).split(".")[-1] == "Extra" for call in calls)
        return makes or not set(given) <= {"None", "request.extra"}

    sources = (ROOT / "buto").rglob("*.py")
    assert [path.name for path in sources if asks(path)] == ["live.py"]
    assert "extra" not in {**TEST, **OF_COMMANDS}
