"""A store in a bucket: each file and each bundle is one object, which the server adds as a whole.

Runs that pass from one machine to another are the same archives, without a bucket. :func:`open_storage` opens
the storage of any store, in a bucket or in a directory.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from buto.errors import StorageError
from buto.run.archive import Outbox, PackedBundle, first_member, pack
from buto.run.cache import Stamp
from buto.run.directory import DirectoryStorage
from buto.run.files import storage_errors
from buto.run.s3 import READERS, Bucket, ObjectExistsError
from buto.run.storage import MissingBundleError, Place, S3Url, TakenError, UnsentError
from buto.steps import Action, Advice, Setting, Step

_BEGINNING = 1 << 17
"""How much of a bundle is read for its first file alone; most run.json are smaller."""

_IN_MEMORY = 1 << 24
_MISSING = "it is missing"


class ObjectStorage:
    """Keeps files and bundles as objects; see :class:`buto.run.directory.DirectoryStorage`.

    A bundle waits in an outbox on this machine until the server has confirmed it.

    Args:
        root: where in which bucket.
    """

    readers = READERS

    def __init__(self, root: S3Url) -> None:
        self.root = root
        self._bucket = Bucket(root)
        self.here = _home() / _directory_name(root, self._bucket.endpoint)
        self._outbox = Outbox(self.here / "outbox")

    def place(self, key: str) -> S3Url:
        return self.root / key

    def removal(self, key: str) -> str:
        return shlex.join(["aws", "s3", "rm", str(self.place(key))])

    def probe(self) -> int | None:
        key = f"probes/{secrets.token_hex(8)}"
        self.add_file(key, b"", "probe")
        try:
            self._bucket.add(key, BytesIO(b"another"))
        except ObjectExistsError:
            return None
        else:
            raise StorageError(
                f"{self.root} is of a server that replaces what is there (it ignores If-None-Match)",
                advice=Advice("update the server, or name another: ", Setting("store", "DIR")),
            )
        finally:
            self.delete_file(key)

    def prepare(self, key: str) -> Path:
        return DirectoryStorage(self.here).prepare(key)

    def folders(self, key: str) -> list[str]:
        return self._bucket.folders(key)

    def bundles(self, key: str) -> Iterator[str]:
        return (name for name, _ in self._bucket.objects(key))

    def stamps_of_bundles(self, key: str, first: str) -> dict[str, Stamp | None]:
        return self.files(key)

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        with self._outbox.pack(key, files) as (archive, is_kept):
            try:
                self._bucket.add(key, archive)
            except ObjectExistsError as error:
                self._outbox.forget(key)
                raise StorageError(
                    f"cannot write {self.place(key)}: it exists already, and is not overwritten",
                    advice=Advice(Step(Action.LIST_RUNS)),
                ) from error
            except StorageError as error:
                if not is_kept:
                    raise
                raise UnsentError(
                    f"{error.message}\nthe run is kept on this machine; to store it: "
                    f"buto runs recover --store {shlex.quote(str(self.root))}",
                    advice=error.advice,
                ) from error
            self._outbox.forget(key)

    def unsent(self, key: str) -> list[str]:
        return [kept_key.removeprefix(f"{key}/") for kept_key in self._outbox.keys(key)]

    def send(self, key: str) -> bool:
        with self._outbox.take_kept(key) as archive:
            if archive is None:
                return False
            try:
                self._bucket.add(key, archive)
            except ObjectExistsError as error:
                raise TakenError(
                    f"cannot store {self.place(key)}: another run has this id; the file is "
                    f"{self._outbox.place(key)}",
                    advice=Advice(Step(Action.LIST_RUNS)),
                ) from error
            return True

    def read_first(self, key: str, name: str, max_bytes: int) -> bytes:
        beginning = self._beginning(key, _BEGINNING)
        member = first_member(beginning)
        if member.name != name:
            raise ValueError(_MISSING)
        if member.size > max_bytes:
            raise ValueError(f"it is larger than {max_bytes} bytes")
        if member.end > len(beginning):
            beginning = self._beginning(key, member.end)
        if member.end > len(beginning):
            raise ValueError("it is cut off")
        return beginning[member.start : member.end]

    @contextmanager
    def open_bundle(self, key: str, max_bytes: int) -> Iterator[PackedBundle]:
        # A large one needs space in the directory of temporary files.
        with storage_errors("read", self.place(key)), SpooledTemporaryFile(_IN_MEMORY) as archive:
            if not self._bucket.read(key, cast(BinaryIO, archive), at_most=max_bytes):
                raise MissingBundleError
            yield PackedBundle.of(cast(BinaryIO, archive))

    def delete_bundle(self, key: str) -> None:
        self._bucket.delete(key)

    def files(self, key: str) -> dict[str, Stamp | None]:
        return dict(self._bucket.objects(key))

    def add_file(self, key: str, content: bytes, noun: str) -> None:
        try:
            self._bucket.add(key, BytesIO(content))
        except ObjectExistsError as error:
            raise StorageError(f"cannot keep the {noun} {self.place(key)}: it exists already") from error

    def read_file(self, key: str, max_bytes: int) -> bytes:
        content = BytesIO()
        if not self._bucket.read(key, content, max_bytes + 1):
            raise ValueError(_MISSING)
        if content.tell() > max_bytes:
            raise ValueError(f"it is larger than {max_bytes} bytes")
        return content.getvalue()

    def delete_file(self, key: str) -> None:
        self._bucket.delete(key)

    def _beginning(self, key: str, size: int) -> bytes:
        """Return the first bytes of a bundle. MissingBundleError if there is none."""
        content = BytesIO()
        if not self._bucket.read(key, content, size):
            raise MissingBundleError
        return content.getvalue()


def _home() -> Path:
    """Return the directory of this machine for all shared stores."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "buto" / "stores"


def _directory_name(root: S3Url, endpoint: str) -> str:
    """Return the directory of one store; buckets of the same name on two servers have two."""
    return f"{root.bucket}-{hashlib.sha256(f'{endpoint} {root}'.encode()).hexdigest()[:16]}"


Storage = DirectoryStorage | ObjectStorage
"""Two classes with the same methods."""


def open_storage(root: Place) -> Storage:
    """Return the storage of a place; nothing is created or requested yet.

    Raises:
        UsageError: it is a bucket, and the package for it is not installed.
    """
    if isinstance(root, Path):
        return DirectoryStorage(root)
    return ObjectStorage(root)


IN_MEMORY = 1 << 22
"""An archive of more bytes is a temporary file, which nothing flushes to disk."""


class PassingStorage(DirectoryStorage):
    """Holds bundles until they are passed on, and loses them with the process.

    See :class:`buto.run.directory.DirectoryStorage`.

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
        return [
            held_key.removeprefix(f"{key}/") for held_key in self._archives if held_key.startswith(f"{key}/")
        ]

    @contextmanager
    def open_bundle(self, key: str, max_bytes: int) -> Iterator[PackedBundle]:
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
