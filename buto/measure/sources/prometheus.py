"""The source ``prometheus``: counters, gauges, and sums and counts of histograms and summaries.

A metrics page is not trusted: it is fetched within bounds of time and size. Prometheus' text format is read
with the Prometheus client's own parser.
"""

from __future__ import annotations

import http.client
import math
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

from buto.errors import UsageError
from buto.measure.samples import MAX_PROPERTIES
from buto.measure.sources.chosen import KEYS, NameChoice, choose
from buto.measure.sources.protocol import Reader, Settings, SourceContext, SourceError
from buto.measure.sources.sampling import ReadingLimit
from buto.measure.target import PORT, http_url
from buto.run.properties import Kind, Property
from buto.run.units import format_bytes

MAX_BYTES = 8 << 20
"""Some 80,000 numbers; larger pages are refused before they are read."""

_CHUNK_BYTES = 1 << 16


class Page:
    """A page of one server, fetched again and again.

    Proxies of the environment are ignored: the page is of a server beside the program.

    Args:
        timeout_s: for one fetch as a whole, from the connection to the last byte.
    """

    def __init__(self, url: str, headers: Mapping[str, str], timeout_s: float) -> None:
        self._url = urlsplit(url)
        # A compressed page of some KB can become gigabytes.
        usual = {"Accept": "text/plain;version=0.0.4", "Accept-Encoding": "identity", "Connection": "close"}
        self._headers = usual | {**headers}
        self._timeout_s = timeout_s

    def fetch(self) -> str:
        """Return the page. SourceError if it cannot be read in time, is no text, or too large."""
        connection = _connection(self._url, self._timeout_s)
        # An answer that ends with the connection takes the socket away from it.
        held: list[socket.socket] = []
        with ReadingLimit(self._timeout_s, lambda: _abort([*held, connection.sock])) as limit:
            try:
                connection.connect()
                held.append(connection.sock)
                if limit.has_passed:
                    raise TimeoutError
                text = self._read(connection)
                # What was cut off may look like the end of the page.
                if limit.has_passed:
                    raise TimeoutError
                return text
            except (OSError, http.client.HTTPException, ValueError) as error:
                if limit.has_passed or isinstance(error, TimeoutError):
                    took = f"{limit.elapsed_s:.1f} s"
                    raise SourceError(f"{self._shown} did not answer within {took}") from error
                raise SourceError(f"{self._shown} cannot be read: {_reason_of(error)}") from error
            finally:
                connection.close()

    @property
    def _shown(self) -> str:
        """The URL without a password."""
        place = self._url.netloc.rpartition("@")[2]
        return f"{self._url.scheme}://{place}{self._url.path}"

    def _read(self, connection: http.client.HTTPConnection) -> str:
        path = self._url.path or "/"
        connection.request(
            "GET", f"{path}?{self._url.query}" if self._url.query else path, headers=self._headers
        )
        with connection.getresponse() as response:
            self._check(response)
            content = bytearray()
            while chunk := response.read1(_CHUNK_BYTES):
                content += chunk
                if len(content) > MAX_BYTES:
                    raise self._too_large()
            if response.length:
                raise http.client.IncompleteRead(bytes(content), response.length)
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise SourceError(f"{self._shown} is not text in UTF-8") from error

    def _check(self, response: http.client.HTTPResponse) -> None:
        if 300 <= response.status < 400:
            to = str(response.headers.get("Location", "nowhere"))[:200]
            raise SourceError(f"{self._shown} redirects to {to}; give that URL, redirects are not followed")
        if response.status != http.HTTPStatus.OK:
            raise SourceError(f"{self._shown} answers with HTTP {response.status}, expected 200")
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise SourceError(f"{self._shown} is compressed ({encoding[:50]}), which was not asked for")
        if response.length is not None and response.length > MAX_BYTES:
            raise self._too_large()

    def _too_large(self) -> SourceError:
        return SourceError(f"{self._shown} is larger than {format_bytes(MAX_BYTES)}")


def _connection(url: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    assert url.hostname is not None
    if url.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(url.hostname, url.port, timeout=timeout_s, context=context)
    return http.client.HTTPConnection(url.hostname, url.port, timeout=timeout_s)


def _abort(sockets: Sequence[socket.socket | None]) -> None:
    # Not close(), which would wait for the thread that reads.
    for open_socket in sockets:
        if open_socket is not None:
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)


