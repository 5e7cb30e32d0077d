"""A data set: recorded runs as three small files that fit into a repository.

All are in one directory, written together, and checked when they are read. Format:
replications/docs/dataset.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from buto.errors import BadFileError, StorageError
from buto.judging.classifiers import MetadataSettings, learn_metadata
from buto.judging.settings import CHANGES_WITH_EACH_RUN, DECIDING_METADATA
from buto.run.cache import read_file
from buto.run.files import make_directories, publish_file
from buto.run.format import NewerVersionError, RunDocument
from buto.run.model import FloatArray, Notification, Run, RunSet
from buto.run.names import start_of
from buto.run.properties import Role
from buto.run.store import RunStore
from buto.version import READ_BY_NEWER
from buto_replications.checkout import DATA
from buto_replications.dataset import parquet
from buto_replications.dataset.generate import HOSTS, host_and_variant
from buto_replications.dataset.parquet import DataSetIndex, Groups

RUNS = "runs.parquet"
"""The file with the checksums of the others."""

MAX_BYTES = 1 << 28
"""Largest size of one file; a thousand runs of five seconds take 2 MB."""


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a data set into a directory, in place of an older one.

    Raises:
        StorageError: they cannot be written.
    """
    # The file with the checksums is written last, so that a reader in the meantime sees that the files
    # differ.
    for name in (*(name for name in files if name != RUNS), RUNS):
        try:
            make_directories(directory)
            publish_file(directory / name, files[name])
        except OSError as error:
            raise StorageError(
                f"{directory / name} cannot be written: {error.strerror}",
                advice="free some space, or name another directory",
            ) from error


