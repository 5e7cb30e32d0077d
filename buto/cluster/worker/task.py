"""What a client asks of a worker; each function is carried out as one task of Dask.

A task returns expected errors instead of raising them: Dask would log them with all arguments.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from distributed import get_worker

from buto.cluster.inputs import Inputs
from buto.cluster.worker.presence import presence, report
from buto.collect.record.journal import RecordingAbandonedError
from buto.engine.local import LocalEngine
from buto.engine.protocol import Launch, News, Progressed
from buto.errors import ButoError
from buto.runs.model import WORKER

INLINE_BYTES = 4 << 20
"""A larger run is fetched in pieces, so that the scheduler never holds all of it."""


@dataclass(frozen=True, slots=True)
class Order:
    """A launch as it travels; not printed, for its environment may have secrets.

    Attributes:
        key: under which its progress is reported.
        report_s: time between two reports, at least.
    """

    key: str
    report_s: float
    launch: Launch = field(repr=False)
    inputs: Inputs = field(repr=False)


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing was launched: contents with these checksums must be sent before."""

    sha256s: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A run that is complete on its host, as the archive that it would be in a bucket.

    Attributes:
        size_bytes: of the archive.
        archive: empty if it is too large to be sent at once.
    """

    run_id: str
    size_bytes: int
    archive: bytes = field(repr=False)


def receive(sha256: str, pieces: Sequence[bytes], is_first: bool, is_last: bool) -> ButoError | None:
    """Store a part of a content."""
    try:
        presence().staging.receive(sha256, pieces, is_first=is_first, is_last=is_last)
    except ButoError as error:
        return error
    return None


def carry_out(order: Order) -> Delivery | Missing | ButoError:
    """Launch a program and return its run, or why there is none.

    What is missing is not asked before: most launches find everything there, and save a task.
    """
    here, key = presence(), str(get_worker().get_current_task())
    is_unwanted = here.unwanted(key)
    next_s = 0.0

    def hear(news: News) -> None:
        nonlocal next_s
        if is_unwanted.is_set():
            raise RecordingAbandonedError("nobody wants this run any more")
        now_s = time.monotonic()
        if isinstance(news, Progressed) and now_s >= next_s:
            next_s = now_s + order.report_s
            progress = news.progress
            report(
                {
                    "key": order.key,
                    "elapsed_s": progress.elapsed_s,
                    "n_samples": progress.n_samples,
                    "stage": progress.stage,
                }
            )

    try:
        missing = here.staging.missing(order.inputs)
        if missing:
            return Missing(missing)
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


def piece(test: str, run_id: str, offset: int) -> bytes:
    """Return a part of a run's archive, of INLINE_BYTES unless it is the last."""
    here = presence()
    return here.passing.piece(here.runs.key(test, run_id), offset, INLINE_BYTES)


def discard(test: str, run_id: str) -> None:
    """Remove a run that has arrived."""
    here = presence()
    here.passing.delete_bundle(here.runs.key(test, run_id))


def _delivery(test: str, run_id: str) -> Delivery:
    here = presence()
    size_bytes = here.passing.size_bytes(here.runs.key(test, run_id))
    if size_bytes > INLINE_BYTES:
        return Delivery(run_id, size_bytes, b"")
    archive = piece(test, run_id, 0)
    discard(test, run_id)
    return Delivery(run_id, size_bytes, archive)
