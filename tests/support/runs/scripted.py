"""A collector that launches nothing and hands out the runs that a test wrote down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from buto.actions.collecting import Collected, collect
from buto.actions.events import Event as LaunchEvent
from buto.actions.events import GivenUp, LaunchProgressed, LaunchRepeated, LaunchStarted, RunStored
from buto.actions.stored import STAGED
from buto.engine.launching import LocalEngine
from buto.errors import ButoError
from buto.measure.hooks import LaunchHooks
from buto.measure.journal import Journal
from buto.measure.progress import OnTick, Progress
from buto.measure.target import Target
from buto.run.model import Outcome, ProblemKind, Run
from tests.support.runs.examples import full_run
from tests.support.runs.qualities import invalid, starved

Event = Run | BaseException
GOOD = full_run()
STARVED = replace(GOOD, quality=starved())
LATE = replace(
    GOOD,
    outcome=Outcome(None, timed_out=True, duration_s=5.0),
    quality=invalid(ProblemKind.TIME_LIMIT, "it was stopped at its time limit of 5 s"),
)
WRONG_EXIT = replace(
    GOOD,
    outcome=Outcome(3, duration_s=0.5),
    quality=invalid(ProblemKind.EXIT_CODE, "it exited with code 3, expected 0"),
    stdout=b"".join(b"line %d\n" % number for number in range(100)),
    stderr=b"",
)


class Script:
    """What each test's launches give, and what was asked for.

    Attributes:
        launched: the tests in the order in which they were launched.
        opened, closed: the tests whose collectors were opened and closed.

    Args:
        broken: by the first word of a command, why it cannot be started.
    """

    def __init__(
        self, events: dict[str, Sequence[Event]], broken: Mapping[str, ButoError] | None = None
    ) -> None:
        self.broken = broken or {}
        self.events = {test: iter(script) for test, script in events.items()}
        self.launched: list[str] = []
        self.opened: list[str] = []
        self.closed: list[str] = []

    @property
    def collect(self) -> Callable[..., dict[str, Collected]]:
        """Return :func:`collect` with this script in place of launches, whatever engine is asked for."""
        engine_for = partial(LocalEngine, collector_for=self.collector, check=self.check)

        def scripted(*plans_and_store: Any, **settings: Any) -> dict[str, Collected]:
            plans = plans_and_store[0]
            if settings["purpose"] == STAGED and not any(plan.test in self.events for plan in plans):
                # Most scripts say nothing of the copies that trainings try: these are not judged.
                return {plan.test: Collected() for plan in plans}
            return collect(*plans_and_store, **{**settings, "engine_for": engine_for})

        return scripted

    def check(self, target: Target) -> None:
        if target.command[0] in self.broken:
            raise self.broken[target.command[0]]

    def collector(self, target: Target) -> ScriptedCollector:
        return ScriptedCollector(self, target.command[0])


class ScriptedCollector:
    def __init__(self, script: Script, name: str) -> None:
        self.script = script
        self.name = name

    def __enter__(self) -> Self:
        self.script.opened.append(self.name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.script.closed.append(self.name)

    def record(
        self,
        test: str,
        on_tick: OnTick | None = None,
        hooks: LaunchHooks | None = None,
        journal: Journal | None = None,
    ) -> Run:
        self.script.launched.append(test)
        if on_tick is not None:
            on_tick(Progress(0.5, 5.0, 5, "running"))
        event = next(self.script.events[test])
        if isinstance(event, BaseException):
            raise event
        return replace(event, id=f"20260101T000000.{len(self.script.launched):03d}Z-0000", test=test)


class Log:
    """Writes down the events of launches."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def __call__(self, event: LaunchEvent) -> None:
        match event:
            case LaunchStarted(test, number, planned):
                self.steps.append(f"{test} {number}/{planned}")
            case LaunchProgressed(progress):
                self.steps.append(progress.stage)
            case RunStored(run):
                self.steps.append("stored" if run.quality.valid else "disturbed")
            case LaunchRepeated(test):
                self.steps.append(f"{test} again")
            case GivenUp(test):
                self.steps.append(f"{test} failed")
            case _:
                pass
