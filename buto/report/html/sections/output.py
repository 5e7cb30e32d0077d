"""What the checked runs printed, and their notifications."""

from __future__ import annotations

from dataclasses import dataclass

from buto.report.charted import Charted
from buto.units import format_bytes, format_seconds

MAX_OUTPUT = 48 * 1024
"""Bytes of output that are shown, of all checked runs together: the beginning and the end of each."""

MAX_OUTPUTS = 6
MAX_MESSAGES = 100
_MAX_OPEN = 4096
"""Bytes of a stream that is not folded."""


@dataclass(frozen=True, slots=True)
class Stream:
    """One output stream of a run.

    Attributes:
        parts: nothing if it is empty, all of it, or its beginning and its end.
        left_out: size of what is missing between two parts, else empty.
    """

    title: str
    size: str
    parts: tuple[str, ...]
    left_out: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class OutputSection:
    """The streams of at most MAX_OUTPUTS runs, and the number of the other runs."""

    streams: tuple[Stream, ...]
    more_runs: int


@dataclass(frozen=True, slots=True)
class NotificationTable:
    """The first notifications as rows: time, type, source, number, message."""

    rows: tuple[tuple[str, ...], ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.rows)


def output_section(report: Charted) -> OutputSection:
    """Return what the checked runs and their services printed."""
    shown = list(report.checked)[:MAX_OUTPUTS]
    room = MAX_OUTPUT // max(1, 2 * len(shown))
    streams = [
        _stream(f"{title} of {run.id}", stream, room)
        for run in shown
        for title, stream in (
            ("standard output", run.stdout),
            ("standard error", run.stderr),
            *((f"output of the service {name}", output) for name, output in run.outputs.items()),
        )
    ]
    return OutputSection(tuple(streams), len(report.checked) - len(shown))


def notification_table(report: Charted) -> NotificationTable:
    """Return the notifications of the checked runs."""
    found = [one for run in report.checked for one in run.notifications]
    rows = (
        (format_seconds(one.time_s), one.type, one.source, str(one.sequence), one.message)
        for one in found[:MAX_MESSAGES]
    )
    return NotificationTable(tuple(rows), len(found))


def _stream(title: str, stream: bytes, room: int) -> Stream:
    size, is_open, half = format_bytes(len(stream)), len(stream) < _MAX_OPEN, room // 2
    if len(stream) <= room:
        return Stream(title, size, (_decoded(stream),) if stream else (), "", is_open)
    parts = _decoded(stream[:half]), _decoded(stream[-half:])
    return Stream(title, size, parts, format_bytes(len(stream) - 2 * half), is_open)


def _decoded(stream: bytes) -> str:
    return stream.decode("utf-8", errors="replace").replace("\r\n", "\n")
