"""A real buto or pytest beside a test, with all that it starts known by a variable of its environment."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from buto.measure.process_group import is_alive, read_bytes
from tests.support.checkout import ROOT

DEADLINE_S = 300.0
MARKER = "BUTO_FAULT_TEST"


def until(happened: Callable[[], object], what: str) -> None:
    """Wait for something that is sure to happen on a machine however slow."""
    deadline = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


class Harness:
    """A process in the background, and its descendants.

    Attributes:
        process: itself.
        directory: where it was started; its private temporary directory is ``tmp`` below.
    """

    def __init__(self, directory: Path, command: list[str], environment: dict[str, str]) -> None:
        self.directory = directory
        self._marker = secrets.token_hex(8)
        sessions = directory / "tmp"
        sessions.mkdir(exist_ok=True)
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        base = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTEST_ADDOPTS": ""}
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            env={**base, "TMPDIR": str(sessions), MARKER: self._marker, **environment},
            stdin=subprocess.DEVNULL,
            stdout=self._printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def descendants(self, word: str = "") -> list[int]:
        """Living processes that it started, and those that watch over them, with a word in their command."""
        wanted = f"{MARKER}={self._marker}".encode()
        watching = f"process_group.py\0{self.process.pid}\0".encode()
        # Between fork and exec a child has its parent's command line, whatever it is to become.
        not_yet = read_bytes(f"/proc/{self.process.pid}/cmdline") if word else None
        found = []
        for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
            line = read_bytes(f"/proc/{pid}/cmdline") or b""
            is_ours = wanted in (read_bytes(f"/proc/{pid}/environ") or b"").split(b"\0")
            if (is_ours or watching in line) and word.encode() in line and line != not_yet and is_alive(pid):
                found.append(pid)
        return [pid for pid in found if pid != self.process.pid]

    def printed(self) -> str:
        """What it has printed so far to both streams."""
        size = os.fstat(self._printed.fileno()).st_size
        return os.pread(self._printed.fileno(), size, 0).decode()

    def reached(self, name: str) -> None:
        """Wait for a file, which the measured program makes."""
        until(
            lambda: (self.directory / name).exists() or self.process.poll() is not None,
            f"{name} was not reached:\n{self.printed()}",
        )
        assert (self.directory / name).exists(), self.printed()

    def begun(self, word: str) -> int:
        """Wait for a process with this word on its command line."""
        found: list[int] = []

        def is_there() -> bool:
            found.extend(self.descendants(word))
            return bool(found)

        until(is_there, f"no {word} was started:\n{self.printed()}")
        return found[0]

    def kill(self) -> None:
        """SIGKILL to this process alone, and no other."""
        self.process.kill()
        self.process.wait(DEADLINE_S)

    def ended(self) -> int:
        """Wait for its own end; returns the exit code."""
        return self.process.wait(DEADLINE_S)

    def assert_alone(self) -> None:
        """Nothing that it started is there any more, or soon will not be."""
        until(lambda: not self.descendants(), f"processes are left: {self.descendants()}")

    def close(self) -> None:
        for pid in [self.process.pid, *self.descendants()]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(DEADLINE_S)
        self._printed.close()


@contextmanager
def harness(directory: Path, *command: str, **environment: str) -> Iterator[Harness]:
    """``python COMMAND`` in the background, ended with all that it started when the block is left."""
    started = Harness(directory, [sys.executable, *command], environment)
    try:
        yield started
    finally:
        started.close()


def phases(classes: Path, directory: Path, *arguments: str) -> list[str]:
    """The program ``Phases``, begun by a shell that starts other processes, too."""
    java = shlex.join(["java", "-cp", str(classes), "Phases", str(directory), *arguments])
    return ["sh", "-c", f"setsid sleep 601 & sleep 602 & {java}; true"]
