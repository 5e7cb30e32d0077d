"""Where a store is: a directory, or a prefix in a bucket; and how a bundle can be missing there."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from buto.errors import StorageError, UsageError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")
_PREFIX = re.compile(r"[!-~]{0,500}")
_EXAMPLE = "as .buto or s3://my-bucket/buto"


class S3Url(Struct, frozen=True):
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
    """The storage did not take a bundle, which is complete on this machine."""
