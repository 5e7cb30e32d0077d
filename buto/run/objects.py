"""A store in a bucket: each file and each bundle is one object, which the server adds as a whole.

A bundle is a tar archive whose first member can be read without the others. It waits in an outbox on this
machine until the storage has it, so that a lost server or a killed buto loses none. Runs that pass from one
machine to another are the same archives, without a bucket.

:func:`open_storage` opens the storage of any store, in a bucket or in a directory.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shlex
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile, SpooledTemporaryFile, TemporaryFile
from typing import BinaryIO, Self, cast

from buto.errors import StorageError
from buto.run.cache import Stamp
from buto.run.directory import DirectoryStorage
from buto.run.files import clean_leftovers, hidden_name, locked, make_directories, storage_errors
from buto.run.s3 import CONNECTIONS, Bucket, ObjectExistsError
from buto.run.storage import MissingBundleError, Place, S3Url, Storage, TakenError, UnsentError
from buto.steps import Action, Advice, Setting, Step

_BLOCK = tarfile.BLOCKSIZE
_DAMAGED = "it is no archive of a run, or is cut off"


@dataclass(frozen=True, slots=True)
class Member:
    """Where a file is in an archive."""

    name: str
    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size


def pack(files: Mapping[str, bytes], archive: BinaryIO) -> None:
    """Write files into an archive, in their order. The same files give the same bytes."""
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            opened.addfile(info, BytesIO(content))


def member_at(header: bytes, start: int) -> Member | None:
    """Return the member whose header is at a place of an archive; None at the end.

    Args:
        header: the 512 bytes there.

    Raises:
        ValueError: it is no header.
    """
    if header == bytes(_BLOCK):
        return None
    try:
        info = tarfile.TarInfo.frombuf(header, "utf-8", "strict")
    except tarfile.TarError as error:
        raise ValueError(_DAMAGED) from error
    if not info.isreg() or info.size < 0:
        raise ValueError(_DAMAGED)
    return Member(info.name, start + _BLOCK, info.size)


def first_member(beginning: bytes) -> Member:
    """Return the first member of an archive that begins so; ValueError if it is none."""
    member = member_at(beginning[:_BLOCK], 0)
    if member is None:
        raise ValueError(_DAMAGED)
    return member


@dataclass(frozen=True, slots=True)
class PackedBundle:
    """An archive that is open for reading; see :class:`buto.run.storage.Bundle`.

    Attributes:
        archive: open file.
        members: by name.
    """

    archive: BinaryIO
    members: Mapping[str, Member]

    @classmethod
    def of(cls, archive: BinaryIO) -> Self:
        """Open an archive; ValueError if it is none, or cut off."""
        size = archive.seek(0, 2)
        members: dict[str, Member] = {}
        at = 0
        while True:
            archive.seek(at)
            member = member_at(archive.read(_BLOCK), at)
            if member is None:
                return cls(archive, members)
            if member.end > size or member.name in members:
                raise ValueError(_DAMAGED)
            members[member.name] = member
            at = -(-member.end // _BLOCK) * _BLOCK

    def read(self, name: str, max_bytes: int) -> bytes:
        member = self._member(name, max_bytes)
        self.archive.seek(member.start)
        return self.archive.read(member.size)

    @contextmanager
    def open(self, name: str, max_bytes: int) -> Iterator[BufferedReader]:
        member = self._member(name, max_bytes)
        with NamedTemporaryFile() as file:
            self.archive.seek(member.start)
            # The members after it are cut off again.
            copyfileobj(self.archive, file)
            file.truncate(member.size)
            with Path(file.name).open("rb") as opened:
                yield opened

    def _member(self, name: str, max_bytes: int) -> Member:
        member = self.members.get(name)
        if member is None:
            raise ValueError("it is missing")
        if member.size > max_bytes:
            raise ValueError(f"it is larger than {max_bytes} bytes")
        return member


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


_BEGINNING = 1 << 17
"""How much of a bundle is read for its first file alone; most run.json are smaller."""

_IN_MEMORY = 1 << 24
_MISSING = "it is missing"


class ObjectStorage:
    """Keeps files and bundles as objects; see :class:`buto.run.storage.Storage`.

    A bundle waits in an outbox on this machine until the server has confirmed it.

    Args:
        root: where in which bucket.
    """

    readers = CONNECTIONS

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
        return list(self._bucket.folders(key))

    def bundles(self, key: str) -> list[str]:
        return list(self.files(key))

    def has_bundle(self, key: str, is_wanted: Callable[[str], bool]) -> bool:
        # Only buto adds objects here, so the first thousand names tell.
        return any(map(is_wanted, self._bucket.first_names(key)))

    def stamped_bundles(self, key: str, first: str, known: Sequence[str] = ()) -> dict[str, Stamp | None]:
        return self.files(key, known)

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        with self._outbox.packed(key, files) as packed:
            try:
                self._bucket.add(key, packed.file)
            except ObjectExistsError as error:
                packed.forget()
                raise StorageError(
                    f"cannot write {self.place(key)}: it exists already, and is not overwritten",
                    advice=Advice(Step(Action.LIST_RUNS)),
                ) from error
            except StorageError as error:
                if not packed.is_kept:
                    raise
                raise UnsentError(
                    f"{error.message}\nthe run is kept on this machine; to store it: "
                    f"buto runs recover --store {shlex.quote(str(self.root))}",
                    advice=error.advice,
                ) from error
            packed.forget()

    def unsent(self, key: str) -> list[str]:
        return [one.removeprefix(f"{key}/") for one in self._outbox.keys(key)]

    def send(self, key: str) -> bool:
        with self._outbox.kept(key) as archive:
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

    def files(self, key: str, known: Sequence[str] = ()) -> dict[str, Stamp | None]:
        return {one.name: one.stamp for one in self._bucket.objects(key, known)}

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


def open_storage(root: Place) -> Storage:
    """Return the storage of a place; nothing is created or requested yet.

    Raises:
        UsageError: it is a bucket, and the package for it is not installed.
    """
    if isinstance(root, Path):
        return DirectoryStorage(root)
    # Imported here: its packages are optional.

    return ObjectStorage(root)


IN_MEMORY = 1 << 22
"""An archive of more bytes is a temporary file, which nothing flushes to disk."""


class PassingStorage(DirectoryStorage):
    """Holds bundles until they are passed on, and loses them with the process.

    See :class:`buto.run.storage.Storage`.

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
