"""The result of one test of a command, with everything that a renderer needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.errors import ButoError
from buto.judging.alarms import Strength
from buto.judging.verdict import Status, Verdict
from buto.report.check_report import CheckReport
from buto.report.panels import RecordedRuns
from buto.report.strength import detectable
from buto.run.display import Displayed
from buto.run.model import Run

FORMAT = "buto-result"
VERSION = 6
"""Of results as JSON documents, which ``formats`` writes and ``history`` reads."""
ERROR = "error"
TRAINED = "trained"
RECORDED = "recorded"
LEFT_OUT = "left out"


@dataclass(frozen=True)
class Result(Displayed):
    """The result of one test.

    Attributes:
        oracle: the file that was written (train) or judged by (check); None without one (compare).
        runs: every run of this command, valid or not, in the order of their start.
        verdict: of a check; None for train and after an error.
        error: why the test was not trained or checked.
        warnings: of training; those of a check are the verdict's own.
        report: everything to show of a check that has a verdict.
        recorded: everything to show of runs that nothing judges.
        strengths: of training, and of a check that passes, the smallest changes that a check detects.
    """

    test: str
    oracle: Path | None
    runs: Sequence[Run] = ()
    verdict: Verdict | None = None
    error: ButoError | None = None
    warnings: Sequence[str] = ()
    report: CheckReport | None = None
    recorded: RecordedRuns | None = None
    strengths: Sequence[Strength] = ()

    @property
    def detectable(self) -> str:
        """After training or a pass, one line on which changes a check detects; else empty."""
        return detectable(self.strengths)

    @property
    def status(self) -> str:
        """``error``, a verdict's status, ``trained`` or ``recorded``."""
        if self.error is not None:
            return ERROR
        if self.recorded is not None:
            return RECORDED
        return TRAINED if self.verdict is None else self.verdict.status.value


def reported(report: CheckReport, oracle: Path) -> Result:
    return Result(
        report.test,
        oracle,
        report.checked.runs,
        report.verdict,
        report=report,
        strengths=report.strengths,
    )


FINE = (Status.PASS.value, TRAINED, RECORDED)
"""Statuses of tests with which nothing is wrong."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A test that a command was asked to leave out, and why; it neither passed nor failed."""

    test: str
    why: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of git: its name in full, the author with address, and the author's date as YYYY-MM-DD."""

    name: str
    author: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        return self.name[:12]
