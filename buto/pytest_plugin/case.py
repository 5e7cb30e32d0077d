"""One buto test of a pytest item: the purpose of its runs, and the result that pytest shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.actions.accept import begin, learn_change, not_passed
from buto.actions.advice import reword
from buto.actions.case import Case, check_number_of_runs, checked, learned
from buto.actions.check import concluded, finished, keep, warn_of_settings
from buto.actions.ending import check_repeats
from buto.actions.events import Event, OnEvent, OracleChanged, WaitingForStore, Warned, ignore
from buto.actions.kept import Watched, watch
from buto.actions.project import Files, Project
from buto.actions.record import complete
from buto.actions.train import learn
from buto.errors import ButoError
from buto.judging.verdict import Status, Verdict, grouped
from buto.oracle import Oracle
from buto.project.document import scheduler_of
from buto.project.model import TestConfig
from buto.pytest_plugin.hints import InPytest
from buto.pytest_plugin.options import ACCEPT, TRAIN
from buto.pytest_plugin.outcome import ACCEPTED, TRAINED, Outcome
from buto.report import words
from buto.report.terminal.oracle import MAX_ROWS, change_lines
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.run.cache import is_missing
from buto.run.model import PURPOSE, Run
from buto.run.units import format_count
from buto.steps import Action, Step

_DETAIL = {-1: Detail.HEADLINE, 0: Detail.SHORT, 1: Detail.FULL}
"""By pytest's verbosity: its ``-v`` prints what ``buto -v`` prints."""


def project_of(test: TestConfig, door: InPytest) -> Project:
    """Return the project of one test that is configured by its mark."""
    root = Path() if test.target.directory is None else test.target.directory
    files = Files(None, False, root, door.store, door.oracle)
    return Project(files, None, door, scheduler_of(None, "", os.environ))


def begun(
    project: Project, test: TestConfig, mode: str, on_event: OnEvent = ignore, *, is_driven: bool = False
) -> Case:
    """Return a test before its first run; to accept, with the runs of its newest check if it did not pass.

    Args:
        mode: CHECK, TRAIN or ACCEPT.
        is_driven: whether the test starts its program itself, with a command that may differ each time.

    Raises:
        BadFileError: the oracle is missing or damaged.
        UsageError: too few runs for training, or the oracle belongs to another test.
    """
    if mode in (TRAIN, ACCEPT):
        check_number_of_runs(test, project.door)
    if mode == TRAIN or (mode == ACCEPT and is_missing(project.oracle_path(test.name))):
        project.check_oracles_writable([test.name])
        return learned(test)
    known = project.oracle(test.name, Action.CHECK)
    if mode == ACCEPT:
        project.check_oracles_writable([test.name])
        command = None if is_driven else test.target.new_mask().command(test.target.command)
        judged = not_passed(project, known, command)
        if judged:
            return begin(test, known, judged, on_event)[0]
    return checked(test, known, accepts=mode == ACCEPT)


@dataclass(slots=True)
class Events:
    """Keeps of events the warnings and the pairs of a replaced oracle and the one that was learned.

    Attributes:
        say: shows a line at once.
    """

    say: Callable[[str], None] = print
    warnings: list[str] = field(default_factory=list)
    changes: list[tuple[Oracle, Oracle]] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        if isinstance(event, Warned):
            self.warnings.append(event.text)
        elif isinstance(event, WaitingForStore):
            self.say(f"waiting for another buto that is measuring into {event.store}")
        elif isinstance(event, OracleChanged):
            self.changes.append((event.known, event.learned))


