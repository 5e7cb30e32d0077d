"""An empty home and an empty temporary directory for one launch, so that no launch changes the next one.

A JVM asks the system for its home, and not the environment; so it is told by two properties.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from msgspec import Struct

from buto.errors import StorageError
from buto.run.model import MetadataValue

_IN_HOME = {
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}
"""Variables that name directories in a home, where they are set."""

_TEMPORARY = ("TMPDIR", "TMP", "TEMP", "TEMPDIR")


class Isolation(Struct, frozen=True):
    """Directories of one launch.

    Attributes:
        home, temporary: empty at its start.
    """

    home: Path
    temporary: Path

    @classmethod
    def below(cls, directory: Path) -> Self:
        """Create both in the directory of a launch; raises StorageError if it cannot be written."""
        isolation = cls(directory / "home", directory / "temporary")
        try:
            isolation.home.mkdir()
            isolation.temporary.mkdir()
        except OSError as error:
            raise StorageError(
                f"no home of its own can be created in {directory}: {error.strerror}",
                advice="free some space there, or set TMPDIR to a directory that can be written",
            ) from error
        return isolation

    @property
    def options(self) -> tuple[str, ...]:
        """Options of a JVM."""
        return (f"-Duser.home={self.home}", f"-Djava.io.tmpdir={self.temporary}")

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that differ from those of an environment."""
        named = {name: str(self.home / path) for name, path in _IN_HOME.items() if name in environment}
        temporary = {name: str(self.temporary) for name in _TEMPORARY if name in environment}
        return {"HOME": str(self.home), "TMPDIR": str(self.temporary), **temporary, **named}

    def nameless(self, metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataValue]:
        """Return metadata in which the directories have names that are the same in every launch."""
        parent = f"{self.home.parent}{os.sep}"
        return {
            key: value.replace(parent, f"own{os.sep}") if isinstance(value, str) else value
            for key, value in metadata.items()
        }
