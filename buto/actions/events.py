"""What a workflow reports while it works: one frozen value for each thing that happens.

A caller gives ``on_event``, which is called with every event in the order in which things happen, in the
caller's thread. Events are for people and logs: no result depends on them.

There are events of launches (planned, begun, ended, repeated, given up), of tests (trained, judged, accepted,
left out), of profiled launches and what they explain, of a search through commits, and of building revisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from buto.errors import ButoError
from buto.measure.progress import Progress
from buto.oracle import Oracle
from buto.programs.named import Kept, OldProgram, Revision, Unkept
from buto.report.result import Commit, LeftOut, Result
from buto.run.model import Run
from buto.run.storage import Place
from buto.run.units import format_bytes, format_count
from buto.steps import Step

if TYPE_CHECKING:
    from buto.causes.model import Explanation


@dataclass(frozen=True, slots=True)
class LaunchesPlanned:
    """Launches are about to begin.

    Attributes:
        planned: by test, how many usable runs are wanted.
        at_most: tests that may need fewer runs.
        complete: by test, how many of them are already stored; a missing test has none.
        seed: of the random order of launches.
        commands: by test, its command line with secrets masked.
        at_once: how many programs run at the same time.
    """

    planned: Mapping[str, int]
    at_most: frozenset[str] = frozenset()
    complete: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    commands: Mapping[str, str] = field(default_factory=dict)
    at_once: int = 1


@dataclass(frozen=True, slots=True)
class WaitingForStore:
    """Another buto is measuring into the same store; this one waits until it ends."""

    store: Place


@dataclass(frozen=True, slots=True)
class LaunchStarted:
    """A launch begins.

    Attributes:
        number: the number of the usable run that it is for, from 1.
        planned: how many usable runs of this test are wanted.
        host: on which host of a cluster; empty without one.
    """

    test: str
    number: int
    planned: int
    host: str = ""


@dataclass(frozen=True, slots=True)
class LaunchProgressed:
    """Some time has passed in a launch.

    Attributes:
        test: its test; empty where only one launch goes on at a time.
        host: on which host of a cluster; empty without one.
    """

    progress: Progress
    test: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class RunStored:
    """A launch has ended and its run is in the store, usable or not."""

    run: Run


@dataclass(frozen=True, slots=True)
class LaunchRepeated:
    """A launch failed, and will be repeated later; ``host`` is where, empty without a cluster."""

    test: str
    error: ButoError
    host: str = ""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A test is not launched any more; the other tests go on."""

    test: str
    error: ButoError


@dataclass(frozen=True, slots=True)
class LaunchesEnded:
    """The launches of the newest :class:`LaunchesPlanned` are over, complete or not."""


@dataclass(frozen=True, slots=True)
class EnoughRuns:
    """The training of an adaptive test has ended.

    Attributes:
        n_runs: how many usable runs there are.
        is_most: whether that is the largest number that training uses.
        last: how many of the last runs did not sharpen the oracle, if that ended the training.
    """

    test: str
    n_runs: int
    is_most: bool
    last: int


@dataclass(frozen=True, slots=True)
class Confirming:
    """A run of this test does not decide alone; more runs are launched, and all are judged together.

    Attributes:
        why: in a clause.
        runs: how many more.
    """

    test: str
    why: str
    runs: int


@dataclass(frozen=True, slots=True)
class TurnsBegin:
    """The program of the training and the present one are launched in random turns; these decide.

    Attributes:
        why: in a clause.
        n_each: how many runs of each.
    """

    test: str
    why: str
    n_each: int


@dataclass(frozen=True, slots=True)
class JvmMeasured:
    """Which JVMs the runs of a test measured: their main classes; ``others`` were seen and not measured."""

    test: str
    names: tuple[str, ...]
    others: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class ProfileRecorded:
    """A profiled launch has ended.

    Attributes:
        n_events: how many events its recording has.
        repeated: why it does not count and is repeated; empty if it counts.
    """

    test: str
    n_events: int
    repeated: str = ""


@dataclass(frozen=True, slots=True)
class ProfilesStored:
    """The profiles of a test as it is now are stored."""

    test: str
    path: Place
    n_profiles: int


@dataclass(frozen=True, slots=True)
class Explained:
    """It is known what the new program uses more of, and which methods are likely to be the cause."""

    explanation: Explanation


@dataclass(frozen=True, slots=True)
class BuildStarted:
    """A revision is being built.

    Attributes:
        revision: as it was specified; None in a bisection, which reports its commits separately.
        commit: its full name.
    """

    command: str
    commit: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class CommitsCounted:
    """The number of commits that a bisection has to search."""

    n_commits: int


@dataclass(frozen=True, slots=True)
class CommitReached:
    """A bisection is about to judge this commit."""

    commit: Commit


@dataclass(frozen=True, slots=True)
class CommitJudged:
    """A bisection has judged a commit.

    Attributes:
        outcome: ``good``, ``bad`` or ``skip``.
        why: as a clause.
    """

    commit: Commit
    outcome: str
    why: str


Event = (
    LaunchesPlanned
    | WaitingForStore
    | LaunchStarted
    | LaunchProgressed
    | RunStored
    | LaunchRepeated
    | GivenUp
    | LaunchesEnded
    | EnoughRuns
    | Confirming
    | TurnsBegin
    | JvmMeasured
    | Warned
    | OracleWritten
    | ProgramKept
    | StrengthsLimited
    | Trained
    | Judged
    | Shown
    | Failed
    | OracleChanged
    | Accepted
    | JudgedTaken
    | Affected
    | Unaffected
    | RunsLeftOut
    | BuildStarted
    | CommitsCounted
    | CommitReached
    | CommitJudged
    | ProfileRecorded
    | ProfilesStored
    | Explained
)

OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Ignore an event."""
