"""Pack a recording of the store into one file, and unpack it. Format: docs/formats/store.md."""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from buto.errors import BadFileError, StorageError
from buto.experiments.architecture.recorded import index as indices
from buto.experiments.architecture.recorded.index import Index
from buto.experiments.architecture.recorded.published import published
from buto.runs.files.staging import make_directories, publish_file
from buto.runs.format.document import NewerVersionError
from buto.version import READ_BY_NEWER

RECORDED = Path(__file__).parents[4] / "data" / "store"
"""The recording in buto's repository. An installed package does not have it."""

NAME = "recording.tar.xz"
INDEX = "index.json"
FOLDERS = {"runs": "*.json", "traces": "*.json", "jmh": "*.json", "junit": "*.xml"}
"""Of a recording, each with its files."""


def pack(directory: Path, index: Index) -> bytes:
    """Return the files of a recording as one archive. The same files give the same bytes.

    Raises:
        BadFileError: a folder has no files, or results cannot be read.
    """
    files = {INDEX: indices.to_json(index).encode()}
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


def write(directory: Path, index: Index, place: Path) -> Path:
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
            f"{path} cannot be written: {error.strerror}",
            advice="free some space, or name another directory",
        ) from error
    return path


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[Path, Index]]:
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
            found = indices.from_json((directory / INDEX).read_text())
        except NewerVersionError as error:
            raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
        except (OSError, ValueError, EOFError, tarfile.TarError, lzma.LZMAError) as error:
            raise BadFileError(
                f"{path} cannot be read: {error}",
                advice="name another directory with --data, or: python -m beds.store pack RUNS DIRECTORY",
            ) from error
        yield directory, found


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
