"""One buto test while its runs come in: how many are still needed, and what they say in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from buto import oracle
from buto.config import TestConfig
from buto.errors import BadFileError, JudgeError, UsageError
from buto.oracle import Oracle
from buto.pytest_plugin.next_steps import Commands, in_a_test
from buto.pytest_plugin.options import ACCEPT, CHECK, TRAIN
from buto.pytest_plugin.outcome import TRAINED, Outcome
from buto.report import words
from buto.report.check_report import check_report
from buto.report.terminal.verdict import HEADLINE_ONLY, MAX_LINES, verdict_lines
from buto.runs import Run, RunSet, run_set
from buto.runs.reading import is_missing
from buto.units import format_count
from buto.verdicts import Status, Verdict
from buto.workflow.launching import check_repeats
from buto.workflow.rules import N_CONFIRMING, changed_settings, needs_confirmation, warnings


class Case:
    """Checks or trains one test.

    Args:
        test: what to launch, and how to judge it.
        path: the oracle's file.
        mode: CHECK, TRAIN or ACCEPT.
        commands: what to tell the user to type.
        remembers: whether the oracle keeps how the program is started, so that ``buto check`` can do it.

    Raises:
        BadFileError: there is no oracle to check by, or it is damaged.
        UsageError: too few runs to learn from, or the oracle is another test's.
    """

    def __init__(
        self, test: TestConfig, path: Path, mode: str, commands: Commands, *, remembers: bool = True
    ) -> None:
        self.test = test
        self.path = path
        self.mode = mode
        self.commands = commands
        self.remembers = remembers
        self.runs: list[Run] = []
        self._planned = 1
        self._known: Oracle | None = None
        if mode == TRAIN or (mode == ACCEPT and is_missing(path)):
            self._learn()
        else:
            self._known = self._load()

    @property
    def purpose(self) -> str:
        """What the next runs are recorded for."""
        return TRAIN if self._known is None else CHECK

    @property
    def session(self) -> str | None:
        """The id of the first of the runs that are judged or learned from together."""
        return self.runs[0].id if self.runs else None

    def valid(self) -> RunSet:
        return run_set([run for run in self.runs if run.quality.valid])

    def add(self, runs: Sequence[Run]) -> None:
        """Runs that were recorded, disturbed ones too.

        Raises:
            MeasureError: too many of them were disturbed.
        """
        self.runs += runs
        check_repeats(self.runs, self._planned)

    def missing(self) -> int:
        """How many more usable runs are needed before :meth:`outcome` can be given."""
        missing = self._planned - len(self.valid())
        if missing > 0 or self._known is None:
            return max(0, missing)
        if self._planned == 1 and len(self.valid()) == 1 and needs_confirmation(self._known, self.valid()):
            self._planned += N_CONFIRMING
        elif self.mode == ACCEPT and oracle.check(self._known, self.valid()).status is not Status.PASS:
            self._learn()
        return max(0, self._planned - len(self.valid()))

    def outcome(self, verbosity: int) -> Outcome:
        """What the runs say; writes the oracle where it was learned.

        Raises:
            ButoError: they cannot be learned from or judged, or the oracle cannot be written.
        """
        return self._learned() if self._known is None else self._judged(self._known, verbosity)

    def _learn(self) -> None:
        """From here on the runs are for an oracle; those before were for another one to judge."""
        fewest = oracle.fewest_runs(self.test.settings)
        if self.test.runs < fewest:
            raise UsageError(
                f"{self.test.name}: {format_count(self.test.runs, 'run')} cannot teach an oracle, "
                f"it needs {fewest}",
                advice="runs=10 is a good number",
            )
        self._known, self.runs, self._planned = None, [], self.test.runs

    def _load(self) -> Oracle:
        if is_missing(self.path):
            raise BadFileError(
                f"{self.test.name!r} has no oracle yet: {self.commands.shown(self.path)} does not exist",
                advice=self.commands.pytest("--buto-train"),
            )
        found = oracle.load(self.path)
        if found.test != self.test.name:
            raise UsageError(
                f"{self.path} is the oracle of {found.test!r}, not of {self.test.name!r}",
                advice=self.commands.pytest("--buto-train"),
            )
        return found

    def _learned(self) -> Outcome:
        target = self.test.written if self.remembers else None
        learned = oracle.train(self.valid(), self.test.settings, target=target)
        oracle.save(self.path, learned)
        runs = format_count(len(self.valid()), "run")
        reason = f"{runs}, {self.commands.shown(self.path)}"
        said = [*learned.warnings, *warnings(self.valid())]
        told = tuple(f"{one} {in_a_test(one)}".rstrip() for one in said)
        return Outcome(self.test.name, TRAINED, reason, warnings=told)

    def _judged(self, known: Oracle, verbosity: int) -> Outcome:
        if not self.runs:
            raise JudgeError(f"{self.test.name}: no run was recorded")
        checked = run_set(self.runs)
        verdict = oracle.check(known, self.valid() if len(self.valid()) else checked)
        changed = changed_settings(known, self.test.settings)
        said = [*verdict.warnings, *warnings(self.valid())]
        if changed:
            said.append(
                f"judged as it was trained, not as the mark says now ({', '.join(changed)} changed); "
                f"to learn that: {self.commands.pytest('--buto-train')}"
            )
        report = check_report(
            replace(verdict, warnings=tuple(said)),
            known,
            checked,
            made=datetime.now(UTC),
            oracle_path=self.path,
            next_steps=self.commands.after(verdict, known.test),
        )
        room = {-1: HEADLINE_ONLY, 0: MAX_LINES}.get(max(-1, min(verbosity, 1)))
        _, *details = verdict_lines(report, max_lines=room)
        return Outcome(known.test, verdict.status.value, _reason(verdict), tuple(details), tuple(said))


def _reason(verdict: Verdict) -> str:
    """What came of a check in one line that begins with what tells most."""
    headline = words.headline(verdict)
    if verdict.status is Status.INCONCLUSIVE and verdict.reasons:
        return f"{headline}: {verdict.reasons[0]}"
    if verdict.status is not Status.REGRESSION or not verdict.findings:
        return headline
    worst = verdict.findings[0]
    effect = f", {words.effect(worst)}" if words.effect(worst) else ""
    return f"{worst.subject} {words.change(worst)}{effect}; {headline}"
