"""``buto runs recover``, and the line about it in ``buto runs list``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from buto.cli.printing.console import Console
from buto.errors import EXIT_PASS, BadFileError
from buto.runs import RunStore
from buto.runs.journal import Unfinished, unfinished
from buto.runs.storage.protocol import TakenError
from buto.units import format_count, format_seconds


def recover_all(store: RunStore, tests: Sequence[str], console: Console) -> int:
    """Recover the interrupted recordings of some tests, or of all; return the exit code.

    A damaged journal, or a run whose id is taken, does not prevent the recovery of the others.

    Raises:
        StorageError: the store cannot be written.
    """
    # Its imports are not needed to list runs.
    from buto.collect.record.journal import recover

    code = EXIT_PASS
    waiting = store.unsent(tests)
    for test, run_id in waiting:
        try:
            is_stored = store.send(test, run_id)
        except TakenError as error:
            console.error(error.message, error.advice)
            code = error.exit_code
            continue
        if is_stored:
            console.result(f"stored {test!r} {run_id}: it was complete on this machine")
    found = unfinished(store, tests)
    for one in found:
        if one.live:
            console.info(f"{one.test!r} {one.id} is still being recorded by another buto")
            continue
        try:
            run = recover(store, one)
        except BadFileError as error:
            console.error(error.message, error.advice)
            code = error.exit_code
            continue
        if run is None:
            console.info(f"{one.test!r} {one.id}: nothing to recover")
        else:
            length = format_seconds(run.outcome.duration_s)
            console.result(
                f"recovered {one.test!r} {one.id}: {len(run.times_s)} samples, {length}; not usable"
            )
    if not found and not waiting:
        console.info(f"nothing to recover in {store.root}")
    return code


def to_recover(left: Sequence[Unfinished], waiting: Sequence[tuple[str, str]], store: RunStore) -> list[str]:
    """Return lines on what can be recovered, and how.

    Args:
        left: recordings that were interrupted.
        waiting: test and id of the complete runs that the storage does not have yet.
    """
    again = f"buto runs recover{_option(store)}"
    lines = []
    if left:
        named = ", ".join(f"{one.test!r} {one.id}" for one in left)
        lines.append(f"{format_count(len(left), 'recording')} interrupted: {named}; to keep it: {again}")
    if waiting:
        named = ", ".join(f"{test!r} {run_id}" for test, run_id in waiting)
        lines.append(f"{format_count(len(waiting), 'run')} only on this machine: {named}; to store: {again}")
    return lines


def _option(store: RunStore) -> str:
    return "" if str(store.root) == ".buto" else f" --store {shlex.quote(str(store.root))}"
