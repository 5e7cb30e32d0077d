"""The buto tests of one pytest item: launched by the plugin, or driven by the test itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from buto.config import TestConfig
from buto.errors import ButoError, UsageError
from buto.pytest_plugin.case import Events, ItemCase, begun, project_of
from buto.pytest_plugin.hints import InPytest
from buto.pytest_plugin.mark import STARTS, arguments_of, joined, name_of, test_of
from buto.pytest_plugin.options import Options
from buto.pytest_plugin.outcome import ERROR, NotPassed, Outcome
from buto.runs import encode_test
from buto.runs.storage.place import place_of
from buto.workflow.advice.door import reword


class ItemTests:
    """The buto tests that one pytest item measures, usually a single one."""

    def __init__(self, item: pytest.Item, options: Options) -> None:
        self.options = options
        self._item = item
        self._cases: dict[str, ItemCase] = {}
        self._outcomes: list[Outcome] = []
        self._door: InPytest | None = None

    def test(self, given: Mapping[str, Any]) -> TestConfig:
        """Return the test with the mark's arguments and further ones.

        Raises:
            UsageError: the arguments are not valid or not complete.
        """
        merged = joined(arguments_of(self._item), given)
        return test_of(name_of(self._item, merged), merged, self.options.defaults, self.options.root)

    def case(self, test: TestConfig) -> ItemCase:
        """Return the state of a test; each name has one.

        Raises:
            ButoError: the test cannot be checked or trained; see :func:`begun`.
        """
        if test.name not in self._cases:
            self._cases[test.name] = self._begin(test)
        return self._cases[test.name]

    def prepare(self) -> None:
        """Check the mark of a test that drives its JVM itself, before the test runs."""
        with self.body():
            if any(key in STARTS for key in arguments_of(self._item)):
                self._begin(self.test({}))

    def measure(self) -> None:
        """Launch the program of the mark as often as needed.

        Raises:
            NotPassed: it cannot be measured or judged. A regression is raised by :meth:`conclude`.
        """
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
                before = sum(len(case.state.runs) for case in self._cases.values())
                again()
                if sum(len(case.state.runs) for case in self._cases.values()) <= before:
                    raise UsageError(
                        "the test needs more runs, but when its body was called again it recorded none",
                        advice="call buto.record(...) in the body of the test, not in a fixture",
                    )
            self._outcomes += [case.outcome(self.options.verbosity) for case in self._cases.values()]

    def conclude(self) -> None:
        """Raise NotPassed if a test did not pass."""
        bad = [outcome for outcome in self._outcomes if not outcome.is_good]
        if bad:
            raise NotPassed(bad)

    def take_outcomes(self) -> list[Outcome]:
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
        door = self._door = InPytest(node, test.name, started_in, store, path)
        is_driven = "buto" in getattr(self._item, "fixturenames", ())
        project = project_of(test, door)
        events = Events(self._say)
        state = begun(project, test, self.options.mode, events, is_driven=is_driven)
        explains = self.options.why and not is_driven
        return ItemCase(project, state, remembers=not is_driven, explains=explains, events=events)

    def _say(self, text: str) -> None:
        """Show a line now; a process of xdist has no terminal."""
        plugins = self._item.config.pluginmanager
        terminal, capture = plugins.get_plugin("terminalreporter"), plugins.get_plugin("capturemanager")
        if terminal is None or self.options.verbosity < 0:
            return
        with nullcontext() if capture is None else capture.global_and_fixture_disabled():
            terminal.ensure_newline()
            terminal.write_line(f"buto: {text}")

    def _fail(self, error: ButoError) -> None:
        first, *rest = error.message.splitlines()
        if self._door is not None:
            reword(error, self._door)
        details = [*rest, *([f"try:  {error.advice}"] if error.advice else [])]
        outcome = Outcome(self._item.name, ERROR, first, tuple(details))
        self._outcomes.append(outcome)
        raise NotPassed([outcome]) from None


_RECORD = "with buto.record(command=[...]) as target: ..."
