"""A proxy before an object storage that lets requests fail as a test needs."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Fault(Enum):
    """How a request fails."""

    HALF_REQUEST = "the connection breaks when half of the request has reached the server"
    NO_ANSWER = "the server does what it is asked for, and the connection breaks before its answer"
    HALF_ANSWER = "the connection breaks in the middle of the answer"
    SILENCE = "nothing is ever answered"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The request is answered with an error and does not reach the server."""

    status: int
    code: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        number: how many came before it.
        target: path and query.
    """

    number: int
    method: str
    target: str


Plan = Callable[[Request], Fault | Refusal | None]


@dataclass(slots=True)
class Proxy:
    """A running proxy.

    Attributes:
        requests: all that came, in their order.
        plan: returns how a request fails, None for not at all; may be replaced at any time.
    """

    host: str
    port: int
    requests: list[Request] = field(default_factory=list)
    plan: Plan = lambda request: None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, method: str) -> int:
        """Return how many requests there were with a method."""
        return sum(request.method == method for request in self.requests)


@contextmanager
def proxied(host: str, port: int) -> Iterator[Proxy]:
    """Run a proxy before the server at an address."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            pass

        def do_any(self) -> None:
            try:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            except ConnectionError:  # the client was killed
                self.close_connection = True
                return
            with proxy.lock:
                request = Request(len(proxy.requests), self.command, self.path)
                proxy.requests.append(request)
            fault = proxy.plan(request)
            match fault:
                case Refusal(status, code):
                    text = f"<Error><Code>{code}</Code><Message>as planned</Message></Error>"
                    self._reply(status, {"Content-Type": "application/xml"}, text.encode())
                case Fault.SILENCE:
                    ended.wait()
                    self.close_connection = True
                case Fault.HALF_REQUEST:
                    self._forward(body, sent=len(body) // 2)
                    self.close_connection = True
                case _:
                    status, headers, content = self._forward(body, sent=len(body))
                    if fault is Fault.NO_ANSWER:
                        self.close_connection = True
                    else:
                        self._reply(status, headers, content, cut=fault is Fault.HALF_ANSWER)

        def _forward(self, body: bytes, sent: int) -> tuple[int, dict[str, str], bytes]:
            # The server may never answer, because its test ends.
            with closing(http.client.HTTPConnection(host, port, timeout=60)) as connection:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in ("expect", "connection"):
                        connection.putheader(name, value)
                connection.endheaders(body[:sent])
                if sent < len(body):
                    return 0, {}, b""
                answer = connection.getresponse()
                content = answer.read()
            kept = ("content-type", "content-range", "etag", "last-modified", "x-amz-meta-buto-sha256")
            headers = {name: value for name, value in answer.getheaders() if name.lower() in kept}
            if self.command == "HEAD":
                headers["Content-Length"] = answer.getheader("Content-Length", "0")
            return answer.status, headers, content

        def _reply(self, status: int, headers: dict[str, str], content: bytes, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(ConnectionError):  # the client was killed, or has lost its patience
                self.wfile.write(content[: len(content) // 2] if cut else content)
            if cut:
                self.close_connection = True

        do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = do_any

    with ThreadingHTTPServer((host, 0), Handler) as server:
        server.daemon_threads = True
        proxy = Proxy(*server.server_address[:2])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield proxy
        finally:
            ended.set()
            server.shutdown()
            thread.join()
