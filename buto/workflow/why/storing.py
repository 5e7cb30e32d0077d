"""Store the profile of a program as it is now, to be compared when it has changed."""

from __future__ import annotations

from buto.config import TestConfig
from buto.profiles.kinds import USUAL
from buto.workflow.events import OnEvent, ProfilesStored, ignore
from buto.workflow.project import Project
from buto.workflow.why.profiling import PAIRS, profiled


def store_profile(project: Project, test: TestConfig, on_event: OnEvent = ignore, pairs: int = PAIRS) -> None:
    """Profile a program as it is now and store that, to be compared when it has changed.

    Raises:
        MeasureError: it cannot be launched or leaves no recording.
        StorageError: the profile cannot be stored.
    """
    found = profiled(project, [test], pairs, USUAL, on_event)[test.name]
    path = project.profiles.add(test.name, found)
    on_event(ProfilesStored(test.name, path, len(found)))
