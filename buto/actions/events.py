"""What an action reports while it works: one frozen value for each thing that happens.

A caller gives ``on_event``, which is called with every event in the order in which things happen, in the
caller's thread. Events are for people and logs: no result depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from buto.errors import ButoError
from buto.measure.progress import Progress
from buto.oracle import Oracle
from buto.report.result import LeftOut, Result
from buto.run.model import Run
from buto.run.storage import Place
from buto.steps import Step


@dataclass(frozen=True, slots=True)
class LaunchesPlanned:
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
        host: on which host of a cluster; empty without one, here as below.
    """

    test: str
    number: int
    planned: int
    host: str = ""


@dataclass(frozen=True, slots=True)
class LaunchProgressed:
    """Some time has passed in a launch; ``test`` is empty where only one launch goes on at a time."""

    progress: Progress
    test: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class RunStored:
    """A launch has ended and its run is in the store, usable or not."""

    run: Run


@dataclass(frozen=True, slots=True)
class LaunchRepeated:
    """A launch failed, and will be repeated later."""

    test: str
    error: ButoError
    host: str = ""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A test is not launched any more; the other tests go on."""

    test: str
    error: ButoError


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
class LaunchesEnded:
    """The launches of the newest :class:`LaunchesPlanned` are over, complete or not."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is done or was found, in a sentence.

    Attributes:
        test: which it is about; empty if the text says it.
        detail: whether only those want it who want to know everything.
    """

    test: str
    text: str
    detail: bool = False


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
class Trained:
    """A test is trained, and it is known what its checks detect."""

    result: Result


@dataclass(frozen=True, slots=True)
class Judged:
    """A test has a verdict."""

    result: Result


@dataclass(frozen=True, slots=True)
class Shown:
    """Runs of a test without an oracle are reported, but not judged; ``train`` says how to learn one."""

    result: Result
    train: str


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
    """A change is accepted; of a dry run, ``again`` is the step that writes the oracle from the same runs."""

    result: Result
    again: Step | None = None


@dataclass(frozen=True, slots=True)
class Unaffected:
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

OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Ignore an event."""
