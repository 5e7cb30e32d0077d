"""Wait for a lock of the kernel (``flock``), which leaves no file behind and ends with its process."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable

_POLL_S = 0.05


def acquire(descriptor: int, timeout_s: float, on_wait: Callable[[], None] = lambda: None) -> bool:
    """Lock an open file or directory; return False if another process has the lock for longer.

    Args:
        on_wait: called once before waiting.
    """
    deadline = time.monotonic() + timeout_s
    waits = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
        if not waits:
            on_wait()
            waits = True
        time.sleep(_POLL_S)
