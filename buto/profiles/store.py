"""Profiles on disk: ``ROOT/profiles/TEST/ID.stacks.gz``, apart from the runs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from buto.errors import BadFileError
from buto.profiles.format import parse, text_of
from buto.profiles.model import Profile
from buto.runs import names
from buto.runs.files.reading import read_file, refuse_links
from buto.runs.files.staging import make_directories, publish_file, storage_errors

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
    """The stored profiles below one directory. No function of runs, oracles or history looks there.

    Args:
        root: the root of the runs, see :class:`buto.runs.store.RunStore`.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, test: str, profiles: Sequence[Profile]) -> Path:
        """Store profiles that belong together and return their file.

        Raises:
            StorageError: it cannot be written.
            UsageError: the test has no name for a file.
        """
        place = self._directory(test) / f"{names.new_id()}{_SUFFIX}"
        content = gzip.compress(text_of(profiles).encode("utf-8", "surrogatepass"), mtime=0)
        with storage_errors("keep the profile", place):
            make_directories(place.parent)
            publish_file(place, content)
            for old in self._files(test)[:-_KEPT]:
                old.unlink(missing_ok=True)
        return place

    def has(self, test: str) -> bool:
        """Return whether there are profiles of a test."""
        return bool(self._files(test))

    def newest(self, test: str) -> StoredProfiles | None:
        """Return the newest profiles of a test; None without any.

        Raises:
            BadFileError: they are damaged.
        """
        files = self._files(test)
        if not files:
            return None
        path = files[-1]
        try:
            found = tuple(parse(_decompressed(read_file(path, _MAX_BYTES)).decode("utf-8", "surrogatepass")))
        except (OSError, zlib.error, ValueError) as error:
            raise BadFileError(f"{path} cannot be read: {error}", advice=f"delete it: rm {path}") from error
        at = names.start_of(path.name.removesuffix(_SUFFIX))
        return StoredProfiles(found, at or datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def _files(self, test: str) -> list[Path]:
        found = self._directory(test).glob(f"*{_SUFFIX}")
        return sorted(path for path in found if names.is_id(path.name.removesuffix(_SUFFIX)))

    def _directory(self, test: str) -> Path:
        place = self.root / "profiles" / names.encode_test(test)
        refuse_links(self.root, place)
        return place


def _decompressed(content: bytes) -> bytes:
    """Return the text of a stored file; ValueError if it is cut off, or longer than any profile."""
    decompressor = zlib.decompressobj(_GZIP)
    text = decompressor.decompress(content, _MAX_TEXT_BYTES)
    if not decompressor.eof:
        raise ValueError(f"it is cut off, or its text has more than {_MAX_TEXT_BYTES} bytes")
    return text
