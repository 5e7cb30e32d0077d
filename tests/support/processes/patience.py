"""Builds and checks that are started again while the machine is busier than it was when buto learned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TRIES = 4
TOO_BUSY = "check again on a quieter machine"


def until_quiet(start: Callable[[], T], output: Callable[[T], str]) -> T:
    """Return the result of a command, which is started again while its output is buto's advice to do so."""
    done = start()
    for _ in range(TRIES - 1):
        if TOO_BUSY not in output(done):
            break
        done = start()
    return done
