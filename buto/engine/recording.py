"""Record one launch, with its services and its workload, and store its run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from buto.collect.collector import Collector
from buto.collect.hooks import AllHooks, LaunchHooks
from buto.collect.progress import OnTick
from buto.collect.record.journal import FIRST_WRITE_S, Journal
from buto.collect.record.quality import busy_host
from buto.engine.setup import ALONE, Setup
from buto.runs import MetadataValue, Run
from buto.runs.model import SESSION
from buto.runs.store import RunStore
from buto.runs.window import with_window
from buto.workload.model import Workload
from buto.workload.services.model import Service

if TYPE_CHECKING:
    from buto.workload.services.running import Services


def record_one(
    collector: Collector,
    test: str,
    store: RunStore,
    marks: Mapping[str, MetadataValue],
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    setup: Setup = ALONE,
    *,
    journal_s: float = FIRST_WRITE_S,
) -> Run:
    """Launch once, with its services beside it, and store the run, valid or not.

    If recording fails midway, the part before is kept, unless it is very short; see
    :class:`buto.collect.record.journal.Journal`.

    Args:
        marks: written into the run's metadata; a run without a session begins one.
        journal_s: from this time on what was recorded is saved, in case that buto is killed.

    Raises:
        MeasureError: there is nothing to record, or a service does not get ready.
        UsageError: a service has no template or user.
        StorageError: the run cannot be stored.
    """
    with (
        running_services(setup.services, on_tick) as beside,
        Journal(store, marks, first_write_s=journal_s) as journal,
    ):
        if beside is not None:
            hooks = beside if hooks is None else AllHooks((beside, hooks))
            on_tick = beside.on_each_tick(on_tick)
        run = collector.record(test, on_tick, hooks, journal)
        outputs = {} if beside is None else beside.stop()
        run = replace(run, metadata={**run.metadata, SESSION: run.id, **marks}, outputs=outputs)
        if hooks is not None:
            run = _unless_busy(run)
        if setup.window is not None:
            run = with_window(run, setup.window)
        store.add(run)
    return run


def _unless_busy(run: Run) -> Run:
    """Return a run of a loaded system; not valid if the machine had no idle time left."""
    busy = busy_host(run.metadata.get("host.load.idle"), run.outcome.duration_s)
    if busy is None:
        return run
    return replace(run, quality=replace(run.quality, problems=(*run.quality.problems, busy)))


def running_services(
    services: Sequence[Service], on_tick: OnTick | None
) -> AbstractContextManager[Services | None]:
    """Return what runs services during its block; None in place of no services."""
    if not services:
        return nullcontext()
    # Imported here: few tests have services.
    from buto.workload.services.running import running

    return running(services, on_tick)


def hooks_of(workload: Workload | None) -> AbstractContextManager[Callable[[], LaunchHooks] | None]:
    """Return what creates the hooks of each launch; None without a workload."""
    if workload is None:
        return nullcontext()
    # Imported here: it brings JMX along, and few tests have a workload.
    from buto.workload.driver import workload_hooks

    return workload_hooks(workload)
