"""End a reading that takes too long: a server that sends a byte now and then keeps the limit of each wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self


class TimeLimit:
    """Calls a function in another thread if its ``with`` block is not left in time.

    Args:
        abort: makes what the block waits for fail; called at most once.

    Attributes:
        has_passed: whether it was called.
    """

    def __init__(self, limit_s: float, abort: Callable[[], None]) -> None:
        self._abort = abort
        self._begun = time.monotonic()
        self._passed = threading.Event()
        self._timer = threading.Timer(limit_s, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    @property
    def has_passed(self) -> bool:
        return self._passed.is_set()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._begun

    def _pass(self) -> None:
        self._passed.set()
        self._abort()
