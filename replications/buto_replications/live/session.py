"""Carry out the trials of a part, most often in random order, until all are done or time is up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from buto.run.store import DEFAULT_ROOT
from buto_replications.live.calls import EqualTrial
from buto_replications.live.journal import CommandEntry, PartJournal
from buto_replications.live.parts import LivePart

Tell = Callable[[CommandEntry, int, int], None]
"""Called after each command with its entry, the trials that are done, and all."""

CACHE = "cache"

DATA = DEFAULT_ROOT / "live"
"""Where trials are carried out unless a user names another directory."""


def journal_of(data: Path, name: str) -> PartJournal:
    """Return where the entries of a part are."""
    return PartJournal(data / f"{name}.jsonl")


def waiting(
    part: LivePart, earlier: Sequence[CommandEntry], seed: int, only: Sequence[str] = ()
) -> list[EqualTrial]:
    """Return the trials that are not done, in the order of the part or in one that depends on the seed alone.

    Args:
        only: shell patterns of subjects; empty for all.
    """
    order = list(part.trials)
    if not part.in_order:
        random.Random(seed).shuffle(order)
    wanted = (
        trial for trial in order if not only or any(fnmatchcase(trial.subject, pattern) for pattern in only)
    )
    return [trial for trial in wanted if not part.is_done(trial, earlier)]


def carry_out(
    part: LivePart,
    name: str,
    data: Path,
    seed: int,
    deadline_s: float,
    tell: Tell,
    only: Sequence[str] = (),
) -> int:
    """Carry out trials, append an entry for each command, and return how many trials still wait.

    A trial that was interrupted is carried out again; its training counts if it had ended.

    Args:
        deadline_s: of the monotonic clock; no trial begins later.

    Raises:
        MeasureError: a program cannot be made, or buto is not installed.
        StorageError, BadFileError: the journal cannot be written or read.
    """
    journal = journal_of(data, name)
    entries = journal.entries()
    left = waiting(part, entries, seed, only)
    total = len(left)
    for number, trial in enumerate(left):
        if time.monotonic() >= deadline_s:
            return total - number
        if part.is_done(trial, entries) or not part.is_needed(trial, entries):
            continue
        directory = part.directory(trial, data)
        for entry in part.carry_out(trial, directory, data / CACHE, tuple(entries)):
            journal.append(entry)
            entries.append(entry)
            tell(entry, number + 1, total)
    return 0
