"""Attaching without a JVM: what is said of the end of a recording, and what counts as others' load."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.jmx import attach
from buto.measure.jmx.connection import TargetTimes
from buto.measure.jmx.local_agent import AgentLeftRunningError
from buto.measure.recording import Recording
from buto.run.model import ProblemKind, Run
from buto.run.properties import property_for

URL = "service:jmx:rmi://db:9010/jndi/rmi"
CPU_S = (10.0, 12.5)
"""Processor time of the JVM at its samples."""


class LostConnection:
    """A connection that gives some samples and is lost then."""

    silent = False
    n_lost_notifications = 0

    def __init__(self, cpu_s: tuple[float, ...]) -> None:
        self.lost: str | None = None
        self._cpu_s = cpu_s
        self._worker_s = iter((3.0, 3.25))
        self._recording = Recording("")

    def start(self, recording: Recording, *_: object, **__: object) -> TargetTimes:
        self._recording = recording
        recording.add_columns([property_for("jvm.cpu.time")])
        return TargetTimes(0, 1.0, time.monotonic_ns())

    def drain(self) -> None:
        for value in self._cpu_s:
            self._recording.add_row(time.monotonic_ns(), {"jvm.cpu.time": value})
        self.lost = "java.io.EOFException"

    def worker_cpu_s(self) -> float:
        return next(self._worker_s)


def attached(
    monkeypatch: pytest.MonkeyPatch, spec: attach.AttachSpec, cpu_s: tuple[float, ...] = CPU_S
) -> Run:
    @contextmanager
    def connected(*_: object) -> Iterator[LostConnection]:
        yield LostConnection(cpu_s)

    monkeypatch.setattr(attach, "connect", connected)
    return attach.attach(spec)


def losses(run: Run) -> list[str]:
    return [problem.text for problem in run.quality.problems if problem.kind is ProblemKind.EARLY_LOSS]


def test_a_jvm_that_ends_before_its_first_sample_is_said_to_give_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(MeasureError, match="gave no sample: the loss of the connection"):
        attached(monkeypatch, attach.AttachSpec("shop", url=URL), cpu_s=())


def test_a_lost_connection_to_a_jvm_that_goes_on_makes_the_run_unusable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attach, "_END_S", 0.05)
    run = attached(monkeypatch, attach.AttachSpec("shop", pid=os.getpid()))
    assert run.metadata["buto.attach.ended_by"] == "the loss of the connection"
    (loss,) = losses(run)
    assert loss.endswith("java.io.EOFException")


def test_a_connection_is_lost_at_the_jvms_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "0.1"]) as program:
        run = attached(monkeypatch, attach.AttachSpec("shop", pid=program.pid))
    assert run.metadata["buto.attach.ended_by"] == "the JVM's end"
    assert losses(run) == []


@pytest.mark.parametrize(("duration_s", "n_losses"), [(None, 0), (3600.0, 1)])
def test_a_connection_by_url_may_be_lost_only_if_no_duration_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, duration_s: float | None, n_losses: int
) -> None:
    run = attached(monkeypatch, attach.AttachSpec("shop", url=URL, duration_s=duration_s))
    assert run.metadata["buto.attach.ended_by"] == "the loss of the connection"
    assert len(losses(run)) == n_losses


def test_the_load_of_others_has_neither_the_jvm_nor_the_worker_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[float] = []

    class Meter:
        def foreign_load(self, known_s: float) -> float:
            known.append(known_s)
            return 0.125

    monkeypatch.setattr(attach, "LoadMeter", Meter)
    monkeypatch.setattr(attach, "_END_S", 0.05)
    run = attached(monkeypatch, attach.AttachSpec("shop", pid=os.getpid()), cpu_s=(*CPU_S, np.nan))
    assert known == [2.75]
    assert run.quality.foreign_load == 0.125


def test_a_port_left_open_after_a_failure_is_reported_with_the_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing(LostConnection):
        def start(self, *_: object, **__: object) -> TargetTimes:
            raise MeasureError("cannot read")

    @contextmanager
    def connected(*_: object) -> Iterator[LostConnection]:
        try:
            yield Refusing(CPU_S)
        except MeasureError as failure:
            raise AgentLeftRunningError(
                f"{failure.message}; its port is left open", advice="close it"
            ) from None

    monkeypatch.setattr(attach, "connect", connected)
    with pytest.raises(AgentLeftRunningError, match="cannot read; its port"):
        attach.attach(attach.AttachSpec("shop", pid=os.getpid()))
