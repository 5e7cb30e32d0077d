"""The agent's end of a line to the collector, written plainly from its document. Imports nothing of buto."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.support.jvm import speech


class Line:
    """A line that an agent has taken, by its session."""

    def __init__(self, session: Mapping[str, str]) -> None:
        lines = Path(session["lines"])
        taken = lines / f"taken-{time.monotonic_ns()}"
        while True:
            for number in range(4):
                with suppress(FileNotFoundError):
                    (lines / f"line-{number}").rename(taken)
                    self._up = (taken / "up").open("wb", buffering=0)
                    self._down = (taken / "down").open("rb")
                    return

    def sendall(self, words: bytes) -> None:
        self._up.write(words)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._up.close()
        self._down.close()

    def hear(self) -> int:
        """Takes the next frame, and returns its type."""
        head = self._down.read(5)
        self._down.read(int.from_bytes(head[:4], "big") - 1)
        return head[4]

    def expect(self, type: int) -> None:
        assert self.hear() == type

    def await_end(self, words: bytes = speech.frame(11)) -> None:
        """Says something again and again until nobody reads any more."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                self.sendall(words)
                select.poll().poll(10)
            except BrokenPipeError:
                return
        raise TimeoutError
