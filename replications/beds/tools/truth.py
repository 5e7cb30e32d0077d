"""What is true of each release, counted by a small agent of the bed's own before anything is judged."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from beds.artefacts import BedError
from beds.tools.catalogue import SEED, TIMEOUT_S, Tool, agent

ROUNDS = 5

LARGE = 0.05
"""From this share on a difference that separates all runs is a change; of classes, from three times it."""

LITTLE = 0.02
"""Below this share nothing has changed. What lies between is neither, and counts for nothing."""


@dataclass(frozen=True, slots=True)
class Count:
    """What one run of a release used.

    Attributes:
        live: bytes of the heap after two collections at the exit.
        left, started: threads at the exit, and all that were started.
        classes: how many were loaded.
        files: open descriptors at the exit.
    """

    tool: str
    release: str
    round: int
    allocated: int
    live: int
    left: int
    started: int
    classes: int
    files: int
    collections: int
    cpu_s: float
    resident: int
    wall_s: float


EXACT = ("allocated", "live", "classes")
"""What decides by its share. Processor time and resident memory are recorded beside; on a machine on which
other programs run they tell too little to be a truth."""

WHOLE = ("left", "files")
"""What decides by one more or less in every run. Started threads are partly chance."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a later release beside the first one.

    Attributes:
        changes: by measure the share of the change, or the number of threads or files, of what has changed.
        is_known: whether it is clear that something has changed, or that nothing has.
    """

    tool: str
    old: str
    new: str
    changes: dict[str, float]
    is_known: bool

    @property
    def is_change(self) -> bool:
        return bool(self.changes)


def count(tool: Tool, release: str, round_: int) -> Count:
    """Run a release once. BedError if it fails."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        file = directory / "counts"
        command = tool.command(release, directory, f"-javaagent:{agent()}={file}")
        began = time.monotonic()
        with (directory / "printed").open("wb") as printed:
            process = subprocess.Popen(
                command, cwd=directory, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT
            )
            _, status, use = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.monotonic() - began
        if process.returncode or not file.exists() or wall_s > TIMEOUT_S:
            text = (directory / "printed").read_text(errors="replace")[-500:]
            raise BedError(f"{tool.name} {release} failed ({process.returncode}): {text}")
        allocated, live, left, started, classes, files, collections = map(int, file.read_text().split(","))
        cpu_s = round(use.ru_utime + use.ru_stime, 2)
        return Count(
            tool.name, release, round_, allocated, live, left, started, classes, files, collections,
            cpu_s, use.ru_maxrss * 1024, round(wall_s, 2),
        )  # fmt: skip


def missing(
    chosen: Iterable[Tool], known: Sequence[Count], rounds: int = ROUNDS
) -> list[tuple[Tool, str, int]]:
    """Return what has to be run, each round of a tool in an order of its own."""
    done = {(release_count.tool, release_count.release, release_count.round) for release_count in known}
    found = []
    for tool in chosen:
        for round_ in range(rounds):
            releases = list(tool.releases)
            random.Random(f"{SEED} {tool.name} {round_}").shuffle(releases)
            found += [
                (tool, release, round_) for release in releases if (tool.name, release, round_) not in done
            ]
    return found


def truths(tool: Tool, counts: Sequence[Count]) -> list[Truth]:
    """Return what is true of each later release of which there are counts, as of the first one."""
    of = {release: [count for count in counts if count.release == release] for release in tool.releases}
    return [_truth(tool, old, new, of[old], of[new]) for old, new in tool.pairs if of[old] and of[new]]


def _truth(tool: Tool, old: str, new: str, before: Sequence[Count], after: Sequence[Count]) -> Truth:
    changes: dict[str, float] = {}
    is_known = True
    for measure in (*EXACT, *WHOLE):
        ours, theirs = (
            [getattr(release_count, measure) for release_count in side] for side in (before, after)
        )
        apart = min(theirs) > max(ours) or max(theirs) < min(ours)
        difference = median(theirs) - median(ours)
        share = difference / max(1, median(ours))
        least = 3 * LARGE if measure == "classes" else LARGE
        if measure in WHOLE:
            if apart:
                changes[measure] = difference
        elif apart and abs(share) > least:
            changes[measure] = share
        elif abs(share) > (3 * LITTLE if measure == "classes" else LITTLE):
            is_known = False
    return Truth(tool.name, old, new, changes, is_known or bool(changes))
