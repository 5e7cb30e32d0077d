"""``buto experiments generate`` and ``buto experiments pack``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from buto.actions.collecting import LaunchPlan
from buto.actions.ending import measuring
from buto.actions.engines import engine_for
from buto.actions.events import WaitingForStore
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.interruption import Stopped
from buto.errors import EXIT_PASS
from buto.run.store import RunStore
from buto.run.units import format_bytes, format_count, format_percent
from buto_replications.dataset import archive
from buto_replications.dataset.archive import write
from buto_replications.dataset.generate import VariantRecording, generate, recorded


def record_variants(
    planned: list[LaunchPlan], data: Path, time_s: float, again: str, console: Console, scheduler: str
) -> int:
    """Record the planned runs that a store lacks, print what it holds then, and return the exit code.

    Args:
        time_s: no launch starts later than this, in seconds from now.
        again: how to continue if runs are still missing.
        scheduler: address of the scheduler on whose hosts they are recorded; empty for this machine.

    Raises:
        Stopped: Ctrl-C.
        StorageError: the store cannot be written.
    """
    store = RunStore(data)
    deadline_s = time.monotonic() + time_s
    printer = EventPrinter(console)
    progress = printer.progress
    try:
        with measuring(data, lambda: printer(WaitingForStore(data))):
            engine = engine_for(scheduler)
            collected = generate(planned, store, printer, deadline_s=deadline_s, engine_for=engine)
    except KeyboardInterrupt as stop:
        raise Stopped(f"stopped by Ctrl-C; {_complete(progress.complete, planned, data)}", again) from stop
    for plan in planned:
        console.result(_line(plan, recorded(store, plan.test)))
    code = EXIT_PASS
    for test, result in collected.items():
        if result.failure is not None:
            console.error(f"{test}: {result.failure.message}", result.failure.advice)
            code = result.failure.exit_code
    complete = _complete(progress.complete, planned, data)
    console.info(
        complete
        if all(progress.complete.get(plan.test, 0) >= plan.runs for plan in planned)
        else f"{complete}; {again}"
    )
    return code


def _complete(complete: Mapping[str, int], planned: list[LaunchPlan], data: Path) -> str:
    there = sum(complete.get(plan.test, 0) for plan in planned)
    return f"{data} holds {there} of {format_count(sum(plan.runs for plan in planned), 'run')}"


def _line(plan: LaunchPlan, recording: VariantRecording) -> str:
    parts = [f"{plan.test:32} {recording.usable:3} of {plan.runs} runs"]
    if isfinite(recording.foreign_load):
        parts.append(f"others used {format_percent(recording.foreign_load)} of the cores")
    if recording.disturbed:
        parts.append(f"{recording.disturbed} more not usable")
    if recording.damaged:
        parts.append(f"{recording.damaged} more damaged")
    return ", ".join(parts)


def pack(data: Path, output: Path, console: Console) -> int:
    store = RunStore(data)
    files = archive.pack(store)
    write(output, files)
    variants = [recorded(store, test) for test in store.tests()]
    usable, disturbed = (
        sum(variant.usable for variant in variants),
        sum(variant.disturbed for variant in variants),
    )
    console.result(
        f"wrote {format_count(usable, 'usable run')} of {format_count(len(variants), 'test')}, {disturbed} "
        f"not usable, to {output} ({format_bytes(sum(map(len, files.values())))})"
    )
    return EXIT_PASS