def _reason_of(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"it is not HTTP ({type(error).__name__}: {str(error)[:100]})"


MAX_LINE = 4096
"""Longest line. The parser takes time with the square of the number of labels."""

MAX_SERIES = 20_000
"""Most lines with a number, of which a few may be chosen."""

_UNITS = {
    "seconds": "s",
    "bytes": "By",
    "ratio": "1",
    "celsius": "Cel",
    "volts": "V",
    "joules": "J",
    "meters": "m",
}
_ENDS = ("_total", "_sum", "_max", "_min", "_count", "_created")

_UNSEEN = ""


class PageText:
    """Reads the numbers of one page again and again.

    Parsing a page of a thousand numbers takes some 50 ms. So the parser reads each line once, and later pages
    are compared with what it found: a line that differs only in its number is the same property. A page with
    any other line is parsed again as a whole.

    Args:
        is_chosen: whether to record a name of the page, given with and without its labels.
    """

    def __init__(self, is_chosen: Callable[[str, str], bool]) -> None:
        self._is_chosen = is_chosen
        self._known: dict[str, str | None] = {}
        self._properties: dict[str, Property] = {}

    def read(self, text: str) -> Mapping[str, float]:
        """Return the chosen numbers by name; NaN for what is not a finite number.

        Raises:
            SourceError: it is not Prometheus' text format, or has a name twice; the message says where.
        """
        values: dict[str, float] = {}
        known = self._known
        lines = _lines(text)
        for line in lines:
            head, _, number = line.rpartition(" ")
            name = known.get(head, _UNSEEN)
            if name is None:
                continue
            if name == _UNSEEN or "_" in number or name in values:
                return self._parse(text, lines)
            try:
                values[name] = float(number)
            except ValueError:
                return self._parse(text, lines)
        return _finite(values)

    def property(self, name: str) -> Property:
        return self._properties[name]

    def _parse(self, text: str, lines: list[str]) -> Mapping[str, float]:
        # Imported here: it belongs to an extra, and only this source needs it.
        from prometheus_client.parser import text_string_to_metric_families

        values: dict[str, float] = {}
        known: dict[str, str | None] = {}
        properties: dict[str, Property] = {}
        heads = (line.rpartition(" ")[0] for line in lines)
        try:
            # The parser yields one sample for each line with a number, in their order.
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    head = next(heads)
                    is_bucket = family.type == "histogram" and sample.name.endswith("_bucket")
                    name = name_of(sample.name, sample.labels)
                    is_wanted = not is_bucket and self._is_chosen(sample.name, name)
                    # With a time behind it, the number is not the line's last word.
                    if head and sample.timestamp is None:
                        known[head] = name if is_wanted else None
                    if not is_wanted:
                        continue
                    if name in values:
                        raise SourceError(f"it has the number {name} twice")
                    values[name] = float(sample.value)
                    properties[name] = property_of(name, sample.name, family.type)
        except (ValueError, IndexError, KeyError, StopIteration) as error:
            raise SourceError(f"it is not in Prometheus' text format: {_first_wrong(lines)}") from error
        if len(values) > MAX_PROPERTIES:
            raise SourceError(
                f"it has {len(values)} numbers, more than {MAX_PROPERTIES}; choose some by include"
            )
        # Not added to those before: a page with new names each time must not fill the memory.
        self._known, self._properties = known, properties
        return _finite(values)


def _finite(values: Mapping[str, float]) -> dict[str, float]:
    return {name: value if math.isfinite(value) else math.nan for name, value in values.items()}


_ESCAPED = str.maketrans({"\\": r"\\", ",": r"\,"})
"""In the value of a label, so that no two sets of labels have one name."""


def name_of(metric: str, labels: Mapping[str, str]) -> str:
    """Return the name of a property: the metric, and its labels in alphabetic order in brackets.

    A comma and a backslash in the value of a label have a backslash before them.
    """
    if not labels:
        return metric
    pairs = (f"{key}={labels[key].translate(_ESCAPED)}" for key in sorted(labels))
    return f"{metric}[{','.join(pairs)}]"


def property_of(name: str, metric: str, family: str) -> Property:
    """Return what a name is, by its metric and the type of its family, as ``histogram``.

    The unit is that in the metric's name, as Prometheus' conventions have it.
    """
    counts = family == "counter" or (
        family in ("histogram", "summary") and metric.endswith(("_sum", "_count"))
    )
    kind = Kind.COUNTER if counts else Kind.GAUGE
    words = metric
    for end in _ENDS:
        words = words.removesuffix(end)
    unit = "1" if metric.endswith("_count") else _UNITS.get(words.rpartition("_")[2], "1")
    return Property(name, unit, kind, lower=0.0 if counts else -math.inf)


def _lines(text: str) -> list[str]:
    """Return the lines with numbers. Prometheus divides at newlines only."""
    lines = []
    for raw in text.split("\n"):
        if len(raw) > MAX_LINE:
            raise SourceError(f"it has a line of {len(raw)} characters, more than {MAX_LINE}")
        line = raw.strip()
        if line and not line.startswith("#"):
            lines.append(line)
    if len(lines) > MAX_SERIES:
        raise SourceError(f"it has {len(lines)} lines with numbers, more than {MAX_SERIES}")
    return lines


def _first_wrong(lines: list[str]) -> str:
    from prometheus_client.parser import text_string_to_metric_families

    for line in lines:
        try:
            list(text_string_to_metric_families(line))
        except (ValueError, IndexError, KeyError):
            return f"{line[:100]!r}"
    return "its comments are not"


class PrometheusSource:
    """A metrics page, as of Micrometer, the JMX exporter, PostgreSQL's or the node exporter."""

    kind: ClassVar[str] = "prometheus"
    required: ClassVar[tuple[str, ...]] = ("url",)
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "url": {
            "title": "a URL; ${port} is the port at which the program listens",
            "description": "The metrics page.",
            "type": "string",
            "minLength": 1,
            "examples": ["http://127.0.0.1:${port}/metrics"],
        },
        "headers": {
            "title": "HTTP headers with their values",
            "description": "Sent with each request.",
            "type": "object",
            "additionalProperties": {"type": "string"},
            "examples": ["{Authorization: 'Bearer ${TOKEN}'}"],
        },
        **KEYS,
        "settle": {
            "title": "a time in seconds",
            "description": "Names that come later than that after the first page are left out; default 10.",
            "type": "number",
            "minimum": 0,
            "examples": [60],
        },
    }

    def __init__(self, settings: Settings) -> None:
        url = settings["url"]
        if http_url(url, ("http", "https")) is None:
            raise UsageError(
                f"url must be an HTTP URL, got {url!r}", advice=f"url: http://127.0.0.1:{PORT}/metrics"
            )
        self.settle_s = float(settings.get("settle", 10.0))
        self._url = url
        self._headers: Mapping[str, str] = settings.get("headers", {})
        self._chosen = choose(settings)

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        return _PrometheusReader(self._url, self._headers, self._chosen, surroundings, timeout_s)


