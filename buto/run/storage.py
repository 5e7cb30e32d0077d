"""What a store needs from the place of its bytes: a directory, or a prefix in a bucket.

A *key* is a relative name with slashes, such as ``labels/leaker/ID.json``. There are two sorts of contents:
*files*, and *bundles*, which are several files under one key that exist together or not at all. A run is a
bundle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Protocol

from buto.errors import StorageError, UsageError
from buto.run.cache import Stamp

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_PREFIX = re.compile(r"[!-~]{0,500}")
_EXAMPLE = "as .buto or s3://my-bucket/buto"


@dataclass(frozen=True, slots=True)
class S3Url:
    """A prefix in a bucket.

    Attributes:
        prefix: without slashes at its ends; empty for the whole bucket.
    """

    bucket: str
    prefix: str = ""

    def key(self, name: str) -> str:
        """Return the key of the object with this name below the prefix."""
        return f"{self.prefix}/{name}" if self.prefix else name

    def __truediv__(self, name: str) -> S3Url:
        return S3Url(self.bucket, self.key(name))

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


Place = Path | S3Url
"""Where a store is, or something in it."""


def place_of(text: str | Place, below: Path | None = None) -> Place:
    """Return the place that a user named.

    Args:
        below: where a directory that is not absolute is looked for; None for the current directory.

    Raises:
        UsageError: it is a URL of another kind, or its bucket or prefix cannot exist.
    """
    if not isinstance(text, str):
        return text
    url = _SCHEME.fullmatch(text)
    if url is None:
        return Path(text) if below is None else below / text
    scheme, rest = url.groups()
    bucket, _, prefix = rest.partition("/")
    if scheme != "s3":
        raise UsageError(f"a store must be a directory or an s3:// URL, got {text!r}", advice=_EXAMPLE)
    if not _BUCKET.fullmatch(bucket):
        raise UsageError(f"the bucket in {text!r} must have 3 to 255 letters, digits, '.', '_' or '-'")
    prefix = prefix.strip("/")
    if not _PREFIX.fullmatch(prefix) or "//" in prefix or {".", ".."} & set(prefix.split("/")):
        raise UsageError(
            f"the prefix in {text!r} must be plain ASCII without spaces, '//', '.' and '..'",
            advice="name another, as s3://my-bucket/buto",
        )
    return S3Url(bucket, prefix)


class MissingBundleError(Exception):
    """There is no bundle with this key."""


class TakenError(StorageError):
    """Another bundle has the key of one that waits on this machine, where it stays."""


class UnsentError(StorageError):
    """The storage did not take a bundle, which is complete on this machine; see :meth:`Storage.send`."""


class Bundle(Protocol):
    """A bundle that is open for reading."""

    def read(self, name: str, max_bytes: int) -> bytes:
        """Return the content of a file; ValueError if it is missing, too large or not readable."""
        ...

    def open(self, name: str, max_bytes: int) -> AbstractContextManager[BufferedReader]:
        """Open a file that is too large for the memory; ValueError as :meth:`read`."""
        ...


class Storage(Protocol):
    """Keeps contents by key. Several processes, also on other machines, may use the same storage at once.

    Every method raises StorageError if the storage cannot be reached or written. What is read but damaged
    raises ValueError, without a path. What was added is never changed.

    Attributes:
        root: what the user named.
        here: the directory on this machine for locks, journals and caches of this storage.
        readers: how many reads are worth doing at the same time.
    """

    @property
    def root(self) -> Place: ...

    @property
    def here(self) -> Path: ...

    @property
    def readers(self) -> int: ...

    def place(self, key: str) -> Place:
        """Return where a file or the files of a bundle are, for messages."""
        ...

    def removal(self, key: str) -> str:
        """Return the command that removes a file, for advice."""
        ...

    def probe(self) -> int | None:
        """Try whether content can be added; return how many bytes are free, None where that is unknown."""
        ...

    def prepare(self, key: str) -> Path:
        """Create the directory of a key below :attr:`here`, with its parents, and return it."""
        ...

    def folders(self, key: str) -> list[str]:
        """Return the names of what lies below a key and has something below it, in no order."""
        ...

    def bundles(self, key: str) -> Iterable[str]:
        """Return the names of the bundles directly below a key, in no order."""
        ...

    def stamped_bundles(self, key: str, first: str) -> dict[str, Stamp | None]:
        """Return the stamps of the bundles directly below a key, by name in no order.

        Args:
            first: name of the file that :meth:`read_first` reads; the stamp is of this file.
        """
        ...

    def add_bundle(self, key: str, files: Mapping[str, bytes]) -> None:
        """Add a bundle.

        Args:
            files: by name; the first can be read alone, see :meth:`read_first`.

        Raises:
            UnsentError: the storage cannot be reached; the bundle waits on this machine.
            StorageError: also if there is a bundle with this key; nothing is left behind.
        """
        ...

    def unsent(self, key: str) -> list[str]:
        """Return the relative keys of the bundles below a key that wait on this machine, sorted."""
        ...

    def send(self, key: str) -> bool:
        """Add a bundle that waits on this machine; return whether it was still waiting.

        Raises:
            TakenError: there is another bundle with this key; both stay.
            StorageError: the storage cannot be reached; the bundle still waits.
        """
        ...

    def read_first(self, key: str, name: str, max_bytes: int) -> bytes:
        """Return the content of the first file of a bundle, whose name is given; see :meth:`Bundle.read`.

        Raises:
            MissingBundleError: there is no such bundle, where that can be known.
        """
        ...

    def open_bundle(self, key: str, max_bytes: int) -> AbstractContextManager[Bundle]:
        """Open a bundle for reading; MissingBundleError if there is none.

        Args:
            max_bytes: of what is fetched from another machine; a larger bundle raises ValueError before.
        """
        ...

    def delete_bundle(self, key: str) -> None:
        """Remove a bundle so that no reader sees a part of it."""
        ...

    def files(self, key: str) -> dict[str, Stamp | None]:
        """Return the stamps of the files directly below a key, by name in no order."""
        ...

    def add_file(self, key: str, content: bytes, noun: str) -> None:
        """Add a file wholly or not at all; ``noun`` says in messages what it is."""
        ...

    def read_file(self, key: str, max_bytes: int) -> bytes:
        """Return the content of a file; ValueError if it is missing, too large or not readable."""
        ...

    def delete_file(self, key: str) -> None:
        """Remove a file, if it is there."""
        ...
