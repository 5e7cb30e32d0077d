"""Enforce the target's time limit on a launch."""

from __future__ import annotations

import time

from buto.collect.process.launch import GRACE_S, Launch
from buto.errors import MeasureError

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

    def enforce(self) -> None:
        """End the program if its time is over. Call this some ten times a second.

        Raises:
            MeasureError: the program still runs ten seconds after SIGKILL.
        """
        now = time.monotonic()
        if not self.has_passed and now - self._launch.started_ns * 1e-9 >= self._launch.target.timeout_s:
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
