"""Several files in one: a tar archive whose first member can be read without the others."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Self

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
    """An archive that is open for reading; see :class:`buto.runs.storage.protocol.Bundle`.

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
