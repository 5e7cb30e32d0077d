"""What pytest shows while a test launches its program: a line now and then, and none for a short test."""

from __future__ import annotations

import time
from collections.abc import Callable

from buto.actions.events import Event, LaunchesPlanned, LaunchProgressed, LaunchStarted
from buto.run.units import format_seconds

EVERY_S = 10.0
"""Between two lines, and before the first: pytest's own letters stay together in short tests."""


class LaunchLines:
    """Says with every tenth second which launch goes on.

    Args:
        say: shows a line at once.
        now_s: a clock that never goes back, in seconds.
    """

    def __init__(self, say: Callable[[str], None], now_s: Callable[[], float] = time.monotonic) -> None:
        self._say, self._now_s = say, now_s
        self._begun_s = self._said_s = now_s()
        self._at_most: frozenset[str] = frozenset()
        self._launch = ""

    def __call__(self, event: Event) -> None:
        """Take an event; ignore all that are not of launches."""
        match event:
            case LaunchesPlanned(at_most=at_most):
                self._at_most = at_most
            case LaunchStarted(test, number, planned):
                limit = "at most " if test in self._at_most else ""
                self._launch = f"{test}: run {number} of {limit}{planned}"
                self._tell()
            case LaunchProgressed():
                self._tell()
            case _:
                pass

    def _tell(self) -> None:
        now_s = self._now_s()
        if now_s - self._said_s >= EVERY_S:
            self._said_s = now_s
            self._say(f"{self._launch}, {format_seconds(round(now_s - self._begun_s))} so far")