class _PrometheusReader(Reader):
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        is_chosen: NameChoice,
        surroundings: SourceContext,
        timeout_s: float,
    ) -> None:
        self._url = url
        self._headers = headers
        self._surroundings = surroundings
        self._timeout_s = timeout_s
        self._text = PageText(is_chosen)
        self._page: Page | None = None
        self._newest: Mapping[str, float] = {}

    def read(self) -> Mapping[str, float]:
        return self._first() if self._page is None else self._values(self._page)

    def property(self, name: str) -> Property:
        return self._text.property(name)

    def _first(self) -> Mapping[str, float]:
        """Read the first of the program's ports that has such a page, and stay with it."""
        urls = self._urls()
        reasons = []
        for url in urls:
            try:
                values = self._values(Page(url, self._headers, self._timeout_s / len(urls)))
            except SourceError as failure:
                reasons.append(failure.message)
            else:
                self._page = Page(url, self._headers, self._timeout_s)
                return values
        raise SourceError("; ".join(reasons))

    def _values(self, page: Page) -> Mapping[str, float]:
        values = self._text.read(page.fetch())
        if not values:
            raise SourceError("the page has no number that include and exclude choose")
        self._newest = values
        return values

    def reasons(self) -> Mapping[str, str]:
        return {
            name: "the page has no finite number" for name, value in self._newest.items() if math.isnan(value)
        }

    def _urls(self) -> tuple[str, ...]:
        if PORT not in self._url:
            return (self._url,)
        ports = self._surroundings.ports()
        if not ports:
            raise SourceError("the program does not listen at any port yet")
        return tuple(self._url.replace(PORT, str(port)) for port in ports)
