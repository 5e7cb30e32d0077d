"""The source ``prometheus``: counters, gauges, and sums and counts of histograms and summaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from buto.collect.sources.chosen import KEYS, Chosen, chosen
from buto.collect.sources.prometheus.page import Page
from buto.collect.sources.prometheus.text import PageText
from buto.collect.sources.protocol import Reader, Settings, SourceError, Surroundings
from buto.collect.urls import PORT, http_url
from buto.errors import UsageError
from buto.properties import Property


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
        self._chosen = chosen(settings)

    def open(self, surroundings: Surroundings, interval_s: float, timeout_s: float) -> Reader:
        """See :class:`Source`."""
        return _PrometheusReader(self._url, self._headers, self._chosen, surroundings, timeout_s)


class _PrometheusReader(Reader):
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        is_chosen: Chosen,
        surroundings: Surroundings,
        timeout_s: float,
    ) -> None:
        self._url = url
        self._headers = headers
        self._surroundings = surroundings
        self._timeout_s = timeout_s
        self._text = PageText(is_chosen)
        self._page: Page | None = None

    def read(self) -> Mapping[str, float]:
        """See :class:`Reader`."""
        return self._first() if self._page is None else self._values(self._page)

    def property(self, name: str) -> Property:
        """See :class:`Reader`."""
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
        return values

    def _urls(self) -> tuple[str, ...]:
        if PORT not in self._url:
            return (self._url,)
        ports = self._surroundings.ports()
        if not ports:
            raise SourceError("the program does not listen at any port yet")
        return tuple(self._url.replace(PORT, str(port)) for port in ports)
