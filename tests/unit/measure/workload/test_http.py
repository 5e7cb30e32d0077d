"""The open loop, against a real server in this process."""

from __future__ import annotations

import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from buto.measure.workload import driver
from buto.measure.workload.model import HttpLoad

SLOW_S = 0.3
BAD = {
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf an order",
    "/other": b"220 mail.example.org ready\r\n",
    "/nothing": b"",
}


class Shop(BaseHTTPRequestHandler):
    """Answers /fast at once, /slow after a while, BAD badly, all else with 404; notes when it was asked."""

    asked: list[float]

    def do_GET(self) -> None:
        self.asked.append(time.monotonic())
        if self.path == "/slow":
            time.sleep(SLOW_S)
        if self.path in BAD:
            self.wfile.write(BAD[self.path])
            return
        self.send_response(204 if self.path in ("/fast", "/slow") else 404)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[ThreadingHTTPServer]:
    Shop.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def send(
    server: ThreadingHTTPServer, path: str, stop: threading.Event | None = None
) -> tuple[str, tuple[str, ...]]:
    load = HttpLoad("unused", rate=20.0, duration_s=0.5)
    url = f"http://127.0.0.1:{server.server_port}{path}"
    summary, problems = driver.send(load, url, stop or threading.Event())
    return summary, tuple(problem.text for problem in problems)


def test_requests_are_sent_when_they_are_due_though_answers_take_longer(shop: ThreadingHTTPServer) -> None:
    began = time.monotonic()
    summary, problems = send(shop, "/slow")
    assert problems == ()
    asked = sorted(Shop.asked)
    assert all(request >= began + number / 20 for number, request in enumerate(asked))
    # One after the other they would take ten times SLOW_S.
    assert asked[-1] - asked[0] < 9 * SLOW_S
    median_ms = re.match(r"10 requests, median (\d+) ms, 99 % within ", summary)
    assert median_ms is not None and int(median_ms[1]) >= 1000 * SLOW_S


def test_answers_that_are_not_good_are_a_problem(shop: ThreadingHTTPServer) -> None:
    assert send(shop, "/none")[1] == ("10 of 10 requests failed: GET /none: HTTP 404 (10)",)


@pytest.mark.parametrize(
    ("path", "fault"),
    [("/cut", "cut its answer off"), ("/other", "220 mail"), ("/nothing", "closed the connection")],
)
def test_answers_that_are_not_whole_or_not_http_are_a_problem(
    shop: ThreadingHTTPServer, path: str, fault: str
) -> None:
    _, problems = send(shop, path)
    assert problems[0].startswith("10 of 10 requests failed: ")
    assert fault in problems[0]
    assert "Error" not in problems[0], "no name of a class"


def test_the_load_does_not_go_to_the_proxy_of_a_ci_machine(
    shop: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python looks for a proxy once, and other tests have asked before.
    monkeypatch.setattr(urllib.request, "_opener", None)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.delenv("no_proxy", raising=False)
    assert send(shop, "/fast")[1] == ()


def test_nothing_is_sent_after_the_order_to_stop(shop: ThreadingHTTPServer) -> None:
    stop = threading.Event()
    stop.set()
    assert send(shop, "/fast", stop) == ("no requests", ())


def test_nobody_at_the_port_is_a_problem() -> None:
    load = HttpLoad("unused", rate=20.0, duration_s=0.1)
    _, problems = driver.send(load, "http://127.0.0.1:1/", threading.Event())
    assert problems[0].text.startswith("2 of 2 requests failed: ")
