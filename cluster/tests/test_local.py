"""The scheduler that buto starts by itself, and a worker beside it."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest

from buto_cluster.connection import address_towards, loopback_scheduler
from buto_cluster.worker import WorkerRequest, serve
from cluster.tests.support.listening import listening


def test_its_ports_can_be_reached_from_this_machine_only() -> None:
    before = listening()
    with closing(loopback_scheduler()):
        opened = listening() - before
    assert len(opened) >= 2
    assert {address for address, _ in opened} == {"127.0.0.1"}


def test_a_worker_of_a_scheduler_on_loopback_can_be_reached_from_this_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: set[tuple[str, int]] = set()

    def joined(address: str) -> None:
        opened.update(listening() - before)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with closing(loopback_scheduler()) as scheduler:
        before = listening()
        serve(WorkerRequest(str(scheduler.scheduler_address), "x", (), tmp_path), joined)
    assert len(opened) >= 2
    assert {address for address, _ in opened} == {"127.0.0.1"}


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:8786", "127.0.0.1:8786", "tls://localhost:8786"])
def test_a_worker_listens_where_its_scheduler_can_reach_it(scheduler: str) -> None:
    assert address_towards(scheduler) == "127.0.0.1"
