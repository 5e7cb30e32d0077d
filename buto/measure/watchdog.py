"""Make sure that everything buto started ends when buto ends, in whatever way.

The kernel kills a command when the thread that started it ends
(:func:`buto.measure.account.die_with_parent`), but not the processes that the command has started. A small
process beside buto does that when buto has died (:mod:`buto.measure.process_group`).
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress

from buto.errors import MeasureError
from buto.measure import process_group
from buto.measure.process_group import ProcessGroup
from buto.measure.progress import Closeable

_NAME = "BUTO_LAUNCH"
_END_S = 60.0


class Watchdog(Closeable):
    """Watches over one command. Create it before the command starts, and close it after the command's end.

    Attributes:
        environment: variables that the command must have in its environment, to be recognised.

    Raises:
        MeasureError: the watchdog process cannot be started.
    """

    def __init__(self) -> None:
        value = secrets.token_hex(8)
        self.environment: Mapping[str, str] = {_NAME: value}
        self._marker = f"{_NAME}={value}"
        self._is_dismissed = False
        try:
            # A session and an environment of its own, so that it is a member of no group; the directory
            # /, so that it keeps no disk busy.
            self._process = subprocess.Popen(
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
                f"buto's watchdog process cannot be started: {error.strerror}",
                advice="see whether this machine is out of memory or processes: free -m; ulimit -u",
            ) from error

    def watch(self, pid: int) -> ProcessGroup:
        """Watch a command that leads a session and was not waited for yet; return its process group."""
        group = process_group.process_group_of(pid, self._marker.encode())
        self._send(f"{group.session} {group.start}\n".encode())
        return group

    def dismiss(self) -> None:
        """Note that the whole group has ended. Without this, closing kills what is left of it."""
        self._is_dismissed = True

    def close(self) -> None:
        """Wait for the end of the watchdog process."""
        if self._is_dismissed:
            self._send(process_group.DONE)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, line: bytes) -> None:
        """Send a line; a watchdog process that somebody killed does not end the measurement."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()
