"""What all experiments do: share the work, show how much is done, print tables, write files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.run.units import format_seconds
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.report.content import TextTable, lines
from buto_replications.workers import in_parallel

Task = TypeVar("Task")
Result = TypeVar("Result")


_PLAIN_LINE_EVERY_S = 30.0


class WorkProgress:
    """Shows how much of the work is done: one redrawn line, or a plain line from time to time."""

    def __init__(self, console: Console, host: str) -> None:
        self._console, self._host = console, host
        self._begun = time.monotonic()
        self._next_line = self._begun + _PLAIN_LINE_EVERY_S

    def __call__(self, done: int, parts: int) -> None:
        now = time.monotonic()
        # Parts differ in size, so the remaining time cannot be predicted.
        line = f"{self._host}: {done} of {parts} parts, {format_seconds(round(now - self._begun))} so far"
        if self._console.animated:
            self._console.rewrite(line)
        elif now >= self._next_line:
            self._next_line = now + _PLAIN_LINE_EVERY_S
            self._console.info(line)

    def clear(self) -> None:
        if self._console.animated:
            self._console.rewrite("")


def done(
    function: Callable[[Task], list[Result]],
    tasks: Sequence[Task],
    name: str,
    request: ExperimentsRequest,
    console: Console,
) -> list[Result]:
    """Return the results of all tasks, in their order.

    Args:
        name: of the work, for the line that shows how much is done.
    """
    progress = WorkProgress(console, name)
    parts = []
    try:
        for number, some in enumerate(in_parallel(function, tasks, request.workers), start=1):
            parts.append(some)
            progress(number, len(tasks))
    finally:
        progress.clear()
    return list(chain.from_iterable(parts))


def show(tables: Iterable[TextTable], console: Console) -> None:
    """Print each table with an empty line below it."""
    for table in tables:
        for line in lines(table):
            console.result(line)
        console.result("")


def write(directory: Path, contents: Mapping[str, str | bytes], console: Console) -> None:
    for name, content in contents.items():
        path = directory / name
        write_file(path, content if isinstance(content, bytes) else content.encode(), "--out")
        console.info(f"wrote {path}")
