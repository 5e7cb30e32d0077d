"""What is known of the program that an oracle was trained on, so that it can be launched again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """Its files are in the store.

    Attributes:
        id: SHA-256 of its manifest, which has those of all its files.
    """

    id: str
    n_files: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of the repository has it, from which it is built.

    Attributes:
        commit: its full name.
        build: the command that builds it; empty for none.
    """

    commit: str
    build: str = ""


@dataclass(frozen=True, slots=True)
class Unkept:
    """It cannot be launched again.

    Attributes:
        reason: as a clause.
        advice: what helps; empty if nothing does.
    """

    reason: str
    advice: str = ""


OldProgram = Kept | Revision | Unkept

UNKNOWN = Unkept("buto did not launch it for training")


def to_data(program: OldProgram) -> dict[str, Any]:
    """Return plain data, as an oracle stores it."""
    match program:
        case Kept():
            return {"id": program.id, "files": program.n_files, "bytes": program.n_bytes}
        case Revision():
            return {"revision": program.commit, "build": program.build}
        case Unkept():
            return {"not_kept": program.reason}


def from_data(data: Mapping[str, Any]) -> OldProgram:
    """Return what :func:`to_data` has written; ValueError for data of another shape."""
    match data:
        case {"id": str(id), "files": int(n_files), "bytes": int(n_bytes)}:
            return Kept(id, n_files, n_bytes)
        case {"revision": str(commit), "build": str(build)}:
            return Revision(commit, build)
        case {"not_kept": str(reason)}:
            return Unkept(reason)
    raise ValueError("program is not as buto writes it")
