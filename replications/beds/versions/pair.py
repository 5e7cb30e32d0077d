"""What a pair of releases is."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from beds.artefacts import Artefact


class Kind(enum.StrEnum):
    """What a release uses more of; the value is its name on the line that a scenario prints."""

    HEAP = "heap_mb"
    ALLOCATION = "allocated_mb"
    CPU = "cpu_s"
    THREADS = "threads"
    CLASSES = "classes"
    DESCRIPTORS = "descriptors"
    NATIVE = "rss_mb"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two releases of a library, and a program that shows what was reported of the newer one.

    Attributes:
        scenario: the program's main class, in ``scenarios/``.
        kinds: what the newer release uses more of, the reported one first.
        issue: where it was reported: project and number.
        reported: what was reported, in short.
        old: the library's files before the regression, the library itself first.
        new: the files after it.
        beside: what both need.
    """

    name: str
    scenario: str
    kinds: tuple[Kind, ...]
    issue: str
    reported: str
    old: tuple[Artefact, ...]
    new: tuple[Artefact, ...]
    beside: tuple[Artefact, ...] = ()

    @property
    def versions(self) -> str:
        return f"{self.old[0].name} {self.old[0].version} → {self.new[0].version}"
