"""What a driver does with its program, whatever became of the workload."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import cast

import pytest

from buto.errors import UsageError
from buto.measure.hooks import MeasuredProgram
from buto.measure.host import IDLE
from buto.measure.recording import Recording
from buto.measure.workload import driver as driver_module
from buto.measure.workload import load as load_module
from buto.measure.workload.driver import Driver, workload_hooks
from buto.measure.workload.model import HttpLoad, Workload
from buto.measure.workload.services import HttpAnswers
from buto.run.model import ProblemKind


class Stoppable:
    """Stands for a program that runs until it is stopped."""

    pid = 1

    def __init__(self) -> None:
        self.stopped, self.loaded = threading.Event(), threading.Event()
        self.marks: list[str] = []
        self.recording = Recording("shop")

    def mark(self, name: str, message: str = "") -> None:
        self.marks.append(name)
        if name == "load.end":
            self.loaded.set()

    def stop(self) -> None:
        self.stopped.set()


def driven(workload: Workload) -> tuple[Driver, Stoppable]:
    driver, program = Driver(workload, None), Stoppable()
    driver.program_started(cast(MeasuredProgram, program))
    return driver, program


def test_a_program_is_stopped_after_a_workload_that_failed() -> None:
    driver, program = driven(Workload(http=HttpLoad("http://127.0.0.1:1/", 10.0, 0.1)))
    assert program.stopped.wait(20)
    [problem] = driver.program_ended()
    assert problem.kind is ProblemKind.WORKLOAD
    assert problem.text.startswith("its workload: 1 of 1 request failed")


def test_a_program_is_stopped_after_an_error_that_nobody_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears of the error before the program has ended, and it may not end by itself."""

    def broken(*_: object) -> tuple[str, ...]:
        raise ZeroDivisionError("a fault of buto's own")

    monkeypatch.setattr(driver_module, "run_command", broken)
    driver, program = driven(Workload(command=("true",)))
    assert program.stopped.wait(20)
    with pytest.raises(ZeroDivisionError):
        driver.program_ended()


def test_a_command_that_does_not_exist_is_reported_before_the_first_launch() -> None:
    with (
        pytest.raises(UsageError, match="the workload's command 'no-such-load' does not exist"),
        workload_hooks(Workload(command=("no-such-load",))),
    ):
        pass


@contextmanager
def answering(status: Callable[[int], int]) -> Iterator[tuple[str, list[str]]]:
    """A server at a URL that answers its nth request with a status; and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status(len(asked)))
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_workload_begins_when_the_program_is_ready() -> None:
    with answering(lambda number: 503 if number < 3 else 200) as (url, asked):
        load = HttpLoad(f"{url}/order", rate=10, duration_s=0.1)
        driver, program = driven(Workload(ready=HttpAnswers(f"{url}/ready"), http=load, stop=True))
        assert program.stopped.wait(20)
        assert driver.program_ended() == ()
    assert asked == ["/ready", "/ready", "/ready", "/order"]
    assert program.marks == ["load.start", "load.end"]
    assert IDLE in program.recording.metadata, "of the load alone"


def test_requests_that_are_late_disturb_a_run_and_stop_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine was busy: the run is repeated, where a workload that fails would end the test."""
    monkeypatch.setattr(load_module, "MOST_LATE_S", -1.0)
    with answering(lambda number: 200) as (url, _):
        driver, program = driven(Workload(http=HttpLoad(url, 10.0, 0.1)))
        assert program.loaded.wait(20)
        [problem] = driver.program_ended()
    assert problem.kind is ProblemKind.BUSY_HOST
    assert not program.stopped.is_set()


def test_what_fails_after_the_program_has_ended_is_told_with_that_end() -> None:
    is_asked = threading.Event()

    def refuse(_: int) -> int:
        is_asked.set()
        return 404

    with answering(refuse) as (url, _):
        driver, _ = driven(Workload(http=HttpLoad(url, 10.0, 60.0)))
        assert is_asked.wait(20)
        [problem] = driver.program_ended()
    assert problem.kind is ProblemKind.WORKLOAD
    ended, _, failed = problem.text.partition("; ")
    assert ended == "its workload: it was still running when the program ended"
    assert "failed: GET /: HTTP 404" in failed


def test_a_program_that_is_never_ready_is_stopped() -> None:
    with answering(lambda _: 503) as (url, _):
        driver, program = driven(Workload(ready=HttpAnswers(f"{url}/ready"), within_s=0.2, command=("true",)))
        assert program.stopped.wait(20)
        [problem] = driver.program_ended()
    assert problem.text == (
        f"its workload: the program was not ready within 200 ms: {url}/ready answers with status 503"
    )
    assert program.marks == []
    assert IDLE not in program.recording.metadata
