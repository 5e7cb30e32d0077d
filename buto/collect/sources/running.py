"""Programs that buto did not launch, beside which sources are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from buto.collect.process.ports import listening
from buto.collect.record.recording import Recording
from buto.collect.record.track import Track
from buto.collect.sources.protocol import SourceError
from buto.runs import MetadataValue, SourceState


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """A program that runs already, or none.

    Attributes:
        pid: of its JVM; None without one.
    """

    pid: int | None

    def members(self) -> list[int]:
        """See :class:`Surroundings`."""
        # Here, because it takes a while to import, and most sources do not need it.
        import psutil

        if self.pid is None:
            return []
        try:
            return [self.pid, *(one.pid for one in psutil.Process(self.pid).children(recursive=True))]
        except psutil.NoSuchProcess as error:
            raise SourceError(f"there is no process {self.pid}") from error

    def ports(self) -> tuple[int, ...]:
        """See :class:`Surroundings`."""
        return () if self.pid is None else listening(self.pid)


@dataclass(frozen=True, slots=True)
class RecordedProgram(RunningProgram):
    """A program that runs already and is recorded, see :class:`buto.collect.sources.sampling.Beside`."""

    recording: Recording

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        return self.recording.track(name, interval_s, from_first=from_first)

    def describe(self, metadata: Mapping[str, MetadataValue]) -> None:
        self.recording.metadata.update(metadata)

    def explain_missing(self, name: str, why: str) -> None:
        self.recording.add_reason(name, why)

    def source_state(self, state: SourceState) -> None:
        self.recording.add_source(state)
