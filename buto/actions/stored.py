"""Stored runs: those that a user selects, those that trained an oracle, those of the newest check."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from statistics import median

from buto.actions.ending import bad_ending
from buto.actions.events import Reporter, Warned
from buto.actions.workspace import KnownOracle, Workspace
from buto.errors import JudgeError, UsageError
from buto.measure.command_line import program_digest
from buto.oracle import Oracle
from buto.run.format import Head
from buto.run.model import PROGRAM, PURPOSE, SESSION, Run, RunSet, run_set
from buto.run.units import format_count
from buto.steps import Action, Advice, Part, Setting, Step

ALL = "all"

TURNS = "turns"
"""Purpose of runs of the old and the new program that a check has launched in turns."""

STAGED = "stage"
"""Purpose of runs of a kept copy that a training has tried."""

_JUDGED = (Action.CHECK.value, Action.BISECT.value, TURNS, STAGED)
"""Purposes of runs whose program may have changed."""


def load_stored_runs(workspace: Workspace, test: str, which: str, *, required: bool = True) -> list[Run]:
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
        named = workspace.load(test, sorted({run_id.strip() for run_id in which.split(",")}))
        for run in named:
            if not run.quality.valid:
                raise JudgeError(f"the run {run.id} is not usable: {run.quality.describe()}")
        return named
    stored_runs = workspace.load(test, within(workspace.runs.ids(test), "" if which == ALL else which))
    runs = [run for run in stored_runs if _may_teach(run)]
    if required and not runs:
        where = "" if which == ALL else f" in {which}"
        record = Step(Action.RECORD, test, runs=10, command=("java", "..."), plain=True)
        raise UsageError(
            f"{workspace.store} holds no usable runs of {test!r}{where}{_find_left_out(stored_runs)}",
            advice=Advice(Step(Action.LIST_RUNS), "; to record some: ", record),
        )
    return runs


def load_runs_of_one_program(
    workspace: Workspace, test: str, which: str, reporter: Reporter, *, required: bool = True
) -> list[Run]:
    """Return stored runs that may be learned from or judged together, and report which are left out.

    Of ``all`` and of a range these are the runs of the newest program in it: an oracle of two programs finds
    nothing that is smaller than what differs between them. Runs that are named by their ids all count.

    Args:
        which, required: see :func:`load_stored_runs`, also for errors.
    """
    runs = load_stored_runs(workspace, test, which, required=required)
    if which != ALL and ".." not in which:
        return runs
    alike = of_newest_program(runs)
    if len(alike) < len(runs):
        reporter(Warned(test, _describe_others(len(runs) - len(alike), len(runs))))
    return alike


def programs_of(runs: Iterable[Run]) -> frozenset[str]:
    """Return the checksums over the files of the programs that these runs know to be of."""
    return frozenset(str(known) for run in runs if (known := run.metadata.get(PROGRAM)) is not None)


def of_programs(runs: Iterable[Run], programs: frozenset[str]) -> list[Run]:
    """Return the runs that are not known to be of other programs than these; all if these are not known."""
    return [run for run in runs if not programs or programs_of([run]) <= programs]


def of_newest_program(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that are not known to be of another program than the newest one of them."""
    knowing = [run for run in runs if run.metadata.get(PROGRAM) is not None]
    return of_programs(runs, programs_of(knowing[-1:]))


def _describe_others(n_others: int, n_runs: int) -> Advice:
    are = "is of another version" if n_others == 1 else "are of other versions"
    return Advice(
        "to take some of them, too, name each run by its id: ",
        Setting("from-runs", "ID,ID"),
        fact=f"{n_others} of {format_count(n_runs, 'stored run')} {are} of the program than the newest one, "
        "and left out",
    )


def within(ids: Iterable[str], which: str) -> list[str]:
    """Return the ids in a range ``FIRST..LAST``, where either end may be left out."""
    first, _, last = which.partition("..")
    return [run_id for run_id in ids if first <= run_id and (not last or run_id <= last)]


def training_runs(workspace: Workspace, known: Oracle) -> RunSet:
    """Return the oracle's training runs that are still stored."""
    at_hand = set(workspace.runs.ids(known.test))
    return run_set(workspace.load(known.test, [run_id for run_id in known.run_ids if run_id in at_hand]))


