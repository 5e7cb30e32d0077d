"""Settings that every detector has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Self

from buto.classify.metadata import MetadataSettings
from buto.properties import Property, Role, is_exact, is_judged

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
        preset: which preset these settings began as.
        detector: the name of the detector.
        metadata: which keys decide whether runs can be compared, and which are ignored.
        cost: whether properties of role COST are judged.
        where_read: whether exact counters are judged, too, where they were read.
        values: by its name in a configuration, the value of every key that only this detector has.
    """

    preset: str
    detector: str
    metadata: MetadataSettings = USUAL_METADATA
    cost: bool = False
    where_read: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)

    def with_value(self, key: str, value: Any) -> Self:
        """Return the same settings with another value of a key of ``judge``, which accepts it."""
        if key in ("preset", "detector", "cost"):
            return replace(self, **{key: value})
        if key == "metadata-ignored":
            return replace(self, metadata=replace(self.metadata, ignored=tuple(value)))
        if key == "metadata-deciding":
            return replace(self, metadata=replace(self.metadata, deciding=tuple(value)))
        return replace(self, values={**self.values, key: value})

    def has(self, key: str) -> bool:
        """Return whether this preset has a key of its detector."""
        return True

    def check(self, given: Collection[str]) -> None:
        """Raise UsageError if a key that was given makes no sense beside the other values."""

    def to_data(self) -> dict[str, Any]:
        """Return the keys of ``judge`` that make these settings."""
        return {
            "preset": self.preset,
            "detector": self.detector,
            **self.values,
            "cost": self.cost,
            "metadata-ignored": list(self.metadata.ignored),
            "metadata-deciding": list(self.metadata.deciding),
        }


def judges(settings: Settings, prop: Property) -> bool:
    """Return whether a detector with these settings judges a property that was recorded."""
    if is_judged(prop, cost=settings.cost):
        return True
    if settings.where_read and is_exact(prop):
        return True
    more = settings.values.get(ALSO_JUDGED, ())
    return prop.role is Role.PROGRAM and any(fnmatchcase(prop.name, pattern) for pattern in more)
