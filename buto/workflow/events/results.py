"""Events of tests: trained, judged, accepted, left out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from buto.oracle import Oracle
from buto.programs.model import Kept, OldProgram, Revision, Unkept
from buto.report.result import LeftOut, Result
from buto.steps import Step
from buto.units import format_bytes, format_count


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning to the user; the work goes on."""

    test: str
    text: str


@dataclass(frozen=True, slots=True)
class OracleWritten:
    """A test was trained and its oracle is in its file."""

    test: str
    path: Path
    n_runs: int


@dataclass(frozen=True, slots=True)
class ProgramKept:
    """It is known whether the program of a test can be launched again after it has changed."""

    test: str
    program: OldProgram

    def describe(self) -> str:
        """Return it in one line without the name of the test."""
        match self.program:
            case Kept(n_files=n_files, n_bytes=n_bytes):
                return f"kept the program: {format_count(n_files, 'file')}, {format_bytes(n_bytes)}"
            case Revision(commit=commit):
                return f"the program is that of revision {commit[:12]}, to be launched again"
            case Unkept(reason=reason):
                return f"the program is not kept: {reason}"


@dataclass(frozen=True, slots=True)
class StrengthsLimited:
    """An oracle has too many quantities to compute all strengths; only the usual ones get theirs."""

    test: str
    n_quantities: int


@dataclass(frozen=True, slots=True)
class Trained:
    """A test is trained.

    Attributes:
        usual: names of the quantities whose strengths matter to most users.
    """

    result: Result
    usual: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """A test has a verdict."""

    result: Result


@dataclass(frozen=True, slots=True)
class Shown:
    """Runs of a test without an oracle are reported, but not judged.

    Attributes:
        train: how to learn an oracle from them.
        lacking: how many more such runs that needs.
    """

    result: Result
    train: str
    lacking: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A test could not be trained or judged, see the result's error; the other tests go on."""

    result: Result


@dataclass(frozen=True, slots=True)
class OracleChanged:
    """What accepting runs changes: the oracle before and after."""

    known: Oracle
    learned: Oracle


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change is accepted.

    Attributes:
        written: whether the oracle was written; if not, ``again`` writes it, from the same runs.
    """

    result: Result
    path: Path
    written: bool
    again: Step


@dataclass(frozen=True, slots=True)
class JudgedTaken:
    """The runs of the newest check, which did not pass, are to be learned from.

    Attributes:
        run_ids: of these runs, in the order of their start.
        n_missing: how many more are launched, for they are too few.
    """

    test: str
    run_ids: tuple[str, ...]
    n_missing: int

    def describe(self) -> str:
        """Return what is done, in one line without the name of the test."""
        n_runs = len(self.run_ids)
        runs = "run" if n_runs == 1 else f"{n_runs} runs"
        judged = f"the {runs} of the newest check, which did not pass,"
        if not self.n_missing:
            return f"{judged} are accepted ({self.run_ids[0]})"
        return f"{judged} and {self.n_missing} more are accepted: {n_runs} would be too few for an oracle"


@dataclass(frozen=True, slots=True)
class Affected:
    """A test is checked because a change may affect it."""

    test: str
    why: str


@dataclass(frozen=True, slots=True)
class Unaffected:
    """A test is left out because no change can affect it."""

    left_out: LeftOut


@dataclass(frozen=True, slots=True)
class RunsLeftOut:
    """Stored runs of a test are not used because they were recorded in another environment."""

    test: str
    n_runs: int
