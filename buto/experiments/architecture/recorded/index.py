"""What a recording of the store has: its versions and its loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from buto.runs.format.document import NewerVersionError

FORMAT = "buto-store"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the store.

    Attributes:
        component: the one that is slower; empty for none.
        slower: by how much of its own time.
        matters: whether the change was made to be noticed; other versions must never give an alarm.
    """

    name: str
    component: str
    slower: float
    matters: bool


@dataclass(frozen=True, slots=True)
class Load:
    """Requests at random times; ``rates`` are those of each endpoint, in 1/s."""

    name: str
    rates: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Index:
    """A recording of the store.

    Attributes:
        old: name of the version that all others are compared with.
        fixed: name of the load that the model is learned under.
        measured_s: how long requests were measured in each run.
        versions: all but the old one.
    """

    old: str
    fixed: str
    measured_s: float
    versions: tuple[Version, ...]
    loads: tuple[Load, ...]

    @property
    def changed(self) -> tuple[Version, ...]:
        """Versions that were made to be noticed."""
        return tuple(one for one in self.versions if one.matters)

    @property
    def unchanged(self) -> tuple[Version, ...]:
        """Versions that are as good as the old one."""
        return tuple(one for one in self.versions if not one.matters)

    def load(self, name: str) -> Load:
        """Return a load by its name."""
        [found] = (one for one in self.loads if one.name == name)
        return found


def to_json(index: Index) -> str:
    """Return an index as text."""
    return json.dumps({"format": FORMAT, "version": VERSION, **asdict(index)}, indent=1) + "\n"


def from_json(text: str) -> Index:
    """Read what :func:`to_json` returns.

    Raises:
        NewerVersionError: it is of a later version.
        ValueError: it is not an index.
    """
    try:
        known: dict[str, Any] = json.loads(text)
        if known["format"] != FORMAT:
            raise ValueError(f"its format must be {FORMAT!r}, got {known['format']!r}")
        if known["version"] > VERSION:
            raise NewerVersionError(f"its version must be at most {VERSION}, got {known['version']}")
        return Index(
            known["old"],
            known["fixed"],
            known["measured_s"],
            tuple(Version(**one) for one in known["versions"]),
            tuple(Load(**one) for one in known["loads"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is not the index of a recording: {error!r}") from error
