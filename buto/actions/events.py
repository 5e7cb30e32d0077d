"""What an action reports while it works: one frozen value for each thing that happens.

A caller gives a reporter, which is called with every event in the order in which things happen, in the
caller's thread. Events are for people and logs: no result depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from buto.errors import ButoError
from buto.judging.verdict import Finding
from buto.measure.progress import Progress
from buto.oracle import Oracle
from buto.report.result import LeftOut, Result
from buto.run.model import Run
from buto.run.storage import Place
from buto.steps import Step


class LaunchesPlanned(Struct, frozen=True):
    """Launches are about to begin.

    Attributes:
        planned: by test, how many usable runs are wanted.
        at_most: tests that may need fewer runs.
        complete: by test, how many of them are already stored; a missing test has none.
        seed: of the random order of launches.
        commands: by test, its command line with secrets masked.
    """

    planned: Mapping[str, int]
    at_most: frozenset[str] = frozenset()
    complete: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    commands: Mapping[str, str] = field(default_factory=dict)


class WaitingForStore(Struct, frozen=True):
    """Another buto is measuring into the same store; this one waits until it ends."""

    store: Place


class LaunchStarted(Struct, frozen=True):
    """A launch begins.

    Attributes:
        number: the number of the usable run that it is for, from 1.
        planned: how many usable runs of this test are wanted.
        host: on which host of a cluster; empty without one, here as below.
    """

    test: str
    number: int
    planned: int
    host: str = ""


class LaunchProgressed(Struct, frozen=True):
    """Some time has passed in a launch; ``test`` is empty where only one launch goes on at a time."""

    progress: Progress
    test: str = ""
    host: str = ""


class RunStored(Struct, frozen=True):
    """A launch has ended and its run is in the store, usable or not."""

    run: Run


class LaunchRepeated(Struct, frozen=True):
    """A launch failed, and will be repeated later."""

    test: str
    error: ButoError
    host: str = ""


class GivenUp(Struct, frozen=True):
    """A test is not launched any more; the other tests go on."""

    test: str
    error: ButoError


class ProfileRecorded(Struct, frozen=True):
    """A profiled launch has ended.

    Attributes:
        n_events: how many events its recording has.
        repeated: why it does not count and is repeated; empty if it counts.
    """

    test: str
    n_events: int
    repeated: str = ""


class LaunchesEnded(Struct, frozen=True):
    """The launches of the newest :class:`LaunchesPlanned` are over, complete or not."""


class Told(Struct, frozen=True):
    """What is done or was found, in a sentence.

    Attributes:
        test: which it is about; empty if the text says it.
        detail: whether only those want it who want to know everything.
    """

    test: str
    text: str
    detail: bool = False


class Warned(Struct, frozen=True):
    """A warning to the user; the work goes on."""

    test: str
    text: str


class OracleWritten(Struct, frozen=True):
    """A test was trained and its oracle is in its file."""

    test: str
    path: Path
    n_runs: int


class Trained(Struct, frozen=True):
    """A test is trained, and it is known what its checks detect."""

    result: Result


class Judged(Struct, frozen=True):
    """A test has a verdict."""

    result: Result


class Shown(Struct, frozen=True):
    """Runs of a test without an oracle are reported, but not judged; ``train`` says how to learn one."""

    result: Result
    train: str


class Failed(Struct, frozen=True):
    """A test could not be trained or judged, see the result's error; the other tests go on."""

    result: Result


class OracleChanged(Struct, frozen=True):
    """What accepting runs, or a training that replaces an oracle, changes.

    Attributes:
        known, learned: the oracle before and after.
        failed: what the check of these runs failed for, each with whether the oracle expects it now.
    """

    known: Oracle
    learned: Oracle
    failed: tuple[tuple[Finding, bool], ...] = ()


class Accepted(Struct, frozen=True):
    """A change is accepted; of a dry run, ``again`` is the step that writes the oracle from the same runs."""

    result: Result
    again: Step | None = None


class Unaffected(Struct, frozen=True):
    """A test is left out because no change can affect it."""

    left_out: LeftOut


Event = (
    LaunchesPlanned
    | WaitingForStore
    | LaunchStarted
    | LaunchProgressed
    | RunStored
    | LaunchRepeated
    | GivenUp
    | ProfileRecorded
    | LaunchesEnded
    | Told
    | Warned
    | OracleWritten
    | Trained
    | Judged
    | Shown
    | Failed
    | OracleChanged
    | Accepted
    | Unaffected
)

Reporter = Callable[[Event], None]
"""Takes each event, in the order in which things happen."""


def ignore(event: Event) -> None:
    """Ignore an event."""
