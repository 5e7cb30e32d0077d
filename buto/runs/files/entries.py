"""Small files that only accumulate: ``ROOT/KIND/TEST/ID.json``, one for each entry."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from buto.errors import BadFileError
from buto.runs import names
from buto.runs.files.cache import cached
from buto.runs.files.reading import read_file, refuse_links
from buto.runs.files.staging import clean_leftovers, make_directories, publish_file, storage_errors

T = TypeVar("T")

_SUFFIX = ".json"
_MAX_BYTES = 1 << 26


class EntryStore:
    """The entries of one kind under one directory.

    An entry is stored completely or not at all, and never changed. Contents are not interpreted. Several
    processes may add entries at once. Every method that takes the name of a test raises UsageError for one
    that cannot be stored (:func:`buto.runs.names.encode_test`).

    Args:
        root: the root of the runs, see :class:`buto.runs.store.RunStore`.

    Attributes:
        kind: name of the directory.
        noun: what an entry is, for messages.
        loss: what a user loses who deletes an entry that cannot be read.
    """

    kind: ClassVar[str]
    noun: ClassVar[str]
    loss: ClassVar[str]

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, test: str, content: bytes) -> Path:
        """Store an entry under a new id and return its file. StorageError if it cannot be written."""
        # More digits than an id of a run has: two entries of the same millisecond must not meet.
        place = self._directory(test) / f"{names.new_id()}{secrets.token_hex(4)}{_SUFFIX}"
        with storage_errors(f"keep the {self.noun}", place):
            make_directories(place.parent)
            clean_leftovers(place.parent)
            publish_file(place, content)
        return place

    def all(self, test: str) -> list[Path]:
        """Return the files of a test's entries, in the order in which they were added.

        Raises:
            BadFileError: their directory cannot be read.
        """
        directory = self._directory(test)
        try:
            found = list(directory.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            found = []
        except OSError as error:
            raise BadFileError(
                f"{directory} cannot be read: {error.strerror}",
                advice=f"ls -ld {shlex.quote(str(directory))}",
            ) from error
        return sorted(path for path in found if path.suffix == _SUFFIX and names.is_id(path.stem))

    def found(
        self, test: str, version: str, read: Callable[[bytes], Any], decode: Callable[[Any], T]
    ) -> list[T]:
        """Return each entry as read by ``read`` and decoded by ``decode``, in the order of :meth:`all`.

        Args:
            version: version of the plain data that ``read`` returns, which are cached.
            read, decode: see :func:`buto.runs.files.cache.cached`.

        Raises:
            BadFileError: ``read`` raises ValueError for one of them, or it cannot be read.
        """
        files = {path.name: path for path in self.all(test)}

        def data(name: str) -> Any:
            with self.reading(files[name]) as content:
                return read(content)

        place = self.root / "cache" / self.kind / f"{names.encode_test(test)}{_SUFFIX}"
        return list(cached(place, version, files, data, decode).values())

    @contextmanager
    def reading(self, path: Path) -> Iterator[bytes]:
        """Yield a file's content; turn a ValueError of the block into a BadFileError with the path."""
        try:
            yield read_file(path, _MAX_BYTES)
        except ValueError as error:
            raise BadFileError(
                f"{path} cannot be read: {error}", advice=f"delete it; {self.loss}: rm {path}"
            ) from error

    def _directory(self, test: str) -> Path:
        place = self.root / self.kind / names.encode_test(test)
        refuse_links(self.root, place)
        return place
