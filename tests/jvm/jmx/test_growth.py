"""One worker over many launches: neither threads nor descriptors nor memory grow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure.jmx.collector import JmxCollector
from buto.measure.target import Target
from tests.support.jvm.driven import n_descriptors, n_threads, once_sampled, resident_bytes
from tests.support.processes.leftovers import nothing_is_left

pytestmark = pytest.mark.all

__all__ = ["nothing_is_left"]

N_SETTLING = 3
N_LAUNCHES = int(os.environ.get("BUTO_GROWTH_LAUNCHES", "6"))
"""Every launch is a new address for RMI, which keeps a thread for each unless made to let go. Set the
variable to 30 or 200 for a thorough look; a leak of one thread a launch shows with 6."""

MAX_BYTES_A_LAUNCH = 400_000


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
