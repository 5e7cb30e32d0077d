"""Runs on disk: the only reader and writer of run directories. Format: docs/formats/run.md."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from buto.errors import BadFileError, StorageError, UsageError
from buto.properties import Property
from buto.runs import names
from buto.runs.files.cache import cached
from buto.runs.files.reading import open_file, read_file, refuse_links
from buto.runs.files.staging import (
    clean_leftovers,
    make_directories,
    publish_directory,
    publish_file,
    storage_errors,
    withdraw_directory,
)
from buto.runs.format import document, tables
from buto.runs.format.document import Head, NewerVersionError, StoredFile
from buto.runs.long import LONG_VALUES, LongRun, looked_through, stride_for
from buto.runs.model import FloatArray, Run, RunSet, run_set
from buto.steps import Action, Advice, Step
from buto.version import READ_BY_NEWER

DEFAULT_ROOT = Path(".buto")

DOCUMENT, SAMPLES, NOTIFICATIONS = "run.json", "samples.parquet", "notifications.parquet"
STDOUT, STDERR = "stdout.txt", "stderr.txt"

_OUTPUT = "service-{}.txt"
_OF_SERVICE = re.compile(r"service-([a-z][a-z0-9-]{0,39})\.txt")
"""Name of the file with the output of a service."""

MAX_OUTPUT_BYTES = 1 << 20
"""Largest stored output of one stream; of a longer output, the beginning and the end are kept."""

_THREADS = 2
"""Number of threads that read long runs, which takes a second each."""

# Limits when reading, because a run is untrusted.
_MAX_BYTES = {
    DOCUMENT: 1 << 26,
    SAMPLES: 8 * tables.MAX_VALUES,
    NOTIFICATIONS: tables.MAX_NOTIFICATION_BYTES,
    STDOUT: 2 * MAX_OUTPUT_BYTES,
    STDERR: 2 * MAX_OUTPUT_BYTES,
}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of a run in ``run.json``.

    Attributes:
        head: None when it cannot be read.
        damage: why it cannot be read; empty when it can.
    """

    id: str
    head: Head | None
    damage: str = ""

    @property
    def size_bytes(self) -> int:
        """Size of the files beside ``run.json``; 0 if it cannot be read."""
        return sum(file.size_bytes for file in self.head.files.values()) if self.head else 0


