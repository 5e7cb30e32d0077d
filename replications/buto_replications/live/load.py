"""Other programs beside the measured one: none, one that computes all the time, or some that come and go."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ComputingLoad:
    """How many processes compute, drawn anew for each phase, and how long a phase takes, seconds."""

    processes: tuple[int, int]
    phase_s: tuple[float, float]


QUIET, STEADY, MANY = "quiet", "load", "twice the load"
CHANGING = "load that comes and goes"

LOADS: dict[str, ComputingLoad] = {
    QUIET: ComputingLoad((0, 0), (30.0, 30.0)),
    STEADY: ComputingLoad((1, 1), (30.0, 30.0)),
    MANY: ComputingLoad((2, 2), (30.0, 30.0)),
    CHANGING: ComputingLoad((0, 2), (2.0, 8.0)),
}
"""By condition."""

_MARGIN_S = 5.0
_BUSY = "import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"


@contextmanager
def run_load(condition: str, seed: str) -> Iterator[None]:
    """Run the load of a condition beside the block.

    Each process ends by itself soon after its phase, so that none is left by a caller that was killed.
    """
    load, ended, source = LOADS[condition], threading.Event(), random.Random(seed)
    if load.processes == (0, 0):
        yield
        return

    def work() -> None:
        while not ended.is_set():
            seconds = source.uniform(*load.phase_s)
            code = _BUSY.format(seconds=seconds + _MARGIN_S)
            busy = [
                subprocess.Popen([sys.executable, "-c", code]) for _ in range(source.randint(*load.processes))
            ]
            ended.wait(seconds)
            for process in busy:
                process.kill()
                process.wait()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
