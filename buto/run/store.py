"""Stored runs: the only reader and writer of the files of a run. Format: docs/formats/run.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from buto.errors import BadFileError, JudgeError, StorageError, UsageError
from buto.run import bounds, format, names, tables
from buto.run.below import refuse_links
from buto.run.cache import read_cached
from buto.run.directory import DirectoryStorage
from buto.run.files import in_order
from buto.run.format import H, Head, NewerVersionError
from buto.run.model import Run, RunSet, run_set
from buto.run.objects import Storage, open_storage
from buto.run.storage import MissingBundleError, Place
from buto.run.tables import (
    DOCUMENT,
    MAX_OUTPUT_BYTES,
    MAX_RUN_BYTES,
    NOTIFICATIONS,
    SAMPLES,
    STDERR,
    STDOUT,
    OpenRun,
    describe,
    max_bytes,
    output_file,
)
from buto.run.units import format_count
from buto.steps import Action, Advice, Setting, Step
from buto.version import READ_BY_NEWER

DEFAULT_ROOT = Path(".buto")

_RUNS = "runs"
"""The folder of all runs."""

MOST_VALUES = 1 << 27
"""Number of values of the runs that are loaded together: 1 GiB, or 400 hours of fifty, twice a second."""


def _refuse_more_than_fits(documents: Sequence[format.RunDocument]) -> None:
    """Raise JudgeError if runs have more values than memory permits, with what makes them smaller."""
    # A document that claims more than any run may have is damaged, which loading it says.
    sizes = (document.samples * len(document.properties) for document in documents)
    n_values = sum(size for size in sizes if size <= bounds.MAX_VALUES)
    if n_values > MOST_VALUES:
        raise JudgeError(
            f"{format_count(len(documents), 'run')} with {n_values / MOST_VALUES:.1f} GiB of values: "
            "at most 1 GiB is loaded at a time",
            advice=Advice(
                "record fewer samples of a long program (",
                Setting("interval", "5s"),
                ") or fewer properties, or name fewer runs",
            ),
        )


class RunSummary(Struct, frozen=True):
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
        return sum(file.bytes for file in self.head.files.values()) if self.head else 0


class RunStore:
    """The runs in one store, each in ``runs/TEST/RUN-ID``.

    A run is stored completely or not at all, even if its writer is killed; several processes may write,
    read and delete at once. Every method that takes the name of a test raises UsageError for one that
    cannot be stored (:func:`buto.run.names.encode_test`), and every method StorageError if the storage
    cannot be reached.

    Args:
        root: a directory, created when the first run is added, or a prefix in a bucket.
        storage: what keeps the bytes; None for that of the root.
    """

    def __init__(self, root: Place = DEFAULT_ROOT, storage: Storage | None = None) -> None:
        self.root = root
        self.storage = open_storage(root) if storage is None else storage

    def add(self, run: Run) -> Place:
        """Store a run and return its place; longer output than ``MAX_OUTPUT_BYTES`` is cut in the middle.

        Raises:
            StorageError: it cannot be written, or a run with this id exists; nothing is left behind.
            UsageError: the test's name or the id cannot be stored.
        """
        if not names.is_id(run.id):
            raise UsageError(
                f"{run.id!r} is not a valid id of a run", advice="create an id with buto.run.new_id()"
            )
        key = self.key(run.test, run.id)
        others = {
            SAMPLES: tables.pack_samples(run.times_s, run.values),
            NOTIFICATIONS: tables.pack_notifications(run.notifications),
            STDOUT: _cut(run.stdout),
            STDERR: _cut(run.stderr),
            **{output_file(name): _cut(output) for name, output in run.outputs.items()},
        }
        files = {name: describe(content) for name, content in others.items()}
        contents = {DOCUMENT: format.encode(run, files), **others}
        if run.values.size > bounds.MAX_VALUES or any(
            len(contents[name]) > max_bytes(name) for name in contents
        ):
            raise StorageError(
                f"the run {run.id} of {run.test!r} is too large to be stored: {len(run.times_s)} samples of "
                f"{len(run.properties)} properties, {len(run.notifications)} notifications",
                advice="sample less often, or record fewer MBeans",
            )
        self.storage.add_bundle(key, contents)
        return self.storage.place(key)

    def prepare(self, test: str) -> Path:
        """Create the directory of :meth:`directory`; raises StorageError."""
        return self.storage.prepare(self.key(test))

    def directory(self, test: str) -> Path:
        """Return the directory on this machine for what is recorded of a test, even if missing.

        If the store is a directory, the test's runs are in it, too.

        Raises:
            BadFileError: it is a link.
        """
        directory = self.storage.here / self.key(test)
        refuse_links(self.storage.here, directory)
        return directory

    def tests(self) -> list[str]:
        """Return the names of the tests that have runs, sorted."""
        return [test for test in _decode(self.storage.folders(_RUNS)) if self.has_runs(test)]

    def has_runs(self, test: str) -> bool:
        """Return whether a test has runs."""
        return any(map(names.is_id, self.storage.bundles(self.key(test))))

    def recorded_tests(self) -> list[str]:
        """Return the names of the tests that have a directory on this machine, sorted."""
        return _decode(DirectoryStorage(self.storage.here).folders(_RUNS))

    def ids(self, test: str) -> list[str]:
        """Return the ids of a test's runs, sorted, which is the order of their start."""
        return sorted(filter(names.is_id, self.storage.bundles(self.key(test))))

    def summaries(self, test: str) -> list[RunSummary]:
        """Return the summary of each run, including damaged ones, in the order of ids."""
        damage: dict[str, str] = {}

        def read(run_id: str) -> dict[str, Any] | None:
            try:
                with self._first(test, run_id) as content:
                    data = format.head_data(content)
                    _expect(format.head_of(data), test, run_id)
                    return data
            except BadFileError as error:
                damage[run_id] = error.message
            except MissingBundleError:
                # Somebody has deleted it meanwhile.
                pass
            return None

        place = self.storage.here / "cache" / "runs" / f"{names.encode_test(test)}.json"
        version, readers = f"run {format.VERSION}", self.storage.readers
        bundles = self.storage.stamps_of_bundles(self.key(test), DOCUMENT)
        stamps = {run_id: bundles[run_id] for run_id in filter(names.is_id, bundles)}
        heads = read_cached(place, version, stamps, read, format.head_of, readers)
        there = sorted(heads.keys() | damage.keys())
        return [RunSummary(run_id, heads.get(run_id), damage.get(run_id, "")) for run_id in there]

    def heads(self, test: str, ids: Iterable[str]) -> list[Head]:
        """Return the heads of the runs with these ids that are there and can be read."""
        heads = []
        for run_id in ids:
            with suppress(BadFileError, MissingBundleError), self._first(test, run_id) as content:
                heads.append(_expect(format.head_of(format.head_data(content)), test, run_id))
        return heads

    def load(self, test: str, run_id: str) -> Run:
        """Load one run.

        Raises:
            BadFileError: no run has this id, or it is damaged or of a newer format.
        """
        with self._open(test, run_id) as opened:
            with opened.reading(DOCUMENT) as content:
                head = _expect(format.decode(content), test, run_id)
            notifications = opened.notifications(head)
            times_s, values = opened.samples(head, head.properties)
            with (
                opened.reading(STDOUT, head) as stdout,
                opened.reading(STDERR, head) as stderr,
                self._judging(test, run_id, DOCUMENT),
            ):
                return Run(
                    **head.of_run,
                    times_s=times_s,
                    values=values,
                    notifications=notifications,
                    stdout=stdout,
                    stderr=stderr,
                    outputs=opened.outputs(head),
                )

    def load_set(self, test: str, ids: Sequence[str] | None = None, *, newest: int | None = None) -> RunSet:
        """Load the runs with these ids, or the ``newest`` ones (all, if fewer), or all runs of a test.

        Raises:
            BadFileError: see :meth:`load`; no run is left out silently.
            JudgeError: together they are larger than memory permits; see MOST_VALUES.
        """
        if ids is None:
            ids = self.ids(test)
        if newest is not None:
            ids = sorted(ids)[max(0, len(ids) - newest) :]
        _refuse_more_than_fits([self._document(test, run_id) for run_id in ids])
        return run_set(in_order(lambda run_id: self.load(test, run_id), ids, self.storage.readers))

    def _document(self, test: str, run_id: str) -> format.RunDocument:
        with self._report_missing(test, run_id), self._first(test, run_id) as content:
            return format.decode(content)

    def delete(self, test: str, ids: Sequence[str]) -> None:
        """Remove runs, including damaged ones; none is removed if one of the ids is unknown.

        Raises:
            BadFileError: one of the ids is unknown.
            StorageError: a run cannot be removed.
        """
        known = set(self.ids(test)) if ids else set()
        for run_id in ids:
            if run_id not in known:
                raise self._unknown(test, run_id)
        for run_id in ids:
            self.storage.delete_bundle(self.key(test, run_id))

    def unsent(self, tests: Sequence[str] = ()) -> list[tuple[str, str]]:
        """Return test and id of the runs that wait on this machine until the storage can be reached.

        Args:
            tests: of these; empty for all.
        """
        keys = (key.rpartition("/") for key in self.storage.unsent(_RUNS))
        pairs = ((names.decode_test(folder), run_id) for folder, _, run_id in keys)
        return [(test, run_id) for test, run_id in pairs if test is not None and (test in tests or not tests)]

    def send(self, test: str, run_id: str) -> bool:
        """Store a run that waits on this machine; return whether it was still waiting.

        Raises:
            TakenError: another run has its id; both stay.
            StorageError: the storage cannot be reached; the run still waits.
        """
        return self.storage.send(self.key(test, run_id))

    def key(self, test: str, run_id: str = "") -> str:
        """Return the key of a run in the storage, or of all runs of a test."""
        parts = (_RUNS, names.encode_test(test), run_id)
        return "/".join(part for part in parts if part)

    def _unknown(self, test: str, run_id: str) -> BadFileError:
        return BadFileError(
            f"there is no run {run_id!r} of {test!r} in {self.root}",
            advice=Advice(Step(Action.LIST_RUNS, test)),
        )

    @contextmanager
    def _open(self, test: str, run_id: str) -> Iterator[OpenRun]:
        """Open the files of a run. BadFileError if there is no such run."""
        with (
            self._report_missing(test, run_id),
            self._judging(test, run_id, DOCUMENT),
            self.storage.open_bundle(self.key(test, run_id), MAX_RUN_BYTES) as bundle,
        ):
            yield OpenRun(bundle, partial(self._judging, test, run_id))

    @contextmanager
    def _first(self, test: str, run_id: str) -> Iterator[bytes]:
        """Yield the content of ``run.json`` alone. MissingBundleError if there is no such run."""
        with self._judging(test, run_id, DOCUMENT):
            yield self.storage.read_first(self.key(test, run_id), DOCUMENT, max_bytes(DOCUMENT))

    @contextmanager
    def _report_missing(self, test: str, run_id: str) -> Iterator[None]:
        """Turn a MissingBundleError of the block into a BadFileError, also for what is no id."""
        if not names.is_id(run_id):
            raise self._unknown(test, run_id)
        try:
            yield
        except MissingBundleError:
            raise self._unknown(test, run_id) from None

    @contextmanager
    def _judging(self, test: str, run_id: str, name: str) -> Iterator[None]:
        """Turn a ValueError of the block into a BadFileError that names the file."""
        path = self.storage.place(f"{self.key(test, run_id)}/{name}")
        try:
            yield
        except NewerVersionError as error:
            raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
        except ValueError as error:
            raise BadFileError(
                f"{path} cannot be read: {error}",
                advice=Advice("copy it again, or: ", Step(Action.DELETE_RUN, test, run_id=run_id)),
            ) from error


def _decode(folders: Iterable[str]) -> list[str]:
    """Return the names of the tests of these folders, sorted."""
    return sorted(test for test in map(names.decode_test, folders) if test is not None)


def _expect(head: H, test: str, run_id: str) -> H:
    if (head.test, head.id) != (test, run_id):
        raise ValueError(f"it belongs to the run {head.id!r} of {head.test!r}")
    return head


def _cut(output: bytes) -> bytes:
    if len(output) <= MAX_OUTPUT_BYTES:
        return output
    half = MAX_OUTPUT_BYTES // 2
    missing = f"\n[buto: {len(output) - 2 * half} bytes of output are not kept]\n".encode()
    return output[:half] + missing + output[-half:]
