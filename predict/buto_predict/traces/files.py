"""Spans from files: OTLP JSON of the OpenTelemetry collector's file exporter, and Kieker's logs."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any, NoReturn, TextIO

from buto.errors import BadFileError
from buto_predict.traces.tree import LONGEST, Span, SpanKind

_CHUNK = 1 << 16
_MOST = 16 << 20
"""Most characters of one value; a span has some hundred."""

_BLANKS = re.compile(r"[ \t\r\n]*")
_UNFINISHED = re.compile(r'"(?:[^"\\]++|\\.)*+\\?|[-+.\w\\]*+')
"""A text without its end, or a piece of a number or a word."""


class NotJsonError(ValueError):
    """The text is not JSON.

    Attributes:
        cut: whether the text is right so far, and lacks its end.
    """

    def __init__(self, what: str, *, cut: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.cut = cut


class JsonStream:
    """A position in a JSON text; each method reads on from there.

    Text that is not JSON raises NotJsonError; then, ``line`` is that of the fault.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._buffer = ""
        self._at = 0
        self._lines_before = 0
        self._ended = False
        self._decoder = json.JSONDecoder()

    @property
    def line(self) -> int:
        """The line of the position, from 1."""
        return self._lines_before + self._buffer.count("\n", 0, self._at) + 1

    def peek(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        while True:
            blank = _BLANKS.match(self._buffer, self._at)
            assert blank is not None
            self._at = blank.end()
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def value(self) -> Any:
        """Return the next value as a whole."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = _UNFINISHED.fullmatch(self._buffer[error.pos :].rstrip()) is not None
                if not cut or not self._more():
                    self._at = error.pos
                    what = error.msg.removesuffix(" at")
                    raise NotJsonError(f"{what[:1].lower()}{what[1:]}", cut=cut) from error
                continue
            except RecursionError as error:
                raise NotJsonError("values are nested too deeply") from error
            # A number at the end of the buffer may continue after it.
            if end < len(self._buffer) or not self._more():
                self._at = end
                return value

    def members(self) -> Iterator[str]:
        """Yield the keys of the next object; the caller reads or skips each value before the next key."""
        self._take("{")
        while self.peek() != "}":
            key = self.value()
            if not isinstance(key, str):
                raise NotJsonError(f"a key must be a text, got {key!r}")
            self._take(":")
            yield key
            self._separate("}")
        self._at += 1

    def elements(self) -> Iterator[None]:
        """Yield once for each element of the next array; the caller reads each before the next step."""
        self._take("[")
        while self.peek() != "]":
            yield
            self._separate("]")
        self._at += 1

    def _separate(self, end: str) -> None:
        if self.peek() == ",":
            self._at += 1
        elif self.peek() != end:
            self._refuse(f", or {end}")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            self._refuse(character)
        self._at += 1

    def _refuse(self, expected: str) -> NoReturn:
        token = self.peek()
        if not token:
            # The line that is cut is the last one that has anything.
            self._at = len(self._buffer.rstrip())
        raise NotJsonError(f"expected {expected}, got {token or 'the end of the file'}", cut=not token)

    def _more(self) -> bool:
        """Read on, and drop what is before the position; return False at the end."""
        if self._ended:
            return False
        if len(self._buffer) - self._at > _MOST:
            raise NotJsonError(f"a value has more than {_MOST} characters")
        # The buffer doubles, so that a long value is not decoded from its beginning for each chunk.
        chunk = self._file.read(max(_CHUNK, len(self._buffer) - self._at))
        if not chunk:
            self._ended = True
            return False
        self._lines_before += self._buffer.count("\n", 0, self._at)
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return True


MAP = "kieker.map"
_RECORD = "OperationExecutionRecord"
_FIELDS = 10


_CLIENTS = (3, 4, "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER")

_DATABASE = ("db.system.name", "db.system")

_REMOTE = ("peer.service", "server.address", "net.peer.name")

_FUNCTION = ("code.function.name", "code.function")

_HOW = "write it with the file exporter of the OpenTelemetry collector, format json"

_CPU_TIME = "thread.cpu.time"
"""Nanoseconds of the span's thread. OpenTelemetry has no name for it."""

_HEAD = 512

_COMPRESSED = {b"\x1f\x8b": "gunzip --keep", b"\x28\xb5\x2f\xfd": "unzstd"}
"""First bytes of a format, and a command that decompresses it."""


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
                        yield _execution(fields, f"{log}:{number}")
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


def _execution(fields: list[str], place: str) -> Span:
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
            SpanKind.LOCAL,
            int(begin) / 1e9,
            int(end) / 1e9,
            int(depth),
        )
    except (ValueError, OverflowError) as error:
        raise BadFileError(f"{place}: an operation execution is damaged: {error}") from error


