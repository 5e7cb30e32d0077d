"""What a source is: it is opened for one run, and then read again and again.

``docs/measuring/sources.md`` shows a whole source.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from buto.errors import MeasureError
from buto.measure.progress import Closeable
from buto.run.model import MetadataValue
from buto.run.properties import Property

Settings = Mapping[str, Any]
"""The keys of one source as in a configuration, with variables replaced."""


class SourceError(MeasureError):
    """A source cannot be read now; the message says why. The values of this reading are NaN."""


class SourceContext(Protocol):
    """What a source may know of the program beside which it is read.

    Attributes:
        pid: of the measured JVM; None if no program runs.
    """

    @property
    def pid(self) -> int | None: ...

    def members(self) -> list[int]:
        """Return the ids of all living processes of the command; none if no program runs."""

    def ports(self) -> tuple[int, ...]:
        """Return the TCP ports at which the measured JVM listens, in increasing order."""


class Reader(Closeable):
    """A source that is open during one run. All its methods are called in one thread."""

    @abstractmethod
    def read(self) -> Mapping[str, float]:
        """Return the current values by name; must return within the source's time limit.

        A name that has no value now may be left out, or be NaN.

        Raises:
            SourceError: nothing can be read now.
        """

    def taken_ns(self) -> int | None:
        """Return when the last values were taken, ``time.monotonic_ns``; None: when they were read."""
        return None

    @abstractmethod
    def property(self, name: str) -> Property:
        """Return what a name of the last reading is, under this name."""

    def names(self) -> tuple[str, ...]:
        """Return the names that are known before the first reading; such a property exists in every run."""
        return ()

    def why_missing(self) -> str:
        """Return why names that were there before are missing in the last reading."""
        return "its reading did not have it"

    def reasons(self) -> Mapping[str, str]:
        """Return why values of the last reading are NaN, by name."""
        return {}

    def metadata(self) -> Mapping[str, MetadataValue]:
        """Return what describes the source itself, as a version; called after the first good reading."""
        return {}

    def close(self) -> None:
        """Release all resources."""


class Source(Protocol):
    """One entry of ``sources`` in a configuration.

    Attributes:
        kind: as in a configuration, and in the registry.
        keys: its own keys, each with the JSON schema of its values. Beside them every source has ``kind``,
            ``interval`` and ``timeout``.
        required: the keys that must be given.
        settle_s: for how long after the first good reading names that were not there before are added.
            Later ones are not recorded, so that the properties of two runs are the same.
    """

    kind: ClassVar[str]
    keys: ClassVar[Mapping[str, Mapping[str, Any]]]
    required: ClassVar[tuple[str, ...]]
    settle_s: float

    def __init__(self, settings: Settings) -> None:
        """Take over settings that follow the schema. UsageError if they do not go together."""

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        """Begin a run; must return at once. What fails is raised by the first reading.

        Args:
            interval_s: planned time between two readings.
            timeout_s: the longest time that one reading may take.
        """
