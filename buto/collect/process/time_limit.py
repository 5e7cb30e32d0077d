"""The target's time limit, kept while a launch is followed."""

from __future__ import annotations

import time

from buto.collect.process.launch import GRACE_S, Launch
from buto.errors import MeasureError

_KILL_S = 10.0


class TimeLimit:
    """Ends the program when its time is over: SIGTERM, and SIGKILL two seconds later.

    Attributes:
        has_passed: whether that has begun.
    """

    def __init__(self, launch: Launch) -> None:
        self.has_passed = False
        self._launch = launch
        self._kill_at: float | None = None

    def keep(self) -> None:
        """To be called some ten times a second.

        Raises:
            MeasureError: the program is there ten seconds after SIGKILL.
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
                    f"the program was killed at its time limit but has not ended {_KILL_S:g} s later",
                    advice=f"see what process {pid} waits for: cat /proc/{pid}/stack",
                )
