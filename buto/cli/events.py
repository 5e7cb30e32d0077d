"""What the workflow reports, as lines on the console."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from buto.actions import events
from buto.actions.advice import Door, in_words
from buto.actions.check import Outcome
from buto.cli.console import Console, Verbosity
from buto.cli.progress import LaunchProgress
from buto.judging.verdict import Order
from buto.programs.named import Unkept
from buto.report.document import Line, aligned
from buto.report.result import LEFT_OUT, Result
from buto.report.sanitize import one_line
from buto.report.terminal.verdict import Detail, styled_lines
from buto.run.units import format_count

_DETAIL = {Verbosity.QUIET: Detail.HEADLINE, Verbosity.NORMAL: Detail.SHORT, Verbosity.VERBOSE: Detail.FULL}


class EventPrinter:
    """Prints events, with as much detail as was asked for."""

    def __init__(self, console: Console, door: Door | None = None, order: Order = Order.MEANING) -> None:
        self.console = console
        self.progress = LaunchProgress(console)
        self._order = order
        self._door = door

    def __call__(self, event: events.Event) -> None:
        """Print an event."""
        console, door = self.console, self._door
        match event:
            case events.LaunchesPlanned(seed=seed, commands=commands):
                if seed is not None:
                    console.detail(f"order of launches: seed {seed}")
                for test, command in commands.items():
                    console.detail(f"{test}: {command}")
                self.progress(event)
            case events.WaitingForStore(store):
                console.info(f"waiting for another buto that is measuring into {store}")
            case events.EnoughRuns(test, n_runs, is_most, last):
                most = f"{n_runs} runs are the most that 'auto' uses"
                enough = f"{n_runs} runs are enough: the last {last} did not sharpen the oracle"
                console.info(f"{test}: {most if is_most else enough}")
            case events.JudgedTaken():
                console.info(f"{event.test}: {event.describe()}")
            case events.Confirming(test, why, runs):
                console.info(f"{test}: {why}; launching {runs} more to judge them together")
            case events.TurnsBegin(test, why, n_each):
                console.info(
                    f"{test}: {why}; launching the program of the training and the present one in random "
                    f"turns, {n_each} runs of each"
                )
            case events.JvmMeasured(test, names, others) if names:
                # The JVM that was measured is of interest if there were others.
                measured = f"{test}: measured {', '.join(names)}"
                other = "--jvm PATTERN" if door is None else door.setting("jvm", "PATTERN")
                if others:
                    console.info(f"{measured}; also seen: {', '.join(others)} ({other} measures another)")
                else:
                    console.detail(measured)
            case events.Warned(test, text):
                console.warning(f"{test}: {text}")
            case events.Affected(test, why):
                console.detail(f"{test}: checked, because {why}")
            case events.Unaffected(left_out):
                console.result(one_line(f"LEFT OUT  {left_out.test}: {left_out.why}"))
            case events.ProfilesStored(test, path, n_profiles):
                n_stored = format_count(n_profiles, "profile")
                console.info(f"{test}: {n_stored} stored for buto why in {path}")
            case events.ProgramKept(test, Unkept(advice=advice)):
                more = f" ({advice if door is None else in_words(advice, door)})" if advice else ""
                console.info(f"{test}: {event.describe()}{more}")
            case events.ProgramKept(test):
                console.detail(f"{test}: {event.describe()}")
            case events.RunsLeftOut(test, n_runs):
                console.info(f"{test}: {format_count(n_runs, 'run')} of other environments left out")
            case events.Judged(result):
                self.verdict(result)
            case events.Shown(result, train, lacking):
                shown = format_count(len(result.runs), "run")
                console.result(one_line(f"RECORDED  {result.test}: {shown}, without an oracle"))
                first = f"record {format_count(lacking, 'more run')}, then " if lacking else ""
                console.info(f"to learn an oracle from them: {first}{train}")
            case events.Failed(result) if result.error is not None:
                console.error(f"{result.test}: {result.error.message}", result.error.advice)
            case events.OracleWritten(test, path, n_runs):
                console.result(f"TRAINED  {test}: {format_count(n_runs, 'run')}, {path}")
            case events.StrengthsLimited(_, n_quantities):
                console.info(f"only the most common of {n_quantities:,} quantities are reported")
            case events.Trained(result=result):
                self._strengths(result)
            case events.OracleChanged():
                self._difference(event)
            case events.Accepted(path=path, written=True):
                file = shlex.quote(str(path))
                console.info(f"wrote {path}; next: git diff {file}; git add {file}")
            case events.Accepted(again=again):
                how = "" if door is None else f"; to accept it: {door.step(again)}"
                console.info(f"nothing was written{how}")
            case events.BuildStarted(command, _, None):
                console.detail(f"building: {command}")
            case events.BuildStarted(command, commit, revision):
                console.info(f"building {revision} ({commit[:12]}): {command}")
            case events.CommitsCounted(n_commits):
                checks = format_count(max(0, (n_commits - 1).bit_length()), "check")
                commits = format_count(n_commits, "commit")
                console.info(f"{commits} from GOOD to BAD, about {checks} after those of GOOD and BAD")
            case events.CommitReached(commit):
                console.info(f"{commit.short}  {one_line(commit.subject)}")
            case events.CommitJudged(commit, answer, why):
                console.info(f"{commit.short}  {answer}: {why}")
            case _:
                self.progress(event)

    def verdict(self, result: Result) -> None:
        """Print a verdict in about six lines; ``-q`` the first of them, ``-v`` everything."""
        if result.report is not None:
            detail = _DETAIL[self.console.verbosity]
            self._styled(styled_lines(result.report.ordered(self._order), detail))

    def outcome(self, outcome: Outcome) -> None:
        """Print one line for each of several tests; nothing for a single test."""
        rows = [(result.test, str(result.status)) for result in outcome.results]
        rows += [(one.test, LEFT_OUT) for one in outcome.left_out or ()]
        if len(rows) > 1:
            self.console.results(["", *aligned(rows)])

    def _styled(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.console.styled(line.parts)

    def _strengths(self, result: Result) -> None:
        from buto.report.strength import MORE_RUNS, strength_lines

        verbosity = self.console.verbosity
        if verbosity is not Verbosity.QUIET and result.detectable:
            self.console.result(f"  {result.detectable}")
        if verbosity is Verbosity.VERBOSE:
            more_runs = MORE_RUNS if self._door is None else in_words(MORE_RUNS, self._door)
            self.console.results(f"  {line}" for line in strength_lines(result.strengths, more_runs))

    def _difference(self, event: events.OracleChanged) -> None:
        from buto.report.terminal.oracle import MAX_ROWS, change_lines

        verbosity = self.console.verbosity
        max_rows = None if verbosity is Verbosity.VERBOSE else MAX_ROWS
        lines = change_lines(event.known, event.learned, max_rows=max_rows)
        self._styled(lines[:1] if verbosity is Verbosity.QUIET else lines)
