"""What the beds are made of: released files of Maven Central, fetched once, and checked by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

CENTRAL = "https://repo.maven.apache.org/maven2"
CACHE = Path(__file__).parent / ".cache"
_WAIT_S = 60.0


class BedError(Exception):
    """A bed could not be made; the message says what, why, and what to do."""


class FetchError(BedError):
    """A released file cannot be fetched from here."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """A released file, by its coordinates in Maven Central.

    Attributes:
        packaging: how the file's name ends: ``jar``, ``tar.gz``.
        sha256: of the file, in hexadecimal.
    """

    group: str
    name: str
    version: str
    sha256: str
    packaging: str = "jar"

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}.{self.packaging}"

    @property
    def url(self) -> str:
        return f"{CENTRAL}/{self.group.replace('.', '/')}/{self.name}/{self.version}/{self.file}"


def digest_of(coordinates: str) -> str:
    """Return the SHA-256 of a jar by its coordinates, ``group:name:version``, as it is served now.

    Raises:
        BedError: the coordinates have other than three parts, or it cannot be fetched.
    """
    parts = coordinates.split(":")
    if len(parts) != 3:
        raise BedError(f"coordinates must be group:name:version, got {coordinates}")
    group, name, version = parts
    artefact = Artefact(group, name, version, sha256="")
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / artefact.file
        _download(artefact, path)
        return _sha256(path)


def fetch(artefact: Artefact, cache: Path = CACHE) -> Path:
    """Return the path of an artefact's file, fetched unless it is in the cache.

    Raises:
        FetchError: it cannot be fetched.
        BedError: it is not the file that it should be.
    """
    path = cache / artefact.file
    if path.exists():
        return path
    cache.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        _download(artefact, part)
        digest = _sha256(part)
        if digest != artefact.sha256:
            raise BedError(f"{artefact.url} has the SHA-256 {digest}, expected {artefact.sha256}")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _download(artefact: Artefact, path: Path) -> None:
    try:
        with urllib.request.urlopen(artefact.url, timeout=_WAIT_S) as answer, path.open("wb") as out:
            shutil.copyfileobj(answer, out)
    except (urllib.error.URLError, TimeoutError) as error:
        raise FetchError(
            f"{artefact.url} cannot be fetched: {error}. "
            f"Connect to Maven Central, or put the file into {CACHE} by hand"
        ) from error


def unpack_once(artefact: Artefact, cache: Path = CACHE) -> Path:
    """Return the directory with the content of an artefact, unpacked unless it was before.

    A jar that holds an archive for one platform, as PostgreSQL's does, is unpacked with that archive.

    Raises:
        BedError: it cannot be fetched, or is not the file that it should be.
    """
    directory = cache / f"{artefact.name}-{artefact.version}"
    if directory.exists():
        return directory
    packed = fetch(artefact, cache)
    made_once(directory, lambda draft: _unpack(packed, artefact.packaging, draft))
    return directory


def made_once(directory: Path, make: Callable[[Path], None]) -> None:
    """Make a directory unless it is there; one that is half made never has its name.

    Args:
        make: makes the directory under the name that it is given.
    """
    if directory.exists():
        return
    directory.parent.mkdir(parents=True, exist_ok=True)
    draft = directory.with_name(f"{directory.name}.{os.getpid()}.part")
    try:
        make(draft)
        try:
            draft.rename(directory)
        except OSError:
            # Another process has made it meanwhile.
            if not directory.exists():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def content_of(files: Iterable[Path]) -> str:
    """Return what tells other contents of files apart, as a part of a name."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _unpack(packed: Path, packaging: str, directory: Path) -> None:
    if packaging == "jar":
        with zipfile.ZipFile(packed) as jar:
            [archive] = [name for name in jar.namelist() if name.endswith(".txz")]
            with jar.open(archive) as content, tarfile.open(fileobj=content, mode="r:xz") as inner:
                _extract(inner, directory)
    else:
        with tarfile.open(packed) as archive_file:
            _extract(archive_file, directory)


def _extract(archive: tarfile.TarFile, directory: Path) -> None:
    # Python 3.11.3 and older has no filters; what is unpacked has a known checksum.
    archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
    archive.extractall(directory)


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