@contextmanager
def reading(path: Path, advice: str, checksums: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Yield the content of a file; a ValueError of the block becomes a BadFileError that names the file.

    Args:
        advice: what to do if the file cannot be read.
        checksums: of the files that belong together, by name; None if the file is the one that has them.
    """
    try:
        content = read_file(path, MAX_BYTES)
        if checksums is not None and checksums.get(path.name) != sha256(content):
            raise ValueError(f"it is not the file that {RUNS} describes")
        yield content
    except NewerVersionError as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=READ_BY_NEWER) from error
    except ValueError as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice=advice) from error


RECORDED = DATA / "experiments"
"""The data set in buto's repository. An installed package does not have it."""

SAMPLES, NOTIFICATIONS = "samples.parquet", "notifications.parquet"

KEPT_METADATA = (
    "host.os",
    "host.arch",
    "host.cpu.model",
    "host.cores*",
    "host.memory.*",
    "host.load.*",
    "buto.version",
    "buto.collector",
    "buto.probe",
    "buto.interval",
    "buto.purpose",
    "jvm.spec.*",
    "jvm.vm.*",
    "jvm.uptime",
    "jvm.jit.name",
    "jvm.input.arguments",
    "jvm.memory.*",
    "jvm.gc.collectors",
    "system.processors",
    "mbean[[]*",
)
"""Shell patterns. Names of people, machines and directories must not be published."""

ONE_VARIANT = MetadataSettings(CHANGES_WITH_EACH_RUN, DECIDING_METADATA)
ONE_MACHINE = MetadataSettings(
    CHANGES_WITH_EACH_RUN,
    ("host.arch", "host.cores*", "host.cpu.model", "jvm.vm.*", "buto.collector", "buto.interval"),
)


def pack(store: RunStore) -> dict[str, bytes]:
    """Return the files of a data set by name, with all runs of a store, invalid ones included.

    The same runs give the same bytes.

    Raises:
        BadFileError: there are no runs, one is damaged, or a test is not a variant on a host.
        JudgeError: usable runs come from different machines or JVMs, or runs of one variant were started in
            different ways. The thesis checks its data in the same way (section 3.4).
    """
    groups = {key: tuple(map(published, store.load_set(test))) for key, test in sorted(_tests(store).items())}
    _check_environment(groups)
    files = {
        SAMPLES: parquet.samples_to_parquet(groups),
        NOTIFICATIONS: parquet.notifications_to_parquet(groups),
    }
    return files | {RUNS: parquet.runs_to_parquet(groups, {name: sha256(files[name]) for name in files})}


def published(run: Run) -> Run:
    """Return the part of a run that a data set keeps: no output, no cost of measuring, and little metadata.

    Times, values, notifications, outcome and quality are kept bit by bit, and the metadata that KEPT_METADATA
    names.
    """
    columns = [number for number, prop in enumerate(run.properties) if prop.role is Role.PROGRAM]
    properties = tuple(run.properties[number] for number in columns)
    names = {prop.name for prop in properties}
    return replace(
        run,
        properties=properties,
        values=run.values[:, columns],
        nan_reasons={name: why for name, why in run.nan_reasons.items() if name in names},
        metadata={
            key: value
            for key, value in run.metadata.items()
            if any(fnmatchcase(key, pattern) for pattern in KEPT_METADATA)
        },
        stdout=b"",
        stderr=b"",
    )


def load(directory: Path, host: str, *, since: datetime | None = None) -> dict[str, RunSet]:
    """Return the runs of a host by variant, in the order of their start, invalid ones included.

    The position of a run in ``runs[variant].valid()`` is its ordinal. Runs with the same ordinal were usually
    recorded in the same round, so that splits can be specified by rounds.

    Args:
        since: with a time zone. Only runs that :func:`started` at this time or later are returned, so that a
            method can be tested on runs recorded after it was chosen. Variants without such runs are left
            out.

    Raises:
        BadFileError: a file is missing, damaged, of a newer format, or does not belong to the others.
    """
    index = _index(directory)
    documents: dict[tuple[str, str], list[RunDocument]] = {}
    for row in index.rows:
        documents.setdefault((row.host, row.variant), []).append(row.document)
    with _reading(directory / NOTIFICATIONS, index) as content:
        of_runs = parquet.notifications_from_parquet(content, [row.document for row in index.rows])
        emitted = {
            row.document.id: notifications for row, notifications in zip(index.rows, of_runs, strict=True)
        }
    with _reading(directory / SAMPLES, index) as content:
        runs = {
            variant: RunSet(
                tuple(
                    run_of(document, *samples, emitted[document.id])
                    for document, samples in zip(
                        group, parquet.samples_of_group(content, number, group), strict=True
                    )
                    if since is None or _began(document.id) >= since
                )
            )
            for number, ((on, variant), group) in enumerate(documents.items())
            if on == host
        }
    return {variant: ours for variant, ours in runs.items() if len(ours)}


def started(run: Run) -> datetime:
    """Return the start of a run in UTC, in milliseconds; ValueError if its id does not contain it."""
    return _began(run.id)


def hosts(directory: Path) -> tuple[str, ...]:
    """Return the hosts of a data set's runs; raises as :func:`load`."""
    names = {row.host for row in _index(directory).rows}
    return tuple(host for host in HOSTS if host in names)


def _tests(store: RunStore) -> dict[tuple[str, str], str]:
    tests = store.tests()
    if not tests:
        raise BadFileError(
            f"{store.root} holds no runs", advice=f"buto experiments generate --data {store.root}"
        )
    try:
        return {host_and_variant(test): test for test in tests}
    except ValueError as error:
        raise BadFileError(
            f"{store.root} holds runs of other tests: {error}",
            advice="name the directory that buto experiments generate recorded into",
        ) from error


def _check_environment(groups: Groups) -> None:
    usable = [[run.metadata for run in runs if run.quality.valid] for runs in groups.values()]
    for of_variant in filter(None, usable):
        learn_metadata(of_variant, ONE_VARIANT)
    everything = [metadata for of_variant in usable for metadata in of_variant]
    if everything:
        learn_metadata(everything, ONE_MACHINE)


def run_of(
    document: RunDocument, times_s: FloatArray, values: FloatArray, notifications: tuple[Notification, ...]
) -> Run:
    """Return the run of a document and its arrays; it has no output."""
    return Run(**document.of_run, times_s=times_s, values=values, notifications=notifications)


def _began(run_id: str) -> datetime:
    began = start_of(run_id)
    if began is None:
        raise ValueError(f"the id of run {run_id} does not contain the time of its start")
    return began


def _index(directory: Path) -> DataSetIndex:
    with _reading(directory / RUNS) as content:
        return parquet.runs_from_parquet(content)


def _reading(path: Path, index: DataSetIndex | None = None) -> AbstractContextManager[bytes]:
    advice = f"name another data set with --data DIR, or: buto experiments pack -o {path.parent}"
    return reading(path, advice, index.sha256 if index else None)
