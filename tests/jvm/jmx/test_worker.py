"""The worker process: late, stopped, interrupted, and never in the way; many launches let nothing grow."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from buto.errors import MeasureError
from buto.measure.jmx import worker_client as jmx_client
from buto.measure.jmx.collector import JmxCollector
from buto.measure.jmx.connection import JmxConnection
from buto.measure.jmx.worker_client import Worker
from buto.measure.target import Target
from tests.support.jvm.driven import (
    DRIVER,
    address_of,
    n_descriptors,
    n_threads,
    once_sampled,
    resident_bytes,
)

N_SETTLING = 3
N_LAUNCHES = int(os.environ.get("BUTO_GROWTH_LAUNCHES", "6"))
"""Every launch is a new address for RMI, which keeps a thread for each unless made to let go. Set the
variable to 30 or 200 for a thorough look; a leak of one thread a launch shows with 6."""

MAX_BYTES_A_LAUNCH = 400_000


def test_an_answer_that_ctrl_c_gave_up_is_not_taken_for_the_next(connection: JmxConnection) -> None:
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))

    def pause() -> None:
        interrupt.start()
        connection.invoke(DRIVER, "pause", 1500)

    with pytest.raises(KeyboardInterrupt):
        pause()
    interrupt.join()
    assert connection.invoke(DRIVER, "add", 20, 22) == 42


def test_several_connections_go_through_one_worker(
    shared_worker: Worker, shared_target: subprocess.Popen[bytes], connection: JmxConnection
) -> None:
    with JmxConnection(shared_worker, address_of(shared_target), "the target again") as second:
        assert second.invoke(DRIVER, "add", 1, 1) == 2
        assert connection.invoke(DRIVER, "add", 1, 2) == 3
    assert connection.invoke(DRIVER, "add", 1, 3) == 4


@pytest.mark.all
def test_trouble_with_a_target_and_with_the_worker_ends_in_time(
    shared_target: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = address_of(shared_target)
    with Worker() as worker:
        first, second = (JmxConnection(worker, address, "the target") for _ in range(2))
        with pytest.raises(MeasureError, match="pause of buto.tests:type=Driver failed: .* took longer"):
            first.invoke(DRIVER, "pause", 20_000, within_s=0.3)
        assert not worker.is_usable, "a thread of it is stuck, so it is ended"
        with pytest.raises(MeasureError):
            second.invoke(DRIVER, "add", 1, 1)
        second.close()

    monkeypatch.setattr(jmx_client, "_MARGIN_S", 0.5)
    with Worker() as worker:
        worker.start()
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(MeasureError, match="did not answer to connect"):
            JmxConnection(worker, address, "the target", within_s=0.5)
        assert time.monotonic() - began < 60
        assert not worker.is_usable
    assert shared_target.poll() is None


def test_options_of_the_users_jvms_do_not_reach_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption")
    monkeypatch.setenv("_JAVA_OPTIONS", "-Xmx1k")
    with Worker() as worker:
        worker.start()
        assert worker.is_usable


def test_a_worker_that_cannot_start_quotes_what_its_jvm_said() -> None:
    with Worker(["-XX:+NoSuchOption"]) as worker, pytest.raises(MeasureError) as caught:
        worker.start()
    assert "NoSuchOption" in caught.value.message
    assert "exit code" in caught.value.message


@pytest.mark.all
def test_many_launches_in_one_worker(one_java: str, classes: Path, tmp_path: Path) -> None:
    options = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    command = (one_java, *options, "-cp", str(classes), "Driven", str(tmp_path / "end"))
    seen = []
    with JmxCollector(Target(command, interval_s=0.05, collector="jmx")) as collector:
        own_before = n_descriptors(os.getpid()), n_threads(os.getpid())
        worker = collector.worker().pid
        assert worker is not None
        for _ in range(N_SETTLING + N_LAUNCHES):
            run = collector.record("test", once_sampled(2, (tmp_path / "end").touch))
            (tmp_path / "end").unlink()
            assert run.outcome.exit_code == 0
            seen.append((n_threads(worker), n_descriptors(worker), resident_bytes(worker)))
        assert collector.worker().pid == worker
        own_after = n_descriptors(os.getpid()), n_threads(os.getpid())
    threads, descriptors, resident = zip(*seen[N_SETTLING:], strict=True)
    print(f"threads {threads}\ndescriptors {descriptors}\nMiB {[round(each / 2**20) for each in resident]}")
    # RMI's cleaner may still be busy with the last few.
    assert max(threads[-3:]) <= max(threads[:3]) + 2
    assert max(descriptors[-3:]) <= max(descriptors[:3]) + 3
    assert resident[-1] - resident[0] < max(16 * 2**20, N_LAUNCHES * MAX_BYTES_A_LAUNCH)
    # The pipes to the worker, its errors, and nothing else.
    assert own_after[0] <= own_before[0] + 4
    assert own_after[1] <= own_before[1]
