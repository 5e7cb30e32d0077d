"""How long a list of many runs in a bucket takes: ``python -m perf.scale.shared [RUNS]``.

The bucket is one of moto's server on this machine; the server's own time counts, too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch
from urllib.request import Request, urlopen

import numpy as np

from buto.properties import property_for
from buto.runs import Outcome, Quality, Run, RunStore, new_id
from buto.runs.files.parallel import in_order
from buto.runs.storage.place import S3Url
from perf.scale.object_storage import environment, object_storage

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
TEST = "shop"
THREADS = 8
NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded")
RUN = Run(
    id="1",
    test=TEST,
    properties=tuple(map(property_for, NAMES)),
    times_s=np.arange(30) / 10,
    values=np.ones((30, len(NAMES))),
    outcome=Outcome(0, duration_s=3.0),
    quality=Quality(),
)


def took(action: Callable[[], int]) -> str:
    """Return how long an action took that returns a number of runs, and how long this process worked."""
    began, worked = time.monotonic(), time.process_time()
    n_runs = action()
    took_s, worked_s = time.monotonic() - began, time.process_time() - worked
    return f"{took_s:7.2f} s for {n_runs} runs, {worked_s:.2f} s of processor time besides the server"


def main(n_runs: int) -> None:
    """Fill a bucket and list it three times."""
    with (
        tempfile.TemporaryDirectory(prefix="buto-perf-") as scratch,
        object_storage(Path(scratch) / "log") as (host, port),
    ):
        os.environ |= environment(host, port, Path(scratch) / "cache")
        urlopen(Request(f"http://{host}:{port}/perf", method="PUT"), timeout=60).close()
        store = RunStore(S3Url("perf", "store"))
        runs = [replace(RUN, id=new_id(FIRST + timedelta(minutes=number))) for number in range(n_runs)]
        with patch("os.fsync"):
            print("store     ", took(lambda: len(in_order(store.add, runs, THREADS))), flush=True)
        for what in ("first list", "next list ", "once more "):
            print(what, took(lambda: len(store.summaries(TEST))), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
