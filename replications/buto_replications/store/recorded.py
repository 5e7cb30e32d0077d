"""A recording of the store: its versions and its loads, packed into one file and unpacked again.

Format: replications/docs/store.md.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from buto.errors import BadFileError, StorageError
from buto.run.files import make_directories, publish_file
from buto.run.format import NewerVersionError
from buto.run.stored import read
from buto.version import READ_BY_NEWER
from buto_replications.checkout import DATA
from buto_replications.store.measured import published

FORMAT = "buto-store"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the store.

    Attributes:
        component: the one that is slower; empty for none.
        slower: by how much of its own time.
        matters: whether the change was made to be noticed; other versions must never give an alarm.
    """

    name: str
    component: str
    slower: float
    matters: bool


@dataclass(frozen=True, slots=True)
class RecordedLoad:
    """Requests at random times; ``rates`` are those of each endpoint, in 1/s."""

    name: str
    rates: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RecordingIndex:
    """A recording of the store.

    Attributes:
        old: name of the version that all others are compared with.
        fixed: name of the load that the model is learned under.
        measured_s: how long requests were measured in each run.
        versions: all but the old one.
    """

    old: str
    fixed: str
    measured_s: float
    versions: tuple[Version, ...]
    loads: tuple[RecordedLoad, ...]

    @property
    def changed(self) -> tuple[Version, ...]:
        """Versions that were made to be noticed."""
        return tuple(version for version in self.versions if version.matters)

    @property
    def unchanged(self) -> tuple[Version, ...]:
        """Versions that are as good as the old one."""
        return tuple(version for version in self.versions if not version.matters)

    def load(self, name: str) -> RecordedLoad:
        [chosen] = (load for load in self.loads if load.name == name)
        return chosen


def to_json(index: RecordingIndex) -> str:
    return json.dumps({"format": FORMAT, "version": VERSION, **asdict(index)}, indent=1) + "\n"


def from_json(text: str) -> RecordingIndex:
    """Read what :func:`to_json` returns.

    Raises:
        NewerVersionError: it is of a later version.
        ValueError: it is not an index.
    """
    try:
        known: dict[str, Any] = json.loads(text)
        if known["format"] != FORMAT:
            raise ValueError(f"its format must be {FORMAT!r}, got {known['format']!r}")
        if known["version"] > VERSION:
            raise NewerVersionError(f"its version must be at most {VERSION}, got {known['version']}")
        return read(known, RecordingIndex)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is not the index of a recording: {error!r}") from error


RECORDED = DATA / "store"
NEAR = DATA / "store-near"
"""The recording in buto's repository. An installed package does not have it."""

NAME = "recording.tar.xz"
INDEX = "index.json"
FOLDERS = {"runs": "*.json", "traces": "*.json", "jmh": "*.json", "junit": "*.xml"}
"""Of a recording, each with its files."""


def pack(directory: Path, index: RecordingIndex) -> bytes:
    """Return the files of a recording as one archive. The same files give the same bytes.

    Raises:
        BadFileError: a folder has no files, or results cannot be read.
    """
    files = {INDEX: to_json(index).encode()}
    for folder, pattern in FOLDERS.items():
        paths = sorted((directory / folder).glob(pattern))
        if not paths:
            raise BadFileError(
                f"{directory / folder} has no files", advice=f"python -m beds.store generate {directory}"
            )
        names = {f"{folder}/{path.name}": path for path in paths}
        files |= {name: published(name, path.read_bytes()) for name, path in names.items()}
    packed = io.BytesIO()
    # Neither times nor owners: they would make other bytes of the same files.
    with tarfile.open(fileobj=packed, mode="w:xz", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def write(directory: Path, index: RecordingIndex, place: Path) -> Path:
    """Pack a recording into a directory, in place of an older one, and return the file.

    Raises:
        BadFileError: a folder has no files.
        StorageError: the file cannot be written.
    """
    content, path = pack(directory, index), place / NAME
    try:
        make_directories(place)
        publish_file(path, content)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}", advice="free some space, or name another directory"
        ) from error
    return path


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[Path, RecordingIndex]]:
    """Yield a directory with the files of an archive, for as long as they are needed, and their index.

    Raises:
        BadFileError: it is missing, damaged, of a later version, or has other files.
    """
    with TemporaryDirectory(prefix="buto-store-") as scratch:
        directory = Path(scratch)
        try:
            with tarfile.open(path, "r:xz") as tar:
                for member in tar:
                    _write(tar, member, directory)
            index = from_json((directory / INDEX).read_text())
        except NewerVersionError as error:
            raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
        except (OSError, ValueError, EOFError, tarfile.TarError, lzma.LZMAError) as error:
            raise BadFileError(
                f"{path} cannot be read: {error}",
                advice="name another directory with --data, or: python -m beds.store pack RUNS DIRECTORY",
            ) from error
        yield directory, index


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, directory: Path) -> None:
    """Write one file; a name that no recording has is refused, so that nothing is written elsewhere."""
    place = PurePosixPath(member.name)
    folder = FOLDERS.get(str(place.parent))
    content = tar.extractfile(member) if member.isfile() else None
    known = member.name == INDEX or (folder is not None and place.match(folder))
    if content is None or not known:
        raise ValueError(f"it must have files of {INDEX}, {', '.join(FOLDERS)}, got {member.name!r}")
    target = directory / place
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(content.read())
