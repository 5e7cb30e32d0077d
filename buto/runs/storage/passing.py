"""Runs on their way from one machine to another: each is the archive that it would be in a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from buto.runs.files.staging import storage_errors
from buto.runs.storage.directory import DirectoryStorage
from buto.runs.storage.packed import PackedBundle, pack
from buto.runs.storage.protocol import MissingBundleError

IN_MEMORY = 1 << 22
"""An archive of more bytes is a temporary file, which nothing flushes to disk."""


class PassingStorage(DirectoryStorage):
    """Holds bundles until they are passed on, and loses them with the process.

    See :class:`buto.runs.storage.protocol.Storage`.

    Args:
        root: directory of what else a store needs; nothing is written there for a bundle.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._archives: dict[str, BinaryIO] = {}

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        archive = new_archive()
        with storage_errors("keep the run", self.place(key)):
            pack(files, archive)
        self.hold(key, archive)

    def hold(self, key: str, archive: BinaryIO) -> None:
        """Hold a bundle that is packed already."""
        self._archives[key] = archive

    def bundles(self, key: str) -> list[str]:
        return [one.removeprefix(f"{key}/") for one in self._archives if one.startswith(f"{key}/")]

    @contextmanager
    def open_bundle(self, key: str, max_bytes: int) -> Iterator[PackedBundle]:  # type: ignore[override]
        if key not in self._archives:
            raise MissingBundleError
        yield PackedBundle.of(self._archives[key])

    def size_bytes(self, key: str) -> int:
        """Return the size of an archive."""
        return self._archives[key].seek(0, 2)

    def piece(self, key: str, offset: int, size: int) -> bytes:
        """Return a part of an archive; less than ``size`` bytes at its end."""
        archive = self._archives[key]
        archive.seek(offset)
        return archive.read(size)

    def delete_bundle(self, key: str) -> None:
        archive = self._archives.pop(key, None)
        if archive is not None:
            archive.close()

    def clear(self) -> None:
        """Forget all bundles."""
        for key in tuple(self._archives):
            self.delete_bundle(key)


def new_archive() -> BinaryIO:
    """Return an empty file for an archive, in memory while it is small."""
    return cast(BinaryIO, SpooledTemporaryFile(IN_MEMORY))
