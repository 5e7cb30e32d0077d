"""A store in a directory of this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from buto.errors import BadFileError, StorageError
from buto.run.cache import Stamp, is_missing, open_file, read_file, refuse_links, stamp_of
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


@dataclass(frozen=True, slots=True)
class _Directory:
    """A bundle as a directory."""

    path: Path

    def read(self, name: str, max_bytes: int) -> bytes:
        return read_file(self.path / name, max_bytes)

    def open(self, name: str, max_bytes: int) -> AbstractContextManager[BufferedReader]:
        return open_file(self.path / name, max_bytes)


class DirectoryStorage:
    """Keeps files as files and bundles as directories; see :class:`buto.run.storage.Storage`.

    Args:
        root: created when the first content is added.
    """

    readers = 1

    def __init__(self, root: Path) -> None:
        self.root = root
        self.here = root

    def place(self, key: str) -> Path:
        return self.root / key

    def removal(self, key: str) -> str:
        return shlex.join(["rm", str(self.root / key)])

    def probe(self) -> int | None:
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
        directory = self.root / key
        refuse_links(self.root, directory)
        with storage_errors("make", directory):
            self._prepare(directory)
        return directory

    def folders(self, key: str) -> list[str]:
        return self._names(key, lambda entry: entry.is_dir(follow_symlinks=False))

    def bundles(self, key: str) -> Iterable[str]:
        return self.folders(key)

    def stamped_bundles(self, key: str, first: str) -> dict[str, Stamp | None]:
        directory = self.root / key
        return {name: stamp_of(directory / name / first) for name in self.bundles(key)}

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        place = self.root / key
        refuse_links(self.root, place.parent)
        with storage_errors("store the run", place):
            self._prepare(place.parent)
            publish_directory(place, files)

    def unsent(self, key: str) -> list[str]:
        return []

    def send(self, key: str) -> bool:
        return False

    def read_first(self, key: str, name: str, max_bytes: int) -> bytes:
        with self.open_bundle(key, max_bytes) as bundle:
            return bundle.read(name, max_bytes)

    @contextmanager
    def open_bundle(self, key: str, max_bytes: int) -> Iterator[_Directory]:
        path = self.root / key
        refuse_links(self.root, path.parent)
        if os.path.islink(path) or not os.path.isdir(path):
            raise MissingBundleError
        yield _Directory(path)

    def delete_bundle(self, key: str) -> None:
        place = self.root / key
        refuse_links(self.root, place.parent)
        with storage_errors("delete the run", place):
            withdraw_directory(place)

    def files(self, key: str) -> dict[str, Stamp | None]:
        directory = self.root / key
        return {name: stamp_of(directory / name) for name in self._names(key, lambda entry: True)}

    def add_file(self, key: str, content: bytes, noun: str) -> None:
        place = self.root / key
        refuse_links(self.root, place.parent)
        with storage_errors(f"keep the {noun}", place):
            make_directories(place.parent)
            clean_leftovers(place.parent)
            publish_file(place, content)

    def read_file(self, key: str, max_bytes: int) -> bytes:
        return read_file(self.root / key, max_bytes)

    def delete_file(self, key: str) -> None:
        place = self.root / key
        with storage_errors("delete", place):
            place.unlink(missing_ok=True)

    def _names(self, key: str, is_wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
        directory = self.root / key
        refuse_links(self.root, directory)
        try:
            with os.scandir(directory) as entries:
                return [entry.name for entry in entries if is_wanted(entry)]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise BadFileError(
                f"{directory} cannot be read: {error.strerror}",
                advice=f"ls -ld {shlex.quote(str(directory))}",
            ) from error

    def _prepare(self, directory: Path) -> None:
        make_directories(self.root)
        ignore = self.root / ".gitignore"
        # Never into an existing foreign directory, where it would hide files from git.
        if not ignore.exists() and (self.root.name == DEFAULT_NAME or not any(self.root.iterdir())):
            publish_file(ignore, b"*\n")
        make_directories(directory)
        clean_leftovers(directory)
