"""Fetch a page within bounds of time and size: a metrics page is not trusted."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from buto.collect.sources.protocol import SourceError
from buto.collect.sources.time_limit import TimeLimit
from buto.units import format_bytes

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
        """Return the page.

        Raises:
            SourceError: it cannot be read in time, is no text, or too large; the message gives the reason.
        """
        connection = _connection(self._url, self._timeout_s)
        # An answer that ends with the connection takes the socket away from it.
        held: list[socket.socket] = []
        with TimeLimit(self._timeout_s, lambda: _abort([*held, connection.sock])) as limit:
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
    for one in sockets:
        if one is not None:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def _reason_of(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"it is not HTTP ({type(error).__name__}: {str(error)[:100]})"
