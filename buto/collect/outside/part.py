"""Readings of one JVM from outside that belong together, and how often they are worth their cost.

A young process is read with cold caches: a file of /proc that takes 4 us in a loop takes some 50 us every
100 ms. So nothing is read in each sample.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from buto.errors import MeasureError

READ_S = 0.5
"""How often anything is read."""

EARLY_S = 0.05
"""A sample may come so much too early: else each reading would slip to the next sample."""

_MOST_SHARE = 0.001
"""What a part with an interval of its own may take of one core."""

Values = Mapping[str, float]


class Part:
    """Reads some properties together.

    Args:
        names: of the properties.
        read: returns their values; raises MeasureError with the reason if it cannot.
        every_s: how often at most; 0 for each reading. A part that takes long is read less often.

    Attributes:
        reasons: why properties could not be read, by name.
    """

    def __init__(self, names: tuple[str, ...], read: Callable[[], Values], every_s: float = 0.0) -> None:
        self.names = names
        self.reasons: dict[str, str] = {}
        self._read = read
        self._every_s = every_s
        self._next_s = 0.0

    def values(self, *, always: bool = False) -> Values:
        """Return the current values; none if it is too early for this part, or if they cannot be read.

        Args:
            always: whether to read also if it is too early.
        """
        began = time.monotonic()
        if began < self._next_s and not always:
            return {}
        try:
            return self._read()
        except MeasureError as reason:
            self.reasons.update(dict.fromkeys(self.names, reason.message))
            return {}
        finally:
            if self._every_s:
                took_s = time.monotonic() - began
                self._next_s = began + max(self._every_s - EARLY_S, took_s / _MOST_SHARE)

    def why_missing(self, name: str) -> str:
        """Return why a sample may have no value of a property."""
        every_s = max(self._every_s, READ_S)
        return self.reasons.get(name) or f"read every {every_s:g} s at most, and at the end"


class MissingPart(Part):
    """Properties that can never be read, for one reason."""

    def __init__(self, names: tuple[str, ...], reason: MeasureError) -> None:
        super().__init__(names, dict)
        self.reasons = dict.fromkeys(names, reason.message)
