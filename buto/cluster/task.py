"""What a client asks of a worker; each function is carried out as one task of Dask.

A task returns expected errors instead of raising them: Dask would log them with all arguments.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from distributed import get_worker

from buto.cluster.inputs import Inputs
from buto.cluster.presence import presence, report
from buto.collect.record.journal import RecordingAbandonedError
from buto.engine.local import LocalEngine
from buto.engine.protocol import Launch, News, Progressed
from buto.errors import BadFileError, ButoError, StorageError
from buto.runs.files.reading import read_file
from buto.runs.model import WORKER

TICK_S = 1.0
"""Between two reports of a launch's progress."""

INLINE_BYTES = 4 << 20
"""A larger run is fetched in pieces, so that the scheduler never holds all of it."""


@dataclass(frozen=True, slots=True)
class Order:
    """A launch as it travels; not printed, for its environment may have secrets."""

    launch: Launch = field(repr=False)
    inputs: Inputs = field(repr=False)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A run that is complete on its host.

    Attributes:
        sizes: of its files, in bytes.
        contents: of its files; empty if they are too large to be sent together.
    """

    run_id: str
    sizes: Mapping[str, int]
    contents: Mapping[str, bytes] = field(repr=False)


def missing(inputs: Inputs) -> tuple[str, ...]:
    """Return the checksums of the contents that this host does not have."""
    return presence().staging.missing(inputs)


def receive(sha256: str, pieces: Sequence[bytes], is_first: bool, is_last: bool) -> ButoError | None:
    """Store a part of a content."""
    try:
        presence().staging.receive(sha256, pieces, is_first=is_first, is_last=is_last)
    except ButoError as error:
        return error
    return None


def carry_out(order: Order) -> Delivery | ButoError:
    """Launch a program and return its run, or why there is none."""
    here, key = presence(), str(get_worker().get_current_task())
    is_unwanted = here.unwanted(key)
    next_s = 0.0

    def hear(news: News) -> None:
        nonlocal next_s
        if is_unwanted.is_set():
            raise RecordingAbandonedError("nobody wants this run any more")
        now_s = time.monotonic()
        if isinstance(news, Progressed) and now_s >= next_s:
            next_s = now_s + TICK_S
            progress = news.progress
            report(
                {
                    "key": key,
                    "elapsed_s": progress.elapsed_s,
                    "n_samples": progress.n_samples,
                    "stage": progress.stage,
                }
            )

    try:
        launch = order.launch
        target = here.staging.place(launch.target, order.inputs)
        marks = {**launch.marks, WORKER: here.host}
        # Without a journal: a run that does not end here is recorded anew, on another host if need be.
        with LocalEngine(here.runs, hear, journal_s=math.inf) as engine:
            placed = replace(launch, target=target, marks=marks)
            engine.check(placed)
            engine.begin([placed])
            ended = engine.wait()
        assert ended is not None
        if ended.run is None:
            assert ended.error is not None
            return ended.error
        return _delivery(launch.test, ended.run.id)
    except ButoError as error:
        return error
    finally:
        here.forget(key)


def piece(test: str, run_id: str, name: str, offset: int) -> bytes:
    """Return a part of a run's file, of INLINE_BYTES unless it is the last."""
    with (presence().runs.directory(test) / run_id / name).open("rb") as file:
        file.seek(offset)
        return file.read(INLINE_BYTES)


def discard(test: str, run_id: str) -> None:
    """Remove a run that has arrived; one that cannot be removed goes when the worker ends."""
    with suppress(StorageError, BadFileError):
        presence().runs.delete(test, [run_id])


def _delivery(test: str, run_id: str) -> Delivery:
    files = sorted((presence().runs.directory(test) / run_id).iterdir())
    sizes = {path.name: path.stat().st_size for path in files}
    if sum(sizes.values()) > INLINE_BYTES:
        return Delivery(run_id, sizes, {})
    contents = {path.name: read_file(path, INLINE_BYTES) for path in files}
    discard(test, run_id)
    return Delivery(run_id, sizes, contents)
