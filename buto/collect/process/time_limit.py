"""Enforce the target's time limit on a launch."""

from __future__ import annotations

import time

from buto.collect.process.launch import GRACE_S, Launch
from buto.errors import MeasureError

LONGEST_PAUSE_S = 60.0
"""As long as the agent holds the exit for a count of the live objects."""

_KILL_S = 10.0


class TimeLimit:
    """Ends the program at its time limit: SIGTERM, and SIGKILL two seconds later.

    Attributes:
        has_passed: whether the time limit was reached.
    """

    def __init__(self, launch: Launch) -> None:
        self.has_passed = False
        self._launch = launch
        self._kill_at: float | None = None
        self._paused_at: float | None = None
        self._paused_s = 0.0

    def pause(self) -> None:
        """Leave out the time from now until :meth:`resume`, at most LONGEST_PAUSE_S."""
        self._paused_at = time.monotonic()

    def resume(self) -> None:
        """End a pause, if there is one."""
        if self._paused_at is not None:
            self._paused_s += min(time.monotonic() - self._paused_at, LONGEST_PAUSE_S)
            self._paused_at = None

    def enforce(self) -> None:
        """End the program if its time is over. Call this some ten times a second.

        Raises:
            MeasureError: the program still runs ten seconds after SIGKILL.
        """
        now = time.monotonic()
        if self._paused_at is not None and now - self._paused_at < LONGEST_PAUSE_S:
            return
        elapsed_s = now - self._launch.started_ns * 1e-9 - self._paused_s
        if not self.has_passed and elapsed_s >= self._launch.target.timeout_s:
            self.has_passed = True
            self._launch.terminate()
            self._kill_at = now + GRACE_S
        elif self._kill_at is not None and now >= self._kill_at:
            self._launch.kill()
            if now >= self._kill_at + _KILL_S:
                pid = self._launch.pid
                raise MeasureError(
                    f"the program was killed at its time limit but still runs {_KILL_S:g} s later",
                    advice=f"see what process {pid} is waiting for: cat /proc/{pid}/stack",
                )
