"""What a tree of processes uses, read of real ones."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from buto.measure.sources.processes import PROPERTIES, ProcessReader, ProcessSource
from buto.measure.sources.protocol import SourceError
from tests.support.sources.surroundings import NoProgram

CHILD = """\
import os, sys
kept = bytearray(30 << 20)
opened = [open(os.devnull) for _ in range(20)]
print("ready", flush=True)
sys.stdin.readline()
"""
PARENT = f"""\
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}, "a-child-of-buto"], stdin=subprocess.PIPE)
sys.stdin.readline()
end = sum(range(3_000_000))
child.communicate(b"end")
print("child ended", flush=True)
sys.stdin.readline()
"""


MARK = f"a-parent-of-buto-in-{os.getpid()}"
"""Of this test's own process: other workers run tests of this file at the same time."""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PARENT, MARK], **pipes) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def tell(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.flush()


def test_a_tree_is_summed_and_what_an_ended_process_counted_stays(parent: subprocess.Popen[bytes]) -> None:
    assert parent.stdout is not None
    with ProcessSource({"match": f"{sys.executable} *{MARK}"}).open(NoProgram(), 1.0, 1.0) as reader:
        before = reader.read()
        assert before.keys() == PROPERTIES.keys() == set(reader.names())
        assert before["process.count"] == before["thread.count"] == 2
        assert before["memory.usage"] > 30 << 20
        assert before["unix.file_descriptor.count"] >= 26
        assert all(value >= 0 for value in before.values())
        tell(parent)
        assert parent.stdout.readline() == b"child ended\n"
        after = reader.read()
        assert after["process.count"] == 1
        assert after["memory.usage"] < before["memory.usage"] - (20 << 20)
        counters = ("cpu.time", "io.bytes[read]", "context_switches[voluntary]", "paging.faults[minor]")
        assert all(after[name] >= before[name] for name in counters)
        assert after["cpu.time"] > before["cpu.time"]
        parent.kill()
        parent.wait()
        with pytest.raises(SourceError, match="no such process runs"):
            reader.read()


def test_without_a_pattern_it_is_the_tree_of_the_command(parent: subprocess.Popen[bytes]) -> None:
    class Command(NoProgram):
        def members(self) -> list[int]:
            return [parent.pid, 2**22 + 1]

    with ProcessSource({}).open(Command(), 1.0, 1.0) as reader:
        assert reader.read()["process.count"] == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_what_is_not_for_this_user_is_missing_with_the_reason() -> None:
    with ProcessReader(lambda: [1]) as reader:
        values = reader.read()
        assert "io.bytes[read]" not in values
        assert "Permission denied" in reader.why_missing()


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let this process open no further file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    with ExitStack() as held:
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(highest + 1):
            try:
                held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        yield


def test_a_living_process_that_cannot_be_opened_leaves_no_sum_without_it(
    parent: subprocess.Popen[bytes],
) -> None:
    """Neither one that is new nor one that was read before; what it had counted is not lost."""
    pids = [os.getpid()]
    with ProcessReader(lambda: pids) as reader:
        before = reader.read()
        pids.append(parent.pid)
        with no_more_files():
            assert reader.read() == {"process.count": 2.0}
            assert reader.why_missing() == f"/proc/{parent.pid} cannot be read: Too many open files"
        after = reader.read()
        assert after.keys() == before.keys() == PROPERTIES.keys()
        assert after["cpu.time"] >= before["cpu.time"]
        assert reader.why_missing() == ""
