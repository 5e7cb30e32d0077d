"""Read traces of any format."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote

from buto.errors import BadFileError
from buto_predict.traces.kieker import MAP, read_kieker
from buto_predict.traces.opentelemetry import read_otlp
from buto_predict.traces.span import Span

_HEAD = 512
_COMPRESSED = {b"\x1f\x8b": "gunzip --keep", b"\x28\xb5\x2f\xfd": "unzstd"}
"""First bytes of a format, and a command that decompresses it."""


def is_traces(path: Path) -> bool:
    """Return whether a path has traces: a directory of Kieker's, or a file that begins as OTLP JSON."""
    if path.is_dir():
        return (path / MAP).exists()
    if not path.is_file():
        return False
    return _head(path).removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def read_traces(paths: Sequence[Path]) -> Iterator[Span]:
    """Yield the spans of all files; a directory is Kieker's, a file OTLP JSON. Raise BadFileError while
    reading.
    """
    return chain.from_iterable(map(_read, paths))


def _read(path: Path) -> Iterator[Span]:
    if path.is_dir():
        return read_kieker(path)
    # A pipe can be read only once.
    if path.is_file():
        _refuse_others(path)
    return read_otlp(path)


def _refuse_others(path: Path) -> None:
    """Raise BadFileError for what else users have beside their traces."""
    head = _head(path)
    for magic, command in _COMPRESSED.items():
        if head.startswith(magic):
            raise BadFileError(
                f"{path} is compressed; decompress it first", advice=f"{command} {quote(str(path))}"
            )
    text = head.removeprefix(BOM_UTF8).lstrip()
    if text.startswith(b"<") or (text.startswith(b"[") and b'"benchmark"' in text):
        found = "XML" if text.startswith(b"<") else "JMH results"
        raise BadFileError(
            f"{path} has {found}, not traces",
            advice="give what the file exporter of the OpenTelemetry collector wrote, format json",
        )


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from error
