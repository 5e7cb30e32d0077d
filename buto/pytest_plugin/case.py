"""One buto test of a pytest item: its runs as they come in, and the result that pytest shows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.actions import single
from buto.actions.advice import reword
from buto.actions.case import Case
from buto.actions.ending import check_repeats
from buto.actions.events import Event, OracleChanged, WaitingForStore, Warned
from buto.actions.project import Files, Project
from buto.actions.stored import Site
from buto.errors import ButoError
from buto.judging.verdict import Status, Verdict
from buto.oracle import Oracle
from buto.project.document import scheduler_of
from buto.project.model import TestConfig
from buto.pytest_plugin.hints import InPytest
from buto.pytest_plugin.outcome import ACCEPTED, TRAINED, Outcome
from buto.report import words
from buto.report.result import Result
from buto.report.terminal.oracle import MAX_ROWS, change_lines
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.run.model import PURPOSE, Run
from buto.run.units import format_count

_DETAIL = {-1: Detail.HEADLINE, 0: Detail.SHORT, 1: Detail.FULL}
"""By pytest's verbosity: its ``-v`` prints what ``buto -v`` prints."""


def project_of(test: TestConfig, door: InPytest) -> Project:
    """Return the project of one test that is configured by its mark."""
    root = Path() if test.target.directory is None else test.target.directory
    files = Files(None, False, root, door.store, door.oracle)
    return Project(files, None, door, scheduler_of(None, "", os.environ))


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
        site: of this test.
        state: the runs so far and the missing ones.
        explains: whether training stores a profile, and a regression is compared with it.
        events: what was reported before the outcome.
    """

    site: Site
    state: Case
    explains: bool = False
    events: Events = field(default_factory=Events)

    def launch(self) -> None:
        """Launch as often as needed; ButoError if the program cannot be measured."""
        self.state = single.launched(self.site, self.state, self.events)

    def add(self, runs: Sequence[Run]) -> None:
        """Add runs that the test recorded itself, disturbed or not; MeasureError if too many are."""
        check_repeats([*self.state.runs, *runs], self.state.planned)
        self.state = self.state.with_runs(runs)

    def outcome(self, verbosity: int) -> Outcome:
        """Return the result of the runs; after training, write the oracle first."""
        result = single.finished(self.site, self.state, self.events)
        if result.report is not None:
            return self._judged(result, result.report.verdict, verbosity)
        case, events = self.state, self.events
        runs, path = format_count(len(case.valid()), "run"), self.site.door.path(case.path or Path())
        if case.replaced is None:
            if self.explains:
                from buto.features.why.action import store_profile

                store_profile(self.site, case.test)
            detects = f"; {result.detectable}" if result.detectable else ""
            warnings = tuple(result.warnings)
            return Outcome(case.name, TRAINED, f"{runs}, {path}{detects}", warnings=warnings)
        n_judged = sum(run.metadata.get(PURPOSE) != case.purpose for run in case.valid())
        max_rows = None if verbosity > 0 else MAX_ROWS
        changes = [line for pair in events.changes for line in change_lines(*pair, max_rows=max_rows)]
        details = [*(line.plain for line in changes), *(f"warning: {warning}" for warning in events.warnings)]
        return Outcome(
            case.name,
            ACCEPTED,
            f"{runs}, {n_judged} of them judged before, {path}",
            tuple(f"  {line}" for line in details),
            tuple(events.warnings),
        )

    def _judged(self, result: Result, verdict: Verdict, verbosity: int) -> Outcome:
        assert result.report is not None
        warnings = (*verdict.warnings, *self.events.warnings)
        report = replace(result.report, verdict=replace(verdict, warnings=warnings))
        _, *details = verdict_lines(report, _DETAIL[max(-1, min(verbosity, 1))])
        if self.explains and verdict.status is Status.REGRESSION:
            details += self._causes(verdict)
        headline = words.headline(verdict)
        undecided = verdict.status is Status.INCONCLUSIVE and verdict.reasons
        reason = f"{headline}: {verdict.reasons[0]}" if undecided else headline
        is_noted = verdict.status is Status.PASS and bool(verdict.noted)
        return Outcome(result.test, verdict.status.value, reason, tuple(details), warnings, is_noted)

    def _causes(self, verdict: Verdict) -> list[str]:
        """Return the lines on the methods that use more, or on why they are not known."""
        # Imported here, for few tests ask for it.
        from buto.features.why.action import kinds_for, why_since_training
        from buto.features.why.report import explanation_lines

        try:
            explanation = why_since_training(self.site, self.state.test, kinds_for(verdict))
        except ButoError as error:
            reword(error, self.site.door)
            advice = [] if error.advice is None else [f"  try: {error.advice}"]
            return [f"  which code did it is not known: {error.message}", *advice]
        return [f"  {line}".rstrip() for line in explanation_lines(explanation)]
