"""What a workload's command tells buto in lines of its output: marks, and numbers that become properties.

The lines are described in docs/measuring/load.md; all others are output of the command.
"""

from __future__ import annotations

import math
import re
import threading
import time
from contextlib import suppress
from typing import IO, Protocol

from buto.collect.record.track import Track
from buto.properties import Kind, Property
from buto.runs.window import RESERVED

TRACK = "driver"
INTERVAL_S = 0.5
"""How often the newest numbers become a reading, however many lines there are."""

MOST_NAMES = 1000
MOST_MARKS = 10_000
_MOST_LINE = 4096
_MOST_SHOWN = 200

_BEGIN = b"buto "
_NAME = re.compile(r"[A-Za-z0-9_./=,:\[\]-]{1,100}")
_KINDS = {"value": Kind.GAUGE, "count": Kind.COUNTER}


class Listener(Protocol):
    """What takes marks and numbers: the program that is measured."""

    def mark(self, name: str, message: str = "", *, judged: bool = True) -> None:
        """Mark the current time; a mark that is judged is a notification, too."""

    def track(self, name: str, interval_s: float, *, from_first: bool = False) -> Track:
        """Return a new track."""


class Reports:
    """Understands the lines of one command.

    Attributes:
        problems: what was wrong with the first line that was not accepted, if there was one.
    """

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._track: Track | None = None
        self._lock = threading.Lock()
        self._values: dict[str, float] = {}
        self._n_marks = 0
        self._flushed = -math.inf
        self.problems: tuple[str, ...] = ()

    def copy(self, lines: IO[bytes], output: IO[bytes]) -> None:
        """Read lines to their end, and copy them; to be called in a thread of its own."""
        is_begun = False
        # ValueError: the output was closed, because nobody waits for these lines any more.
        with lines, suppress(ValueError):
            while line := lines.readline(_MOST_LINE):
                output.write(line)
                # The rest of a long line is not a line.
                if not is_begun and line.startswith(_BEGIN):
                    self._take(line.decode(errors="replace").strip())
                is_begun = not line.endswith(b"\n")

    def flush(self, *, at_once: bool = False) -> None:
        """Make a reading of the newest numbers, if the interval has passed."""
        now = time.monotonic()
        if not at_once and now - self._flushed < INTERVAL_S:
            return
        self._flushed = now
        with self._lock:
            if self._track is not None:
                self._track.add(time.monotonic_ns(), self._values, "the command had not reported it yet")

    def _take(self, line: str) -> None:
        word, *rest = line.split(maxsplit=3)[1:] or [""]
        is_name = bool(rest) and _NAME.fullmatch(rest[0]) is not None
        if word == "mark" and is_name:
            self._mark(rest[0], rest[1] if len(rest) > 1 else "")
        elif word in _KINDS and is_name and len(rest) == 2:
            number, _, unit = rest[1].partition(" ")
            try:
                self._number(rest[0], _KINDS[word], float(number), unit.strip())
            except ValueError:
                self._misunderstood(line)
        else:
            self._misunderstood(line)

    def _mark(self, name: str, text: str) -> None:
        if name in RESERVED:
            self._refused(f"a mark must not be called {' or '.join(RESERVED)}, got {name!r}")
        elif self._n_marks == MOST_MARKS:
            self._refused(
                f"there can be {MOST_MARKS} marks, and {name!r} is one more; what happens often is a number: "
                f"'buto count {name} NUMBER'"
            )
        else:
            self._n_marks += 1
            self._listener.mark(name, text, judged=False)

    def _number(self, name: str, kind: Kind, value: float, unit: str) -> None:
        prop = Property(f"{TRACK}.{name}", unit[:50] or "1", kind)
        if len(self._values) == MOST_NAMES and prop.name not in self._values:
            self._refused(f"there can be {MOST_NAMES} names of numbers, and {name!r} is one more")
            return
        with self._lock:
            if self._track is None:
                self._track = self._listener.track(TRACK, INTERVAL_S)
            if prop.name not in self._values:
                self._track.add_columns([prop])
            self._values[prop.name] = value if math.isfinite(value) else math.nan

    def _misunderstood(self, line: str) -> None:
        expected = "'buto mark NAME TEXT', 'buto value NAME NUMBER UNIT' or 'buto count NAME NUMBER UNIT'"
        self._refused(f"its command printed {line[:_MOST_SHOWN]!r}, expected {expected}")

    def _refused(self, why: str) -> None:
        self.problems = self.problems or (why,)
