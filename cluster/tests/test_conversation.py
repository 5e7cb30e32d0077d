"""One attempt on one host: a run that has arrived is kept, whatever the host does afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from buto.engine.launching import LaunchRequest
from buto.errors import MeasureError
from buto.measure.target import Target
from buto_cluster import worker
from buto_cluster.conversation import MOST_ORDERS, Conversation, HostLostError
from buto_cluster.host import inputs_of
from cluster.tests.support.scripted import Answer, ScriptedCluster, host, names


@dataclass
class Failing:
    """The answer of a task that raised an error on its host."""

    error: Exception

    def result(self) -> Any:
        raise self.error


class FailingCluster(ScriptedCluster):
    """A cluster on which one kind of task fails."""

    def submit(self, key: str, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        if function is self.failing:
            return Failing(OSError("no such file"))
        return super().submit(key, address, function, *arguments)

    failing: Callable[..., Any] = worker.piece


def conversation(tmp_path: Path, failing: Callable[..., Any]) -> Conversation:
    cluster = FailingCluster(tmp_path, names(host("a")))
    cluster.failing = failing
    target = Target(("java",), timeout_s=5.0, directory=tmp_path)
    return Conversation(cluster, LaunchRequest("x", target), inputs_of(target), host("a"))


@pytest.fixture(autouse=True)
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "INLINE_BYTES", 700)


def test_a_host_that_cannot_read_its_run_gives_the_launch_back(tmp_path: Path) -> None:
    with pytest.raises(HostLostError, match="the host a could not answer: no such file"):
        conversation(tmp_path, worker.piece).carry_out()


def test_a_run_that_has_arrived_is_returned_though_its_host_cannot_remove_it(tmp_path: Path) -> None:
    assert conversation(tmp_path, worker.discard).carry_out().test == "x"


def test_files_that_a_host_lacks_are_sent_before_the_launch_is_ordered_again(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"program")
    received = b""

    class Lacking(ScriptedCluster):
        """A cluster whose hosts have a file only after it was sent."""

        def submit(self, key: str, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
            nonlocal received
            answer = Answer(key)
            if function is worker.receive:
                received += b"".join(arguments[1])
                answer.give(None)
                return answer
            if function is worker.carry_out and not received:
                answer.give(worker.Missing(tuple(file.sha256 for file in arguments[0].inputs.files)))
                return answer
            return super().submit(key, address, function, *arguments)

    cluster = Lacking(tmp_path, names(host("a")))
    target = Target(("./program",), timeout_s=5.0, directory=tmp_path)
    run = Conversation(cluster, LaunchRequest("x", target), inputs_of(target), host("a")).carry_out()
    assert run.test == "x"
    assert received == b"program"
    assert cluster.launched == [("a", "x")]


def test_a_host_that_loses_what_is_sent_to_it_does_not_get_it_for_ever(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"program")
    n_orders = 0

    class Losing(ScriptedCluster):
        """A cluster whose hosts never have a file."""

        def submit(self, key: str, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
            nonlocal n_orders
            answer = Answer(key)
            answer.give(None)
            if function is worker.carry_out:
                n_orders += 1
                answer.give(worker.Missing(tuple(file.sha256 for file in arguments[0].inputs.files)))
            return answer

    target = Target(("./program",), timeout_s=5.0, directory=tmp_path)
    cluster = Losing(tmp_path, names(host("a")))
    with pytest.raises(MeasureError, match="on a: files of the program vanished"):
        Conversation(cluster, LaunchRequest("x", target), inputs_of(target), host("a")).carry_out()
    assert n_orders == MOST_ORDERS
