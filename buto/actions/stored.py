"""Stored runs: those that a user selects, those that trained an oracle, those of the newest check.

A :class:`Site` is what is left of a project when its tests are resolved: all that launches and verdicts need.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from buto.actions.advice import Door
from buto.actions.ending import bad_ending
from buto.errors import JudgeError, UsageError
from buto.measure.command_line import program_digest
from buto.oracle import Oracle
from buto.run.format import Head
from buto.run.model import COMMAND, PROGRAM, PURPOSE, SESSION, Run, RunSet, run_set
from buto.run.storage import Place
from buto.run.store import RunStore
from buto.run.window import Window, with_window
from buto.steps import Action, Step

ALL = "all"

TURNS = "turns"
"""Purpose of runs of the old and the new program that a check has launched in turns."""

_JUDGED = (Action.CHECK.value, Action.BISECT.value, TURNS)
"""Purposes of runs whose program may have changed."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a call launches programs and keeps their runs, and in whose words it speaks to its user.

    Attributes:
        store: where runs, results, labels and programs are kept.
        door: the interface that the user called.
        scheduler: the address of the scheduler on whose hosts programs are launched; empty for this machine.
        root: the configuration's directory; without one, that of the oracles.
        base: the configuration's directory, to which its patterns are relative; None without one.
        windows: of each configured test, the part of its runs that counts now.
    """

    store: Place
    door: Door
    scheduler: str = ""
    root: Path = Path()
    base: Path | None = None
    windows: Mapping[str, Window | None] = field(default_factory=dict)

    @property
    def runs(self) -> RunStore:
        return RunStore(self.store)

    def load(self, test: str, ids: Sequence[str]) -> list[Run]:
        """Return runs with the window that the configuration now has; with their own if it lacks the test."""
        runs = self.runs.open_set(test, ids)
        return [with_window(run, self.windows[test]) for run in runs] if test in self.windows else list(runs)


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """The oracle of a test, as a call finds it.

    Attributes:
        path: its file.
        command: what a call starts that names no command, with secrets masked; None if that is configured
            or not known.
    """

    oracle: Oracle
    path: Path
    command: str | None = None

    def other_command(self, runs: Sequence[Run]) -> tuple[str, ...]:
        """Return the command of these runs, without its secrets, if a call that names none starts another.

        Empty, too, if the runs are of several commands.
        """
        commands = {run.metadata.get(COMMAND) for run in runs}
        text = commands.pop() if len(commands) == 1 else None
        is_other = self.command is not None and isinstance(text, str) and text != self.command
        return tuple(shlex.split(str(text))) if is_other else ()


def stored_runs(site: Site, test: str, which: str, *, required: bool = True) -> list[Run]:
    """Return usable stored runs of a test, in the order of their start.

    Args:
        which: ``all`` for those that were not recorded for a check; ids
            separated by commas, whatever they were recorded for; or ``FIRST..LAST``, a range of ``all``,
            where either end may be left out.
        required: whether it is an error if there are no runs.

    Raises:
        UsageError: there are no such runs.
        JudgeError: a named run is not usable.
        BadFileError: one of them does not exist or is damaged.
    """
    if which != ALL and ".." not in which:
        named = site.load(test, sorted({run_id.strip() for run_id in which.split(",")}))
        for run in named:
            if not run.quality.valid:
                raise JudgeError(f"the run {run.id} is not usable: {run.quality.describe()}")
        return named
    found = site.load(test, within(site.runs.ids(test), "" if which == ALL else which))
    runs = [run for run in found if _may_teach(run)]
    if required and not runs:
        where = "" if which == ALL else f" in {which}"
        record = site.door.step(Step(Action.RECORD, test, runs=10, command=("java", "..."), plain=True))
        raise UsageError(
            f"{site.store} holds no usable runs of {test!r}{where}{_left_out(found)}",
            advice=f"{site.door.step(Step(Action.LIST_RUNS))}; to record some: {record}",
        )
    return runs


def within(ids: Iterable[str], which: str) -> list[str]:
    """Return the ids in a range ``FIRST..LAST``, where either end may be left out."""
    first, _, last = which.partition("..")
    return [run_id for run_id in ids if first <= run_id and (not last or run_id <= last)]


def training_runs(site: Site, known: Oracle) -> RunSet:
    """Return the oracle's training runs that are still stored."""
    at_hand = set(site.runs.ids(known.test))
    return run_set(site.load(known.test, [run_id for run_id in known.run_ids if run_id in at_hand]))


def training_run_s(site: Site, known: Oracle) -> float | None:
    """Return how long a training run took, seconds; None if none of them is stored any more."""
    heads = (one.head for one in site.runs.summaries(known.test) if one.id in known.run_ids)
    took_s = [float(head.outcome.duration_s) for head in heads if head is not None]
    return median(took_s) if took_s else None


def newest_check(site: Site, test: str) -> list[Run]:
    """Return the usable runs of the newest check of a test; empty without a check."""
    store = site.runs
    known = store.summaries(test)
    recorded = [summary.head for summary in known if summary.head is not None]
    newest = [_session(head) for head in recorded if head.metadata.get(PURPOSE) == Action.CHECK.value][-1:]
    together = [head for head in recorded if _session(head) in newest]
    for damaged in (summary.id for summary in known if summary.head is None):
        if not together or damaged > together[0].id:
            store.load(test, damaged)
    if not together:
        return []
    problems = list(dict.fromkeys(problem for head in together for problem in head.quality.problems))
    usable = [head.id for head in together if head.quality.valid]
    if usable and bad_ending(problems) is None:
        return site.load(test, usable)
    why = "has no usable run" if not usable else "ended without a verdict"
    again = site.door.step(Step(Action.CHECK, test, plain=True))
    raise JudgeError(
        f"the newest check {why}: {newest[0]}: {'; '.join(problem.text for problem in problems)}",
        advice=f"check again: {again}; or name runs with {site.door.name('from-runs')}",
    )


def is_of_another_program(runs: Sequence[Run]) -> bool:
    """Return whether the files of these runs' program are known to have changed since the last of them."""
    known = runs[-1].metadata.get(PROGRAM) if runs else None
    now = program_digest(runs[-1].metadata) if known is not None else None
    return now is not None and now != known


def named(runs: Sequence[Run]) -> str:
    """Return how these stored runs are named, see :func:`stored_runs`."""
    if all(map(_may_teach, runs)):
        return f"{runs[0].id}..{runs[-1].id}" if runs else ALL
    return ",".join(run.id for run in runs if run.quality.valid)


def _left_out(found: Iterable[Run]) -> str:
    """Return a clause on runs that can be named by id but that ``all`` leaves out."""
    checked = sum(run.quality.valid and run.metadata.get(PURPOSE) in _JUDGED for run in found)
    if not checked:
        return ""
    return (
        f" but {checked} recorded for checks, which {ALL!r} and FIRST..LAST leave out; name them by their ids"
    )


def _may_teach(run: Run) -> bool:
    return run.quality.valid and run.metadata.get(PURPOSE) not in _JUDGED


def _session(head: Head) -> object:
    """Return the session that the runs of one command share; a run of an older version has its own."""
    return head.metadata.get(SESSION, head.id)
