"""Writers of a store, killed at random: ``python -m tests.support.runs.store_victims ROOT KILLS SEED``.

Each is forked, which takes a millisecond where a new process takes a second. It journals, stores, deletes and
recovers runs, and says through a pipe what it is about to do and what it has done.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

# Before the first fork, for a child has no time to import.
import pyarrow.parquet

from buto.measure.journal import Journal, recover
from buto.measure.recording import Recording
from buto.run.journal import find_unfinished
from buto.run.model import Outcome, Quality, Run
from buto.run.properties import Property
from buto.run.store import RunStore

assert pyarrow.parquet

N_SAMPLES = 40
LONGEST_S = 0.05
"""Longer than some rounds of a victim take in memory, so that every moment of them is hit."""


def recording_of(run_id: str, test: str) -> Recording:
    """The same for the same id."""
    recording = Recording(test)
    recording.id = run_id
    recording.zero_ns = 0
    recording.add_columns(Property(f"p{column}", "1") for column in range(4))
    values = np.random.default_rng(int(run_id)).normal(size=(N_SAMPLES, 4))
    recording.add_rows(np.arange(1, N_SAMPLES + 1) * 10**8, values)
    return recording


def finished(recording: Recording) -> Run:
    return recording.finish(Outcome(0, duration_s=4.0), Quality(), stdout=b"said\n" * 400)


def live(store: RunStore, test: str, writing_end: int) -> None:
    """Rounds of all that is done to a store, for ever."""
    for number in itertools.count():
        run_id = f"{number:06d}"
        recording = recording_of(run_id, test)
        journal = Journal(store, {}, first_write_s=0.0)
        journal.write_if_due(recording)
        os.write(writing_end, f"kept {run_id}\n".encode())
        if number % 3 == 2:
            journal.__exit__(SystemExit, SystemExit(), None)
            for unfinished in find_unfinished(store, [test]):
                recover(store, unfinished)
            os.write(writing_end, f"recovered {run_id}\n".encode())
        else:
            with journal:
                store.add(finished(recording))
                os.write(writing_end, f"stored {run_id}\n".encode())
        if number % 4 == 3:
            os.write(writing_end, f"deleting {number - 3:06d}\n".encode())
            store.delete(test, [f"{number - 3:06d}"])
            os.write(writing_end, f"deleted {number - 3:06d}\n".encode())


def kill_one(store: RunStore, test: str, after_s: float) -> list[str]:
    """Return the output of a victim that was killed this long after its first output."""
    receiving, sending = os.pipe()
    victim = os.fork()
    if victim == 0:
        os.close(receiving)
        live(store, test, sending)
    os.close(sending)
    report = os.read(receiving, 4096)
    # The moment of the kill is what is varied here, not a sign that is waited for.
    time.sleep(after_s)
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    while more := os.read(receiving, 4096):
        report += more
    os.close(receiving)
    return report.decode().splitlines()


def main(root: str, n_kills: str, seed: str) -> None:
    chance = random.Random(seed)
    for number in range(int(n_kills)):
        test = f"kill {number}"
        report = kill_one(RunStore(Path(root)), test, chance.uniform(0.0, LONGEST_S))
        print(json.dumps([test, report]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
