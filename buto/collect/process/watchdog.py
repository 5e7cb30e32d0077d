"""Makes sure that what buto started ends with buto, whatever way buto ends.

The kernel kills a command when the thread of buto that started it ends (``processes.die_with_parent``), but
not what the command has started. For that there is a watcher, a small process beside buto
(:mod:`buto.collect.process.process_group`) that kills all of it when buto has died.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress

from buto.collect.closeable import Closeable
from buto.collect.process import process_group
from buto.collect.process.process_group import ProcessGroup
from buto.errors import MeasureError

_NAME = "BUTO_LAUNCH"
_END_S = 60.0


class Watchdog(Closeable):
    """Watches over one command; to be made before the command is started, and closed after its end.

    Attributes:
        environment: what the command must have in its environment, to be known by.

    Raises:
        MeasureError: the watcher cannot be started.
    """

    def __init__(self) -> None:
        value = secrets.token_hex(8)
        self.environment: Mapping[str, str] = {_NAME: value}
        self._marker = f"{_NAME}={value}"
        self._is_over = False
        try:
            # A session and an environment of its own, so that it is no member of any group, and /, so
            # that it holds no disk.
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", process_group.__file__, str(os.getpid()), self._marker],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
        except OSError as error:
            raise MeasureError(
                f"buto's watcher cannot be started: {error.strerror}",
                advice="see whether this machine is out of memory or processes: free -m; ulimit -u",
            ) from error

    def watch(self, pid: int) -> ProcessGroup:
        """Tell of the command, which leads a session and was not collected yet; returns its group."""
        found = process_group.process_group_of(pid, self._marker.encode())
        self._tell(f"{found.session} {found.start}\n".encode())
        return found

    def is_over(self) -> None:
        """All of the group has ended. Without this :meth:`close` has the watcher kill what is left."""
        self._is_over = True

    def close(self) -> None:
        """Wait for the watcher's end."""
        if self._is_over:
            self._tell(process_group.DONE)
        assert self._watcher.stdin is not None
        with suppress(BrokenPipeError):
            self._watcher.stdin.close()
        try:
            self._watcher.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._watcher.kill()
            self._watcher.wait()

    def _tell(self, line: bytes) -> None:
        """A watcher that somebody killed is no reason to give up a measurement."""
        assert self._watcher.stdin is not None
        with suppress(BrokenPipeError):
            self._watcher.stdin.write(line)
            self._watcher.stdin.flush()
