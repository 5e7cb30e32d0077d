"""Jars of a library at commits: nobody serves them, so they are put into a directory by hand."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from beds.artefacts import CACHE, BedError

BUILT = CACHE / "commits"
"""Where the jars are looked for."""

_COMMIT = re.compile("[0-9a-f]{40}")
_SHOWN = 10


class Change(enum.StrEnum):
    """What a commit did: with ``introduced`` it is the newer side, with ``mended`` the older one."""

    INTRODUCED = "introduced"
    MENDED = "mended"


@dataclass(frozen=True, slots=True)
class Built:
    """A jar of a library as it was at a commit.

    Attributes:
        commit: 40 hexadecimal digits.
    """

    name: str
    commit: str

    @property
    def version(self) -> str:
        return self.commit[:_SHOWN]

    @property
    def file(self) -> str:
        return f"{self.name}-{self.commit}.jar"


def built(commits: Mapping[str, str]) -> tuple[Built, ...]:
    """Return jars by their names and commits.

    Raises:
        ValueError: a commit is not written in full.
    """
    for name, commit in commits.items():
        if not _COMMIT.fullmatch(commit):
            raise ValueError(f"the commit of {name} must have 40 hexadecimal digits, got {commit}")
    return tuple(Built(name, commit) for name, commit in commits.items())


def placed(pair: Built, place: Path = BUILT) -> Path:
    """Return the path of a jar.

    Raises:
        BedError: it is not there.
    """
    path = place / pair.file
    if not path.exists():
        raise BedError(
            f"{path} is missing: build {pair.name} at the commit {pair.commit} as its own pages say, "
            "and put the jar there"
        )
    return path
