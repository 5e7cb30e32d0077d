"""Processes that write to a store: ``python -m tests.support.runs.writers WHAT ROOT ...``."""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable

from buto.errors import ButoError
from buto.run import cache
from buto.run.storage import Place, place_of
from buto.run.store import RunStore
from tests.support.runs.examples import full_run

OUTPUT_BYTES = 200_000


def kill_writers(root: Place, n_kills: str, seed: str, within_s: str) -> None:
    """Fork writers; kill each within a time of its first run, and print which runs it had completed."""
    chance = random.Random(seed)
    # Before the first fork, too: the client of a bucket takes longer than a victim lives.
    RunStore(root)
    for kill in range(int(n_kills)):
        test = f"kill {kill}"
        receiving, sending = os.pipe()
        writer = os.fork()
        if writer == 0:
            os.close(receiving)
            os.fsync = slow_fsync
            for number in itertools.count():
                store_one(root, test, f"{number:06d}")
                os.write(sending, b"%06d\n" % number)
        os.close(sending)
        completed = os.read(receiving, 7)
        # The moment of the kill is what is varied here, not a sign that is waited for.
        time.sleep(chance.uniform(0.0, float(within_s)))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        while more := os.read(receiving, 4096):
            completed += more
        os.close(receiving)
        print(json.dumps([test, completed.decode().split()]))


def slow_fsync(descriptor: int, fsync: Callable[[int], None] = os.fsync) -> None:
    """Take the time of a disk, where there would be none and hardly a kill would hit a write."""
    time.sleep(0.001)
    fsync(descriptor)


def store_one(root: Place, test: str, run_id: str) -> None:
    RunStore(root).add(full_run(run_id, test, stdout=bytes(OUTPUT_BYTES)))


def write(root: Place, prefix: str, n_runs: str) -> None:
    """Store some runs."""
    for number in range(int(n_runs)):
        store_one(root, "leaker", f"{prefix}{number:03d}")


def delete(root: Place, prefix: str) -> None:
    """Delete the runs whose ids begin so, one after the other."""
    store = RunStore(root)
    for run_id in store.ids("leaker"):
        if run_id.startswith(prefix):
            store.delete("leaker", [run_id])


def fill(root: Place, file_limit: str = "") -> None:
    """Store runs until that fails; print how many there were, and the failure."""
    if file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_limit), int(file_limit)))
    n_stored = 0
    try:
        for n_stored in range(100):
            store_one(root, "leaker", f"{n_stored:03d}")
    except ButoError as error:
        print(json.dumps([n_stored, type(error).__name__, error.message, error.advice]))


def add_and_list(root: Place, first: str) -> None:
    """Add and delete runs; what lists them must see each as soon as it is there, and no longer."""
    cache.SETTLED_NS, cache.WORTH_KEEPING = -1, 1
    store = RunStore(root)
    for number in range(int(first), int(first) + 20):
        store.add(full_run(f"{number}"))
        assert f"{number}" in [summary.id for summary in store.summaries("leaker")]
        store.delete("leaker", [f"{number}"])
        assert f"{number}" not in [summary.id for summary in store.summaries("leaker")]


if __name__ == "__main__":
    {"kill": kill_writers, "write": write, "delete": delete, "fill": fill, "list": add_and_list}[sys.argv[1]](
        place_of(sys.argv[2]), *sys.argv[3:]
    )
