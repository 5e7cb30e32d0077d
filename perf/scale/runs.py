"""Do the commands that read a store stay quick if it has 10,000 runs and as many results?

The runs are copies of one that was really recorded, under other ids, written by the store itself; only the
flushing to the disk is left out. The commands are real processes: the list, the history, a check of a stored
run, and a check that launches a program which ends at once. The first list of such a store, which reads each
run and keeps what it found, is a figure of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from buto.run.entries import ResultStore
from buto.run.names import new_id
from buto.run.store import RunStore
from perf import ROOT
from perf.collecting.napping import compiled
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "A store of many runs"

GOAL_S = 2.0
TEST = "nap"
STORE = ("--store", "store")
FIRST = datetime(2024, 1, 1, tzinfo=UTC)


def buto(directory: Path, *arguments: str) -> float:
    """Return the seconds that a command takes; raise RuntimeError if it fails, but not for what it finds."""
    began = time.monotonic()
    command = [sys.executable, "-m", "buto", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, check=False)
    took_s = time.monotonic() - began
    if done.returncode not in (0, 1, 3):  # a busy machine may spoil a run; its time counts all the same
        raise RuntimeError(f"{arguments}: {done.stderr.decode()}")
    return took_s


def fill(directory: Path, n_runs: int) -> str:
    """Copy the newest run and its result until there are so many; the id of one copy."""
    runs, results = RunStore(directory / "store"), ResultStore(directory / "store")
    newest = runs.ids(TEST)[-1]
    run = runs.load(TEST, newest)
    with results.reading(TEST, results.all(TEST)[-1]) as content:
        result = content.decode()
    with patch("os.fsync"):
        for number in range(n_runs):
            copy = replace(run, id=new_id(FIRST + timedelta(minutes=number)))
            runs.add(copy)
            results.add(TEST, result.replace(newest, copy.id).encode())
    return copy.id


def measure(n_runs: int, repeats: int) -> Iterator[BenchmarkFigure]:
    with compiled() as classes, TemporaryDirectory(prefix="buto-perf-") as place:
        directory = Path(place)
        program = ("--", "java", "-cp", str(classes), "Nap", "0", "0")
        buto(directory, "train", TEST, "--runs", "5", *STORE, *program)
        buto(directory, "check", TEST, "--runs", "1", *STORE)
        empty = [buto(directory, "check", TEST, "--runs", "1", *STORE) for _ in range(repeats)]
        copied = fill(directory, n_runs)
        time.sleep(2.5)  # so that the files have settled, as those of a store of 10,000 runs have
        many = f"{n_runs:,} runs"
        yield figure_of(f"first 'runs list' of {many}", [buto(directory, "runs", "list", *STORE)], "s", 2)
        lists = [buto(directory, "runs", "list", *STORE) for _ in range(repeats)]
        yield at_most(f"'runs list' of {many}", lists, GOAL_S, "s", 2)
        yield figure_of(f"first 'history' of {many}", [buto(directory, "history", TEST, *STORE)], "s", 2)
        histories = [buto(directory, "history", TEST, *STORE) for _ in range(repeats)]
        yield at_most(f"'history' of {many}", histories, GOAL_S, "s", 2)
        stored = [buto(directory, "check", TEST, "--from-runs", copied, *STORE) for _ in range(repeats)]
        yield at_most(f"'check --from-runs ID' beside {many}", stored, GOAL_S, "s", 2)
        launched = [buto(directory, "check", TEST, "--runs", "1", *STORE) for _ in range(repeats)]
        yield at_most(f"'check' of a program of 0 s beside {many}", launched, GOAL_S, "s", 2)
        yield figure_of("the same beside seven runs", empty, "s", 2)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.runs, options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
