"""How often `buto grow` finds a leak, and how often it fails a program that only warms up, caches or pools.

The programs are in `testprograms/src/buto/testprograms/growth`: twenty keep something for ever, twenty do
not. Half of each is set apart by a draw that depends on nothing but the names; nothing was chosen on it.

    python -m beds.growth              # the half that is looked at
    python -m beds.growth --apart      # the half that is set apart
    python -m beds.growth --native     # programs about native memory, which came later
    python -m beds.growth --first-run  # which ordinary run shows growth, as at the beginning of a training
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from buto import jars
from buto.actions.grow import GrowRequest, grow
from buto.actions.project import Files, Overrides, Project
from buto.actions.record import RecordRequest, record
from buto.errors import JudgeError, MeasureError
from buto.judging.rounds import judge_shares
from buto.judging.verdict import Status
from buto.report.growth import path_text

LEAKS = (
    *("static-map", "listeners", "thread-local", "key-without-equals", "weak-map-of-itself", "inner-class"),
    *("queue-without-bound", "cancelled-tasks", "shutdown-hooks", "suppressed", "timer", "threads"),
    *("descriptors", "sockets", "random-access-files", "class-loaders", "direct-buffers", "mbeans"),
    *("sublists", "interned-ids"),
)
HOLDERS = {
    "static-map": "Leaks.BY_KEY",
    "listeners": "Leaks.KEPT",
    "thread-local": "Thread.threadLocals",
    "key-without-equals": "Leaks.BY_KEY",
    "weak-map-of-itself": "Leaks.WEAK",
    "inner-class": "Leaks.KEPT",
    "queue-without-bound": "Leaks.WAITING",
    "cancelled-tasks": "DelayedWorkQueue.queue",
    "shutdown-hooks": "ApplicationShutdownHooks.hooks",
    "suppressed": "Throwable.suppressedExceptions",
    "timer": "TaskQueue.queue",
    "threads": "a thread",
    "descriptors": "Leaks.KEPT",
    "sockets": "Leaks.KEPT",
    "random-access-files": "Leaks.KEPT",
    "class-loaders": "Leaks.KEPT",
    "direct-buffers": "Leaks.KEPT",
    "mbeans": "Repository.domainTb",
    "sublists": "Leaks.KEPT",
    "interned-ids": "Leaks.KEPT",
}
"""The field of each leak that a fix would empty; written down before any path of the half apart was seen."""

STEADY = (
    *("nothing", "lru-cache", "bounded-queue", "interned-words", "memo-of-all-keys", "warm-up"),
    *("thread-pool", "short-threads", "pool-of-files", "files-in-turn", "sessions-by-chance"),
    *("sessions-that-expire", "weak-listeners", "redeployed", "buffers-in-turn", "batch"),
    *("mbeans-in-turn", "proxies-of-one-class", "one-buffer-that-grows", "first-come"),
)

NATIVE_LEAKS, NATIVE_STEADY = ("deflaters", "unsafe-memory"), ("deflaters-in-turn", "pool-of-deflaters")
"""They came when native memory was counted, and belong to neither half."""

SEED = "growth 1"

MARKED = ("--marks", "yes", "--rounds", "12")
MANY_MARKED = ("--marks", "yes", "--rounds", "48")
"""Four are put together: what a compiler of the JVM needs for a while is less than what they leak."""

BY_WORK = ("--marks", "no", "--rounds", "400")


def apart(names: Sequence[str]) -> frozenset[str]:
    """Return the half of some names that is set apart."""
    drawn = sorted(names, key=lambda name: hashlib.sha256(f"{SEED} {name}".encode()).digest())
    return frozenset(drawn[: len(names) // 2])


def _half(names: Sequence[str], is_apart: bool) -> tuple[str, ...]:
    return tuple(name for name in names if (name in apart(names)) == is_apart)


def judged(java: str, name: str, more: Sequence[str], store: Path) -> tuple[Status, str]:
    """Launch one program and return its verdict with headline and path, or with why there is none."""
    command = (java, "-Xmx128m", "-cp", str(jars.path(jars.TESTPROGRAMS)))
    words = (*command, "buto.testprograms.growth.Growth", "--keeps", name, *more)
    project = Project(Files.locate(store=store), None)
    try:
        outcome = grow(project, GrowRequest(name, Overrides(words)))
    except (JudgeError, MeasureError) as error:
        return Status.INCONCLUSIVE, error.message
    path = f"; held by {path_text(outcome.growth.paths[0])}" if outcome.growth.paths else ""
    return outcome.status, f"{outcome.growth.headline}{path}"


def shown(java: str, name: str, store: Path, interval: str = "10ms") -> Status:
    """Record one ordinary run, and return whether a training would warn of it; inconclusive if it cannot."""
    command = (java, "-Xmx128m", "-cp", str(jars.path(jars.TESTPROGRAMS)))
    words = (*command, "buto.testprograms.growth.Growth", "--keeps", name, *BY_WORK)
    project = Project(Files.locate(store=store), None)
    request = RecordRequest((name,), Overrides(words, options={"interval": interval}))
    found = judge_shares(record(project, request)[name].valid().runs[0])
    if found is None:
        return Status.INCONCLUSIVE
    return Status.REGRESSION if found.grown else Status.PASS


Trial = tuple[str, str, Status, str]
"""Name of a program, kind of rounds, verdict and headline."""


def trials(
    names: Sequence[str], java: str, repeat: int, store: Path, marked: Sequence[str] = MARKED
) -> Iterator[tuple[str, str, Status, str]]:
    """Launch each program so often in both kinds of rounds."""
    for _ in range(repeat):
        for name in names:
            for kind, more in (("marked", marked), ("by work", BY_WORK)):
                yield (name, kind, *judged(java, name, more, store))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--apart", action="store_true", help="the half that is set apart")
    which.add_argument("--native", action="store_true", help="programs about native memory")
    parser.add_argument("--repeat", type=int, default=1, help="how often each is launched")
    parser.add_argument("--java", default="java")
    parser.add_argument("--paths", action="store_true", help="also look for what holds what grows")
    parser.add_argument("--first-run", action="store_true", help="judge an ordinary run of all programs")
    args = parser.parse_args()
    if args.first_run:
        with tempfile.TemporaryDirectory() as directory:
            for name in (*LEAKS, *STEADY):
                print(f"{name}: {shown(args.java, name, Path(directory)).value}", flush=True)
        return
    if not args.paths:
        # Without a reader there no heap is dumped: then it only matters what fails.
        os.environ["HOME"] = os.devnull
    marked = MANY_MARKED if args.native else MARKED
    leaks = NATIVE_LEAKS if args.native else _half(LEAKS, args.apart)
    steady = NATIVE_STEADY if args.native else _half(STEADY, args.apart)
    for title, names, wanted in (("leaks", leaks, Status.REGRESSION), ("steady", steady, Status.PASS)):
        n_paths = 0
        began, counts = time.monotonic(), dict.fromkeys(Status, 0)
        with tempfile.TemporaryDirectory() as directory:
            for name, kind, status, text in trials(names, args.java, args.repeat, Path(directory), marked):
                counts[status] += 1
                n_paths += status is wanted and HOLDERS.get(name, "?") in text
                mark = "  " if status is wanted else "! "
                print(f"{mark}{name} ({kind}): {status.value}: {text}", flush=True)
        numbers = ", ".join(f"{status.value} {number}" for status, number in counts.items())
        numbers += f"; {n_paths} with the expected path" if args.paths else ""
        print(f"{title}: {numbers}; {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
