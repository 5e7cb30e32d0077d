"""The open loop with an asynchronous client, against a real server in this process."""

from __future__ import annotations

import errno
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from aiohttp import ClientOSError, InvalidUrlClientError
from msgspec import structs

from buto.errors import UsageError
from buto.measure.workload import load as engine
from buto.measure.workload.driver import workload_hooks
from buto.measure.workload.load import Tally
from buto.measure.workload.model import Workload
from buto.measure.workload.plan import Arrivals, Load, Login, Phase, RequestKind, Variable
from buto.run.model import Problem, ProblemKind

SLOW_S = 0.3


class Shop(BaseHTTPRequestHandler):
    """Answers by the path; notes when it was asked for what."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[float, str, str, str | None]]
    cookies: list[str | None]

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length).decode()
        self.asked.append((time.monotonic(), self.path, body, self.headers.get("Authorization")))
        self.cookies.append(self.headers.get("Cookie"))
        if self.path.startswith("/slow"):
            time.sleep(SLOW_S)
        if self.path == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
            self.close_connection = True
            return
        if self.path == "/other":
            self.wfile.write(b"220 mail\r\n\r\n")
            self.close_connection = True
            return
        status = {"/none": 404, "/create": 201, "/away": 302}.get(self.path.split("?")[0], 200)
        content = json.dumps({"access": [{"token": "t-1"}]}).encode()
        self.send_response(status)
        if self.path == "/login":
            self.send_header("Set-Cookie", "session=s-1")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Shop.asked, Shop.cookies = [], []
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@dataclass
class Heard:
    """What a load told while it ran."""

    phases: list[str] = field(default_factory=list)
    readings: list[Mapping[str, float]] = field(default_factory=list)

    def progress(self) -> engine.LoadListener:
        return engine.LoadListener(
            self.phases.append, lambda middle_s, reading: self.readings.append(reading)
        )


def load(*kinds: RequestKind, rate: float = 40.0, duration_s: float = 0.5) -> Load:
    mix = {kind.name: 1.0 for kind in kinds}
    phases = (Phase("busy", duration_s, rate, mix),)
    return Load("unused", kinds, phases, Arrivals.EVEN, interval_s=0.2, timeout_s=20.0)


def drive(
    short_load: Load, url: str, stop: threading.Event | None = None
) -> tuple[str, tuple[str, ...], Heard]:
    heard = Heard()
    summary, problems = engine.drive(short_load, url, stop or threading.Event(), heard.progress())
    return summary, texts(problems), heard


def texts(problems: tuple[Problem, ...]) -> tuple[str, ...]:
    return tuple(problem.text for problem in problems)


def test_requests_are_sent_when_they_are_due_and_latency_counts_from_then(url: str) -> None:
    began = time.monotonic()
    summary, problems, heard = drive(load(RequestKind("slow", "/slow")), url)
    assert problems == ()
    assert summary.startswith("20 requests, median ")
    asked = sorted(Shop.asked)
    assert all(request[0] >= began + number / 40 for number, request in enumerate(asked))
    # One after the other they would take twenty times SLOW_S.
    assert asked[-1][0] - asked[0][0] < 15 * SLOW_S
    medians = [reading.get("load.latency.p50[slow]", np.nan) for reading in heard.readings]
    assert np.nanmin(medians) >= SLOW_S
    assert heard.phases == ["busy"]
    total = sum(reading["load.throughput[slow]"] for reading in heard.readings) * 0.2
    assert total == pytest.approx(20, rel=0.6)


def test_each_kind_is_counted_alone_and_failures_are_told(url: str) -> None:
    kinds = RequestKind("good", "/"), RequestKind("bad", "/none"), RequestKind("exact", "/create", status=200)
    _, problems, heard = drive(load(*kinds, rate=60), url)
    last = heard.readings[-1]
    assert last["load.failures[good]"] == 0
    assert last["load.failures[bad]"] + last["load.failures[exact]"] > 5
    [problem] = problems
    assert "of 30 requests failed: " in problem
    assert "GET /none: HTTP 404 (" in problem and "GET /create: HTTP 201 (" in problem


def test_so_many_requests_may_fail_as_were_configured(url: str) -> None:
    failing = load(RequestKind("a", "/none"), rate=10, duration_s=0.3)
    summary, problems, _ = drive(structs.replace(failing, may_fail=1.0), url)
    assert problems == ()
    assert summary.endswith(", 3 failed")
    _, problems, _ = drive(structs.replace(failing, may_fail=0.99), url)
    assert problems == ("3 of 3 requests failed (0.99 of them may): GET /none: HTTP 404 (3)",)


def test_a_share_that_is_just_reached_may_fail() -> None:
    tally = Tally(["a"])
    for number in range(40):
        tally.note_answer(0, 0.001, "HTTP 404" if number % 2 else "")
    assert tally.problems("", 0.5) == ()
    assert texts(tally.problems("", 0.49)) == (
        "20 of 40 requests failed (0.49 of them may): a: HTTP 404 (20)",
    )


def test_the_first_failure_is_told_beside_the_commonest() -> None:
    tally = Tally(["a", "b"], ["GET /a", "POST /b"])
    for number in range(5):
        tally.note_answer(0 if number == 0 else 1, 0.001, "HTTP 404" if number == 0 else "HTTP 500")
    message = "POST /b: HTTP 500 (4), GET /a: HTTP 404 (1); the first was GET /a: HTTP 404"
    assert texts(tally.problems("")) == (f"5 of 5 requests failed: {message}",)


@pytest.mark.parametrize(
    ("path", "timeout_s", "said"),
    [
        ("/cut", 20.0, "the server cut its answer off"),
        ("/other", 20.0, "no valid HTTP: "),
        ("/slow", 0.1, "no answer in time"),
    ],
)
def test_answers_that_are_cut_or_too_late_are_failures(
    url: str, path: str, timeout_s: float, said: str
) -> None:
    failing = structs.replace(load(RequestKind("a", path), rate=10, duration_s=0.3), timeout_s=timeout_s)
    _, [problem], _ = drive(failing, url)
    assert problem.startswith("3 of 3 requests failed: ") and said in problem
    assert "Error" not in problem, "no name of a class"
    assert "127.0.0.1" not in problem


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ClientOSError(errno.ECONNRESET, "Connection reset by peer"), "the server reset the connection"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "no"), "nothing listens there"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), "broken pipe"),
        (InvalidUrlClientError("http://a/?key=Zwiebelkuchen"), "its URL is not valid"),
    ],
)
def test_why_a_request_failed_is_said_in_words(error: Exception, reason: str) -> None:
    assert engine.reason_of(error) == reason


def test_a_path_with_variables_has_an_example_that_tells_no_secret(url: str) -> None:
    kind = RequestKind("item", "/items/${item}/${token}?key=${word}", status=204)
    variables = {"item": Variable(first=7, last=7), "word": Variable(texts=("Zwiebelkuchen",))}
    login = Login(RequestKind("login", "/login"), {"token": "access.0.token"})
    failing = structs.replace(load(kind, rate=10, duration_s=0.3), variables=variables, login=login)
    _, [problem], _ = drive(failing, url)
    path = "GET /items/${item}/${token}: HTTP 200"
    assert problem == f"3 of 3 requests failed: {path} (3, as /items/7/${{token}})"


def test_redirects_are_answers_and_are_not_followed(url: str) -> None:
    _, problems, _ = drive(load(RequestKind("a", "/away"), rate=10, duration_s=0.2), url)
    assert problems == ()
    assert {path for _, path, _, _ in Shop.asked} == {"/away"}


def test_it_logs_in_once_and_uses_what_the_answer_gave(url: str) -> None:
    kind = RequestKind("create", "/create?${n}", "POST", {"Authorization": "Bearer ${token}"}, "name-${n}")
    login = Login(RequestKind("login", "/login", "POST", body="me"), {"token": "access.0.token"})
    _, problems, _ = drive(structs.replace(load(kind, rate=20, duration_s=0.3), login=login), url)
    assert problems == ()
    first, *others = [(path, body, authorization) for _, path, body, authorization in Shop.asked]
    assert first == ("/login", "me", None)
    assert sorted(others) == [(f"/create?{n}", f"name-{n}", "Bearer t-1") for n in range(1, 7)]
    assert Shop.cookies == [None] + ["session=s-1"] * 6


@pytest.mark.parametrize(
    ("path", "keep", "said"),
    [
        ("/none", {}, "its log-in failed: HTTP 404"),
        ("/login", {"token": "gone"}, "its log-in has no 'gone' in its answer"),
        ("/login", {"token": "access"}, "its log-in has no single value at 'access' in its answer"),
    ],
)
def test_a_log_in_that_fails_ends_the_load(url: str, path: str, keep: Mapping[str, str], said: str) -> None:
    secured = structs.replace(load(RequestKind("a", "/")), login=Login(RequestKind("login", path), keep))
    assert drive(secured, url)[:2] == ("no requests", (said,))
    assert len(Shop.asked) == 1


def test_nobody_at_the_port_is_a_problem() -> None:
    _, [problem], _ = drive(load(RequestKind("a", "/"), rate=10, duration_s=0.2), "http://127.0.0.1:1")
    assert problem == "2 of 2 requests failed: GET /: nothing listens there (2)"


def test_nothing_is_sent_after_it_was_told_to_stop(url: str) -> None:
    stop = threading.Event()
    stop.set()
    assert drive(load(RequestKind("a", "/")), url, stop)[:2] == ("no requests", ())
    assert Shop.asked == []


def test_requests_that_wait_are_limited(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_WAITING", 2)
    _, [problem], _ = drive(load(RequestKind("a", "/slow"), rate=100, duration_s=0.1), url)
    assert "not sent: 2 wait for answers" in problem


def test_a_load_that_falls_behind_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_LATE_S", 0.2)
    heard = Heard()
    slow_listener = engine.LoadListener(
        lambda name: time.sleep(0.5), lambda middle_s, reading: heard.readings.append(reading)
    )
    slow = load(RequestKind("a", "/"))
    _, problems = engine.drive(slow, url, threading.Event(), slow_listener)
    assert [problem.kind for problem in problems] == [ProblemKind.BUSY_HOST]
    assert max(reading["load.late"] for reading in heard.readings) >= 0.4


def test_the_load_does_not_go_to_the_proxy_of_a_ci_machine(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.delenv("no_proxy", raising=False)
    assert drive(load(RequestKind("a", "/"), rate=10, duration_s=0.1), url)[1] == ()


def test_without_the_client_the_extra_is_named_before_a_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with (
        pytest.raises(UsageError, match="needs the package aiohttp"),
        workload_hooks(Workload(load=load(RequestKind("a", "/")))),
    ):
        pass
