"""One buto test of a pytest item: its runs as they come in, and the result that pytest shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from buto.actions import single
from buto.actions.ending import check_repeats
from buto.actions.events import Event, OracleChanged, WaitingForStore, Warned
from buto.actions.launcher import Launcher
from buto.actions.plan import PlanProgress
from buto.actions.project import Files, Project
from buto.actions.wording import FrontEnd, word_result
from buto.errors import ButoError
from buto.judging.verdict import Status, Verdict
from buto.measure.target import PROCESS
from buto.project.document import scheduler_of
from buto.project.model import TestConfig
from buto.pytest_plugin.hints import InPytest
from buto.pytest_plugin.outcome import ACCEPTED, TRAINED, ItemOutcome
from buto.pytest_plugin.progress import LaunchLines
from buto.report import phrases, words
from buto.report.result import Result
from buto.report.terminal.oracle import MAX_ROWS, change_lines
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.run.model import PURPOSE, Run
from buto.run.units import format_count
from buto.steps import Action, Advice, Step

_DETAIL = {-1: Detail.HEADLINE, 0: Detail.SHORT, 1: Detail.FULL}
"""By pytest's verbosity: its ``-v`` prints what ``buto -v`` prints."""


def project_of(test: TestConfig, front_end: InPytest) -> Project:
    """Return the project of one test that is configured by its mark."""
    root = Path() if test.target.directory is None else test.target.directory
    files = Files(None, False, root, front_end.store, front_end.oracle)
    return Project(files, None, scheduler_of(None, "", os.environ))


@dataclass(slots=True)
class Events:
    """Keeps of events the warnings and the oracles that were replaced, and shows that launches go on.

    Attributes:
        front_end: how the user is spoken to.
        say: shows a line at once.
    """

    front_end: FrontEnd
    say: Callable[[str], None] = print
    warnings: list[str] = field(default_factory=list)
    changes: list[OracleChanged] = field(default_factory=list)
    progress: LaunchLines = field(init=False)

    def __post_init__(self) -> None:
        self.progress = LaunchLines(self.say)

    def __call__(self, event: Event) -> None:
        self.progress(event)
        if isinstance(event, Warned):
            self.warnings.append(self.front_end.words(event.text))
        elif isinstance(event, WaitingForStore):
            self.say(f"waiting for another buto that is measuring into {event.store}")
        elif isinstance(event, OracleChanged):
            self.changes.append(event)


def _explains(step: str) -> bool:
    """Return whether a next step is what this call does itself: to name the code."""
    parts = step.parts if isinstance(step, Advice) else ()
    return any(isinstance(part, Step) and part.action is Action.WHY for part in parts)


@dataclass(slots=True)
class ItemCase:
    """Checks or trains one test of a pytest item.

    Attributes:
        launcher: of this test.
        state: the runs so far and the missing ones.
        events: what was reported before the outcome.
        explains: whether training stores a profile, and a regression is compared with it.
    """

    launcher: Launcher
    state: PlanProgress
    events: Events
    explains: bool = False

    @property
    def _has_profile(self) -> bool:
        """Whether its program can be profiled, and should be."""
        return self.explains and self.state.test.target.collector != PROCESS

    def launch(self) -> None:
        """Launch as often as needed; ButoError if the program cannot be measured."""
        self.state = single.launch(self.launcher, self.state)

    def add(self, runs: Sequence[Run]) -> None:
        """Add runs that the test recorded itself, disturbed or not; MeasureError if too many are."""
        check_repeats([*self.state.runs, *runs], self.state.wanted)
        self.state = self.state.with_runs(runs)

    def outcome(self, verbosity: int) -> ItemOutcome:
        """Return the result of the runs; after training, write the oracle first."""
        front_end = self.events.front_end
        finished = single.finish(self.launcher, self.state)
        if self._has_profile and finished.report is not None:
            left = tuple(step for step in finished.report.next_steps if not _explains(step))
            finished = replace(finished, report=replace(finished.report, next_steps=left))
        result = word_result(finished, front_end)
        if result.report is not None:
            return self._judge(result, result.report.verdict, verbosity)
        case, events = self.state, self.events
        runs, path = format_count(len(case.valid()), "run"), front_end.path(case.oracle_path or Path())
        if not case.is_acceptance:
            if self._has_profile:
                from buto.causes.action import store_profile

                store_profile(self.launcher, case.test)
            detects = f"; {result.detectable}" if result.detectable else ""
            # Most warnings of a training are events, too.
            warnings = tuple(dict.fromkeys((*events.warnings, *result.warnings)))
            return ItemOutcome(case.name, TRAINED, f"{runs}, {path}{detects}", warnings=warnings)
        n_judged = sum(run.metadata.get(PURPOSE) != case.plan.purpose for run in case.valid())
        max_rows = None if verbosity > 0 else MAX_ROWS
        changes = [
            line
            for change in events.changes
            for line in change_lines(change.known, change.learned, change.failed, max_rows=max_rows)
        ]
        details = [*(line.plain for line in changes), *(f"warning: {warning}" for warning in events.warnings)]
        return ItemOutcome(
            case.name,
            ACCEPTED,
            f"{runs}, {n_judged} of them judged before, {path}",
            tuple(f"  {line}" for line in details),
            tuple(events.warnings),
        )

    def _judge(self, result: Result, verdict: Verdict, verbosity: int) -> ItemOutcome:
        assert result.report is not None
        warnings = (*verdict.warnings, *self.events.warnings)
        report = replace(result.report, verdict=replace(verdict, warnings=warnings))
        _, *details = verdict_lines(report, _DETAIL[max(-1, min(verbosity, 1))])
        if self._has_profile and verdict.status is Status.REGRESSION:
            details += self._causes(verdict)
        headline = phrases.headline(verdict)
        undecided = verdict.status is Status.INCONCLUSIVE and verdict.reasons
        reason = f"{headline}: {verdict.reasons[0]}" if undecided else headline
        is_noted = verdict.status is Status.PASS and bool(verdict.noted)
        return ItemOutcome(result.test, words.status_of(verdict), reason, tuple(details), warnings, is_noted)

    def _causes(self, verdict: Verdict) -> list[str]:
        """Return the lines on the methods that use more, or on why they are not known."""
        # Imported here, for few tests ask for it.
        from buto.causes.action import why_failed
        from buto.causes.report import explanation_lines

        try:
            assert self.state.check is not None
            checked = structs.replace(self.state.judged(), verdict=verdict)
            explanation = why_failed(self.launcher, self.state.test, self.state.check.known.oracle, checked)
        except ButoError as error:
            error.rephrase(self.events.front_end.words)
            advice = [] if error.advice is None else [f"  try: {error.advice}"]
            return [f"  which code did it is not known: {error.message}", *advice]
        return [f"  {line}".rstrip() for line in explanation_lines(explanation)]
