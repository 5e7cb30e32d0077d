"""What the workflow reports, as lines on the console."""

from __future__ import annotations

import shlex

from buto.actions.advice import Door, in_words
from buto.actions.check import Outcome
from buto.actions.events import (
    Accepted,
    Affected,
    BuildStarted,
    CommitJudged,
    CommitReached,
    CommitsCounted,
    Confirming,
    EnoughRuns,
    Event,
    Failed,
    Judged,
    JudgedTaken,
    JvmMeasured,
    LaunchesPlanned,
    OracleChanged,
    OracleWritten,
    ProfilesStored,
    ProgramKept,
    RunsLeftOut,
    Shown,
    StrengthsLimited,
    Trained,
    TurnsBegin,
    Unaffected,
    WaitingForStore,
    Warned,
)
from buto.cli.console import Console, Verbosity
from buto.cli.progress import LaunchProgress
from buto.judging.verdict import Order
from buto.programs.named import Unkept
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
            case EnoughRuns(test, n_runs, is_most, last):
                most = f"{n_runs} runs are the most that 'auto' uses"
                enough = f"{n_runs} runs are enough: the last {last} did not sharpen the oracle"
                console.info(f"{test}: {most if is_most else enough}")
            case JudgedTaken():
                console.info(f"{event.test}: {event.describe()}")
            case Confirming(test, why, runs):
                console.info(f"{test}: {why}; launching {runs} more to judge them together")
            case TurnsBegin(test, why, n_each):
                console.info(
                    f"{test}: {why}; launching the program of the training and the present one in random "
                    f"turns, {n_each} runs of each"
                )
            case JvmMeasured():
                self._jvm(event)
            case Warned(test, text):
                console.warning(f"{test}: {text}")
            case Affected(test, why):
                console.detail(f"{test}: checked, because {why}")
            case Unaffected(left_out):
                console.result(one_line(f"LEFT OUT  {left_out.test}: {left_out.why}"))
            case ProfilesStored(test, path, n_profiles):
                console.info(f"{test}: {format_count(n_profiles, 'profile')} stored for buto why in {path}")
            case ProgramKept():
                self._kept(event)
            case RunsLeftOut(test, n_runs):
                console.info(f"{test}: {format_count(n_runs, 'run')} of other environments left out")
            case Judged(result):
                self.verdict(result)
            case Shown(result, train, lacking):
                shown = format_count(len(result.runs), "run")
                console.result(one_line(f"RECORDED  {result.test}: {shown}, without an oracle"))
                first = f"record {format_count(lacking, 'more run')}, then " if lacking else ""
                console.info(f"to learn an oracle from them: {first}{train}")
            case Failed(result):
                self.failure(result)
            case OracleWritten() | StrengthsLimited() | Trained() | OracleChanged() | Accepted():
                self._learned(event)
            case BuildStarted() | CommitsCounted() | CommitReached() | CommitJudged():
                self._commit(event)
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

    def _jvm(self, event: JvmMeasured) -> None:
        """Print which JVM was measured: always if there were others, otherwise only with ``-v``."""
        if event.names and event.others:
            other = "--jvm PATTERN" if self._door is None else self._door.setting("jvm", "PATTERN")
            self.console.info(
                f"{event.test}: measured {', '.join(event.names)}; also seen: {', '.join(event.others)} "
                f"({other} measures another)"
            )
        elif event.names:
            self.console.detail(f"{event.test}: measured {', '.join(event.names)}")

    def _kept(self, event: ProgramKept) -> None:
        """Print that a program is kept with ``-v``, and always why it is not."""
        if not isinstance(event.program, Unkept):
            self.console.detail(f"{event.test}: {event.describe()}")
            return
        advice = event.program.advice
        more = f" ({advice if self._door is None else in_words(advice, self._door)})" if advice else ""
        self.console.info(f"{event.test}: {event.describe()}{more}")

    def _learned(self, event: OracleWritten | StrengthsLimited | Trained | OracleChanged | Accepted) -> None:
        console = self.console
        match event:
            case OracleWritten(test, path, n_runs):
                console.result(f"TRAINED  {test}: {format_count(n_runs, 'run')}, {path}")
            case StrengthsLimited(_, n_quantities):
                console.info(f"only the most common of {n_quantities:,} quantities are reported")
            case Trained():
                self._strengths(event)
            case OracleChanged():
                self._difference(event)
            case Accepted(path=path, written=True):
                file = shlex.quote(str(path))
                console.info(f"wrote {path}; next: git diff {file}; git add {file}")
            case Accepted(again=again):
                how = "" if self._door is None else f"; to accept it: {self._door.step(again)}"
                console.info(f"nothing was written{how}")

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

    def _commit(self, event: BuildStarted | CommitsCounted | CommitReached | CommitJudged) -> None:
        console = self.console
        match event:
            case BuildStarted(command, _, None):
                console.detail(f"building: {command}")
            case BuildStarted(command, commit, revision):
                console.info(f"building {revision} ({commit[:12]}): {command}")
            case CommitsCounted(n_commits):
                checks = format_count(max(0, (n_commits - 1).bit_length()), "check")
                commits = format_count(n_commits, "commit")
                console.info(f"{commits} from GOOD to BAD, about {checks} after those of GOOD and BAD")
            case CommitReached(commit):
                console.info(f"{commit.short}  {one_line(commit.subject)}")
            case CommitJudged(commit, answer, why):
                console.info(f"{commit.short}  {answer}: {why}")
