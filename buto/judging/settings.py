"""Settings that every detector has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from msgspec import structs

from buto.judging.classifiers import MetadataSettings
from buto.judging.stored import METADATA_IGNORED
from buto.run.patterns import fits
from buto.run.properties import Property, Role, is_exact, is_judged

CHANGES_WITH_EACH_RUN = (
    "jvm.start.time",
    "jvm.uptime",
    "process.*",
    "host.load.*",
    "system.load.*",
    "buto.jvms.others",
    "buto.command",
    "buto.commit",
    "system.property?sun.java.command?",
    "buto.left_over.*",
    "buto.hsperfdata.*",
    "buto.purpose",
    "buto.session",
    "load.rate*",
)

SAID_ELSEWHERE = ("system.property*", "jvm.memory.pool[[]*")
"""Some hundred keys that repeat others or matter to nobody: not kept by default."""

DECIDING_METADATA = (
    "jvm.vm.*",
    "jvm.spec.*",
    "jvm.input.arguments",
    "jvm.memory.heap.*",
    "jvm.gc.collectors",
    "system.processors",
    "host.arch",
    "host.cores",
    "host.cores.quota",
    "host.cpu.model",
    "buto.collector",
    "buto.probe",
    "buto.interval",
    "buto.live_set",
    "buto.virtual_threads",
    "buto.isolate",
    "environment.label.*",
)
"""What makes two runs incomparable: which JVM, its options, how much of a machine it has, what was loaded to
measure it, which uses classes and memory of its own, and what the user said of the environment."""

EVERYTHING = ("*",)

USUAL_METADATA = MetadataSettings((*CHANGES_WITH_EACH_RUN, *SAID_ELSEWHERE), DECIDING_METADATA)


ALSO_JUDGED = "also-judged"
"""Key with the recorded properties that are judged beside the usual ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that decides a verdict, apart from the runs.

    A detector may use these settings as they are, with its own keys in ``values``, or inherit from them to
    have typed fields.

    Attributes:
        method: the name of the detector.
        metadata: which keys decide whether runs can be compared, and which are ignored.
        where_read: whether exact counters are judged, too, where they were read.
        values: by its name in a configuration, the value of every key that only this detector has.
    """

    method: str
    metadata: MetadataSettings = USUAL_METADATA
    where_read: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)

    def with_value(self, key: str, value: Any) -> Self:
        """Return the same settings with another value of a key of ``judge``, which accepts it."""
        if key == METADATA_IGNORED:
            return replace(self, metadata=structs.replace(self.metadata, ignored=tuple(value)))
        return replace(self, values={**self.values, key: value})

    def check(self, given: Collection[str]) -> None:
        """Raise UsageError if a key that was given makes no sense beside the other values."""

    def own(self) -> dict[str, Any]:
        """Return the keys of the method that make these settings."""
        return {**self.values, METADATA_IGNORED: list(self.metadata.ignored)}

    def flat(self) -> dict[str, Any]:
        """Return the method and its keys beside each other."""
        return {"method": self.method, **self.own()}

    def to_data(self) -> dict[str, Any]:
        """Return the value of ``judge`` that makes these settings."""
        return {"method": self.method, self.method: self.own()}


def judges(settings: Settings, prop: Property) -> bool:
    """Return whether a detector with these settings judges a property that was recorded."""
    if is_judged(prop):
        return True
    if settings.where_read and is_exact(prop):
        return True
    more = settings.values.get(ALSO_JUDGED, ())
    return prop.role is Role.PROGRAM and any(fits(prop.name, pattern) for pattern in more)
