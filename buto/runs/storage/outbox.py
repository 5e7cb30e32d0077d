"""Bundles on this machine until the storage has them, so that a lost server or a killed buto loses none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from buto.runs.files.staging import clean_leftovers, hidden_name, locked, make_directories, storage_errors
from buto.runs.storage.packed import pack


@dataclass(frozen=True, slots=True)
class Packed:
    """A bundle in one file.

    Attributes:
        file: open for reading.
        place: where it stays if nobody forgets it; None if this machine cannot keep it.
    """

    file: BinaryIO
    place: Path | None

    @property
    def is_kept(self) -> bool:
        """Whether it stays when the process ends."""
        return self.place is not None

    def forget(self) -> None:
        """Remove it, because the storage has it or does not want it."""
        if self.place is not None:
            with suppress(OSError):
                self.place.unlink()


class Outbox:
    """Packed bundles in a directory of this machine, each under its key.

    Who adds or sends a bundle holds its lock, which the system releases when the process ends.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def place(self, key: str) -> Path:
        """Return the file of a bundle that is kept."""
        return self._directory / key

    @contextmanager
    def packed(self, key: str, files: Mapping[str, bytes]) -> Iterator[Packed]:
        """Pack a bundle and keep it, if this machine can."""
        with ExitStack() as stack:
            try:
                packed = self._kept(self.place(key), files, stack)
            except OSError:
                file = stack.enter_context(TemporaryFile())
                pack(files, file)
                packed = Packed(file, None)
            yield packed

    def _kept(self, place: Path, files: Mapping[str, bytes], stack: ExitStack) -> Packed:
        make_directories(place.parent)
        clean_leftovers(place.parent)
        hidden = hidden_name(place)
        file = stack.enter_context(hidden.open("x+b"))
        stack.callback(hidden.unlink, missing_ok=True)
        # Before the file gets its name, so that no other process takes it for left behind.
        stack.enter_context(locked(hidden))
        pack(files, file)
        file.flush()
        os.fsync(file.fileno())
        hidden.rename(place)
        return Packed(file, place)

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the bundles below a folder that no living process is sending, sorted."""
        root = self._directory / folder
        found = []
        for path in root.rglob("*"):
            if not path.name.startswith(".") and path.is_file():
                with suppress(OSError), locked(path) as is_ours:
                    if is_ours:
                        found.append(path.relative_to(self._directory).as_posix())
        return sorted(found)

    @contextmanager
    def kept(self, key: str) -> Iterator[BinaryIO | None]:
        """Open a bundle that is kept and forget it if the block ends without an exception.

        Yields:
            The open file; None if another process has it, or has sent it.

        Raises:
            StorageError: it cannot be read or removed.
        """
        place = self.place(key)
        with storage_errors("send", place):
            try:
                with locked(place) as is_ours:
                    if not is_ours or not place.exists():
                        yield None
                        return
                    with place.open("rb") as file:
                        yield file
                    place.unlink()
            except FileNotFoundError:
                yield None
