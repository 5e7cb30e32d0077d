"""What the workflow reports, as lines on the console."""

from __future__ import annotations

import shlex

from buto.actions.advice import Door, in_words
from buto.actions.events import (
    Accepted,
    Event,
    Failed,
    Judged,
    LaunchesPlanned,
    OracleChanged,
    OracleWritten,
    Shown,
    Told,
    Trained,
    Unaffected,
    WaitingForStore,
    Warned,
)
from buto.actions.outcome import Outcome
from buto.cli.console import Console, Verbosity
from buto.cli.progress import LaunchProgress
from buto.judging.verdict import Order
from buto.report.result import LEFT_OUT, Result
from buto.report.sanitize import one_line
from buto.report.terminal.verdict import Detail, styled_lines
from buto.run.units import format_count

_DETAIL = {
    Verbosity.QUIET: Detail.HEADLINE,
    Verbosity.NORMAL: Detail.SHORT,
    Verbosity.VERBOSE: Detail.FULL,
}


class EventPrinter:
    """Prints events, with as much detail as was asked for."""

    def __init__(self, console: Console, door: Door | None = None, order: Order = Order.MEANING) -> None:
        self.console = console
        self._order = order
        self.progress = LaunchProgress(console)
        self._door = door

    def __call__(self, event: Event) -> None:
        """Print an event."""
        console = self.console
        match event:
            case LaunchesPlanned(seed=seed, commands=commands):
                if seed is not None:
                    console.detail(f"order of launches: seed {seed}")
                for test, command in commands.items():
                    console.detail(f"{test}: {command}")
                self.progress(event)
            case WaitingForStore(store):
                console.info(f"waiting for another buto that is measuring into {store}")
            case Told(test, text, detail):
                tell = console.detail if detail else console.info
                tell(f"{test}: {text}" if test else text)
            case Warned(test, text):
                console.warning(f"{test}: {text}")
            case Unaffected(left_out):
                console.result(one_line(f"LEFT OUT  {left_out.test}: {left_out.why}"))
            case Judged(result):
                self.verdict(result)
            case Shown(result, train):
                shown = format_count(len(result.runs), "run")
                console.result(one_line(f"RECORDED  {result.test}: {shown}, without an oracle"))
                console.info(f"to learn an oracle from them: {train}")
            case Failed(result):
                self.failure(result)
            case OracleWritten() | Trained() | OracleChanged() | Accepted():
                self._learned(event)
            case _:
                self.progress(event)

    def verdict(self, result: Result) -> None:
        """Print a verdict in about six lines; ``-q`` the first of them, ``-v`` everything."""
        if result.report is None:
            return
        for line in styled_lines(result.report.ordered(self._order), _DETAIL[self.console.verbosity]):
            self.console.styled(line.parts)

    def failure(self, result: Result) -> None:
        """Print why a test could not be finished."""
        if result.error is not None:
            self.console.error(f"{result.test}: {result.error.message}", result.error.advice)

    def outcome(self, outcome: Outcome) -> None:
        """Print one line for each of several tests; nothing for a single test."""
        lines = [(result.test, result.status) for result in outcome.results]
        lines += [(one.test, LEFT_OUT) for one in outcome.left_out or ()]
        if len(lines) > 1:
            width = max(len(test) for test, _ in lines)
            self.console.result("")
            for test, became in lines:
                self.console.result(f"{test:<{width}}  {became}")

    def _learned(self, event: OracleWritten | Trained | OracleChanged | Accepted) -> None:
        console = self.console
        match event:
            case OracleWritten(test, path, n_runs):
                console.result(f"TRAINED  {test}: {format_count(n_runs, 'run')}, {path}")
            case Trained():
                self._strengths(event)
            case OracleChanged():
                self._difference(event)
            case Accepted(result, None):
                file = shlex.quote(str(result.oracle))
                console.info(f"wrote {result.oracle}; next: git diff {file}; git add {file}")
            case Accepted(again=again):
                how = "" if self._door is None or again is None else self._door.step(again)
                console.info(f"nothing was written{how and f'; to accept it: {how}'}")

    def _strengths(self, event: Trained) -> None:
        from buto.report.strength import MORE_RUNS, strength_lines

        verbosity = self.console.verbosity
        if verbosity is Verbosity.QUIET:
            return
        if event.result.detectable:
            self.console.result(f"  {event.result.detectable}")
        if verbosity is Verbosity.VERBOSE:
            more_runs = MORE_RUNS if self._door is None else in_words(MORE_RUNS, self._door)
            for line in strength_lines(event.result.strengths, more_runs):
                self.console.result(f"  {line}")

    def _difference(self, event: OracleChanged) -> None:
        from buto.report.terminal.oracle import MAX_ROWS, change_lines

        verbosity = self.console.verbosity
        max_rows = None if verbosity is Verbosity.VERBOSE else MAX_ROWS
        lines = change_lines(event.known, event.learned, max_rows=max_rows)
        for line in lines[:1] if verbosity is Verbosity.QUIET else lines:
            self.console.styled(line.parts)
