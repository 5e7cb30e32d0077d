"""What the processor counts, shown with counters of the kernel that every machine has, on the same path."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from buto.errors import MeasureError
from buto.measure import account
from buto.measure.account import KINDS, EventKind, NoEventError, Opener, ProcessorEvents, no_event
from buto.measure.launch import Launch
from buto.measure.private_directory import private_directory
from buto.measure.target import Target
from tests.support.processes.descriptors import open_targets

CPU_NS = EventKind("processor time", "process.cpu.instructions", type=1, config=1)
FAULTS = EventKind("page faults", "process.cpu.cycles", type=1, config=2)
UNKNOWN = EventKind("what no kernel knows", "none", type=1, config=999)

OURS = ("anon_inode:", "socket:", "pipe:")
"""What counters, and the processes in which they are opened, need."""

N_PAGES = 5000
WORK = f"""
import mmap, resource, threading
def touch():
    pages = mmap.mmap(-1, {N_PAGES} * mmap.PAGESIZE)
    pages.madvise(mmap.MADV_NOHUGEPAGE)
    for k in range({N_PAGES}):
        pages[k * mmap.PAGESIZE] = 1
    sum(range(1_000_000))
def print_usage():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(usage.ru_minflt, usage.ru_utime + usage.ru_stime)
print_usage()
threads = [threading.Thread(target=touch) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print_usage()
"""


@pytest.fixture
def software(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProcessorEvents.of_this_process((CPU_NS,)) as events:
        try:
            events.count(CPU_NS)
        except NoEventError as refused:
            pytest.skip(refused.message)
    monkeypatch.setattr(account, "KINDS", (CPU_NS, FAULTS, UNKNOWN))


def launched(*command: str) -> tuple[dict[EventKind, float], str]:
    """The counts of a program that has ended, and what it printed."""
    with private_directory() as directory, Launch(Target(command), directory) as launch:
        events = launch.events_of(launch.pid)
        assert isinstance(events, ProcessorEvents)
        assert launch.wait(20) is not None
        counts = {kind: events.count(kind) for kind in events.kinds if kind is not UNKNOWN}
        with pytest.raises(NoEventError, match="no counter of what no kernel knows"):
            events.count(UNKNOWN)
        return counts, launch.read_stdout().decode()


@pytest.mark.usefixtures("software")
def test_all_threads_are_counted_from_the_execution_on() -> None:
    before = psutil.cpu_times()
    counts, said = launched(sys.executable, "-S", "-c", WORK)
    after = psutil.cpu_times()
    faults_before, cpu_before_s, faults_after, cpu_after_s = map(float, said.split())
    # What the process says of itself begins before the execution, when it was a copy of the tests' process.
    assert 3 * N_PAGES < faults_after - faults_before <= counts[FAULTS] < faults_after * 1.1
    # This counter goes on while another machine or an interrupt has the processor.
    taken_s = sum(getattr(after, name) - getattr(before, name) for name in ("steal", "irq", "softirq"))
    assert 0.8 * (cpu_after_s - cpu_before_s) < counts[CPU_NS] * 1e-9 < 1.2 * cpu_after_s + taken_s


@pytest.mark.usefixtures("software")
def test_processes_of_the_program_are_not_counted() -> None:
    script = f"{sys.executable} -S -c '{WORK}' & wait"
    counts, _ = launched("bash", "-c", script)
    assert counts[FAULTS] < N_PAGES


@pytest.mark.usefixtures("software")
def test_another_process_of_the_command_has_a_reason() -> None:
    with private_directory() as directory, Launch(Target(("sleep", "9")), directory) as launch:
        reason = launch.events_of(launch.pid + 1)
    assert isinstance(reason, NoEventError)
    assert "the command's own process" in reason.message


def test_counters_are_released_and_none_reaches_the_program() -> None:
    before = open_targets(*OURS)
    for _ in range(3):
        opener = Opener((CPU_NS, FAULTS))
        listing = [sys.executable, "-S", "-c", "import os; print(len(os.listdir('/proc/self/fd')))"]
        said = subprocess.run(listing, preexec_fn=opener.open_in_child, stdout=subprocess.PIPE, check=True)
        with opener.receive() as events:
            assert events.count(CPU_NS) > 0
        # Its three streams, and that of the listing itself.
        assert int(said.stdout) == 4
    assert open_targets(*OURS) <= before


def test_a_command_that_does_not_start_leaves_nothing_open(tmp_path: Path) -> None:
    before = open_targets(*OURS)
    with pytest.raises(MeasureError, match="cannot be started"):
        Launch(Target(("/etc/passwd",)), tmp_path)
    assert open_targets(*OURS) <= before


@pytest.mark.parametrize(
    ("error", "words", "advice"),
    [
        (errno.ENOENT, "this processor has no counter of instructions", None),
        (errno.EOPNOTSUPP, "as in most virtual machines", None),
        (errno.EACCES, "does not allow to count instructions (perf_event_paranoid is", "sysctl"),
        (errno.EPERM, "kernel or container", "--cap-add PERFMON"),
        (errno.ENOSYS, "instructions cannot be counted: Function not implemented", None),
    ],
)
def test_each_reason_is_named(error: int, words: str, advice: str | None) -> None:
    reason = no_event(KINDS[0], error)
    assert words in reason.message
    assert (reason.advice is None) == (advice is None)
    assert advice is None or advice in str(reason.advice)


def test_a_count_is_scaled_if_the_kernel_took_turns() -> None:
    reading, writing = os.pipe()
    with ProcessorEvents({CPU_NS: reading}) as events:
        for counted, wanted_ns, counted_ns in ((100, 50, 50), (100, 50, 25), (0, 0, 0), (0, 50, 0)):
            os.write(writing, account._READING.pack(counted, wanted_ns, counted_ns))
        assert [events.count(CPU_NS) for _ in range(3)] == [100.0, 200.0, 0.0]
        with pytest.raises(NoEventError, match="no free counter"):
            events.count(CPU_NS)
    os.close(writing)