def name_training(workspace: Workspace, known: Oracle) -> str:
    """Return how the oracle's training runs are named; empty if one of them is not stored here."""
    ids = workspace.runs.ids(known.test)
    trained = sorted(known.run_ids)
    if not set(trained) <= set(ids):
        return ""
    heads = workspace.runs.heads(known.test, within(ids, f"{trained[0]}..{trained[-1]}"))
    in_range = [head.id for head in heads if _may_teach(head)]
    return f"{trained[0]}..{trained[-1]}" if in_range == trained else ",".join(trained)


def training_run_s(workspace: Workspace, known: Oracle) -> float | None:
    """Return how long the newest training runs took, seconds; None if none of them is stored any more."""
    heads = workspace.runs.heads(known.test, sorted(known.run_ids)[-_FEW:])
    took_s = [float(head.outcome.duration_s) for head in heads]
    return median(took_s) if took_s else None


_FEW = 3
"""Of how many runs the durations are read, because everybody waits for that."""


def newest_check(workspace: Workspace, test: str) -> list[Run]:
    """Return the usable runs of the newest check of a test; empty without a check."""
    store = workspace.runs
    known = store.summaries(test)
    recorded = [summary.head for summary in known if summary.head is not None]
    newest = [session_of(head) for head in recorded if head.metadata.get(PURPOSE) == Action.CHECK.value][-1:]
    together = [head for head in recorded if session_of(head) in newest]
    for damaged in (summary.id for summary in known if summary.head is None):
        if not together or damaged > together[0].id:
            store.load(test, damaged)
    if not together:
        return []
    problems = list(dict.fromkeys(problem for head in together for problem in head.quality.problems))
    usable = [head.id for head in together if head.quality.valid]
    if usable and bad_ending(problems) is None:
        return workspace.load(test, usable)
    why = "has no usable run" if not usable else "ended without a verdict"
    again = Step(Action.CHECK, test, plain=True)
    raise JudgeError(
        f"the newest check {why}: {newest[0]}: {'; '.join(problem.text for problem in problems)}",
        advice=Advice("check again: ", again, "; or name runs with ", Setting("from-runs")),
    )


def is_of_another_program(runs: Sequence[Run]) -> bool:
    """Return whether the files of these runs' program are known to have changed since the last of them."""
    known = runs[-1].metadata.get(PROGRAM) if runs else None
    now = program_digest(runs[-1].metadata) if known is not None else None
    return now is not None and now != known


def name_runs(runs: Sequence[Run]) -> str:
    """Return how these stored runs are named, see :func:`load_stored_runs`."""
    if all(map(_may_teach, runs)):
        return f"{runs[0].id}..{runs[-1].id}" if runs else ALL
    return ",".join(run.id for run in runs if run.quality.valid)


def _find_left_out(runs: Iterable[Run]) -> str:
    """Return a clause on runs that can be named by id but that ``all`` leaves out."""
    checked = sum(run.quality.valid and run.metadata.get(PURPOSE) in _JUDGED for run in runs)
    if not checked:
        return ""
    return (
        f" but {checked} recorded for checks, which {ALL!r} and FIRST..LAST leave out; name them by their ids"
    )


def _may_teach(run: Head | Run) -> bool:
    return run.quality.valid and run.metadata.get(PURPOSE) not in _JUDGED


def session_of(recorded: Head | Run) -> str:
    """Return the session that the runs of one command share; a run of an older version has its own."""
    return str(recorded.metadata.get(SESSION, recorded.id))


def refuse_another_command(known: KnownOracle, judged: Sequence[Run], action: Action, *more: Part) -> None:
    """Raise UsageError if the newest check judged a command that this call would not launch.

    Args:
        judged: the runs of that check.
        action: what is called, and advised with the command that was judged.
        more: what else the user can do.
    """
    test, other = known.oracle.test, known.other_command(judged)
    if other:
        step = Step(action, test, command=other, plain=True)
        raise UsageError(
            f"the newest check of {test!r} judged another command than the one of its oracle: "
            f"{shlex.join(other)}",
            advice=Advice("take what was judged: ", step, *(("; ", *more) if more else ())),
        )
