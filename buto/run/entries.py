"""Small files that only accumulate: ``KIND/TEST/ID.json`` in a store, one for each entry.

Results of checks and trainings are such entries, stored next to the runs as ``results/TEST/ID.json``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from buto.errors import BadFileError
from buto.run import names
from buto.run.cache import Stamp, read_cached
from buto.run.objects import open_storage
from buto.run.storage import Place

T = TypeVar("T")


class EntryStore:
    """The entries of one kind in one store.

    An entry is stored completely or not at all, and never changed. Contents are not interpreted. Several
    processes may add entries at once. Every method that takes the name of a test raises UsageError for one
    that cannot be stored (:func:`buto.run.names.encode_test`), and StorageError if the storage cannot be
    reached.

    Args:
        root: the root of the runs, see :class:`buto.run.store.RunStore`.

    Attributes:
        kind: name of the folder.
        noun: what an entry is, for messages.
        loss: what a user loses who deletes an entry that cannot be read.
        suffix: how the names of the files end.
        max_bytes: of one file.
    """

    kind: ClassVar[str]
    noun: ClassVar[str]
    loss: ClassVar[str]
    suffix: ClassVar[str] = ".json"
    max_bytes: ClassVar[int] = 1 << 26

    def __init__(self, root: Place) -> None:
        self.root = root
        self._storage = open_storage(root)

    def tests(self) -> list[str]:
        """Return the tests that have entries, sorted."""
        tests = map(names.decode_test, self._storage.folders(self.kind))
        return sorted(test for test in tests if test is not None)

    def add(self, test: str, content: bytes) -> Place:
        """Store an entry under a new id and return its file. StorageError if it cannot be written."""
        # More digits than an id of a run has: two entries of the same millisecond must not meet.
        key = f"{self._folder(test)}/{names.new_id()}{secrets.token_hex(4)}{self.suffix}"
        self._storage.add_file(key, content, self.noun)
        return self._storage.place(key)

    def delete(self, test: str, name: str) -> None:
        """Remove an entry, if it is there."""
        self._storage.delete_file(f"{self._folder(test)}/{name}")

    def all(self, test: str) -> list[str]:
        """Return the names of a test's entries, in the order in which they were added.

        Raises:
            BadFileError: their directory cannot be read.
        """
        return list(self._stamps(test))

    def read_all(
        self, test: str, version: str, read: Callable[[bytes], Any], decode: Callable[[Any], T]
    ) -> list[T]:
        """Return each entry as read by ``read`` and decoded by ``decode``, in the order of :meth:`all`.

        Args:
            version: version of the plain data that ``read`` returns, which are cached.
            read, decode: see :func:`buto.run.cache.read_cached`.

        Raises:
            BadFileError: ``read`` raises ValueError for one of them, or it cannot be read.
        """

        def data(name: str) -> Any:
            with self.reading(test, name) as content:
                return read(content)

        place = self._storage.here / "cache" / self.kind / f"{names.encode_test(test)}.json"
        return list(
            read_cached(place, version, self._stamps(test), data, decode, self._storage.readers).values()
        )

    @contextmanager
    def reading(self, test: str, name: str) -> Iterator[bytes]:
        """Yield an entry's content; turn a ValueError of the block into a BadFileError with its place."""
        key = f"{self._folder(test)}/{name}"
        try:
            yield self._storage.read_file(key, self.max_bytes)
        except ValueError as error:
            place = self._storage.place(key)
            raise BadFileError(
                f"{place} cannot be read: {error}",
                advice=f"delete it; {self.loss}: {self._storage.removal(key)}",
            ) from error

    def _stamps(self, test: str) -> dict[str, Stamp | None]:
        """Return the stamps of a test's entries by name, sorted."""
        stamps = self._storage.files(self._folder(test))
        ours = (name for name in sorted(stamps) if name.endswith(self.suffix))
        return {name: stamps[name] for name in ours if names.is_id(name.removesuffix(self.suffix))}

    def _folder(self, test: str) -> str:
        return f"{self.kind}/{names.encode_test(test)}"


class ResultStore(EntryStore):
    """The results in one store, see :class:`buto.run.entries.EntryStore`."""

    kind: ClassVar[str] = "results"
    noun: ClassVar[str] = "result"
    loss: ClassVar[str] = "only the history needs it"
