"""The files of one run, and how they are read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BufferedReader
from threading import Lock
from typing import Any

from buto.properties import Property
from buto.runs.files.unnamed import UnnamedFile
from buto.runs.format import tables
from buto.runs.format.document import Head, StoredFile
from buto.runs.long import ReadColumns, looked_through
from buto.runs.model import FloatArray
from buto.runs.storage.protocol import Bundle

DOCUMENT, SAMPLES, NOTIFICATIONS = "run.json", "samples.parquet", "notifications.parquet"
STDOUT, STDERR = "stdout.txt", "stderr.txt"

_OUTPUT = "service-{}.txt"
_OF_SERVICE = re.compile(r"service-([a-z][a-z0-9-]{0,39})\.txt")
"""Name of the file with the output of a service."""

MAX_OUTPUT_BYTES = 1 << 20
"""Largest stored output of one stream; of a longer output, the beginning and the end are kept."""

# Limits when reading, because a run is untrusted.
_MAX_BYTES = {
    DOCUMENT: 1 << 26,
    SAMPLES: 8 * tables.MAX_VALUES,
    NOTIFICATIONS: tables.MAX_NOTIFICATION_BYTES,
    STDOUT: 2 * MAX_OUTPUT_BYTES,
    STDERR: 2 * MAX_OUTPUT_BYTES,
}

_MOST_OUTPUTS = 64
"""Outputs of services that are counted in MAX_RUN_BYTES."""

MAX_RUN_BYTES = sum(_MAX_BYTES.values()) + 2 * MAX_OUTPUT_BYTES * _MOST_OUTPUTS + (1 << 20)
"""Of all files of a run together; a larger archive of a run is not fetched."""


def max_bytes(name: str) -> int:
    """Return how large a file of a run may be; those that have no limit of their own are outputs."""
    return _MAX_BYTES.get(name, 2 * MAX_OUTPUT_BYTES)


def output_file(service: str) -> str:
    """Return the name of the file with the output of a service."""
    return _OUTPUT.format(service)


def describe(content: bytes) -> StoredFile:
    """Return size and checksum of a file."""
    return StoredFile(len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The open files of a run.

    Attributes:
        judging: returns a block for the work on a file; it turns a ValueError into a BadFileError with the
            name of the file.
    """

    bundle: Bundle
    judging: Callable[[str], AbstractContextManager[None]]

    @contextmanager
    def reading(self, name: str, head: Head | None = None) -> Iterator[bytes]:
        """Yield a file's content; turn a ValueError of the block into a BadFileError with the path."""
        with self.judging(name):
            content = self.bundle.read(name, max_bytes(name))
            if head is not None and head.files.get(name) != describe(content):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            yield content

    def outputs(self, head: Head) -> dict[str, bytes]:
        """Return what the services of a run printed."""
        found = {}
        for name in head.files:
            service = _OF_SERVICE.fullmatch(name)
            if service is not None:
                with self.reading(name, head) as content:
                    found[service[1]] = content
        return found

    def columns(self, head: Head, properties: Sequence[Property], columns: Sequence[int]) -> FloatArray:
        """Return the values of properties by number, shape (n_samples, n)."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            file = tables.samples_file(_path_of(opened), properties, head.n_samples)
            return tables.columns_of(file, columns)

    def copied(self, head: Head, properties: Sequence[Property], copies: UnnamedFile) -> ReadColumns:
        """Copy the samples; return what reads columns of the copy, also when the run is closed."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            copy = copies.add(opened)
        judging = self.judging

        def read(columns: Sequence[int]) -> FloatArray:
            with judging(SAMPLES):
                return tables.columns_of(tables.samples_file(copy(), properties, head.n_samples), columns)

        return read

    def long(self, head: Head, properties: Sequence[Property], stride: int) -> dict[str, Any]:
        """Return what a long run has instead of its samples; all samples have been checked to be readable."""
        with self.judging(SAMPLES), self.bundle.open(SAMPLES, _MAX_BYTES[SAMPLES]) as opened:
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
            if StoredFile(opened.tell(), sha256) != head.files.get(SAMPLES):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            file = tables.samples_file(_path_of(opened), properties, head.n_samples)
        lock = Lock()

        def read(columns: Sequence[int]) -> FloatArray:
            with lock, self.judging(SAMPLES):
                return tables.columns_of(file, columns)

        with self.judging(SAMPLES):
            times_s = tables.times_of(file)
        values, smallest = looked_through(head.n_samples, len(properties), stride, read)
        return {
            "times_s": times_s[::stride].copy(),
            "values": values,
            "stride": stride,
            "whole_times_s": times_s,
            "smallest": smallest,
            "read_columns": read,
        }


def _path_of(opened: BufferedReader) -> str:
    """Return the path of an open file by its descriptor: that file, even if another one replaces it."""
    return f"/proc/self/fd/{opened.fileno()}"
