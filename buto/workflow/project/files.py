"""Where the files of a project are: its configuration, its store of runs, its oracles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from buto import config
from buto.runs.names import encode_test
from buto.runs.storage.place import Place

STORE = Path(".buto")
ORACLES = Path("oracles")


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a project.

    Attributes:
        configuration: the given file; None for the one in the current directory.
        has_configuration: whether there is a configuration, given or found.
        root: the directory of the configuration; without one, the current directory.
        store: where runs are kept.
        oracle: the given oracle file; None for ``oracles/NAME.json`` below the root.
    """

    configuration: Path | None
    has_configuration: bool
    root: Path
    store: Place
    oracle: Path | None

    @classmethod
    def located(
        cls, configuration: Path | None = None, store: Place | None = None, oracle: Path | None = None
    ) -> Self:
        """Return the files of a project; those not given are located next to the configuration."""
        found = config.find(configuration, Path())
        root = Path() if found is None else found.parent
        return cls(configuration, found is not None, root, root / STORE if store is None else store, oracle)

    def oracle_of(self, test: str) -> Path:
        """Return the file of a test's oracle."""
        return self.oracle or self.root / ORACLES / f"{encode_test(test)}.json"

    def oracles_of(self, test: str) -> set[Path]:
        """Return the files that may have a test's oracle: in this project, and beside the store."""
        here = self.oracle_of(test)
        return {here, self.store.parent / here} if isinstance(self.store, Path) else {here}

    def read_configuration(self) -> config.Config | None:
        """Read the configuration; None without one.

        Raises:
            ConfigError: it does not follow its schema.
            BadFileError: it cannot be read.
        """
        path = config.find(self.configuration, Path())
        return None if path is None else config.load(path)