@dataclass(slots=True)
class ItemCase:
    """Checks or trains one test of a pytest item.

    Attributes:
        project: of this test.
        state: the runs so far and the missing ones.
        remembers: whether the oracle stores how to start the program, so that ``buto check`` can start it.
        explains: whether training stores a profile, and a regression is compared with it.
        events: what was reported before the outcome.
        watched: the program before it was launched; None if the test launched it, or if it is only checked.
    """

    project: Project
    state: Case
    remembers: bool = True
    explains: bool = False
    events: Events = field(default_factory=Events)
    watched: Watched | None = None

    def launch(self) -> None:
        """Launch as often as needed.

        Raises:
            ButoError: the program cannot be measured.
        """
        name = self.state.test.name
        if self.state.known is None or self.state.accepts:
            self.watched = watch(self.project, self.state.test)
        self.state = complete(self.project, [self.state], self.events)[name]
        if self.state.failure is not None:
            raise self.state.failure

    def add(self, runs: Sequence[Run]) -> None:
        """Add runs that the test recorded itself, disturbed or not.

        Raises:
            MeasureError: too many of them were disturbed.
        """
        check_repeats([*self.state.runs, *runs], self.state.planned)
        self.state = self.state.with_runs(runs)

    def outcome(self, verbosity: int) -> Outcome:
        """Return the result of the runs; after training, write the oracle first.

        Raises:
            ButoError: the runs cannot be trained on or judged, or the oracle cannot be written.
        """
        if self.state.known is None:
            return self._learned(verbosity)
        return self._judged(verbosity)

    def _learned(self, verbosity: int) -> Outcome:
        case = self.state
        if case.replaced is not None:
            return self._accepted(case.replaced, verbosity)
        target = case.test.written if self.remembers else None
        result = learn(self.project, case.test, case.runs, target=target, watched=self.watched)
        keep(self.project, concluded(Action.TRAIN, [result]), ignore)
        if self.explains:
            from buto.actions.why import store_profile

            store_profile(self.project, case.test)
        n_runs = format_count(len(case.valid()), "run")
        path = self.project.door.path(self.project.oracle_path(case.test.name))
        detects = f"; {result.detectable}" if result.detectable else ""
        return Outcome(case.test.name, TRAINED, f"{n_runs}, {path}{detects}", warnings=tuple(result.warnings))

    def _accepted(self, replaced: Oracle, verbosity: int) -> Outcome:
        case, door, events = self.state, self.project.door, self.events
        again = Step(Action.ACCEPT, case.test.name)
        target = case.test.written if self.remembers else None
        result = learn_change(
            self.project,
            case.test,
            replaced,
            case.runs,
            events,
            target=target,
            again=again,
            watched=self.watched,
        )
        keep(self.project, concluded(Action.ACCEPT, [result]), events)
        n_judged = sum(run.metadata.get(PURPOSE) != case.purpose for run in case.valid())
        runs = format_count(len(case.valid()), "run")
        path = door.path(self.project.oracle_path(case.test.name))
        max_rows = None if verbosity > 0 else MAX_ROWS
        warnings = [f"  warning: {warning}" for warning in events.warnings]
        changes = [change_lines(*pair, max_rows=max_rows) for pair in events.changes]
        return Outcome(
            case.test.name,
            ACCEPTED,
            f"{runs}, {n_judged} of them judged before, {path}",
            (*(f"  {line.plain}" for lines in changes for line in lines), *warnings),
            tuple(events.warnings),
        )

    def _judged(self, verbosity: int) -> Outcome:
        case, test, warned = self.state, self.state.test, self.events
        # A test that starts its program itself may start another one each time.
        launchable = test if self.remembers else None
        result = finished(self.project, test.name, case.runs, case.judged, warned, test=launchable)
        if result.error is not None:
            raise result.error
        assert result.report is not None
        keep(self.project, concluded(Action.CHECK, [result]), warned)
        warn_of_settings(self.project, case.judged().oracle, test.settings, None, warned)
        verdict = result.report.verdict
        found = (*verdict.warnings, *warned.warnings)
        report = replace(result.report, verdict=replace(verdict, warnings=found))
        _, *details = verdict_lines(report, _DETAIL[max(-1, min(verbosity, 1))])
        if self.explains and verdict.status is Status.REGRESSION:
            details += self._causes(verdict)
        is_noted = verdict.status is Status.PASS and bool(verdict.noted)
        return Outcome(test.name, verdict.status.value, _reason(verdict), tuple(details), found, is_noted)

    def _causes(self, verdict: Verdict) -> list[str]:
        """Return the lines on the methods that use more, or on why they are not known."""
        # Imported here, for few tests ask for it.
        from buto.actions.why import why_since_training
        from buto.causes.model import kinds_of
        from buto.report.causes import explanation_lines

        subjects = [one.subject for group in grouped(verdict.findings) for one in group.findings]
        try:
            explanation = why_since_training(self.project, self.state.test, kinds_of(subjects))
        except ButoError as error:
            reword(error, self.project.door)
            advice = [] if error.advice is None else [f"  try: {error.advice}"]
            return [f"  which code did it is not known: {error.message}", *advice]
        return [f"  {line}".rstrip() for line in explanation_lines(explanation)]


def _reason(verdict: Verdict) -> str:
    """Return the result of a check in one line."""
    headline = words.headline(verdict)
    if verdict.status is Status.INCONCLUSIVE and verdict.reasons:
        return f"{headline}: {verdict.reasons[0]}"
    return headline
