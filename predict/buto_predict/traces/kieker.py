"""Calls as Kieker's file writer logs them: kieker.map and *.dat, operation executions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buto.errors import BadFileError
from buto_predict.traces.span import Kind, Span

MAP = "kieker.map"
_RECORD = "OperationExecutionRecord"
_FIELDS = 10


def read_kieker(directory: Path) -> Iterator[Span]:
    """Yield operation executions in the order of the files; other records are left out.

    The logs do not name callers; they follow from the order of execution and the depth of the stack.

    Raises:
        BadFileError: the map or the logs are missing, or a line is damaged.
    """
    logs = sorted(directory.glob("*.dat"))
    if not logs:
        raise BadFileError(f"{directory} has no *.dat, which Kieker's file writer writes beside {MAP}")
    keys = _record_keys(directory / MAP)
    for log in logs:
        try:
            with log.open(encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    fields = line.rstrip("\n").split(";")
                    if fields[0] in keys:
                        yield _span(fields, f"{log}:{number}")
        except (OSError, UnicodeDecodeError) as error:
            raise BadFileError(f"cannot read the log {log}: {error}") from error


def _record_keys(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFileError(f"cannot read the map {path}: {error}") from error
    pairs = (line.partition("=") for line in lines)
    keys = {key for key, _, name in pairs if name.strip().endswith(_RECORD)}
    if not keys:
        raise BadFileError(f"{path} names no {_RECORD}: only operation executions can be read")
    return keys


def _span(fields: list[str], place: str) -> Span:
    try:
        if len(fields) < _FIELDS:
            raise ValueError(f"{len(fields)} fields of {_FIELDS}")
        _, _, signature, _, trace, begin, end, host, order, depth = fields[:_FIELDS]
        return Span(
            trace,
            str(int(order)),
            "",
            f"{host}/{operation(signature)}",
            host,
            host,
            Kind.LOCAL,
            int(begin) / 1e9,
            int(end) / 1e9,
            int(depth),
        )
    except (ValueError, OverflowError) as error:
        raise BadFileError(f"{place}: an operation execution is damaged: {error}") from error


def operation(signature: str) -> str:
    """Shorten ``public void com.acme.Shop.order(int)`` to ``com.acme.Shop.order``."""
    return signature.partition("(")[0].split(" ")[-1]
