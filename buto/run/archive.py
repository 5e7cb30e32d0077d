"""Archives: a bundle as one tar file, whose first member can be read without the others.

An archive waits in the outbox of this machine until a bucket has it, so that a lost server or a killed buto
loses none.
"""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader, BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import BinaryIO, Self

from msgspec import Struct

from buto.run.files import clean_leftovers, hold_lock, make_directories, make_hidden_name, storage_errors

_BLOCK = tarfile.BLOCKSIZE
_MOST_MEMBERS = 200
"""The files of a run, and the outputs of its services."""

_DAMAGED = "it is no archive of a run, or is cut off"


class Member(Struct, frozen=True):
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


class PackedBundle(Struct, frozen=True):
    """An archive that is open for reading; see :class:`buto.run.directory.Bundle`.

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
            if member.end > size or member.name in members or len(members) >= _MOST_MEMBERS:
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
    def pack(self, key: str, files: Mapping[str, bytes]) -> Iterator[tuple[BinaryIO, bool]]:
        """Pack a bundle; yield its open file, and whether it is kept, because this machine can do that."""
        with ExitStack() as stack:
            try:
                file, is_kept = self._keep_bundle(self.place(key), files, stack), True
            except OSError:
                file, is_kept = stack.enter_context(TemporaryFile()), False
                pack(files, file)
            yield file, is_kept

    def forget(self, key: str) -> None:
        """Remove a bundle, because the storage has it or does not want it."""
        with suppress(OSError):
            self.place(key).unlink()

    def _keep_bundle(self, place: Path, files: Mapping[str, bytes], stack: ExitStack) -> BinaryIO:
        make_directories(place.parent)
        clean_leftovers(place.parent)
        hidden = make_hidden_name(place)
        file = stack.enter_context(hidden.open("x+b"))
        stack.callback(hidden.unlink, missing_ok=True)
        # Before the file gets its name, so that no other process takes it for left behind.
        stack.enter_context(hold_lock(hidden))
        pack(files, file)
        file.flush()
        os.fsync(file.fileno())
        hidden.rename(place)
        return file

    def keys(self, folder: str) -> list[str]:
        """Return the keys of the bundles below a folder that no living process is sending, sorted."""
        root = self._directory / folder
        keys = []
        for path in root.rglob("*"):
            if not path.name.startswith(".") and path.is_file():
                with suppress(OSError), hold_lock(path) as is_ours:
                    if is_ours:
                        keys.append(path.relative_to(self._directory).as_posix())
        return sorted(keys)

    @contextmanager
    def take_kept(self, key: str) -> Iterator[BinaryIO | None]:
        """Open a bundle that is kept and forget it if the block ends without an exception.

        Yields:
            The open file; None if another process has it, or has sent it.

        Raises:
            StorageError: it cannot be read or removed.
        """
        place = self.place(key)
        with storage_errors("send", place), hold_lock(place) as is_ours:
            if not is_ours:
                yield None
                return
            with place.open("rb") as file:
                yield file
            place.unlink()
