"""``buto runs show`` of a run that is still being recorded."""

from __future__ import annotations

from buto.cli.printing.live import live_text
from buto.runs import RunStore
from buto.runs.journal import Unfinished, read, unfinished
from buto.units import format_count, format_seconds

_EVERYTHING = 1000
"""Room for all curves: this is no line that is drawn again and again."""


def running(store: RunStore, test: str, run_id: str | None) -> Unfinished | None:
    """Return the recording of a test that another buto is making; None if there is none.

    Args:
        run_id: the one that is wanted; None for any.
    """
    live = [one for one in unfinished(store, [test]) if one.live and run_id in (None, one.id)]
    return live[-1] if live else None


def running_lines(one: Unfinished) -> list[str]:
    """Return what the journal of a recording has so far.

    Raises:
        BadFileError: the journal cannot be read.
    """
    # Its imports are not needed to show stored runs.
    from buto.collect.record.journal import recording_of

    recording = recording_of(one.test, one.id, read(one.path))
    lines = [
        f"{one.test} {one.id}",
        "still being recorded by another buto; its journal is some seconds behind",
    ]
    first_ns, last_ns = recording.first_time_ns, recording.last_time_ns
    if first_ns is None or last_ns is None:
        return lines
    zero_ns = first_ns if recording.zero_ns is None else recording.zero_ns
    length = format_seconds((last_ns - zero_ns) * 1e-9)
    lines.append(f"so far:        {length}, {format_count(recording.n_samples, 'sample')}")
    newest = live_text(recording.newest, _EVERYTHING).removeprefix(", ")
    return [*lines, f"newest:        {newest}"] if newest else lines
