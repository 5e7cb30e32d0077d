"""The buto tests of one pytest item: launched by the plugin, or driven by the test itself.

A launch that the test drives is recorded in a thread of its own while the test runs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from buto.actions import single
from buto.errors import ButoError, MeasureError, UsageError
from buto.measure.hooks import LaunchHooks, MeasuredProgram
from buto.measure.journal import RecordingAbandonedError
from buto.measure.progress import OnTick, Progress
from buto.project.model import TestConfig
from buto.pytest_plugin.case import Events, ItemCase, project_of
from buto.pytest_plugin.hints import InPytest
from buto.pytest_plugin.mark import STARTS, arguments_of, join, name_of, test_of
from buto.pytest_plugin.options import SessionOptions
from buto.pytest_plugin.outcome import ERROR, ItemOutcome, NotPassed
from buto.report.sanitize import harmless
from buto.run.model import Problem, Run
from buto.run.names import encode_test
from buto.run.storage import place_of
from buto.steps import Action


class ItemTests:
    """The buto tests that one pytest item measures, usually a single one."""

    def __init__(self, item: pytest.Item, options: SessionOptions) -> None:
        self.options = options
        self._item = item
        self._cases: dict[str, ItemCase] = {}
        self._outcomes: list[ItemOutcome] = []
        self._front_end: InPytest | None = None

    def test(self, given: Mapping[str, Any]) -> TestConfig:
        """Return the test with the mark's arguments and further ones."""
        merged = join(arguments_of(self._item), given)
        return test_of(name_of(self._item, merged), merged, self.options.defaults, self.options.root)

    def case(self, test: TestConfig) -> ItemCase:
        """Return the state of a test; each name has one."""
        if test.name not in self._cases:
            self._cases[test.name] = self._begin(test)
        return self._cases[test.name]

    def prepare(self) -> None:
        """Check the mark of a test that drives its JVM itself, before the test runs."""
        with self.body():
            if any(key in STARTS for key in arguments_of(self._item)):
                self._begin(self.test({}))

    def measure(self) -> None:
        """Launch the program of the mark as often as needed."""
        with self.body():
            case = self.case(self.test({}))
            case.launch()
            outcome = case.outcome(self.options.verbosity)
        self._outcomes.append(outcome)
        if outcome.status == "inconclusive":
            raise NotPassed([outcome])

    def repeat(self, again: Callable[[], object]) -> None:
        """Call the body of a test that drives its JVM itself until there are enough runs."""
        if not self._cases:
            self._fail(UsageError("the test uses the fixture buto, but recorded nothing", advice=_RECORD))
        with self.body():
            while any(case.state.missing for case in self._cases.values()):
                before = self._n_runs
                again()
                if self._n_runs <= before:
                    raise UsageError(
                        "the test needs more runs, but when its body was called again it recorded none",
                        advice="call buto.record(...) in the body of the test, not in a fixture",
                    )
            self._outcomes += [case.outcome(self.options.verbosity) for case in self._cases.values()]

    @property
    def _n_runs(self) -> int:
        return sum(len(case.state.runs) for case in self._cases.values())

    def conclude(self) -> None:
        """Raise NotPassed if a test did not pass."""
        bad = [outcome for outcome in self._outcomes if not outcome.is_good]
        if bad:
            raise NotPassed(bad)

    def take_outcomes(self) -> list[ItemOutcome]:
        """Return the outcomes that have not been reported yet."""
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    @contextmanager
    def body(self) -> Iterator[None]:
        """End the test with only the message if buto fails as expected within this block."""
        try:
            yield
        except ButoError as error:
            self._fail(error)

    def _begin(self, test: TestConfig) -> ItemCase:
        path = self.options.oracles / f"{encode_test(test.name)}.json"
        started_in = self._item.config.invocation_params.dir
        inside = self._item.nodeid.partition("::")[2]
        node = f"{os.path.relpath(self._item.path, started_in)}::{inside}"
        store = place_of(self.options.store, self.options.root)
        front_end = self._front_end = InPytest(node, test.name, started_in, store, path)
        is_driven = "buto" in getattr(self._item, "fixturenames", ())
        project = project_of(test, front_end)
        events = Events(front_end, self._say)
        action = Action(self.options.mode)
        state = single.begin(project, test, action, events, is_driven=is_driven)
        return ItemCase(project.launcher(events), state, events, self.options.why and not is_driven)

    def _say(self, text: str) -> None:
        """Show a line now; a process of xdist has no terminal."""
        plugins = self._item.config.pluginmanager
        terminal, capture = plugins.get_plugin("terminalreporter"), plugins.get_plugin("capturemanager")
        if terminal is None or self.options.verbosity < 0:
            return
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            terminal.ensure_newline()
            terminal.write_line(harmless(f"buto: {text}"))

    def _fail(self, error: ButoError) -> None:
        if self._front_end is not None:
            error.rephrase(self._front_end.words)
        first, *rest = error.message.splitlines()
        details = [*rest, *([f"try:  {error.advice}"] if error.advice else [])]
        outcome = ItemOutcome(self._item.name, ERROR, first, tuple(details))
        self._outcomes.append(outcome)
        raise NotPassed([outcome]) from None


_RECORD = "with buto.record(command=[...]) as target: ..."


Record = Callable[[OnTick, LaunchHooks], Run]
"""Launches once, records to the end, and stores the run."""

_END_S = 60.0
"""Time in seconds for ending the program and storing its run, in addition to the program's own time limit."""


class LiveLaunch:
    """One launch, from :meth:`start` to :meth:`finish` or :meth:`abandon`.

    The recording thread also starts the program, because the program is killed when the thread that
    started it ends.
    """

    def __init__(self, record: Record, timeout_s: float) -> None:
        self._record = record
        self._patience_s = timeout_s + _END_S
        self._program: MeasuredProgram | None = None
        self._begun = threading.Event()
        self._over = threading.Event()
        self._abandoned = threading.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="buto-record")
        self._run: Future[Run] | None = None

    def start(self) -> MeasuredProgram:
        """Launch, and wait for the program's ``main``."""
        self._run = self._thread.submit(self._record, self._tick, self)
        self._run.add_done_callback(self._ended)
        self._begun.wait(self._patience_s)
        if self._program is None:
            self.finish()
            raise MeasureError("the program ended before the start of its main was observed")
        return self._program

    @property
    def is_over(self) -> bool:
        """Return whether the program has ended."""
        return self._over.is_set()

    def finish(self) -> Run:
        """Wait for the program's end."""
        assert self._run is not None
        try:
            return self._run.result(self._patience_s)
        except TimeoutError:
            raise MeasureError("the program did not end, even long after its time limit") from None
        finally:
            self._thread.shutdown(wait=False)

    def abandon(self) -> None:
        """End the program and drop the run; does nothing after :meth:`finish`."""
        self._abandoned.set()
        self._thread.shutdown(wait=True)

    def program_started(self, program: MeasuredProgram) -> None:
        """See :class:`LaunchHooks`."""
        self._program = program
        self._begun.set()

    def program_ended(self) -> tuple[Problem, ...]:
        """See :class:`LaunchHooks`."""
        self._over.set()
        return ()

    def cpu_s(self) -> float:
        """See :class:`LaunchHooks`; the test itself is part of buto's own process."""
        return 0.0

    def _ended(self, run: Future[Run]) -> None:
        self._over.set()
        self._begun.set()

    def _tick(self, progress: Progress) -> None:
        if self._abandoned.is_set():
            raise RecordingAbandonedError("the test ended before its program")
