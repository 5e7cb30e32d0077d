"""Events of profiled launches, and what they explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from buto.runs.storage.place import Place

if TYPE_CHECKING:  # only `buto why` needs what finds causes
    from buto.causes import Explanation


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
