"""What Linux counts of a process, by programs that do a known amount of work."""

from __future__ import annotations

import gc
import mmap
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from buto.measure.procfs import ProcError, ProcessFiles, Switches, ThreadSum

MIB = 2**20
N_SLEEPS = 40

TRANSFERS = """
import os
reading, writing = os.pipe()
os.write(1, b"a")
os.read(0, 1)
for _ in range(100):
    os.write(writing, bytes(50))
    os.read(reading, 50)
os.write(1, b"b")
os.read(0, 1)
"""
"""Says a, waits for a byte, writes and reads 5000 bytes by 100 calls each, says b and waits for the next."""


@pytest.fixture
def own() -> Iterator[ProcessFiles]:
    with ProcessFiles(os.getpid()) as files:
        yield files


def test_bytes_and_calls_written_and_read() -> None:
    # A process of its own: threads of the tests read and write meanwhile.
    with subprocess.Popen(
        [sys.executable, "-c", TRANSFERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.read(1) == b"a"
        with ProcessFiles(child.pid) as files:
            before = files.transfers()
            child.stdin.write(b"!")
            child.stdin.flush()
            assert child.stdout.read(1) == b"b"
            after = files.transfers()
        child.communicate(b"!")
    assert {name: after[name] - before[name] for name in before if name.startswith("io.")} == {
        "io.bytes[write]": 5001,
        "io.calls[write]": 101,
        "io.bytes[read]": 5001,
        "io.calls[read]": 101,
    }


def test_descriptors_and_sockets(own: ProcessFiles) -> None:
    gc.collect()
    n_descriptors, n_sockets = own.n_descriptors(), own.n_sockets()
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(5)]
    sockets = [socket.socket() for _ in range(3)]
    assert own.n_descriptors() == n_descriptors + 8
    assert own.n_sockets() == n_sockets + 3
    for file in files:
        os.close(file)
    for each in sockets:
        each.close()
    assert own.n_descriptors() == n_descriptors


def test_touched_memory_is_resident_and_anonymous(own: ProcessFiles) -> None:
    before, pss, faults = own.memory(), own.pss(), own.stat()["paging.faults[minor]"]
    # A mapping of its own: the allocator may give memory that was resident before.
    touched = mmap.mmap(-1, 32 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for _ in range(32):
        touched.write(b"x" * MIB)
    after = own.memory()
    assert 32 * MIB <= after["memory.usage"] - before["memory.usage"] + MIB < 70 * MIB
    assert 32 * MIB <= after["memory.anonymous"] - before["memory.anonymous"] + MIB < 70 * MIB
    # What other processes of the tests share may have become less meanwhile.
    assert own.pss() - pss > 24 * MIB
    assert own.stat()["paging.faults[minor]"] > faults
    touched.close()
    assert own.memory()["memory.usage"] < after["memory.usage"] <= own.peak() + MIB


def sleep_often() -> None:
    for _ in range(N_SLEEPS):
        time.sleep(0.001)


def test_each_sleep_is_a_voluntary_switch_and_ended_threads_are_kept(own: ProcessFiles) -> None:
    total = ThreadSum()
    before = total.add(own.switches())
    may_end = threading.Event()
    have_slept = threading.Barrier(4)

    def run() -> None:
        sleep_often()
        have_slept.wait()
        may_end.wait()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    have_slept.wait()
    n_threads = own.stat()["thread.count"]
    seen = total.add(own.switches())
    may_end.set()
    for thread in threads:
        thread.join()
    # The kernel's thread ends a moment after Python's.
    deadline = time.monotonic() + 20
    while own.stat()["thread.count"] > n_threads - 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert own.stat()["thread.count"] <= n_threads - 3
    assert seen.voluntary - before.voluntary >= 3 * N_SLEEPS
    assert total.add(own.switches()).voluntary >= seen.voluntary


def test_an_ended_process_is_an_error_and_never_another_one() -> None:
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    )
    with ProcessFiles(process.pid) as files:
        assert files.stat()["thread.count"] == 1
        process.communicate()
        for name in ("stat", "memory", "transfers", "pss", "peak", "n_descriptors", "switches"):
            with pytest.raises(ProcError):
                getattr(files, name)()
    with pytest.raises(ProcError, match=f"/proc/{process.pid} cannot be read"):
        ProcessFiles(process.pid)


@pytest.mark.parametrize(
    ("readings", "total"),
    [
        ([{1: Switches(5, 1)}, {1: Switches(7, 2)}], Switches(7, 2)),
        ([{1: Switches(5, 1), 2: Switches(3, 0)}, {1: Switches(7, 2)}], Switches(10, 2)),
        ([{1: Switches(5, 1)}, {}, {2: Switches(1, 1)}], Switches(6, 2)),
        ([{1: Switches(5, 1)}, {1: Switches(2, 1)}], Switches(7, 2)),
    ],
    ids=["living", "ended", "all ended", "an id used again"],
)
def test_the_sum_over_threads(readings: list[dict[int, Switches]], total: Switches) -> None:
    threads = ThreadSum()
    for reading in readings:
        seen = threads.add(reading)
    assert seen == total