class RunStore:
    """The runs under one directory, each in ``ROOT/runs/TEST/RUN-ID/``.

    A run is stored completely or not at all, even if its writer is killed; several processes may write,
    read and delete at once. Every method that takes the name of a test raises UsageError for one that
    cannot be stored (:func:`buto.runs.names.encode_test`).

    Args:
        root: created when the first run is added.
    """

    def __init__(self, root: Path = DEFAULT_ROOT) -> None:
        self.root = root

    def add(self, run: Run) -> Path:
        """Store a run and return its directory; longer output than ``MAX_OUTPUT_BYTES`` is cut in the middle.

        Raises:
            StorageError: it cannot be written, or a run with this id exists; nothing is left behind.
            UsageError: the test's name or the id cannot be stored.
        """
        if not names.is_id(run.id):
            raise UsageError(
                f"{run.id!r} is not a valid id of a run", advice="create an id with buto.runs.new_id()"
            )
        place = self._directory(run.test, run.id)
        contents = {
            SAMPLES: tables.samples_to_parquet(run.properties, run.times_s, run.values),
            NOTIFICATIONS: tables.notifications_to_parquet(run.notifications),
            STDOUT: _cut(run.stdout),
            STDERR: _cut(run.stderr),
            **{_OUTPUT.format(name): _cut(output) for name, output in run.outputs.items()},
        }
        files = {name: _describe(content) for name, content in contents.items()}
        contents[DOCUMENT] = document.encode(run, files)
        if run.values.size > tables.MAX_VALUES or any(
            len(contents[name]) > _max_bytes(name) for name in contents
        ):
            raise StorageError(
                f"the run {run.id} of {run.test!r} is too large to be stored: {len(run.times_s)} samples of "
                f"{len(run.properties)} properties, {len(run.notifications)} notifications",
                advice="sample less often, or record fewer MBeans",
            )
        refuse_links(self.root, self._directory(run.test))
        with storage_errors("store the run", place):
            self._prepare(place.parent)
            publish_directory(place, contents)
        return place

    def prepare(self, test: str) -> Path:
        """Create the directory of a test, still without runs; raises StorageError."""
        directory = self._directory(test)
        refuse_links(self.root, directory)
        with storage_errors("make", directory):
            self._prepare(directory)
        return directory

    def directory(self, test: str) -> Path:
        """Return the directory of a test's runs, even if missing. BadFileError if it is a link."""
        refuse_links(self.root, self._directory(test))
        return self._directory(test)

    def tests(self) -> list[str]:
        """Return the names of the tests that have runs, sorted."""
        return [test for test in self.known_tests() if self.ids(test)]

    def known_tests(self) -> list[str]:
        """Return the names of the tests that have a directory, with runs or without, sorted."""
        decoded = (names.decode_test(name) for name in _directories(self.root / "runs"))
        return sorted(test for test in decoded if test is not None)

    def ids(self, test: str) -> list[str]:
        """Return the ids of a test's runs, sorted, which is the order of their start."""
        refuse_links(self.root, self._directory(test))
        return sorted(filter(names.is_id, _directories(self._directory(test))))

    def summaries(self, test: str) -> list[RunSummary]:
        """Return the summary of each run, including damaged ones, in the order of ids."""
        ids = self.ids(test)
        directory = self._directory(test)
        damage: dict[str, str] = {}

        def read(run_id: str) -> dict[str, Any] | None:
            try:
                with self._reading(test, run_id, DOCUMENT) as content:
                    data = document.head_data(content)
                    _expect(document.head_of(data), test, run_id)
                    return data
            except BadFileError as error:
                damage[run_id] = error.message
                return None

        files = {run_id: directory / run_id / DOCUMENT for run_id in ids}
        place = self.root / "cache" / "runs" / f"{directory.name}.json"
        heads = cached(place, f"run {document.VERSION}", files, read, document.head_of)
        return [RunSummary(run_id, heads.get(run_id), damage.get(run_id, "")) for run_id in ids]

    def load(self, test: str, run_id: str) -> Run:
        """Load one run.

        Raises:
            BadFileError: no run has this id, or it is damaged or of a newer format.
        """
        run = self._load(test, run_id, whole=True)
        assert not isinstance(run, LongRun)
        return run

    def _load(self, test: str, run_id: str, *, whole: bool, stride: int = 1) -> Run:
        """Load one run; unless ``whole``, the samples of a long run stay on disk."""
        self._existing(test, run_id)
        with self._reading(test, run_id, DOCUMENT) as content:
            found = document.decode(content)
            head = _expect(found.head, test, run_id)
        with self._reading(test, run_id, NOTIFICATIONS, head) as content:
            notifications = tables.notifications_from_parquet(content, head.n_notifications)
        if not whole and head.n_samples * len(found.properties) >= LONG_VALUES:
            samples = self._long(test, run_id, head, found.properties, stride)
        else:
            with self._reading(test, run_id, SAMPLES, head) as content:
                times_s, values = tables.samples_from_parquet(content, found.properties, head.n_samples)
            samples = {"times_s": times_s, "values": values}
        with (
            self._reading(test, run_id, STDOUT, head) as stdout,
            self._reading(test, run_id, STDERR, head) as stderr,
            self._reading(test, run_id, DOCUMENT),
        ):
            return (LongRun if "stride" in samples else Run)(
                id=run_id,
                test=test,
                properties=found.properties,
                outcome=head.outcome,
                notifications=notifications,
                metadata=found.metadata,
                nan_reasons=found.nan_reasons,
                quality=head.quality,
                stdout=stdout,
                stderr=stderr,
                marks=found.marks,
                sources=found.sources,
                histograms=found.histograms,
                outputs=self._outputs(test, run_id, head),
                **samples,
            )

    def _outputs(self, test: str, run_id: str, head: Head) -> dict[str, bytes]:
        """Return what the services of a run printed."""
        found = {}
        for name in head.files:
            service = _OF_SERVICE.fullmatch(name)
            if service is not None:
                with self._reading(test, run_id, name, head) as content:
                    found[service[1]] = content
        return found

    def _long(
        self, test: str, run_id: str, head: Head, properties: Sequence[Property], stride: int
    ) -> dict[str, Any]:
        """Return what a long run has instead of its samples; all samples have been checked to be readable."""
        path = self._directory(test, run_id) / SAMPLES
        with self._judging(test, run_id, SAMPLES), open_file(path, _MAX_BYTES[SAMPLES]) as opened:
            sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
            if StoredFile(opened.tell(), sha256) != head.files.get(SAMPLES):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            # By its descriptor, so that this file stays open even if another one replaces it.
            file = tables.samples_file(f"/proc/self/fd/{opened.fileno()}", properties, head.n_samples)
        lock = Lock()

        def read(columns: Sequence[int]) -> FloatArray:
            with lock, self._judging(test, run_id, SAMPLES):
                return tables.columns_of(file, columns)

        with self._judging(test, run_id, SAMPLES):
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

    def open_set(self, test: str, ids: Sequence[str]) -> RunSet:
        """Load runs like :meth:`load_set`, but only some samples of very large runs; see LongRun."""
        heads = []
        for run_id in ids:
            self._existing(test, run_id)
            with self._reading(test, run_id, DOCUMENT) as content:
                heads.append(document.decode_head(content))
        stride = stride_for(max((head.n_samples for head in heads), default=0))

        def load(run_id: str) -> Run:
            return self._load(test, run_id, whole=False, stride=stride)

        if stride == 1:
            return run_set([load(run_id) for run_id in ids])
        # Imported here, because it brings logging along and few runs are so large.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(_THREADS, len(os.sched_getaffinity(0)))) as threads:
            return run_set(list(threads.map(load, ids)))

    def load_set(self, test: str, ids: Sequence[str] | None = None, *, newest: int | None = None) -> RunSet:
        """Load the runs with these ids, or the ``newest`` ones (all, if fewer), or all runs of a test.

        Raises:
            BadFileError: see :meth:`load`; no run is left out silently.
        """
        if ids is None:
            ids = self.ids(test)
        if newest is not None:
            ids = sorted(ids)[max(0, len(ids) - newest) :]
        return run_set([self.load(test, run_id) for run_id in ids])

    def delete(self, test: str, ids: Sequence[str]) -> None:
        """Remove runs, including damaged ones; none is removed if one of the ids is unknown.

        Raises:
            BadFileError: one of the ids is unknown.
            StorageError: a run cannot be removed.
        """
        places = [self._existing(test, run_id) for run_id in ids]
        for place in places:
            with storage_errors("delete the run", place):
                withdraw_directory(place)

    def _prepare(self, directory: Path) -> None:
        make_directories(self.root)
        ignore = self.root / ".gitignore"
        # Never into an existing foreign directory, where it would hide files from git.
        if not ignore.exists() and (self.root.name == DEFAULT_ROOT.name or not any(self.root.iterdir())):
            publish_file(ignore, b"*\n")
        make_directories(directory)
        clean_leftovers(directory)

    def _directory(self, test: str, run_id: str = "") -> Path:
        return self.root / "runs" / names.encode_test(test) / run_id

    def _existing(self, test: str, run_id: str) -> Path:
        refuse_links(self.root, self._directory(test))
        place = self._directory(test, run_id)
        if not names.is_id(run_id) or os.path.islink(place) or not os.path.isdir(place):
            raise BadFileError(
                f"there is no run {run_id!r} of {test!r} in {self.root}",
                advice=Advice(Step(Action.LIST_RUNS, test)),
            )
        return place

    @contextmanager
    def _reading(self, test: str, run_id: str, name: str, head: Head | None = None) -> Iterator[bytes]:
        """Yield a file's content; turn a ValueError of the block into a BadFileError with the path."""
        with self._judging(test, run_id, name):
            content = read_file(self._directory(test, run_id) / name, _max_bytes(name))
            if head is not None and head.files.get(name) != _describe(content):
                raise ValueError(f"it is not the file that {DOCUMENT} describes")
            yield content

    @contextmanager
    def _judging(self, test: str, run_id: str, name: str) -> Iterator[None]:
        """Turn a ValueError of the block into a BadFileError that names the file."""
        path = self._directory(test, run_id) / name
        try:
            yield
        except NewerVersionError as error:
            raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
        except ValueError as error:
            raise BadFileError(
                f"{path} cannot be read: {error}",
                advice=Advice("copy it again, or: ", Step(Action.DELETE_RUN, test, run_id=run_id)),
            ) from error


def _max_bytes(name: str) -> int:
    """Return how large a file of a run may be; those that have no limit of their own are outputs."""
    return _MAX_BYTES.get(name, 2 * MAX_OUTPUT_BYTES)


def _directories(parent: Path) -> list[str]:
    """Return the names of the directories in a directory, without links; none if it does not exist."""
    try:
        with os.scandir(parent) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadFileError(f"{parent} cannot be read: {error.strerror}", advice=f"ls -ld {parent}") from error


def _expect(head: Head, test: str, run_id: str) -> Head:
    if (head.test, head.id) != (test, run_id):
        raise ValueError(f"it belongs to the run {head.id!r} of {head.test!r}")
    return head


def _describe(content: bytes) -> StoredFile:
    return StoredFile(len(content), hashlib.sha256(content).hexdigest())


def _cut(output: bytes) -> bytes:
    if len(output) <= MAX_OUTPUT_BYTES:
        return output
    half = MAX_OUTPUT_BYTES // 2
    missing = f"\n[buto: {len(output) - 2 * half} bytes of output are not kept]\n".encode()
    return output[:half] + missing + output[-half:]
