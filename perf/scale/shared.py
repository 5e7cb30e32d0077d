"""How long a list of many runs in a bucket takes: ``python -m perf.scale.shared``.

The bucket is one of moto's server on this machine, which answers one request after the other, or one of a
server that runs already (``--endpoint URL``, with its keys in the usual variables). The server's time counts,
too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import numpy as np
from botocore.session import get_session

from buto.run.files import in_order
from buto.run.model import Outcome, Quality, Run
from buto.run.names import new_id
from buto.run.properties import property_for
from buto.run.storage import S3Url
from buto.run.store import RunStore
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


@contextmanager
def bucket(endpoint: str) -> Iterator[S3Url]:
    """Yield a new place in a bucket, with a cache of its own; an empty endpoint is that of moto."""
    with tempfile.TemporaryDirectory(prefix="buto-perf-") as scratch, ExitStack() as held:
        url, cache = S3Url("perf", f"store-{os.getpid()}"), Path(scratch) / "cache"
        if endpoint:
            os.environ |= {"AWS_ENDPOINT_URL_S3": endpoint, "XDG_CACHE_HOME": str(cache)}
        else:
            host, port = held.enter_context(object_storage(Path(scratch) / "log"))
            os.environ |= environment(host, port, cache)
        client = get_session().create_client("s3")
        if all(listed_bucket["Name"] != url.bucket for listed_bucket in client.list_buckets()["Buckets"]):
            client.create_bucket(Bucket=url.bucket)
        yield url


def main() -> None:
    """Fill a bucket and list it three times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--endpoint", default="", help="address of a server that runs already")
    options = parser.parse_args()
    n_runs = options.runs
    with bucket(options.endpoint) as url:
        store = RunStore(url)
        runs = [replace(RUN, id=new_id(FIRST + timedelta(minutes=number))) for number in range(n_runs)]
        with patch("os.fsync"):
            print("store     ", took(lambda: len(in_order(store.add, runs, THREADS))), flush=True)
        for what in ("first list", "next list ", "once more "):
            print(what, took(lambda: len(store.summaries(TEST))), flush=True)


if __name__ == "__main__":
    main()
