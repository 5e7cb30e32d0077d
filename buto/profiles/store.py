"""Stored profiles: ``profiles/TEST/ID.stacks.gz`` in a store, apart from the runs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from buto.errors import BadFileError
from buto.profiles.format import parse, text_of
from buto.profiles.model import Profile
from buto.runs import names
from buto.runs.storage.opening import open_storage
from buto.runs.storage.place import Place

_SUFFIX = ".stacks.gz"
_MAX_BYTES = 1 << 28
"""Of a stored file."""

_MAX_TEXT_BYTES = 1 << 30
"""Of its text, which is some ten times as long."""

_GZIP = 16 + zlib.MAX_WBITS

_KEPT = 5
"""Sets of profiles of one test; an older set is removed when a new one is stored."""


@dataclass(frozen=True, slots=True)
class StoredProfiles:
    """Profiles of one program that were recorded together.

    Attributes:
        at: when they were stored; aware.
    """

    profiles: tuple[Profile, ...]
    at: datetime


class ProfileStore:
    """The profiles in one store. No function of runs, oracles or history looks there.

    Every method raises StorageError if the storage cannot be reached.

    Args:
        root: the root of the runs, see :class:`buto.runs.store.RunStore`.
    """

    def __init__(self, root: Place) -> None:
        self.root = root
        self._storage = open_storage(root)

    def add(self, test: str, profiles: Sequence[Profile]) -> Place:
        """Store profiles that belong together and return their file.

        Raises:
            StorageError: it cannot be written.
            UsageError: the test has no name for a file.
        """
        key = f"{_folder(test)}/{names.new_id()}{_SUFFIX}"
        content = gzip.compress(text_of(profiles).encode("utf-8", "surrogatepass"), mtime=0)
        self._storage.add_file(key, content, "profile")
        for old in self._keys(test)[:-_KEPT]:
            self._storage.delete_file(old)
        return self._storage.place(key)

    def has(self, test: str) -> bool:
        """Return whether there are profiles of a test."""
        return bool(self._keys(test))

    def newest(self, test: str) -> StoredProfiles | None:
        """Return the newest profiles of a test; None without any.

        Raises:
            BadFileError: they are damaged.
        """
        keys = self._keys(test)
        if not keys:
            return None
        key = keys[-1]
        try:
            content = self._storage.read_file(key, _MAX_BYTES)
            found = tuple(parse(_decompressed(content).decode("utf-8", "surrogatepass")))
        except (OSError, zlib.error, ValueError) as error:
            raise BadFileError(
                f"{self._storage.place(key)} cannot be read: {error}",
                advice=f"delete it: {self._storage.removal(key)}",
            ) from error
        at = _start_of(key)
        assert at is not None
        return StoredProfiles(found, at)

    def _keys(self, test: str) -> list[str]:
        """Return the keys of a test's files, oldest first."""
        folder = _folder(test)
        found = (name for name in self._storage.files(folder) if name.endswith(_SUFFIX))
        return [f"{folder}/{name}" for name in sorted(found) if _start_of(name) is not None]


def _folder(test: str) -> str:
    return f"profiles/{names.encode_test(test)}"


def _start_of(key: str) -> datetime | None:
    """Return when a file was stored; None for a name that no stored file has."""
    return names.start_of(key.rpartition("/")[2].removesuffix(_SUFFIX))


def _decompressed(content: bytes) -> bytes:
    """Return the text of a stored file; ValueError if it is cut off, or longer than any profile."""
    decompressor = zlib.decompressobj(_GZIP)
    text = decompressor.decompress(content, _MAX_TEXT_BYTES)
    if not decompressor.eof:
        raise ValueError(f"it is cut off, or its text has more than {_MAX_TEXT_BYTES} bytes")
    return text
