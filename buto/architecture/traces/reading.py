"""Read traces of any format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from buto.architecture.traces.kieker import MAP, read_kieker
from buto.architecture.traces.opentelemetry import read_otlp
from buto.architecture.traces.span import Span


def is_traces(path: Path) -> bool:
    """Return whether a path has traces: a directory of Kieker's, or a file that begins as OTLP JSON."""
    if path.is_dir():
        return (path / MAP).exists()
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def read_traces(paths: Sequence[Path]) -> Iterator[Span]:
    """Yield the spans of all files; a directory is Kieker's, a file OTLP JSON. Raise BadFileError while
    reading.
    """
    return chain.from_iterable(read_kieker(path) if path.is_dir() else read_otlp(path) for path in paths)
