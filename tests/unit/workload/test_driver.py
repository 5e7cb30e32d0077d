"""What a driver does with its program, whatever became of the workload."""

from __future__ import annotations

import threading
from typing import cast

import pytest

from buto.collect.hooks import Program
from buto.errors import UsageError
from buto.runs import ProblemKind
from buto.workload import parts
from buto.workload.driver import Driver, workload_hooks
from buto.workload.model import HttpLoad, Workload


class Stoppable:
    """Stands for a program that runs until it is stopped."""

    pid = 1

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def mark(self, name: str, message: str = "") -> None:
        pass

    def stop(self) -> None:
        self.stopped.set()


def driven(workload: Workload) -> tuple[Driver, Stoppable]:
    driver, program = Driver(workload, None), Stoppable()
    driver.program_started(cast(Program, program))
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

    monkeypatch.setattr(parts, "run_command", broken)
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
