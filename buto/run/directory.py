"""A store in a directory of this machine.

A *key* is a relative name with slashes, such as ``labels/leaker/ID.json``. There are two sorts of contents:
*files*, and *bundles*, which are several files under one key that exist together or not at all. A run is a
bundle.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from msgspec import Struct

from buto.errors import BadFileError, StorageError
from buto.run.archive import PackedBundle
from buto.run.below import below
from buto.run.cache import Stamp, is_missing, open_file, read_file, stamp_of
from buto.run.files import (
    STORE,
    clean_leftovers,
    make_directories,
    publish_directory,
    publish_file,
    storage_errors,
    withdraw_directory,
)
from buto.run.storage import MissingBundleError
from buto.steps import Advice

DEFAULT_NAME = ".buto"


class Bundle(Struct, frozen=True):
    """A bundle that is open for reading: a directory."""

    path: Path

    def read(self, name: str, max_bytes: int) -> bytes:
        """Return the content of a file; ValueError if it is missing, too large or not readable."""
        return read_file(self.path / name, max_bytes)

    def open(self, name: str, max_bytes: int) -> AbstractContextManager[BufferedReader]:
        """Open a file that is too large for the memory; ValueError as :meth:`read`."""
        return open_file(self.path / name, max_bytes)


class DirectoryStorage:
    """Keeps files as files and bundles as directories.

    Several processes may use the same storage at once. Every method raises StorageError if the storage cannot
    be reached or written. What is read but damaged raises ValueError, without a path. What was added is never
    changed.

    Args:
        root: created when the first content is added.

    Attributes:
        root: what the user named.
        here: the directory on this machine for locks, journals and caches of this storage.
        readers: how many reads are worth doing at the same time.
    """

    readers = 1

    def __init__(self, root: Path) -> None:
        self.root = root
        self.here = root

    def place(self, key: str) -> Path:
        """Return where a file or the files of a bundle are, for messages."""
        return self.root / key

    def removal(self, key: str) -> str:
        """Return the command that removes a file, for advice."""
        return shlex.join(["rm", str(self.root / key)])

    def probe(self) -> int | None:
        """Try whether content can be added; return how many bytes are free, None where that is unknown."""
        root = self.root.absolute()
        place = next(path for path in (root, *root.parents) if not is_missing(path))
        try:
            with tempfile.TemporaryFile(dir=place):
                return shutil.disk_usage(place).free
        except OSError as error:
            raise StorageError(
                f"{self.root} cannot be written: {error.strerror}",
                advice=Advice("name another directory: ", STORE),
            ) from error

    def prepare(self, key: str) -> Path:
        """Create the directory of a key below :attr:`here`, with its parents, and return it."""
        directory = self.root / key
        with storage_errors("make", directory), self._prepare(key):
            return directory

    def folders(self, key: str) -> list[str]:
        """Return the names of what lies below a key and has something below it, in no order."""
        with self._list(key) as (_, entries):
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]

    def bundles(self, key: str) -> Iterable[str]:
        """Return the names of the bundles directly below a key, in no order."""
        return self.folders(key)

    def stamps_of_bundles(self, key: str, first: str) -> dict[str, Stamp | None]:
        """Return the stamps of the bundles directly below a key, by name in no order.

        Args:
            first: name of the file that :meth:`read_first` reads; the stamp is of this file.
        """
        with self._list(key) as (directory, entries):
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            return {name: stamp_of(directory / name / first) for name in names}

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        """Add a bundle.

        Args:
            files: by name; the first can be read alone, see :meth:`read_first`.

        Raises:
            UnsentError: the storage cannot be reached; the bundle waits on this machine.
            StorageError: also if there is a bundle with this key; nothing is left behind.
        """
        folder, _, name = key.rpartition("/")
        with storage_errors("store the run", self.root / key), self._prepare(folder) as directory:
            publish_directory(directory / name, files)

    def unsent(self, key: str) -> list[str]:
        """Return the relative keys of the bundles below a key that wait on this machine, sorted."""
        return []

    def send(self, key: str) -> bool:
        """Add a bundle that waits on this machine; return whether it was still waiting.

        Raises:
            TakenError: there is another bundle with this key; both stay.
            StorageError: the storage cannot be reached; the bundle still waits.
        """
        return False

    def read_first(self, key: str, name: str, max_bytes: int) -> bytes:
        """Return the content of the first file of a bundle, whose name is given; see :meth:`Bundle.read`.

        Raises:
            MissingBundleError: there is no such bundle, where that can be known.
        """
        with self.open_bundle(key, max_bytes) as bundle:
            return bundle.read(name, max_bytes)

    @contextmanager
    def open_bundle(self, key: str, max_bytes: int) -> Iterator[Bundle | PackedBundle]:
        """Open a bundle for reading; MissingBundleError if there is none.

        Args:
            max_bytes: of what is fetched from another machine; a larger bundle raises ValueError before.
        """
        folder, _, name = key.rpartition("/")
        with ExitStack() as stack:
            try:
                directory = stack.enter_context(below(self.root, folder))
                if os.path.islink(directory / name):
                    raise MissingBundleError
                directory = stack.enter_context(below(directory, name))
            except (FileNotFoundError, NotADirectoryError):
                raise MissingBundleError from None
            except OSError as error:
                raise ValueError(f"{error.strerror}") from error
            yield Bundle(directory)

    def delete_bundle(self, key: str) -> None:
        """Remove a bundle so that no reader sees a part of it."""
        folder, _, name = key.rpartition("/")
        with storage_errors("delete the run", self.root / key), below(self.root, folder) as directory:
            withdraw_directory(directory / name)

    def files(self, key: str) -> dict[str, Stamp | None]:
        """Return the stamps of the files directly below a key, by name in no order."""
        with self._list(key) as (directory, entries):
            return {entry.name: stamp_of(directory / entry.name) for entry in entries}

    def add_file(self, key: str, content: bytes, noun: str) -> None:
        """Add a file wholly or not at all; ``noun`` says in messages what it is."""
        folder, _, name = key.rpartition("/")
        with (
            storage_errors(f"keep the {noun}", self.root / key),
            below(self.root, folder, make=True) as directory,
        ):
            clean_leftovers(directory)
            publish_file(directory / name, content)

    def read_file(self, key: str, max_bytes: int) -> bytes:
        """Return the content of a file; ValueError if it is missing, too large or not readable."""
        folder, _, name = key.rpartition("/")
        try:
            with below(self.root, folder) as directory:
                return read_file(directory / name, max_bytes)
        except (FileNotFoundError, NotADirectoryError):
            raise ValueError("it is missing") from None
        except OSError as error:
            raise ValueError(f"{error.strerror}") from error

    def delete_file(self, key: str) -> None:
        """Remove a file, if it is there."""
        folder, _, name = key.rpartition("/")
        with (
            storage_errors("delete", self.root / key),
            suppress(FileNotFoundError),
            below(self.root, folder) as directory,
        ):
            (directory / name).unlink()

    @contextmanager
    def _list(self, key: str) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
        """Yield a directory, valid within the block, and what is in it; nothing if it is missing."""
        with ExitStack() as stack:
            try:
                directory = stack.enter_context(below(self.root, key))
                with os.scandir(directory) as scan:
                    entries = list(scan)
            except (FileNotFoundError, NotADirectoryError):
                directory, entries = self.root / key, []
            except OSError as error:
                place = self.root / key
                raise BadFileError(
                    f"{place} cannot be read: {error.strerror}", advice=f"ls -ld {shlex.quote(str(place))}"
                ) from error
            yield directory, entries

    @contextmanager
    def _prepare(self, key: str) -> Iterator[Path]:
        """Create the directory of a key and clean it; yield its path, valid within the block."""
        make_directories(self.root)
        ignore = self.root / ".gitignore"
        # Never into an existing foreign directory, where it would hide files from git.
        if not ignore.exists() and (self.root.name == DEFAULT_NAME or not any(self.root.iterdir())):
            publish_file(ignore, b"*\n")
        with below(self.root, key, make=True) as directory:
            clean_leftovers(directory)
            yield directory
