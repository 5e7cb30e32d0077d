"""What a workflow reports while it works: one frozen value for each thing that happens.

A caller gives ``on_event``, which is called with every event in the order in which things happen, in the
caller's thread. Events are for people and logs: no result depends on them.
"""

from __future__ import annotations

from collections.abc import Callable

from buto.workflow.events.commits import (
    BuildStarted,
    CommitJudged,
    CommitReached,
    CommitsCounted,
)
from buto.workflow.events.launches import (
    Confirming,
    EnoughRuns,
    GivenUp,
    JvmMeasured,
    LaunchesEnded,
    LaunchesPlanned,
    LaunchProgressed,
    LaunchRepeated,
    LaunchStarted,
    RunStored,
    TurnsBegin,
    WaitingForStore,
)
from buto.workflow.events.profiles import (
    Explained,
    ProfileRecorded,
    ProfilesStored,
)
from buto.workflow.events.results import (
    Accepted,
    Affected,
    Failed,
    Judged,
    JudgedTaken,
    OracleChanged,
    OracleWritten,
    ProgramKept,
    RunsLeftOut,
    Shown,
    StrengthsLimited,
    Trained,
    Unaffected,
    Warned,
)

__all__ = [
    "Accepted",
    "Affected",
    "BuildStarted",
    "CommitJudged",
    "CommitReached",
    "CommitsCounted",
    "Confirming",
    "EnoughRuns",
    "Event",
    "Explained",
    "Failed",
    "GivenUp",
    "Judged",
    "JudgedTaken",
    "JvmMeasured",
    "LaunchProgressed",
    "LaunchRepeated",
    "LaunchStarted",
    "LaunchesEnded",
    "LaunchesPlanned",
    "OnEvent",
    "OracleChanged",
    "OracleWritten",
    "ProfileRecorded",
    "ProfilesStored",
    "ProgramKept",
    "RunStored",
    "RunsLeftOut",
    "Shown",
    "StrengthsLimited",
    "Trained",
    "TurnsBegin",
    "Unaffected",
    "WaitingForStore",
    "Warned",
    "ignore",
]

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
