"""One attempt on one host: a run that has arrived is kept, whatever the host does afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from buto.cluster import task
from buto.cluster.conversation import Conversation, HostLostError
from buto.cluster.inputs import Inputs
from buto.collect.target import Target
from buto.engine.protocol import Launch
from buto.errors import StorageError
from buto.runs.store import RunStore
from tests.support.cluster.scripted import ScriptedCluster, host, names


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

    failing: Callable[..., Any] = task.piece


def conversation(tmp_path: Path, failing: Callable[..., Any]) -> Conversation:
    cluster = FailingCluster(tmp_path, names(host("a")))
    cluster.failing = failing
    launch = Launch("x", Target(("java",), timeout_s=5.0))
    return Conversation(cluster, launch, Inputs(str(tmp_path)), host("a"))


@pytest.fixture(autouse=True)
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "INLINE_BYTES", 700)


def test_a_host_that_cannot_read_its_run_gives_the_launch_back(tmp_path: Path) -> None:
    with pytest.raises(HostLostError, match="the host a could not answer: no such file"):
        conversation(tmp_path, task.piece).carry_out()


def test_a_run_that_has_arrived_is_returned_though_its_host_cannot_remove_it(tmp_path: Path) -> None:
    assert conversation(tmp_path, task.discard).carry_out().test == "x"


def test_a_run_that_cannot_be_removed_is_no_error_of_the_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[str] = []

    def delete(store: RunStore, test: str, ids: list[str]) -> None:
        removed.extend(ids)
        raise StorageError("the disk is read-only")

    monkeypatch.setattr(RunStore, "delete", delete)
    monkeypatch.setattr(task, "presence", lambda: SimpleNamespace(runs=RunStore(tmp_path)))
    task.discard("x", "20260101T000000.000Z-0000")
    assert removed == ["20260101T000000.000Z-0000"]