def operation(signature: str) -> str:
    """Shorten ``public void com.acme.Shop.order(int)`` to ``com.acme.Shop.order``."""
    return signature.partition("(")[0].split(" ")[-1]


def read_otlp(path: Path) -> Iterator[Span]:
    """Yield spans in the order of the file.

    A component's name is its service and its function, or the span's name if the function is not known. Names
    become such as a model can have: on one line, and not longer.

    Raises:
        BadFileError: it cannot be read, or is not OTLP JSON.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            stream = JsonStream(file)
            try:
                while stream.peek():
                    yield from _document(stream, path)
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
                raise _bad(path, stream.line, error) from error
    except OSError as error:
        raise BadFileError(f"cannot read the traces {path}: {error.strerror}") from error


def _bad(path: Path, line: int, error: Exception) -> BadFileError:
    match error:
        case NotJsonError(cut=True):
            return BadFileError(
                f"{path}: line {line} is not complete; is it still being written?",
                advice="wait until the collector has written it, or remove this line",
            )
        case NotJsonError(what=what):
            fault = f": {what}"
        case UnicodeDecodeError():
            return BadFileError(f"{path} is not OTLP JSON: it is not UTF-8", advice=_HOW)
        case KeyError(args=[key]):
            fault = f": {key!r} is missing"
        case _:
            fault = ": a value is not of the kind that OTLP has there"
    return BadFileError(f"{path}: line {line} is not OTLP JSON{fault}", advice=_HOW)


def _document(stream: JsonStream, path: Path) -> Iterator[Span]:
    for key in stream.members():
        if key == "resourceSpans":
            for _ in stream.elements():
                yield from _resource(stream, path)
        else:
            stream.value()


def _resource(stream: JsonStream, path: Path) -> Iterator[Span]:
    service: str | None = None
    for key in stream.members():
        if key == "resource":
            service = _name(str(_attributes(stream.value()).get("service.name", "")))
        elif key == "scopeSpans":
            if not service:
                raise BadFileError(
                    f"{path}: spans must stand behind a resource with a service.name, got none"
                )
            for _ in stream.elements():
                for inner in stream.members():
                    if inner != "spans":
                        stream.value()
                        continue
                    for _ in stream.elements():
                        yield _span(stream.value(), service)
        else:
            stream.value()


def _span(data: Mapping[str, Any], service: str) -> Span:
    attributes = _attributes(data)
    database = _first(attributes, _DATABASE)
    is_client = data.get("kind") in _CLIENTS or database is not None
    function = _first(attributes, _FUNCTION)
    namespace = attributes.get("code.namespace")
    name = str(data["name"]) if function is None else f"{namespace}.{function}" if namespace else function
    cpu_time = attributes.get(_CPU_TIME)
    return Span(
        _id(data["traceId"]),
        _id(data["spanId"]),
        _id(data.get("parentSpanId") or ""),
        _name(f"{service}/{name}"),
        service,
        (database or _first(attributes, _REMOTE) or "") if is_client else service,
        SpanKind.CLIENT if is_client else SpanKind.LOCAL,
        int(data["startTimeUnixNano"]) / 1e9,
        int(data.get("endTimeUnixNano", 0)) / 1e9,
        cpu_s=None if cpu_time is None else int(cpu_time) / 1e9,
    )


def _id(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _attributes(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that are texts or whole numbers; others are None."""
    return {attribute["key"]: _value(attribute["value"]) for attribute in data.get("attributes", ())}


def _value(value: Mapping[str, Any]) -> str | int | None:
    text: str | int | None = value.get("stringValue")
    return value.get("intValue") if text is None else text


def _first(attributes: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((_name(str(attributes[name])) for name in names if attributes.get(name)), None)


def _name(text: str) -> str:
    # A lone half of a UTF-16 pair is valid in JSON, and in no file.
    return " ".join(text.split())[:LONGEST].rstrip().encode(errors="replace").decode()


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
        content = "XML" if text.startswith(b"<") else "JMH results"
        raise BadFileError(
            f"{path} has {content}, not traces",
            advice="give what the file exporter of the OpenTelemetry collector wrote, format json",
        )


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise BadFileError(f"cannot read {path}: {error.strerror}") from error
