"""Recorded runs as three small files for a repository. Format: docs/formats/dataset.md."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from buto.classify.metadata import MetadataSettings, learn_metadata
from buto.detectors.settings import CHANGES_WITH_EACH_RUN, DECIDING_METADATA
from buto.errors import BadFileError, StorageError
from buto.experiments.dataset import parquet
from buto.experiments.dataset.parquet import Groups, Index
from buto.experiments.dataset.variants import HOSTS, host_and_variant
from buto.properties import Role
from buto.runs import FloatArray, Notification, Run, RunSet
from buto.runs.document import Document, NewerVersionError
from buto.runs.names import start_of
from buto.runs.reading import read_file
from buto.runs.staging import make_directories, publish_file
from buto.runs.store import RunStore

RECORDED = Path(__file__).parents[3] / "data" / "experiments"
"""The data set in buto's repository; an installed package has none."""

RUNS, SAMPLES, NOTIFICATIONS = "runs.parquet", "samples.parquet", "notifications.parquet"

MAX_BYTES = 1 << 28
"""Of one file; a thousand runs of five seconds take 2 MB."""

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
"""Shell patterns. Names of people, machines and directories do not belong into a published file."""

ONE_VARIANT = MetadataSettings(CHANGES_WITH_EACH_RUN, DECIDING_METADATA)
ONE_MACHINE = MetadataSettings(
    CHANGES_WITH_EACH_RUN,
    ("host.arch", "host.cores*", "host.cpu.model", "jvm.vm.*", "buto.collector", "buto.interval"),
)


def pack(store: RunStore) -> dict[str, bytes]:
    """The files of a data set, by name: all runs of a store, those that are not usable too.

    The same runs give the same bytes.

    Raises:
        BadFileError: there are no runs, one is damaged, or a test is no variant on a host.
        JudgeError: usable runs come from unlike machines or JVMs, or those of one variant were started
            in different ways; the thesis has its data checked like this (section 3.4).
    """
    groups = {key: tuple(map(published, store.load_set(test))) for key, test in sorted(_tests(store).items())}
    _check_environment(groups)
    files = {
        SAMPLES: parquet.samples_to_parquet(groups),
        NOTIFICATIONS: parquet.notifications_to_parquet(groups),
    }
    return files | {RUNS: parquet.runs_to_parquet(groups, {name: _sha256(files[name]) for name in files})}


def published(run: Run) -> Run:
    """What a data set keeps of a run: all but what measuring itself cost, output, and most metadata.

    Times, values, notifications, outcome and quality stay what they are, to the bit; of metadata what
    KEPT_METADATA names.
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


def write(directory: Path, files: Mapping[str, bytes]) -> None:
    """Put the files of :func:`pack` into a directory, in place of an older data set.

    Raises:
        StorageError: they cannot be written.
    """
    # The one with the checksums comes last: whoever reads meanwhile is told that the files do not fit.
    for name in (SAMPLES, NOTIFICATIONS, RUNS):
        try:
            make_directories(directory)
            publish_file(directory / name, files[name])
        except OSError as error:
            raise StorageError(
                f"{directory / name} cannot be written: {error.strerror}",
                advice="free some space, or name another directory with -o DIR",
            ) from error


def load(directory: Path, host: str, *, since: datetime | None = None) -> dict[str, RunSet]:
    """The runs of a host by variant, each in the order of start, those that are not usable too.

    The position of a run in ``runs[variant].valid()`` is its ordinal. Runs of one ordinal were as a rule
    recorded in one round, so that splits can be stated by rounds.

    Args:
        since: with a time zone; only runs that :func:`started` then or later, so that a method can be
            tried on runs that were not there when it was chosen. Variants without such runs are left out.

    Raises:
        BadFileError: a file is missing, damaged, of a newer format, or does not belong to the others.
    """
    index = _index(directory)
    documents: dict[tuple[str, str], list[Document]] = {}
    for row in index.rows:
        documents.setdefault((row.host, row.variant), []).append(row.document)
    with _reading(directory / NOTIFICATIONS, index) as content:
        found = parquet.notifications_from_parquet(content, [row.document for row in index.rows])
        emitted = {row.document.head.id: one for row, one in zip(index.rows, found, strict=True)}
    with _reading(directory / SAMPLES, index) as content:
        runs = {
            variant: RunSet(
                tuple(
                    _run(document, *samples, emitted[document.head.id])
                    for document, samples in zip(
                        group, parquet.samples_of_group(content, number, group), strict=True
                    )
                    if since is None or _began(document.head.id) >= since
                )
            )
            for number, ((on, variant), group) in enumerate(documents.items())
            if on == host
        }
    return {variant: ours for variant, ours in runs.items() if len(ours)}


def started(run: Run) -> datetime:
    """When a run began, in UTC, to the millisecond; ValueError if its id does not say."""
    return _began(run.id)


def hosts(directory: Path) -> tuple[str, ...]:
    """The hosts that a data set has runs of; raises as :func:`load`."""
    found = {row.host for row in _index(directory).rows}
    return tuple(host for host in HOSTS if host in found)


def _tests(store: RunStore) -> dict[tuple[str, str], str]:
    """The store's tests by host and variant."""
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


def _run(
    document: Document, times_s: FloatArray, values: FloatArray, notifications: tuple[Notification, ...]
) -> Run:
    head = document.head
    return Run(
        id=head.id,
        test=head.test,
        properties=document.properties,
        times_s=times_s,
        values=values,
        outcome=head.outcome,
        notifications=notifications,
        metadata=document.metadata,
        nan_reasons=document.nan_reasons,
        quality=head.quality,
    )


def _began(run_id: str) -> datetime:
    began = start_of(run_id)
    if began is None:
        raise ValueError(f"run {run_id} does not say when it began")
    return began


def _index(directory: Path) -> Index:
    with _reading(directory / RUNS) as content:
        return parquet.runs_from_parquet(content)


@contextmanager
def _reading(path: Path, index: Index | None = None) -> Iterator[bytes]:
    """The content of a file; a ValueError of the block becomes a BadFileError that names the file."""
    try:
        content = read_file(path, MAX_BYTES)
        if index is not None and index.sha256.get(path.name) != _sha256(content):
            raise ValueError(f"it is not the file that {RUNS} describes")
        yield content
    except NewerVersionError as error:
        raise BadFileError(f"{path} cannot be read: {error}", advice="pip install --upgrade buto") from error
    except ValueError as error:
        raise BadFileError(
            f"{path} cannot be read: {error}",
            advice=f"name another data set with --data DIR, or: buto experiments pack -o {path.parent}",
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
