"""Seals of what a checkout has built: nobody else can have put it into the store, as by a cache or a bucket.

A seal is a keyed digest of a directory's whole content. The key is beside the repository's objects, where
neither a commit nor a store brings anything along. Without a key nothing is sealed, and nothing is trusted.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from buto.actions import git
from buto.run.cache import read_file
from buto.run.files import publish_file

_KEY = "buto-key"
_KEY_BYTES = 32
_SEAL = "seal"
_SEAL_BYTES = 64


def seal(repository: Path, place: Path, sealed: Path) -> None:
    """Seal a directory, in a file of another one, under whose name it holds.

    Args:
        place: the directory of the seal.
    """
    key = _key(repository)
    if key is not None:
        with suppress(OSError):
            publish_file(place / _SEAL, _seal_of(key, place, sealed).encode())


def is_sealed(repository: Path, place: Path, sealed: Path) -> bool:
    """Return whether this checkout has sealed a directory as it is now."""
    key = _key(repository)
    if key is None or sealed.is_symlink() or not sealed.is_dir():
        return False
    try:
        return hmac.compare_digest(
            read_file(place / _SEAL, _SEAL_BYTES), _seal_of(key, place, sealed).encode()
        )
    except (OSError, ValueError):
        return False


def has_seal(place: Path) -> bool:
    """Return whether a directory has a seal, of this checkout or another."""
    return (place / _SEAL).is_file() and not (place / _SEAL).is_symlink()


def _key(repository: Path) -> bytes | None:
    """Return the key of a repository, which is made when first needed; None if it has no place for one."""
    done = git.call(repository, "rev-parse", "--git-common-dir")
    if done.returncode:
        return None
    path = repository / done.stdout.strip() / _KEY
    try:
        # Another buto may make it at the same time: the first one counts.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
    except FileExistsError:
        pass
    except OSError:
        return None
    try:
        key = read_file(path, _KEY_BYTES)
    except ValueError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _seal_of(key: bytes, place: Path, sealed: Path) -> str:
    whole = hmac.new(key, digestmod=hashlib.sha256)
    for part in (os.fsencode(place.name), *_parts(sealed)):
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.hexdigest()


def _parts(directory: Path) -> Iterator[bytes]:
    """Yield path, kind and content of everything below a directory, in a fixed order."""
    for parent, folders, files in os.walk(directory):
        folders.sort()
        for name in sorted((*folders, *files)):
            path = Path(parent) / name
            mode = path.lstat().st_mode
            yield os.fsencode(path.relative_to(directory))
            yield f"{stat.S_IFMT(mode):o} {mode & stat.S_IXUSR:o}".encode()
            if stat.S_ISLNK(mode):
                yield os.fsencode(os.readlink(path))
            elif stat.S_ISREG(mode):
                with path.open("rb") as file:
                    yield hashlib.file_digest(file, "sha256").digest()
