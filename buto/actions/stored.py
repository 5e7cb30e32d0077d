"""Stored runs: those that a user selects, those that trained an oracle, those of the newest check."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from buto.actions.ending import bad_ending
from buto.actions.project import NO_OVERRIDES, Project
from buto.errors import ButoError, JudgeError, UsageError
from buto.measure.command_line import program_digest
from buto.oracle import Oracle
from buto.run.format import Head
from buto.run.model import COMMAND, PROGRAM, PURPOSE, SESSION, Run, RunSet, run_set
from buto.run.window import with_window
from buto.steps import Action, Step

ALL = "all"

TURNS = "turns"
"""Purpose of runs of the old and the new program that a check has launched in turns."""

_JUDGED = (Action.CHECK.value, Action.BISECT.value, TURNS)
"""Purposes of runs whose program may have changed."""


def stored_runs(project: Project, test: str, which: str, *, required: bool = True) -> list[Run]:
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
    store = project.store
    if which != ALL and ".." not in which:
        named = windowed(
            project, store.open_set(test, sorted({run_id.strip() for run_id in which.split(",")}))
        )
        for run in named:
            if not run.quality.valid:
                raise JudgeError(f"the run {run.id} is not usable: {run.quality.describe()}")
        return named
    first, _, last = ("", "", "") if which == ALL else which.partition("..")
    ids = [run_id for run_id in store.ids(test) if first <= run_id and (not last or run_id <= last)]
    found = windowed(project, store.open_set(test, ids))
    runs = [run for run in found if _may_teach(run)]
    if required and not runs:
        where = "" if which == ALL else f" in {which}"
        record = project.door.step(Step(Action.RECORD, test, runs=10, command=("java", "..."), plain=True))
        raise UsageError(
            f"{store.root} holds no usable runs of {test!r}{where}{_left_out(found)}",
            advice=f"{project.door.step(Step(Action.LIST_RUNS))}; to record some: {record}",
        )
    return runs


def training_runs(project: Project, known: Oracle) -> RunSet:
    """Return the oracle's training runs that are still stored."""
    store = project.store
    at_hand = set(store.ids(known.test))
    ids = [run_id for run_id in known.run_ids if run_id in at_hand]
    return run_set(windowed(project, store.open_set(known.test, ids)))


def newest_check(project: Project, test: str) -> list[Run]:
    """Return the usable runs of the newest check of a test; empty without a check.

    Raises:
        BadFileError: a run that may belong to it is damaged.
        JudgeError: it has no usable run, or ended without a verdict.
    """
    store = project.store
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
    ended = bad_ending(problems)
    if usable and ended is None:
        return windowed(project, store.open_set(test, usable))
    why = "has no usable run" if not usable else "ended without a verdict"
    again = project.door.step(Step(Action.CHECK, test, plain=True))
    raise JudgeError(
        f"the newest check {why}: {newest[0]}: {'; '.join(problem.text for problem in problems)}",
        advice=f"check again: {again}; or name runs with {project.door.name('from-runs')}",
    )


def other_command(project: Project, known: Oracle, runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the command of these runs, without its secrets, if neither configuration nor oracle has it.

    Empty if a call that names no command starts the same program, or if the runs are of several commands.
    """
    commands = {run.metadata.get(COMMAND) for run in runs}
    text = commands.pop() if len(commands) == 1 else None
    if not isinstance(text, str) or project.configured(known.test) is not None:
        return ()
    try:
        target = project.test(known.test, Action.ACCEPT, NO_OVERRIDES, known).target
    except ButoError:
        return ()
    return () if text == target.new_mask().command(target.command) else tuple(shlex.split(text))


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


def windowed(project: Project, runs: Iterable[Run]) -> list[Run]:
    """Return runs with the window that the configuration now has; with their own if it lacks their test."""
    found = []
    for run in runs:
        configured = project.configured(run.test)
        found.append(run if configured is None else with_window(run, configured.window))
    return found


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
