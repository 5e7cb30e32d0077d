"""Open what keeps the bytes of a store."""

from __future__ import annotations

from pathlib import Path

from buto.runs.storage.directory import DirectoryStorage
from buto.runs.storage.place import Place
from buto.runs.storage.protocol import Storage


def open_storage(root: Place) -> Storage:
    """Return the storage of a place; nothing is created or requested yet.

    Raises:
        UsageError: it is a bucket, and the package for it is not installed.
    """
    if isinstance(root, Path):
        return DirectoryStorage(root)
    # Imported here: its packages are optional.
    from buto.runs.storage.objects import ObjectStorage

    return ObjectStorage(root)
