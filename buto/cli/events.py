"""What the workflow reports, as lines on the console."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from buto.actions import events
from buto.actions.outcome import CallOutcome
from buto.actions.wording import FrontEnd, word_event, word_outcome
from buto.cli.console import Console, Verbosity
from buto.cli.progress import LaunchProgress
from buto.judging.story import Order
from buto.oracle.numbers import pathspecs
from buto.report.document import MORE, Line, align
from buto.report.result import LEFT_OUT, Result
from buto.report.sanitize import one_line
from buto.report.terminal.verdict import Detail, write_lines
from buto.report.words import status_of
from buto.run.units import format_count
from buto.steps import Advice

_DETAIL = {Verbosity.QUIET: Detail.HEADLINE, Verbosity.NORMAL: Detail.SHORT, Verbosity.VERBOSE: Detail.FULL}


class EventPrinter:
    """Prints events, with as much detail as was asked for."""

    def __init__(
        self, console: Console, front_end: FrontEnd | None = None, order: Order = Order.MEANING
    ) -> None:
        self.console = console
        self.progress = LaunchProgress(console)
        self._order = order
        self._front_end = front_end
        self._told: set[str] = set()

    def __call__(self, event: events.Event) -> None:
        """Print an event."""
        console, front_end = self.console, self._front_end
        if isinstance(event, events.Warned):
            self._warn(event)
            return
        event = event if front_end is None else word_event(event, front_end)
        match event:
            case events.LaunchesPlanned(seed=seed, commands=commands):
                if seed is not None:
                    console.detail(f"order of launches: seed {seed}")
                # A check launches the same commands in each of its steps.
                lines = [f"{test}: {command}" for test, command in commands.items()]
                for text in lines:
                    if text not in self._told:
                        console.detail(text)
                self._told.update(lines)
                self.progress(event)
            case events.WaitingForStore(store):
                console.info(f"waiting for another buto that is measuring into {store}")
            case events.Told(test, text, detail):
                tell = console.detail if detail else console.info
                tell(f"{test}: {text}" if test else text)
            case events.Unaffected(left_out):
                console.result(one_line(f"LEFT OUT  {left_out.test}: {left_out.why}"))
            case events.Judged(result):
                self.verdict(result)
            case events.Shown(result, train):
                shown = format_count(len(result.runs), "run")
                console.result(one_line(f"RECORDED  {result.test}: {shown}, without an oracle"))
                console.info(f"to learn an oracle from them: {train}")
            case events.Failed(result) if result.error is not None:
                console.error(f"{result.test}: {result.error.message}", result.error.advice)
            case events.OracleWritten(test, path, n_runs):
                console.result(f"TRAINED  {test}: {format_count(n_runs, 'run')}, {path}")
            case events.Trained(result=result):
                self._strengths(result)
            case events.OracleChanged():
                self._difference(event)
            case events.Accepted(result, None) if result.oracle is not None:
                diff, add = shlex.join([str(result.oracle)]), shlex.join(pathspecs(result.oracle))
                console.info(f"wrote {result.oracle}; next: git diff {diff}; git add {add}")
            case events.Accepted(again=again):
                how = "" if front_end is None or again is None else f"; to accept it: {front_end.step(again)}"
                console.info(f"nothing was written{how}")
            case _:
                self.progress(event)

    def verdict(self, result: Result) -> None:
        """Print a verdict in about six lines; ``-q`` the first of them, ``-v`` everything."""
        if result.report is not None:
            detail = _DETAIL[self.console.verbosity]
            self._style(write_lines(result.report.sort_by(self._order), detail))

    def words(self, outcome: CallOutcome) -> CallOutcome:
        """Return an outcome in the words in which events are printed."""
        return outcome if self._front_end is None else word_outcome(outcome, self._front_end)

    def outcome(self, outcome: CallOutcome) -> None:
        """Print one line for each of several tests; nothing for a single test."""
        rows = [
            (result.test, result.status if result.verdict is None else status_of(result.verdict))
            for result in outcome.results
        ]
        rows += [(left_out_test.test, LEFT_OUT) for left_out_test in outcome.left_out or ()]
        if len(rows) > 1:
            self.console.results(["", *align(rows)])

    def _warn(self, event: events.Warned) -> None:
        """Print a warning and, in a line of its own, what helps."""
        words = str if self._front_end is None else self._front_end.words
        if isinstance(event.text, Advice) and event.text.fact:
            self.console.warning(f"{event.test}: {event.text.fact}", words(event.text.remedy))
        else:
            self.console.warning(f"{event.test}: {words(event.text)}")

    def _style(self, lines: Iterable[Line]) -> None:
        more = MORE if self._front_end is None else f"({self._front_end.more})"
        for line in lines:
            self.console.style([(text.replace(MORE, more), style) for text, style in line.parts])

    def _strengths(self, result: Result) -> None:
        from buto.report.strength import MORE_RUNS, strength_lines

        verbosity = self.console.verbosity
        # The list of -v has it, too.
        if verbosity is Verbosity.NORMAL and result.detectable:
            self.console.result(f"  {result.detectable}")
        if verbosity is Verbosity.VERBOSE:
            more_runs = MORE_RUNS if self._front_end is None else self._front_end.words(MORE_RUNS)
            self.console.results(f"  {line}" for line in strength_lines(result.strengths, more_runs))

    def _difference(self, event: events.OracleChanged) -> None:
        from buto.report.terminal.oracle import MAX_ROWS, change_lines

        verbosity = self.console.verbosity
        max_rows = None if verbosity is Verbosity.VERBOSE else MAX_ROWS
        lines = change_lines(event.known, event.learned, event.failed, max_rows=max_rows)
        self._style(lines[: len(event.failed) + 1] if verbosity is Verbosity.QUIET else lines)
